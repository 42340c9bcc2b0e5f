"""Studies: the same scenario many times, with other parameters, on all cores or a cluster."""
