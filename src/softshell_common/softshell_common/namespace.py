"""Namespaces as ROS takes them; needs no ROS."""

import re

#: Largest number of characters of a namespace: the middleware limits the length of full names.
LONGEST = 80
#: What a namespace must be, as messages say it.
EXPECTED = (
    'names of letters, digits and _, none beginning with a digit, separated by /, '
    f'{LONGEST} characters at most'
)
_NAMESPACE = re.compile(r'/?([A-Za-z_]\w*(/[A-Za-z_]\w*)*/?)?', re.ASCII)


def is_namespace(text: str) -> bool:
    """Whether a text is a valid ROS namespace; a slash at either end may be left out."""
    return _NAMESPACE.fullmatch(text) is not None and len(text.strip('/')) <= LONGEST
