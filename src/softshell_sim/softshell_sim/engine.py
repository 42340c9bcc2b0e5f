"""What the world asks of a physics engine.

An engine holds bodies by name, places and reads them, applies efforts and wrenches, and lets time
pass. It knows nothing of robots' motors, control, feet or sensors: `world.py` does all that, once
for all engines. `test_engine_contract.py` checks what is promised here.

Everything is in the world's frame, z upwards, and in SI units. Quaternions are x, y, z, w.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_sim.bodies import (
    Body,
    BodyState,
    Contact,
    Gap,
    ObjectSpec,
    RayHit,
    RobotSpec,
)
from softshell_sim.contact.contact_table import ContactTable
from softshell_sim.contact.engine_surfaces import EngineSurfaces
from softshell_sim.contact.padding import refuse_padding
from softshell_sim.engine_settings import EngineSettings
from softshell_sim.joints.body_masses import BodyMasses
from softshell_sim.joints.implicit_mass import ImplicitMass
from softshell_sim.robot_checks import refuse_robot
from softshell_sim.saved_state import SavedState
from softshell_sim.sensing.camera import Picture, View
from softshell_sim.surfaces import SurfaceResidual


class Engine(EngineSurfaces):
    """A physics engine with a world of its own: several live side by side in one process.

    A subclass implements what is abstract. The methods with an underscore are called with checked
    arguments: names that are free, bodies that exist.

    Args:
        settings: what it is started with.

    Attributes:
        time_step: that one step lets pass [s].
        driven: bodies whose root links go where `drive` says.
    """

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__()
        self.settings = settings
        self.time_step = settings.time_step
        self.driven: set[Body] = set()
        #: Contacts of the last step where the engine has forgotten them.
        self._held: ContactTable | None = None
        self._masses = BodyMasses()

    def load(self, spec: RobotSpec) -> Body:
        """Add a robot, its root link at the origin, all joints at 0, at rest.

        Raises:
            SoftshellError: the name is taken, the URDF cannot be read, by us or by the engine,
                parts that can move have no mass, or the shapes cannot be padded.
            UnknownNameError: a joint is not in the URDF.
        """
        refuse_robot(spec)
        return self._keep(spec, lambda: self._load(spec))

    def add(self, spec: ObjectSpec) -> Body:
        """Add an object, at rest.

        Raises:
            SoftshellError: the name is taken, or the shape cannot be padded.
        """
        return self._keep(spec, lambda: self._add(spec))

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
        self._held = None
        self._remove(body)
        self.surfaces.forget(body)
        self._masses.forget(body)
        del self.bodies[body.name], self.specs[body.name], self.padding[body]
        self._set_driven(self.driven - {body})

    def clear(self) -> None:
        """Take all bodies out: the engine is as after its start, but for what was set since."""
        self._clear()
        self.surfaces.clear()
        self._masses.clear()
        self.padding.clear()
        self.driven.clear()
        self._held = None
        self.bodies.clear()
        self.specs.clear()
        self.surface_residual = SurfaceResidual()

    def save(self) -> SavedState:
        """The state of all bodies, with their surfaces and layers, and which are driven.

        To go on after `save` gives, bit for bit, what it gives after `restore`.
        """
        self._held = contacts = self.all_contacts()
        content = self._save()
        padding = {body.name: padding for body, padding in self.padding.items()}
        specs = tuple(self.specs.values())
        driven = frozenset(body.name for body in self.driven)
        return SavedState(
            type(self), specs, content, self.surfaces.save(), padding, driven, contacts,
            self._masses.save(),
        )  # fmt: skip

    def restore(self, state: SavedState) -> None:
        """Bring all bodies to a saved state.

        The bodies may have been removed and added since, from equal specifications and in the same
        order, and the state may be of another engine of this kind.

        Raises:
            SoftshellError: the state is of another kind of engine, or was saved with other bodies;
                the text names them.
        """
        state.refuse_others(type(self), self.specs)
        self._refuse_ended()
        padding = {self.bodies[name]: value for name, value in state.padding.items()}
        if padding != self.padding:
            self._set_padding(padding)
        self._set_driven({self.bodies[name] for name in state.driven})
        self.surfaces.restore(state.surfaces)
        self._restore(state.content)
        self._masses.restore(state.masses, self.specs)
        bodies = tuple(self.bodies[body.name] for body in state.contacts.bodies)
        self._held = replace(state.contacts, bodies=bodies)

    def _keep(self, spec: ObjectSpec | RobotSpec, make: Callable[[], Body]) -> Body:
        name = spec.name
        if name in self.bodies:
            raise SoftshellError(f'body {name!r} exists already; remove it, or take another name')
        refuse_padding(spec)
        self.bodies[name] = body = make()
        self.specs[name] = spec
        self._set_driven(self.driven)
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
    def _restore(self, content: Any) -> None:
        """Bring back what `_save` gave; `surfaces`, which may have changed, come into force."""

    def set_driven(self, body: Body, driven: bool) -> None:
        """Have the root link of a body go where `drive` says, or as physics has it, from now on.

        Nothing that it touches can move a driven link. It goes through what cannot be moved
        either: other driven root links, and those that stand still. Released it keeps its
        velocity.

        Raises:
            UnknownNameError: it is not in the world.
            SoftshellError: its root link stands still.
        """
        self._present(body)
        if driven and self.specs[body.name].stands:
            raise SoftshellError(
                f'body {body.name!r} stands still and cannot be driven; expected one that can move'
            )
        self._set_driven(self.driven | {body} if driven else self.driven - {body})

    @abstractmethod
    def _set_driven(self, driven: set[Body]) -> None:
        """Have these be `driven`, and no others; also called when a body came or went."""

    @abstractmethod
    def drive(self, body: Body, position: Array, orientation: Array) -> None:
        """Have the root link of a driven body be somewhere after the next step.

        It goes there with an even velocity. To be called before each step.

        Args:
            body: that is driven.
            position: (3,) of its frame in the world [m].
            orientation: (4,) likewise, quaternion x, y, z, w.
        """

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
    def link_pose(self, body: Body, link: int) -> Array:
        """(4, 4) pose of the frame of a link in the world."""

    @abstractmethod
    def read_joints(self, body: Body, position: Array, velocity: Array) -> None:
        """Write (joints,) positions [rad] or [m] and velocities [rad/s] or [m/s]."""

    @abstractmethod
    def apply_effort(self, body: Body, effort: Array) -> None:
        """Apply (joints,) torques [N m] or forces [N] at the joints during the next step."""

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
    def ignore_collisions(self, body: Body, pairs: set[tuple[int, int]]) -> None:
        """Let pairs of links of a body pass through each other."""

    @abstractmethod
    def set_gravity(self, gravity: Array) -> None:
        """Have (3,) act on all bodies from now on [m/s^2]; also after `clear`."""

    def set_time_step(self, time_step: float) -> None:
        """Have each step let so much time pass from now on [s]; also after `clear`."""
        if time_step != self.time_step:
            self.time_step = time_step
            self._set_time_step(time_step)

    @abstractmethod
    def _set_time_step(self, time_step: float) -> None: ...

    def step(self) -> None:
        """Let one time step pass."""
        self._held = None
        self._step()
        self._masses.passed()

    @abstractmethod
    def _step(self) -> None: ...

    def implicit_mass(self, body: Body) -> ImplicitMass:
        """How the joints of a robot answer to efforts; its `update` is for who asks."""
        spec = self.specs[body.name]
        assert isinstance(spec, RobotSpec)
        return self._masses.of(spec)

    def all_contacts(self) -> ContactTable:
        """Where any two bodies touched in the last step, also where that was restored."""
        self._refuse_ended()
        return self._all_contacts() if self._held is None else self._held

    @abstractmethod
    def _all_contacts(self) -> ContactTable: ...

    def contacts(self, body: Body) -> list[Contact]:
        """Where a body touched anything in the last step."""
        return self.all_contacts().of(body)

    def contact_forces(self, body: Body, force: Array) -> None:
        """Write the force of all contacts on each link in the last step.

        It is the sum over `contacts`, but quick.

        Args:
            body: the body.
            force: (links, 3), contiguous [N].
        """
        if self._held is None:
            self._contact_forces(body, force)
        else:
            self._held.sum_forces(body, force)

    @abstractmethod
    def _contact_forces(self, body: Body, force: Array) -> None: ...

    @abstractmethod
    def gaps(self, body: Body, other: Body, within: float) -> list[Gap]:
        """Pairs of links, of two bodies or of one, whose layers are nearer than a distance [m].

        To a height field an engine may give a lower bound of the distance.
        """

    @abstractmethod
    def ray(self, start: Array, end: Array) -> RayHit | None:
        """What is hit first on the way from a (3,) point to another [m]."""

    @abstractmethod
    def picture(self, view: View) -> Picture:
        """What a camera sees: visual shapes of robots that have any, else what collides."""

    @abstractmethod
    def mass(self, body: Body) -> float:
        """Of all links of a body [kg]; 0: it stands still."""

    @abstractmethod
    def kinetic_energy(self, body: Body) -> float:
        """Of all links of a body [J]; not finite where its state is not."""

    def look(self, target: Array, distance: float) -> None:
        """Let the window look at a (3,) point from a distance [m]; without a window nothing."""

    def follow(self, way: Array) -> None:
        """Move what the window shows along a (3,) way [m], seen as before; else nothing."""
