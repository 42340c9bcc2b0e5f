"""The bodies of PyBullet: adding and removing, surfaces and layers, saved states."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import (
    Body,
    BodyState,
    ObjectSpec,
    RobotSpec,
    anisotropic_links,
)
from softshell_sim.contact.surfaces import SurfaceResidual
from softshell_sim.joints.implicit_springs import ImplicitSprings
from softshell_sim.joints.limits import limits_of
from softshell_sim.joints.mass import JointMass
from softshell_sim.physics.engine import Engine
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.pybullet.anisotropy import Anisotropy, Touch
from softshell_sim.pybullet.driving import let_touch, set_heavy
from softshell_sim.pybullet.energy import Inertias, inertias
from softshell_sim.pybullet.loading import Numbers, add_object, load_robot
from softshell_sim.pybullet.quietly import pybullet
from softshell_sim.pybullet.rotors import ballast_of, rotors_of, with_inertia
from softshell_sim.pybullet.state import (
    forget_contacts,
    motion_of,
    move,
    restore_state,
    save_state,
)
from softshell_sim.pybullet.surfaces import RECOVERY, Factors, fit, tell


@dataclass(frozen=True, eq=False)
class _Content:
    """The saved state: PyBullet's own, and what softshell keeps, by name of the body."""

    state: bytes
    factors: dict[str, Factors]
    residual: SurfaceResidual
    springs: dict[str, tuple[Array, ...]]
    touches: list[Touch]


