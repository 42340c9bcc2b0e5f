"""What the world asks of a physics engine.

An engine holds bodies by name, places and reads them, applies efforts and wrenches, and lets time
pass. It knows nothing of robots' motors, control, feet or sensors: `world.py` does all that, once
for all engines. `test_engine_contract.py` checks what is promised here.

Everything is in the world's frame, z upwards, and in SI units. Quaternions are x, y, z, w.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_sim.bodies import (
    Body,
    BodyState,
    Contact,
    Gap,
    ObjectSpec,
    Plane,
    RayHit,
    RobotSpec,
    Surface,
)


@dataclass(frozen=True)
class EngineSettings:
    """What an engine is started with.

    Args:
        time_step: that one step lets pass [s].
        gravity: along −z [m/s^2].
        window: show the world in a window.
    """

    time_step: float
    gravity: float
    window: bool


@dataclass(frozen=True, eq=False)
class SavedState:
    """The state of an engine, which only that engine can restore, and only with these bodies."""

    engine: 'Engine'
    bodies: tuple[Body, ...]
    content: Any


class Engine(ABC):
    """A physics engine with a world of its own: several live side by side in one process.

    A subclass implements what is abstract. The methods with an underscore are called with checked
    arguments: names that are free, bodies that exist.

    Args:
        settings: what it is started with.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings
        self.bodies: dict[str, Body] = {}

    def load(self, spec: RobotSpec) -> Body:
        """Add a robot, its root link at the origin, all joints at 0, at rest.

        Raises:
            SoftshellError: the name is taken, or the engine cannot read the URDF.
        """
        return self._keep(spec.name, lambda: self._load(spec))

    def add(self, spec: ObjectSpec) -> Body:
        """Add an object, at rest.

        Raises:
            SoftshellError: the name is taken, or the shape cannot move.
        """
        if isinstance(spec.shape, Plane) and spec.mass > 0.0:
            raise SoftshellError(f'body {spec.name!r}: a plane stands still; expected mass 0')
        return self._keep(spec.name, lambda: self._add(spec))

    def body(self, name: str) -> Body:
        """The body of this name.

        Raises:
            UnknownNameError: there is none.
        """
        if name not in self.bodies:
            raise UnknownNameError('body', name, self.bodies)
        return self.bodies[name]

    def remove(self, body: Body) -> None:
        """Take a body out of the world.

        Raises:
            UnknownNameError: it is not in the world.
        """
        if body not in self.bodies.values():
            raise UnknownNameError('body', body.name, self.bodies)
        self._remove(body)
        del self.bodies[body.name]

    def clear(self) -> None:
        """Take all bodies out and forget all states: the engine is as after its start."""
        self._clear()
        self.bodies.clear()

    def save(self) -> SavedState:
        """The state of all bodies.

        To go on after `save` gives, bit for bit, what it gives after `restore`.
        """
        return SavedState(self, tuple(self.bodies.values()), self._save())

    def restore(self, state: SavedState) -> None:
        """Bring all bodies to a saved state.

        Raises:
            SoftshellError: the state is of another engine, or was saved with other bodies; the
                text names them.
        """
        if state.engine is not self:
            raise SoftshellError('the state was saved by another engine')
        saved = {body.name: body for body in state.bodies}
        problems = [f'{name!r} is missing' for name in saved if name not in self.bodies]
        problems += [f'{name!r} is new' for name in self.bodies if name not in saved]
        problems += [
            f'{name!r} was removed and added again'
            for name, body in self.bodies.items()
            if saved.get(name, body) is not body
        ]
        if problems:
            raise SoftshellError(f'the state was saved with other bodies: {", ".join(problems)}')
        self._restore(state.content)

    def _keep(self, name: str, make: Callable[[], Body]) -> Body:
        if name in self.bodies:
            raise SoftshellError(f'body {name!r} exists already; remove it, or take another name')
        self.bodies[name] = body = make()
        return body

    @abstractmethod
    def _load(self, spec: RobotSpec) -> Body: ...

    @abstractmethod
    def _add(self, spec: ObjectSpec) -> Body: ...

    @abstractmethod
    def _remove(self, body: Body) -> None: ...

    @abstractmethod
    def _clear(self) -> None: ...

    @abstractmethod
    def _save(self) -> Any: ...

    @abstractmethod
    def _restore(self, content: Any) -> None: ...

    @abstractmethod
    def place(self, body: Body, state: BodyState) -> None:
        """Put the root link of a body somewhere; of a fixed one only the pose counts."""

    @abstractmethod
    def place_joints(self, body: Body, position: Array, velocity: Array | None = None) -> None:
        """Put all joints of a body somewhere: (joints,), by default at rest."""

    @abstractmethod
    def read(self, body: Body, state: BodyState) -> None:
        """Write pose and velocity of the root link."""

    @abstractmethod
    def read_joints(self, body: Body, position: Array, velocity: Array) -> None:
        """Write (joints,) positions [rad] or [m] and velocities [rad/s] or [m/s]."""

    @abstractmethod
    def apply_effort(self, body: Body, effort: Array) -> None:
        """Apply (joints,) torques [N m] or forces [N] at the joints during the next step."""

    @abstractmethod
    def set_joint_friction(self, body: Body, effort: Array) -> None:
        """Give joints dry friction: (joints,) efforts [N m] or [N] that hold each, or brake it.

        A joint at rest stays so while all else on it is less.
        """

    @abstractmethod
    def apply_wrench(
        self, body: Body, link: int, force: Array, torque: Array, point: Array
    ) -> None:
        """Apply a force and a torque to a link during the next step.

        Args:
            body, link: the link.
            force: (3,) [N] in the world.
            torque: (3,) [N m] in the world.
            point: (3,) [m] in the world, where the force acts.
        """

    @abstractmethod
    def set_surface(self, body: Body, surface: Surface) -> None:
        """Give all links of a body a surface."""

    @abstractmethod
    def ignore_collisions(self, body: Body, pairs: set[tuple[int, int]]) -> None:
        """Let pairs of links of a body pass through each other."""

    @abstractmethod
    def step(self) -> None:
        """Let one time step pass."""

    @abstractmethod
    def contacts(self, body: Body) -> list[Contact]:
        """Where a body touched anything in the last step."""

    @abstractmethod
    def contact_forces(self, body: Body, force: Array) -> None:
        """Write the force of all contacts on each link in the last step.

        It is the sum over `contacts`, but quick.

        Args:
            body: the body.
            force: (links, 3), contiguous [N].
        """

    @abstractmethod
    def gaps(self, body: Body, other: Body, within: float) -> list[Gap]:
        """Pairs of links, of two bodies or of one, that are nearer than a distance [m]."""

    @abstractmethod
    def ray(self, start: Array, end: Array) -> RayHit | None:
        """What is hit first on the way from a (3,) point to another [m]."""

    def look(self, target: Array, distance: float) -> None:  # noqa: B027
        """Let the window look at a (3,) point from a distance [m]; without a window nothing."""

    @abstractmethod
    def close(self) -> None:
        """End the engine. A second call does nothing, any other raises SoftshellError."""
