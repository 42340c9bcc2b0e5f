"""Trajectories of channels: taking or refusing them, and following them."""
