"""The 3D scene: what the robot looks like and what is drawn about it."""
