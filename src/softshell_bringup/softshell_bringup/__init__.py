"""Starts the robot's nodes: the node table, the launch description, a runner without launch."""
