"""Studies: runs of a scenario with many combinations of parameters, on all cores or a cluster."""
