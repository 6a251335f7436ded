"""Where a run's results are written as they finish."""
