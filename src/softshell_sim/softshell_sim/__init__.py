"""A simulated world on any physics engine, and the bridge to it."""
