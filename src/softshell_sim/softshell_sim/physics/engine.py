"""The interface of a physics engine, as the world uses it.

An engine holds bodies by name, places and reads them, applies efforts and wrenches, and makes
steps of time. It knows nothing of robots' motors, control, feet or sensors: `world.py` does all
that, once for all engines. `test_engine_contract.py` checks what is promised here.

Everything is in the world's frame, z upwards, and in SI units. Quaternions are x, y, z, w.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_sim.bodies import Body, BodyState, Contact, Gap, ObjectSpec, RayHit, RobotSpec
from softshell_sim.contact.contact_table import ContactTable
from softshell_sim.contact.engine_surfaces import EngineSurfaces
from softshell_sim.contact.padding import refuse_padding
from softshell_sim.contact.surfaces import SurfaceResidual
from softshell_sim.joints.body_masses import BodyMasses
from softshell_sim.joints.implicit_mass import ImplicitMass
from softshell_sim.joints.limits import nearest_to_zero
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.robot_checks import refuse_robot
from softshell_sim.physics.saved_state import SavedState
from softshell_sim.sensing.camera import Picture, View


class Engine(EngineSurfaces):
    """A physics engine with its own world; one process can have several.

    A subclass implements the abstract methods. Those that begin with an underscore are called with
    checked arguments: the name of a new body is not in use, any other body is in the world.

    Args:
        settings: time step, gravity and window at the start.

    Attributes:
        time_step: duration of a step [s].
        driven: bodies whose root links follow the poses that `drive` is given.
    """

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__()
        self.settings = settings
        self.time_step = settings.time_step
        self.driven: set[Body] = set()
        #: Contacts of the last step, as `save` or `restore` left them; None: the engine has them.
        self._held: ContactTable | None = None
        self._masses = BodyMasses()

    def load(self, spec: RobotSpec) -> Body:
        """Add a robot as `spec` says, at rest, its root link at the origin.

        Each joint is at 0, or, if its limits exclude 0, at the limit that is nearer to it.

        Raises:
            SoftshellError: the name is in use, the robot is refused (see `refuse_robot`) or
                cannot have its layer, or the engine cannot load it.
            UnknownNameError: a joint, or a link with anisotropic friction, is not in the URDF.
        """
        refuse_robot(spec)
        body = self._keep(spec, lambda: self._load(spec))
        if (begin := nearest_to_zero(spec.urdf, spec.joints)).any():
            self.place_joints(body, begin)
        return body

    def add(self, spec: ObjectSpec) -> Body:
        """Add an object as `spec` says, at rest.

        Raises:
            SoftshellError: the name is in use, or the shape cannot have the layer.
        """
        return self._keep(spec, lambda: self._add(spec))

    def body(self, name: str) -> Body:
        """The body of this name.

        Raises:
            UnknownNameError: there is none.
        """
        self._refuse_ended()
        if name not in self.bodies:
            raise UnknownNameError('body', name, self.bodies)
        return self.bodies[name]

    def remove(self, body: Body) -> None:
        """Take a body out of the world.

        Raises:
            UnknownNameError: it is not in the world.
        """
        self._present(body)
        self._held = None
        self._remove(body)
        self.surfaces.forget(body)
        self._masses.forget(body)
        del self.bodies[body.name], self.specs[body.name], self.padding[body]
        self._set_driven(self.driven - {body})
        # Fewer pairs may be fitted better.
        self._surfaces_changed(*self.bodies.values())

    def clear(self) -> None:
        """Remove all bodies; gravity and time step stay as they were set."""
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

        Steps after `save` give the same numbers, bit for bit, as steps after `restore`.
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

        The bodies may have been removed since and added again, from equal specifications and in
        the same order. The state may come from another engine of the same class.

        Raises:
            SoftshellError: the state is of another class of engine, or was saved with other
                bodies; the text names them.
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
        """Bring back what `_save` returned, and apply `surfaces`, which may have changed."""

    def set_driven(self, body: Body, driven: bool) -> None:
        """Choose whether `drive` or physics moves the root link of a body from now on.

        No contact changes the motion of a driven root link. It passes through other driven root
        links, and through root links that stand still. When it is released it keeps its velocity.

        Raises:
            UnknownNameError: it is not in the world.
            SoftshellError: its root link stands still and cannot be driven.
        """
        self._present(body)
        if driven and self.specs[body.name].stands:
            raise SoftshellError(
                f'body {body.name!r} stands still and cannot be driven; expected one that can move'
            )
        self._set_driven(self.driven | {body} if driven else self.driven - {body})

    @abstractmethod
    def _set_driven(self, driven: set[Body]) -> None:
        """Make exactly these bodies `driven`; also called when a body was added or removed."""

    @abstractmethod
    def drive(self, body: Body, position: Array, orientation: Array) -> None:
        """Bring the root link of a driven body to a pose by the end of the next step.

        It moves there at a constant velocity. To be called before each step.

        Args:
            body: a driven one.
            position: (3,) of the frame of its root link in the world [m].
            orientation: (4,) of the same frame, quaternion x, y, z, w.
        """

    @abstractmethod
    def place(self, body: Body, state: BodyState) -> None:
        """Set the `state` of the root link of a body; of a fixed one only the pose."""

    @abstractmethod
    def place_joints(self, body: Body, position: Array, velocity: Array | None = None) -> None:
        """Set the joints of a robot.

        Args:
            body: the robot.
            position: (joints,) [rad] or [m].
            velocity: (joints,) [rad/s] or [m/s]; None: at rest.
        """

    @abstractmethod
    def read(self, body: Body, state: BodyState) -> None:
        """Write pose and velocity of the root link of a body into `state`."""

    @abstractmethod
    def link_pose(self, body: Body, link: int) -> Array:
        """(4, 4) pose in the world of a link of a body, by its place `link` in `Body.links`."""

    @abstractmethod
    def read_joints(self, body: Body, position: Array, velocity: Array) -> None:
        """Write the joints of a body into `position` and `velocity`, as of `place_joints`."""

    @abstractmethod
    def apply_effort(self, body: Body, effort: Array) -> None:
        """Apply a (joints,) `effort` [N m] or [N] at the joints of a body during the next step."""

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
        """Let pairs of links of a body, as places in `Body.links`, pass through each other."""

    @abstractmethod
    def set_gravity(self, gravity: Array) -> None:
        """Set the gravity of all bodies, (3,) in the world [m/s^2]; `clear` keeps it."""

    def set_time_step(self, time_step: float) -> None:
        """Set `time_step`, the duration of each step from now on [s]; `clear` keeps it."""
        if time_step != self.time_step:
            self.time_step = time_step
            self._set_time_step(time_step)

    @abstractmethod
    def _set_time_step(self, time_step: float) -> None: ...

    def step(self) -> None:
        """Advance the world by one time step."""
        self._held = None
        self._step()
        self._masses.passed()

    @abstractmethod
    def _step(self) -> None: ...

    def implicit_mass(self, body: Body) -> ImplicitMass:
        """The mass matrix of a robot's joints with their springs; the caller calls `update`."""
        self._refuse_ended()
        spec = self.specs[body.name]
        assert isinstance(spec, RobotSpec)
        return self._masses.of(spec)

    def all_contacts(self) -> ContactTable:
        """All contacts of the last step, also after a `restore`."""
        self._refuse_ended()
        return self._all_contacts() if self._held is None else self._held

    @abstractmethod
    def _all_contacts(self) -> ContactTable: ...

    def contacts(self, body: Body) -> list[Contact]:
        """All contacts of a body in the last step."""
        return self.all_contacts().of(body)

    def contact_forces(self, body: Body, force: Array) -> None:
        """Write the force of all contacts on each link in the last step.

        It is the sum of the forces of `contacts`, computed faster.

        Args:
            body: the body.
            force: (links, 3) in the world [N], C-contiguous; is overwritten.
        """
        if self._held is None:
            self._contact_forces(body, force)
        else:
            self._refuse_ended()
            self._held.sum_forces(body, force)

    @abstractmethod
    def _contact_forces(self, body: Body, force: Array) -> None: ...

    @abstractmethod
    def gaps(self, body: Body, other: Body, within: float) -> list[Gap]:
        """Pairs of links of a body and an `other` whose layers are closer than `within` [m].

        The bodies may be the same one twice: then pairs of its own links. To a height field an
        engine may give how far the body is above the ground that is below it.
        """

    @abstractmethod
    def ray(self, start: Array, end: Array) -> RayHit | None:
        """What a ray from (3,) `start` to `end` [m] hits first; None: nothing, or no length."""

    @abstractmethod
    def picture(self, view: View) -> Picture:
        """What a camera of this `view` sees: visual shapes of robots, else collision shapes."""

    @abstractmethod
    def mass(self, body: Body) -> float:
        """Mass of all links of a body that can move [kg]; 0: none can."""

    @abstractmethod
    def kinetic_energy(self, body: Body) -> float:
        """Kinetic energy of all links of a body [J]; not finite where its state is not."""
