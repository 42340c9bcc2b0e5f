"""Curves through the air and over the ground, and time laws along them."""
