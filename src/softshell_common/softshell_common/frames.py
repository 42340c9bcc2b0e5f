"""Names of the world's frames, by REP 105."""

#: The frame of odometry: a pose in it is continuous, and drifts.
ODOM = 'odom'
#: A frame in which poses do not drift. No node of softshell publishes it; a robot may not use its
#: name for a link.
MAP = 'map'
