"""Gravity, for what weighs robots; needs no ROS."""

#: Acceleration of gravity where nothing else is said, as in simulated worlds [m/s^2].
GRAVITY = 9.81
