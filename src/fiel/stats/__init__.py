"""Pure numbers on counts: intervals, paired differences, multiplicity, power and repeated trials; nothing is drawn."""
