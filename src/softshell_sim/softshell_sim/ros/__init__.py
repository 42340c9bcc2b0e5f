"""The bridge to the simulation, as a node."""
