"""How fast simulated time may run; needs no ROS."""

#: Slowest and fastest that it may run against real time, unless as fast as possible.
SLOWEST, FASTEST = 0.01, 100.0
#: The pace where none is asked for.
REAL_TIME = 1.0


def is_factor(number: float) -> bool:
    """Whether simulated time can run so much faster than real time; 0: as fast as possible."""
    return number == 0.0 or SLOWEST <= number <= FASTEST
