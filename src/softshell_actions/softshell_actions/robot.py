"""What the actions need to know of the robot, taken from its model."""
