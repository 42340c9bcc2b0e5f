"""The key map in the form that the page needs."""

from collections.abc import Mapping
from typing import Any

from softshell_teleop.core import DIRECTIONS, POSTURE_STEPS
from softshell_teleop.offer import Offer
from softshell_teleop.settings import Settings

#: Keys with another name in a browser (`KeyboardEvent.key`, lower case) than in the key map.
BROWSER_NAMES = {
    'arrowup': 'up', 'arrowdown': 'down', 'arrowleft': 'left', 'arrowright': 'right',
    ' ': 'space', 'pageup': 'page_up', 'pagedown': 'page_down',
}  # fmt: skip
#: Commands that need a robot whose base has poses, and commands that need one that walks.
OF_POSES = (*POSTURE_STEPS, 'level')
OF_WALKS = ('faster', 'slower', 'next_gait')
#: Commands of the key map that the page does not use.
LEFT_OUT = ('help', 'keys', 'exit')


def bindings_for(settings: Settings, offer: Offer | None) -> Mapping[str, Any]:
    """The key map for the page.

    Args:
        settings: with the key map.
        offer: what the robot can do; None: not known yet.

    Returns:
        `names`: names in the key map, by those in a browser. `held` and `pressed`: the commands
        of keys that are held, and of keys that are pressed once, by key. Commands that the robot
        cannot obey are left out.
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
    """Commands that a robot cannot obey, by its offer."""
    return (*(() if offer.poses else OF_POSES), *(() if offer.walks else OF_WALKS))
