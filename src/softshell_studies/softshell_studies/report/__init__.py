"""Reports of studies: plots, best runs, and what decides about them."""
