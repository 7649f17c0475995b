"""How the curves from evidence to probabilities were found."""
