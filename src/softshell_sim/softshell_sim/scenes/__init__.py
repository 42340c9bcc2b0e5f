"""Scene files, and the ground to walk on that they describe."""
