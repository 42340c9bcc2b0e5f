"""The 3D scene: the robot, and what is drawn around it."""
