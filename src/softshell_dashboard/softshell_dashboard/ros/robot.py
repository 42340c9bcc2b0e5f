"""The robot as the desk commands it: that of the keyboard, with bridge, fingers and world."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rclpy.node import Node

from softshell_client.ros import messages as client_messages
from softshell_client.ros.asking import Question
from softshell_client.ros.peer import Peer
from softshell_dashboard.messages import Spawn
from softshell_dashboard.snapshot import Base
from softshell_interfaces.msg import BridgeStatus, WorldBody, WorldChange
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import angles_from_rotation, rotation_from_quaternion
from softshell_teleop.commands import STOP
from softshell_teleop.ros.remote import Remote


class DashboardRobot(Remote):
    """The robot, which may start and end at any time; no call waits for an answer.

    Args:
        node: in the namespace of the robot; it is spun from here.
        say: called with a line of text, and whether it reports a problem.
        base: returns the pose of the base now; None: unknown.

    Attributes:
        bodies: of the simulated world, from the newest answer; None if there is no world.
    """

    def __init__(
        self, node: Node, say: Callable[[str, bool], None], base: Callable[[], Base | None]
    ) -> None:
        super().__init__(node, say)
        self._tell, self._base = say, base
        self._listing_bodies: Question[Sequence[WorldBody]] | None = None
        self._bridge = Peer(node, 'bridge_status', BridgeStatus, 'bridge')
        self._looked: tuple[tuple[str, ...], frozenset[bytes]] | None = None
        self._asked_for: set[str] = set()
        self.bodies: Sequence[WorldBody] | None = None

    def poll(self) -> bool:
        """Report the requests that have ended since the last call.

        Returns:
            False once ROS is shut down.
        """
        if self._listing_bodies is not None and self._listing_bodies.done():
            question, self._listing_bodies = self._listing_bodies, None
            try:
                self.bodies = question.answer()
            except SoftshellError as error:
                self._tell(str(error), True)
        return super().poll()

    def ask_bridge(self, request: str) -> None:
        """Send a request to the bridge; an emergency stop is tried again until it is sent.

        Until then all others are refused, since one that follows at once could undo the stop
        before anybody has seen it.
        """
        if request == STOP:
            self.emergency_stop()
        elif self._stop_until:
            self._tell(f'{request}: not sent, as the emergency stop is not sent yet', True)
        else:
            self._begin(request, lambda: self.client.begin_bridge_request(request))

    def command_fingers(self, values: Mapping[str, float]) -> None:
        """Command values of channels that are no joints, by name, in their units."""
        try:
            self.client.command_fingers(values)
        except SoftshellError as error:
            self._tell(f'fingers: {error}', True)

    def spawn(self, body: Spawn) -> None:
        """Put a body into the simulated world, relative to the robot."""
        x = y = yaw = 0.0
        base = self._base()
        if base is not None:
            x, y = base.position[:2].tolist()
            yaw = float(angles_from_rotation(rotation_from_quaternion(base.orientation))[0])
        place = (
            x + math.cos(yaw) * body.ahead - math.sin(yaw) * body.left,
            y + math.sin(yaw) * body.ahead + math.cos(yaw) * body.left,
            body.height, yaw, 0.0, 0.0,
        )  # fmt: skip
        name = body.body or self._free_name()
        self._asked_for.add(name)
        change = WorldChange(
            kind=WorldChange.SPAWN,
            body=name,
            description=body.description,
            pose=client_messages.pose_message(place),
        )
        self._change(f'spawn {change.body}', change)

    def remove(self, body: str) -> None:
        """Remove a body from the simulated world."""
        self._change(f'remove {body}', WorldChange(kind=WorldChange.REMOVE, body=body))

    def look_at_world(self, names: tuple[str, ...]) -> None:
        """Ask for the bodies of the world, if their names or the bridge have changed.

        Args:
            names: of the bodies whose poses are published.
        """
        if not self.client.is_ready():
            self._looked, self.bodies = None, None
            return
        found = names, self._bridge.identities()
        if found != self._looked and self._listing_bodies is None and self.client.has_world():
            self._looked = found
            self._ask_for_bodies()

    def _change(self, name: str, change: WorldChange) -> None:
        self._begin(name, lambda: self.client.begin_world_change([change]))
        self._looked = None  # the bodies change soon, so ask for them again

    def _ask_for_bodies(self) -> None:
        try:
            self._listing_bodies = self.client.begin_bodies()
        except SoftshellError:  # the bridge is not ready yet: try again
            self._looked = None

    def _free_name(self) -> str:
        taken = {body.name for body in self.bodies or ()} | self._asked_for
        return next(name for number in range(1, 10_000) if (name := f'body_{number}') not in taken)

    def _begin(self, name: str, ask: Callable[[], Question[Any]]) -> None:
        try:
            self._requests.append((name, ask()))
        except SoftshellError as error:
            self._tell(f'{name}: {error}', True)

    def _tell_answer(self, name: str, answer: Any) -> None:
        """Report what the bridge answers; the page has a button for the way out of a stop."""
        if answer is not None:
            self._tell(f'{name}: {answer}', False)
