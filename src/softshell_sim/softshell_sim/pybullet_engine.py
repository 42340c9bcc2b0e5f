"""PyBullet as an engine."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import (
    Body,
    BodyState,
    Gap,
    ObjectSpec,
    RayHit,
    RobotSpec,
)
from softshell_sim.camera import Picture, View
from softshell_sim.contact_table import ContactTable
from softshell_sim.display import check_display
from softshell_sim.engine import Engine
from softshell_sim.engine_settings import EngineSettings
from softshell_sim.pybullet_camera import take_picture
from softshell_sim.pybullet_contacts import add_forces, contact_table
from softshell_sim.pybullet_energy import Inertias, inertias, kinetic_energy
from softshell_sim.pybullet_loading import Numbers, add_object, load_robot
from softshell_sim.pybullet_surfaces import Factors, fit, tell
from softshell_sim.quietly import pybullet

#: Name of a file that holds a state.
STATE_FILE = 'state.bullet'


class PyBulletEngine(Engine):
    """PyBullet, with a client of its own.

    Raises:
        SoftshellError: PyBullet does not start, or there is no display for its window.
    """

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings)
        if settings.window:
            check_display()
        self._connection: int = pybullet.connect(
            pybullet.GUI if settings.window else pybullet.DIRECT
        )
        if self._connection < 0:
            raise SoftshellError('PyBullet did not start')
        self._numbers: dict[Body, Numbers] = {}
        self._body_of: dict[int, Body] = {}
        self._gravity = np.array([0.0, 0.0, -settings.gravity])
        self._target = np.zeros(3)  # what the window looks at
        self._factors: dict[Body, Factors] = {}
        self._inertias: dict[Body, Inertias] = {}
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
            # Else a bounce slower than 0.2 m/s is none.
            restitutionVelocityThreshold=0.01,
            physicsClientId=client,
        )
        if self.settings.window:
            self._show(pybullet.COV_ENABLE_GUI, False)
            # Drawn from the first step on: until then every call would wait for a picture.
            self._show(pybullet.COV_ENABLE_RENDERING, False)
        self._hidden = self.settings.window

    @property
    def _client(self) -> int:
        """PyBullet's number of this engine, for every call of it.

        Raises:
            SoftshellError: the engine has ended.
        """
        if self._ended:  # not by a call, which every step would feel
            raise SoftshellError(self._ended)
        return self._connection

    def _close(self) -> None:
        pybullet.disconnect(self._connection)

    def _load(self, spec: RobotSpec) -> Body:
        body = self._enter(spec, *load_robot(self._client, spec))
        self.ignore_collisions(body, self._numbers[body].neighbours)
        self.place(body, BodyState())
        return body

    def _add(self, spec: ObjectSpec) -> Body:
        body = self._enter(spec, *add_object(self._client, spec))
        self.place(body, BodyState.at_rest(spec.pose))
        return body

    def _enter(self, spec: RobotSpec | ObjectSpec, body: Body, numbers: Numbers) -> Body:
        self._numbers[body] = numbers
        self._body_of[numbers.body] = body
        fixed = isinstance(spec, RobotSpec) and spec.fixed
        self._inertias[body] = inertias(self._client, numbers.body, len(body.links), fixed)
        self._enter_surface(body, spec)
        self._apply_surfaces(body)
        return body

    def _apply_surfaces(self, *changed: Body) -> None:
        factors, residual = fit(self.surfaces)
        for body, new in factors.items():
            old = self._factors.get(body)
            if old is None or old.compliance is None or new.compliance is not None:
                continue
            if body in changed:
                raise SoftshellError(
                    f'body {body.name!r} was soft, and PyBullet cannot make it rigid again; '
                    'expected a stiffness, or remove it and add it anew'
                )
            factors[body] = replace(new, compliance=old.compliance, damping=old.damping)
        for body, new in factors.items():
            if new != self._factors.get(body):
                tell(self._client, self._numbers[body].body, len(body.links), new)
        self._factors, self.surface_residual = factors, residual

    def _remove(self, body: Body) -> None:
        number = self._numbers[body].body
        pybullet.removeBody(number, physicsClientId=self._client)
        del self._numbers[body], self._body_of[number]
        del self._factors[body], self._inertias[body]

    def _clear(self) -> None:
        self._begin()
        self._numbers.clear()
        self._body_of.clear()
        self._factors.clear()
        self._inertias.clear()

    def _save(self) -> bytes:
        # A state that PyBullet keeps itself is gone after `clear`; that of a file is not.
        with TemporaryDirectory() as folder:
            path = Path(folder) / STATE_FILE
            pybullet.saveBullet(str(path), physicsClientId=self._client)
            content = path.read_bytes()
        # PyBullet goes on from a restored state otherwise than it would have gone on: so do it
        # here, and all continuations are the same.
        self._restore(content)
        return content

    def _restore(self, content: bytes) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / STATE_FILE
            path.write_bytes(content)
            pybullet.restoreState(fileName=str(path), physicsClientId=self._client)

    def place(self, body: Body, state: BodyState) -> None:
        numbers = self._numbers[body]
        position, orientation = pybullet.multiplyTransforms(
            state.position.tolist(), state.orientation.tolist(), *numbers.inertial_in_root
        )
        pybullet.resetBasePositionAndOrientation(
            numbers.body, position, orientation, physicsClientId=self._client
        )
        arm = np.array(position) - state.position
        pybullet.resetBaseVelocity(
            numbers.body,
            (state.linear_velocity + np.cross(state.angular_velocity, arm)).tolist(),
            state.angular_velocity.tolist(),
            physicsClientId=self._client,
        )

    def place_joints(self, body: Body, position: Array, velocity: Array | None = None) -> None:
        numbers = self._numbers[body]
        rates = [0.0] * len(numbers.joints) if velocity is None else velocity.tolist()
        for joint, angle, rate in zip(numbers.joints, position.tolist(), rates, strict=True):
            pybullet.resetJointState(
                numbers.body, joint, angle, rate, physicsClientId=self._client
            )

    def read(self, body: Body, state: BodyState) -> None:
        numbers = self._numbers[body]
        centre, turn = pybullet.getBasePositionAndOrientation(
            numbers.body, physicsClientId=self._client
        )
        linear, angular = pybullet.getBaseVelocity(numbers.body, physicsClientId=self._client)
        position, orientation = pybullet.multiplyTransforms(
            centre, turn, *numbers.root_in_inertial
        )
        state.position[:] = position
        state.orientation[:] = orientation
        # PyBullet's velocity is that of the centre of mass.
        x, y, z = (one - other for one, other in zip(position, centre, strict=True))
        wx, wy, wz = angular
        state.linear_velocity[:] = (
            linear[0] + wy * z - wz * y,
            linear[1] + wz * x - wx * z,
            linear[2] + wx * y - wy * x,
        )
        state.angular_velocity[:] = angular

    def link_pose(self, body: Body, link: int) -> Array:
        if link == 0:
            state = BodyState()
            self.read(body, state)
            return state.pose
        state = pybullet.getLinkState(
            self._numbers[body].body,
            link - 1,
            computeForwardKinematics=1,
            physicsClientId=self._client,
        )
        return BodyState(np.array(state[4]), np.array(state[5])).pose

    def read_joints(self, body: Body, position: Array, velocity: Array) -> None:
        numbers = self._numbers[body]
        if numbers.joints:
            states = pybullet.getJointStates(
                numbers.body, numbers.joints, physicsClientId=self._client
            )
            position[:] = [state[0] for state in states]
            velocity[:] = [state[1] for state in states]

    def apply_effort(self, body: Body, effort: Array) -> None:
        numbers = self._numbers[body]
        if numbers.joints:
            pybullet.setJointMotorControlArray(
                numbers.body,
                numbers.joints,
                pybullet.TORQUE_CONTROL,
                forces=effort.tolist(),
                physicsClientId=self._client,
            )

    def apply_wrench(
        self, body: Body, link: int, force: Array, torque: Array, point: Array
    ) -> None:
        number, frame = self._numbers[body].body, pybullet.WORLD_FRAME
        pybullet.applyExternalForce(
            number, link - 1, list(force), list(point), frame, physicsClientId=self._client
        )
        pybullet.applyExternalTorque(
            number, link - 1, list(torque), frame, physicsClientId=self._client
        )

    def ignore_collisions(self, body: Body, pairs: set[tuple[int, int]]) -> None:
        number = self._numbers[body].body
        for one, other in pairs:
            pybullet.setCollisionFilterPair(
                number, number, one - 1, other - 1, 0, physicsClientId=self._client
            )

    def set_gravity(self, gravity: Array) -> None:
        self._gravity = np.array(gravity)
        pybullet.setGravity(*self._gravity.tolist(), physicsClientId=self._client)

    def _set_time_step(self, time_step: float) -> None:
        pybullet.setTimeStep(time_step, physicsClientId=self._client)

    def _show(self, what: int, shown: bool) -> None:
        pybullet.configureDebugVisualizer(what, int(shown), physicsClientId=self._client)

    def step(self) -> None:
        if self._hidden:
            self._show(pybullet.COV_ENABLE_RENDERING, True)
            self._hidden = False
        pybullet.stepSimulation(physicsClientId=self._client)

    def all_contacts(self) -> ContactTable:
        # Asked for one body, PyBullet turns the normals its way and forgets the friction forces.
        points = pybullet.getContactPoints(physicsClientId=self._client)
        bodies = tuple(self._numbers)
        places = {numbers.body: place for place, numbers in enumerate(self._numbers.values())}
        return contact_table(points, bodies, places, self._friction)

    def _friction(self, body: Body, other: Body) -> float:
        return self._factors[body].friction * self._factors[other].friction

    def contact_forces(self, body: Body, force: Array) -> None:
        force.fill(0.0)
        points = pybullet.getContactPoints(physicsClientId=self._client)
        add_forces(points, self._numbers[body].body, force)

    def mass(self, body: Body) -> float:
        return float(self._inertias[body].mass.sum())

    def kinetic_energy(self, body: Body) -> float:
        return kinetic_energy(self._client, self._numbers[body].body, self._inertias[body])

    def picture(self, view: View) -> Picture:
        return take_picture(self._client, view)

    def gaps(self, body: Body, other: Body, within: float) -> list[Gap]:
        points = pybullet.getClosestPoints(
            self._numbers[body].body,
            self._numbers[other].body,
            within,
            physicsClientId=self._client,
        )
        nearest: dict[tuple[int, int], float] = {}
        for point in points:
            pair = (point[3] + 1, point[4] + 1)
            if body is other:
                pair = (min(pair), max(pair))
            nearest[pair] = min(point[8], nearest.get(pair, within))
        if body is other:
            nearest = {pair: gap for pair, gap in nearest.items() if pair[0] != pair[1]}
        return [Gap(*pair, distance) for pair, distance in nearest.items()]

    def ray(self, start: Array, end: Array) -> RayHit | None:
        number, link, _, point, normal = pybullet.rayTest(
            list(start), list(end), physicsClientId=self._client
        )[0]
        if number < 0:
            return None
        return RayHit(self._body_of[number], link + 1, np.array(point), np.array(normal))

    def look(self, target: Array, distance: float) -> None:
        if self.settings.window:
            self._target = target.copy()
            pybullet.resetDebugVisualizerCamera(
                distance, 75.0, -25.0, list(target), physicsClientId=self._client
            )

    def follow(self, way: Array) -> None:
        if self.settings.window:
            # The window tells late what it looks at, which would lose some of the way.
            self._target += way
            *_, yaw, pitch, distance, _ = pybullet.getDebugVisualizerCamera(
                physicsClientId=self._client
            )
            pybullet.resetDebugVisualizerCamera(
                distance, yaw, pitch, self._target.tolist(), physicsClientId=self._client
            )
