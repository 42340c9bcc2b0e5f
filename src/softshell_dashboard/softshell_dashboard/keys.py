"""The key map as a browser needs it: names of keys there, and what is held or pressed."""

from collections.abc import Mapping
from typing import Any

from softshell_teleop.core import DIRECTIONS
from softshell_teleop.offer import Offer
from softshell_teleop.settings import Settings

#: Names of keys in a browser (`KeyboardEvent.key`, lower case) that the key map calls otherwise.
BROWSER_NAMES = {
    'arrowup': 'up', 'arrowdown': 'down', 'arrowleft': 'left', 'arrowright': 'right',
    ' ': 'space', 'pageup': 'page_up', 'pagedown': 'page_down',
}  # fmt: skip
#: Commands of the key map that a page has no use for.
LEFT_OUT = ('help', 'keys', 'exit')


def bindings_for(settings: Settings, offer: Offer | None) -> Mapping[str, Any]:
    """What the page has to know of the key map.

    Returns:
        `names` of keys in a browser, `held` and `pressed`: the command of each key; actions only
        where the robot has them.
    """
    held, pressed = {}, {}
    for key, binding in settings.bindings.items():
        if binding.command in DIRECTIONS:
            held[key] = binding.command
        elif binding.command == 'action':
            if offer is not None and binding.action in offer.actions:
                pressed[key] = binding.action
        elif binding.command not in LEFT_OUT:
            pressed[key] = binding.command
    return {'names': BROWSER_NAMES, 'held': held, 'pressed': pressed}
