"""How long it takes until nodes know each other; needs no ROS."""

#: Nodes know each other's topics and services within this time of the start of the later one [s,
#: wall]: they announce themselves every 3 s, in case that nobody heard the announcement before.
DISCOVERY = 3.5
