"""Gravity, for what weighs robots; needs no ROS."""

#: Acceleration of gravity where nothing else is said [m/s^2]. Simulated worlds have it, as is
#: usual in simulators; `softshell_continuum.statics` has the standard 9.80665, to compare with
#: measurements.
GRAVITY = 9.81
