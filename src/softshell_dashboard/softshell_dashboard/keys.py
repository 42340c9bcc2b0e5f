"""The key map as a browser needs it: names of keys there, and what is held or pressed."""

from collections.abc import Mapping
from typing import Any

from softshell_teleop.core import DIRECTIONS, POSTURE_STEPS
from softshell_teleop.offer import Offer
from softshell_teleop.settings import Settings

#: Names of keys in a browser (`KeyboardEvent.key`, lower case) that the key map calls otherwise.
BROWSER_NAMES = {
    'arrowup': 'up', 'arrowdown': 'down', 'arrowleft': 'left', 'arrowright': 'right',
    ' ': 'space', 'pageup': 'page_up', 'pagedown': 'page_down',
}  # fmt: skip
#: Those that only a robot obeys that has poses of its base, and that walks.
OF_POSES = (*POSTURE_STEPS, 'level')
OF_WALKS = ('faster', 'slower', 'next_gait')
#: Commands of the key map that a page has no use for.
LEFT_OUT = ('help', 'keys', 'exit')


def bindings_for(settings: Settings, offer: Offer | None) -> Mapping[str, Any]:
    """What the page has to know of the key map.

    Returns:
        `names` of keys in a browser, `held` and `pressed`: the command of each key, of those that
        the robot can obey, where that is known.
    """
    held, pressed = {}, {}
    for key, binding in settings.bindings.items():
        if binding.command in DIRECTIONS:
            if offer is None or offer.walks:
                held[key] = binding.command
        elif offer is not None and binding.command in _beyond(offer):
            continue
        elif binding.command == 'action':
            if offer is not None and binding.action in offer.actions:
                pressed[key] = binding.action
        elif binding.command not in LEFT_OUT:
            pressed[key] = binding.command
    return {'names': BROWSER_NAMES, 'held': held, 'pressed': pressed}


def _beyond(offer: Offer) -> tuple[str, ...]:
    """Commands that a robot cannot obey."""
    return (*(() if offer.poses else OF_POSES), *(() if offer.walks else OF_WALKS))
