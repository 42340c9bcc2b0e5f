"""Move the robot from a program of your own.

from softshell_client import Shell

with Shell() as robot:
    robot.perform('walk', distance=0.5)
    print(robot.position)
"""

from typing import TYPE_CHECKING

from softshell_common.bridge_mode import BridgeMode as BridgeMode
from softshell_common.outcome import Status as Status
from softshell_kinematics.errors import SoftshellError as SoftshellError
from softshell_kinematics.lazy import lazy_names

#: The public names, by module. A module is imported when one of its names is first used: a
#: program that needs only the outcomes of actions does not load ROS.
_MODULES = {
    'bridge': ('BridgeState',),
    'errors': ('ActionFailedError', 'RequestRefusedError', 'ServerGoneError'),
    'ros.client': ('Client',),
    'ros.shell': ('Shell',),
}
__getattr__, __dir__, __all__ = lazy_names(__name__, _MODULES)
__all__ += ['BridgeMode', 'SoftshellError', 'Status']

if TYPE_CHECKING:
    from softshell_client.bridge import BridgeState as BridgeState
    from softshell_client.errors import ActionFailedError as ActionFailedError
    from softshell_client.errors import RequestRefusedError as RequestRefusedError
    from softshell_client.errors import ServerGoneError as ServerGoneError
    from softshell_client.ros.client import Client as Client
    from softshell_client.ros.shell import Shell as Shell
