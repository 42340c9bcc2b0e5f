"""Move the robot from a program of your own.

from softshell_client import Shell

with Shell() as robot:
    robot.perform('walk', distance=0.5)
    print(robot.position)
"""

from importlib import import_module
from typing import TYPE_CHECKING

#: The public names, by module. A module is imported when one of its names is first used, so that
#: who needs the outcomes of actions alone does not load ROS.
_MODULES = {
    'bridge': ('BridgeMode', 'BridgeState'),
    'errors': ('ActionFailedError', 'RequestRefusedError', 'ServerGoneError'),
    'shell': ('Shell',),
    'status': ('Status',),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from softshell_client.bridge import BridgeMode as BridgeMode
    from softshell_client.bridge import BridgeState as BridgeState
    from softshell_client.errors import ActionFailedError as ActionFailedError
    from softshell_client.errors import RequestRefusedError as RequestRefusedError
    from softshell_client.errors import ServerGoneError as ServerGoneError
    from softshell_client.shell import Shell as Shell
    from softshell_client.status import Status as Status


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(import_module(f'{__name__}.{_HOME[name]}'), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
