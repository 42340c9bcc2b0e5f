"""Namespaces as ROS takes them; needs no ROS."""

import re

#: Characters of the longest; the middleware takes no more in a full name.
LONGEST = 200
#: What a namespace has to be, for people.
EXPECTED = (
    'names of letters, digits and _, none beginning with a digit, apart by /, '
    f'{LONGEST} characters at most'
)
_NAMESPACE = re.compile(r'/?([A-Za-z_]\w*(/[A-Za-z_]\w*)*/?)?', re.ASCII)


def is_namespace(text: str) -> bool:
    """Whether ROS takes a text as a namespace; the slashes at its ends do not matter."""
    return _NAMESPACE.fullmatch(text) is not None and len(text.strip('/')) <= LONGEST
