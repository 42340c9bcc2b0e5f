"""What of a bag a report can use: the rest is told and left out; needs no ROS."""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.urdf_reader import parse_urdf


def usable_odometry(messages: Sequence[Any], name: str, tell: Callable[[str], None]) -> list[Any]:
    """Messages of odometry whose pose is one.

    Args:
        messages: of type `nav_msgs/Odometry`.
        name: of their topic, and of the bag.
        tell: takes a line if some are left out.
    """
    kept = [message for message in messages if _is_pose(message.pose.pose)]
    if len(kept) != len(messages):
        first = next(one.pose.pose for one in messages if not _is_pose(one.pose.pose))
        tell(
            f'{name}: {len(messages) - len(kept)} of {len(messages)} messages are left out: the '
            f'first has position x y z {_numbers(first.position, "xyz")} and orientation x y z w '
            f'{_numbers(first.orientation, "xyzw")}; expected finite numbers, and an orientation '
            'that is not all 0'
        )
    return kept


def usable_urdf(text: str, name: str, tell: Callable[[str], None]) -> str:
    """The text of a URDF, empty if it is none.

    Args:
        text: that was recorded; empty if nothing was.
        name: of its topic, and of the bag.
        tell: takes a line if it is left out.
    """
    if text:
        try:
            parse_urdf(text)
        except SoftshellError as error:
            tell(f'{name} is left out: {error}')
            return ''
    return text


def _is_pose(pose: Any) -> bool:
    """Whether a pose of a message has finite numbers, and an orientation of any length but 0."""
    turn = _numbers(pose.orientation, 'xyzw')
    return all(map(isfinite, _numbers(pose.position, 'xyz') + turn)) and any(turn)


def _numbers(message: Any, fields: str) -> list[float]:
    return [float(getattr(message, field)) for field in fields]
