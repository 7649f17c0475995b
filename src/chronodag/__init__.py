"""chronodag learns dynamic Bayesian networks from time series."""
