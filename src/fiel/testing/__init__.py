"""What a test needs of fiel: stand-ins for the outside, the contract suite of each port, and the pytest plugin."""
