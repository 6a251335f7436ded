"""What a test needs of fiel: stand-ins for the outside, and the contract suites of graders and of targets."""
