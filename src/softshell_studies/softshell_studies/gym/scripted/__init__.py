"""A policy for each task that is written by hand: what a trained one is held against."""
