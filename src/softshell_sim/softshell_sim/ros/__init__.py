"""The bridge to the simulation as a node: everything of this package that needs ROS."""
