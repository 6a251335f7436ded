"""Running a target over a dataset: cases x trials, graded, journalled and reported."""
