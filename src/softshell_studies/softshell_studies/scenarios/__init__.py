"""Scenarios: each takes parameters and a seed, runs a simulation and returns metrics."""
