"""The interfaces of the robot, the measurements and the scene that desk, show and station use."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from softshell_dashboard.messages import Spawn
from softshell_dashboard.scene.looks import Shape
from softshell_dashboard.snapshot import Fingers, Health, Snapshot
from softshell_kinematics.arrays import Array
from softshell_teleop.commands import Twist
from softshell_teleop.offer import Offer
from softshell_teleop.posture import Posture


class Parameter(Protocol):
    """A parameter of an action, e.g. a `ParameterDescription`."""

    name: str
    default_value: float
    minimum: float
    maximum: float
    unit: str
    meaning: str


class Action(Protocol):
    """An action, e.g. an `ActionDescription`."""

    name: str
    description: str
    parameters: Sequence[Parameter]


class Execution(Protocol):
    """An action that is being performed."""

    name: str
    sub_action: str
    progress: float


class Robot(Protocol):
    """The robot that is commanded; no call waits for an answer. See `ros.robot.DashboardRobot`.

    Attributes:
        actions: the `Action`s that it has.
        bodies: of its simulated world; None if there is no such world.
    """

    actions: Sequence[Action]
    bodies: Sequence[Any] | None

    @property
    def executions(self) -> Sequence[Execution]: ...
    def poll(self) -> bool:
        """Report the requests that have ended since the last call.

        Returns:
            False once ROS is shut down.
        """

    def offer(self) -> Offer | None: ...
    def drive(self, twist: Twist) -> None: ...
    def set_posture(self, posture: Posture) -> None: ...
    def set_gait(self, gait: str) -> None: ...
    def perform(
        self, action: str, parameters: Mapping[str, float] | None = None, queue: bool = False
    ) -> None: ...
    def cancel_action(self) -> None: ...
    def take_posture(self) -> Posture | None: ...
    def take_refusal(self) -> bool: ...
    def ask_bridge(self, request: str) -> None: ...
    def command_fingers(self, values: Mapping[str, float]) -> None: ...
    def spawn(self, body: Spawn) -> None: ...
    def remove(self, body: str) -> None: ...
    def look_at_world(self, names: tuple[str, ...]) -> None: ...


class Source(Protocol):
    """What the stack publishes; see `ros.feed.Feed`."""

    def description(self) -> str | None:
        """The URDF if it is new since the last call; None otherwise."""

    def snapshot(self, all_contacts: bool) -> Snapshot: ...
    def health(self) -> Health: ...
    def temperatures(self) -> Mapping[str, float]: ...
    def fingers(self) -> Fingers: ...
    def base_link(self) -> str: ...
    def feet(self) -> tuple[str, ...]: ...
    def body_names(self) -> tuple[str, ...]: ...
    def cameras(self) -> tuple[str, ...]: ...
    def picture(self, camera: str) -> bytes | None: ...


class Scene(Protocol):
    """The 3D scene; see `scene.view.View`."""

    def fit(self, size: float, weight: float) -> None: ...
    def set_robot(self, shapes: Sequence[Shape]) -> None: ...
    def move_robot(self, poses: Array) -> None: ...
    def centre(self, position: Array | None) -> None: ...
    def draw_forces(self, points: Array, forces: Array) -> None: ...
    def draw_lines(self, name: str, curves: Sequence[Array], closed: bool = False) -> None: ...
    def set_body(self, name: str, shapes: Sequence[tuple[Array, Array, Array]]) -> None: ...
    def move_body(self, name: str, position: Array, quaternion: Array) -> None: ...
    def remove_body(self, name: str) -> None: ...
