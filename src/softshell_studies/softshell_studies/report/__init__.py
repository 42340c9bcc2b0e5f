"""Reports of studies: plots, the best runs, and which parameters matter most."""
