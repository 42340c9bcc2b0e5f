"""Frames of the world, as REP 105 names them."""

#: What odometry measures in: it is continuous, and drifts.
ODOM = 'odom'
#: What does not drift; nothing here publishes it yet.
MAP = 'map'
