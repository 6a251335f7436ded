"""Everything that touches the outside: one folder a port, one file an adapter; only ``fiel.wiring`` opens them."""
