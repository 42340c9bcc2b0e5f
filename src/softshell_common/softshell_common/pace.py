"""How fast simulated time may run; needs no ROS."""

#: Smallest and largest factor between simulated and real time.
SLOWEST, FASTEST = 0.01, 100.0
#: The factor that is used if none is given.
REAL_TIME = 1.0


def is_factor(number: float) -> bool:
    """Whether a number is a valid factor between simulated and real time.

    0 is valid and means: as fast as possible.
    """
    return number == 0.0 or SLOWEST <= number <= FASTEST