class PyBulletBodies(Engine):
    """PyBullet, with its own client.

    Raises:
        SoftshellError: PyBullet does not start, there is no display for its window, or another
            engine has one.
    """

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings)
        with self._opening_window() if settings.window else nullcontext():
            self._connection: int = pybullet.connect(
                pybullet.GUI if settings.window else pybullet.DIRECT
            )
            if self._connection < 0:
                raise SoftshellError(
                    'PyBullet did not start: it gave no connection to a simulation'
                )
        self._numbers: dict[Body, Numbers] = {}
        self._body_of: dict[int, Body] = {}
        self._gravity = np.array([0.0, 0.0, -settings.gravity])
        self._target = np.zeros(3)  # what the window looks at
        self._factors: dict[Body, Factors] = {}
        self._inertias: dict[Body, Inertias] = {}
        self._passing: dict[Body, set[tuple[int, int]]] = {}
        self._springs: dict[Body, ImplicitSprings] = {}
        self._anisotropy = Anisotropy()
        self._apart: set[tuple[int, int]] = set()
        self._is_rearranged = False
        self._is_shuffled = False  # PyBullet has the bodies in another order than `_numbers`
        self._begin()

    def _begin(self) -> None:
        client = self._client
        pybullet.resetSimulation(physicsClientId=client)
        self.set_gravity(self._gravity)
        self._set_time_step(self.time_step)
        pybullet.setPhysicsEngineParameter(
            numSubSteps=0,
            deterministicOverlappingPairs=1,
            enableConeFriction=1,
            # With the default, an impact below 0.2 m/s does not bounce.
            restitutionVelocityThreshold=0.01,
            contactERP=RECOVERY,
            # By default PyBullet keeps, by name, all it has read: states and meshes without end,
            # and the old content of a mesh that has changed.
            enableFileCaching=0,
            physicsClientId=client,
        )
        if self.settings.window:
            self._show(pybullet.COV_ENABLE_GUI, False)
            # Drawn only from the first `show` on: before, every call would wait for a picture.
            self._show(pybullet.COV_ENABLE_RENDERING, False)
        self._hidden = self.settings.window

    def _show(self, what: int, shown: bool) -> None:
        pybullet.configureDebugVisualizer(what, int(shown), physicsClientId=self._client)

    @property
    def _client(self) -> int:
        """PyBullet's client id of this engine, for every call of PyBullet.

        Raises:
            SoftshellError: the engine has ended.
        """
        if self._ended:  # not by `_refuse_ended`: its calls would slow down every step
            raise SoftshellError(self._ended)
        return self._connection

    def _close(self) -> None:
        pybullet.disconnect(self._connection)

    def _load(self, spec: RobotSpec) -> Body:
        body = self._enter(spec, *load_robot(self._client, spec, self.settings.time_step))
        if spec.springs is not None:
            self._springs[body] = self._springs_of(spec)
        self.ignore_collisions(body, self._numbers[body].neighbours)
        self.place(body, BodyState())
        return body

    def _springs_of(self, spec: RobotSpec) -> ImplicitSprings:
        """The springs of a robot, whose links in PyBullet have ballast (see `rotors.py`).

        The ballast is always that of the first time step, so that a robot which is made anew,
        whatever the present step, is the one that the springs compensate for.
        """
        ballast = ballast_of(spec, self.settings.time_step)
        felt = JointMass(with_inertia(spec, ballast), spec.joints, spec.fixed, rotors_of(spec))
        limits = limits_of(spec.urdf, tuple(spec.joints))
        return ImplicitSprings(self._masses.of(spec), felt, limits)

    def _add(self, spec: ObjectSpec) -> Body:
        body = self._enter(spec, *add_object(self._client, spec))
        self.place(body, BodyState.at_rest(spec.pose))
        return body

    def _enter(self, spec: RobotSpec | ObjectSpec, body: Body, numbers: Numbers) -> Body:
        self._numbers[body] = numbers
        self._body_of[numbers.body] = body
        fixed = False
        ballast: dict[int, float] = {}
        if isinstance(spec, RobotSpec):
            fixed, more = spec.fixed, ballast_of(spec, self.settings.time_step)
            ballast = dict(zip(numbers.joints, more.tolist(), strict=True))
        self._inertias[body] = inertias(
            self._client, numbers.body, len(body.links), fixed, ballast
        )
        for link, friction in anisotropic_links(spec, body.links).items():
            self._anisotropy.links[body, link] = friction
        self._enter_surface(body, spec)
        self._surfaces_changed(body)
        return body

    def _apply_surfaces(self, *changed: Body) -> None:
        factors, residual = fit(self.surfaces)
        rigid = self._to_be_rigid(factors)
        if rigid.intersection(changed):
            self._make_anew(self.padding)
        else:
            for body in rigid:
                old = self._factors[body]
                factors[body] = replace(
                    factors[body], compliance=old.compliance, damping=old.damping
                )
        self._tell(factors, residual)

    def _to_be_rigid(self, factors: Mapping[Body, Factors]) -> set[Body]:
        """Bodies that are soft in PyBullet, which cannot be undone, but are to be rigid."""
        return {
            body
            for body, old in self._factors.items()
            if old.compliance is not None and factors[body].compliance is None
        }

    def _tell(self, factors: dict[Body, Factors], residual: SurfaceResidual) -> None:
        """Give PyBullet the numbers of all bodies whose surfaces have changed."""
        for body, new in factors.items():
            if new != self._factors.get(body):
                frictionless = {link for each, link in self._anisotropy.links if each is body}
                number = self._numbers[body].body
                tell(self._client, number, len(body.links), new, frictionless)
        self._factors, self.surface_residual = factors, residual

    def _set_padding(self, padding: Mapping[Body, float]) -> None:
        states = {body: BodyState() for body in padding}
        for body, state in states.items():
            self.read(body, state)
        factors, residual = self._factors, self.surface_residual
        try:
            self._make_anew({**self.padding, **padding})
        finally:
            self._tell(factors, residual)
        for body, state in states.items():
            self.place(body, state)  # the origin of ground in PyBullet depends on its layer

    def _set_driven(self, driven: set[Body]) -> None:
        for body, numbers in self._numbers.items():
            if (body in driven) != (body in self.driven):
                own, heavy = self._inertias[body], body in driven
                set_heavy(self._client, numbers.body, own, heavy)
        self.driven = set(driven)
        bodies = [body for body in self._numbers if driven]
        stopped = [body for body in bodies if body in driven or self.specs[body.name].stands]
        self._let_apart(
            {
                (self._numbers[one].body, self._numbers[other].body)
                for one, other in combinations(stopped, 2)
                if one in driven or other in driven
            }
        )

    def _let_apart(self, apart: set[tuple[int, int]]) -> None:
        """Let the root links of these pairs of bodies pass through each other, and no others."""
        for pair in sorted(apart ^ self._apart):
            let_touch(self._client, *pair, pair not in apart)
            self._is_rearranged = True
        self._apart = apart

    def _make_anew(self, padding: dict[Body, float]) -> None:
        """Make all bodies anew in their present state, without surfaces, which follow by `_tell`.

        Args:
            padding: thickness of the layer of each body [m].

        Raises:
            SoftshellError: PyBullet cannot make one of them; all keep their old layers.
        """
        shuffled, content = self._is_shuffled, save_state(self._client)
        motions = [motion_of(self._client, numbers) for numbers in self._numbers.values()]
        try:
            self._fill(padding)
            self.padding = padding
        except SoftshellError:
            self._fill(self.padding)
            raise
        finally:
            if shuffled:
                for numbers, motion in zip(self._numbers.values(), motions, strict=True):
                    move(self._client, numbers, motion)
            else:
                restore_state(self._client, content)

    def _fill(self, padding: Mapping[Body, float]) -> None:
        """Reset PyBullet and load all bodies, with layers of this thickness [m]."""
        self._begin()
        self._factors, self._body_of = {}, {}
        for body in tuple(self._numbers):
            spec = replace(self.specs[body.name], padding=padding[body])
            if isinstance(spec, ObjectSpec):
                _, numbers = add_object(self._client, spec)
            else:
                _, numbers = load_robot(self._client, spec, self.settings.time_step)
            self._numbers[body], self._body_of[numbers.body] = numbers, body
            self.ignore_collisions(body, self._passing.get(body, set()))
        driven, self.driven, self._apart = self.driven, set(), set()
        self._set_driven(driven)
        self._is_rearranged = self._is_shuffled = False

    def _remove(self, body: Body) -> None:
        number = self._numbers[body].body
        # PyBullet may give its number to the next body.
        self._let_apart({pair for pair in self._apart if number not in pair})
        self._is_rearranged = True
        # PyBullet puts its last body in the place of this one.
        self._is_shuffled |= body not in list(self._numbers)[-2:]
        pybullet.removeBody(number, physicsClientId=self._client)
        self._anisotropy.forget(body)
        del self._numbers[body], self._body_of[number]
        for of_bodies in (self._factors, self._inertias, self._passing, self._springs):
            of_bodies.pop(body, None)

    def _clear(self) -> None:
        self._begin()
        self._numbers.clear()
        self._body_of.clear()
        self._factors.clear()
        self._inertias.clear()
        self._passing.clear()
        self._springs.clear()
        self._anisotropy.clear()
        self._apart, self._is_rearranged, self._is_shuffled = set(), False, False

    def _save(self) -> _Content:
        if self._is_shuffled:
            self._rearrange()
        content = save_state(self._client)
        # PyBullet does not go on from a restored state exactly as it would have without. So the
        # state is restored here as well, and steps after `save` and after `restore` are the same.
        self._go_back(content)
        factors = {body.name: told for body, told in self._factors.items()}
        springs = {body.name: each.save() for body, each in self._springs.items()}
        touches = list(self._anisotropy.touches)
        return _Content(content, factors, self.surface_residual, springs, touches)

    def _restore(self, content: _Content) -> None:
        factors = {self.bodies[name]: told for name, told in content.factors.items()}
        if self._to_be_rigid(factors):
            self._make_anew(self.padding)
        self._tell(factors, content.residual)
        self._go_back(content.state)
        self._anisotropy.touches = [each.among(self.bodies) for each in content.touches]
        for name, remembered in content.springs.items():
            self._springs[self.bodies[name]].restore(remembered)

    def _go_back(self, state: bytes) -> None:
        """Restore a state of PyBullet, with its contacts in an order of the bodies alone."""
        if self._is_rearranged:
            # In these bodies PyBullet would list the contacts in another order.
            self._rearrange()
        restore_state(self._client, state)
        forget_contacts(self._client, self._numbers.values())

    def _rearrange(self) -> None:
        """Make all bodies anew, in the order in which they were added."""
        factors, residual = self._factors, self.surface_residual
        self._make_anew(self.padding)
        self._tell(factors, residual)
