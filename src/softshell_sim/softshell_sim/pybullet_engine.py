"""PyBullet as an engine."""

from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import (
    Body,
    BodyState,
    Contact,
    Gap,
    ObjectSpec,
    RayHit,
    RobotSpec,
    Surface,
)
from softshell_sim.display import check_display
from softshell_sim.engine import Engine, EngineSettings
from softshell_sim.pybullet_loading import Numbers, add_object, load_robot
from softshell_sim.quietly import pybullet

#: Distance [m] up to which PyBullet looks ahead to a contact, its default.
ALL_CONTACTS = 1e18


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
        self._states: list[int] = []
        self._begin()

    def _begin(self) -> None:
        client = self._client
        pybullet.resetSimulation(physicsClientId=client)
        pybullet.setGravity(0.0, 0.0, -self.settings.gravity, physicsClientId=client)
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=self.settings.time_step,
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
            SoftshellError: the engine was closed.
        """
        if self._connection < 0:
            raise SoftshellError('the world was closed; make a new one')
        return self._connection

    def close(self) -> None:
        if self._connection >= 0:
            pybullet.disconnect(self._connection)
            self._connection = -1

    def _load(self, spec: RobotSpec) -> Body:
        body = self._enter(*load_robot(self._client, spec))
        self.ignore_collisions(body, self._numbers[body].neighbours)
        self.set_surface(body, spec.surface)
        self.place(body, BodyState())
        return body

    def _add(self, spec: ObjectSpec) -> Body:
        body = self._enter(*add_object(self._client, spec))
        self.set_surface(body, spec.surface)
        return body

    def _enter(self, body: Body, numbers: Numbers) -> Body:
        self._numbers[body] = numbers
        self._body_of[numbers.body] = body
        return body

    def _remove(self, body: Body) -> None:
        number = self._numbers[body].body
        pybullet.removeBody(number, physicsClientId=self._client)
        del self._numbers[body], self._body_of[number]

    def _clear(self) -> None:
        for state in self._states:
            pybullet.removeState(state, physicsClientId=self._client)
        self._begin()
        self._states.clear()
        self._numbers.clear()
        self._body_of.clear()

    def _save(self) -> int:
        state: int = pybullet.saveState(physicsClientId=self._client)
        self._states.append(state)
        # PyBullet goes on from a restored state otherwise than it would have gone on: so do it
        # here, and all continuations are the same.
        self._restore(state)
        return state

    def _restore(self, content: int) -> None:
        pybullet.restoreState(content, physicsClientId=self._client)

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

    def set_joint_friction(self, body: Body, effort: Array) -> None:
        numbers = self._numbers[body]
        if numbers.joints:
            # A motor that wants to stand still with so much effort is dry friction.
            pybullet.setJointMotorControlArray(
                numbers.body,
                numbers.joints,
                pybullet.VELOCITY_CONTROL,
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

    def set_surface(self, body: Body, surface: Surface) -> None:
        for link in range(-1, len(body.links) - 1):
            pybullet.changeDynamics(
                self._numbers[body].body,
                link,
                lateralFriction=surface.friction,
                restitution=surface.restitution,
                # PyBullet brakes a body before it arrives, which leaves nothing to bounce.
                contactProcessingThreshold=0.0 if surface.restitution > 0.0 else ALL_CONTACTS,
                physicsClientId=self._client,
            )

    def ignore_collisions(self, body: Body, pairs: set[tuple[int, int]]) -> None:
        number = self._numbers[body].body
        for one, other in pairs:
            pybullet.setCollisionFilterPair(
                number, number, one - 1, other - 1, 0, physicsClientId=self._client
            )

    def _show(self, what: int, shown: bool) -> None:
        pybullet.configureDebugVisualizer(what, int(shown), physicsClientId=self._client)

    def step(self) -> None:
        if self._hidden:
            self._show(pybullet.COV_ENABLE_RENDERING, True)
            self._hidden = False
        pybullet.stepSimulation(physicsClientId=self._client)

    def contacts(self, body: Body) -> list[Contact]:
        number, found = self._numbers[body].body, []
        # Asked for one body, PyBullet turns the normals its way and forgets the friction forces.
        for point in pybullet.getContactPoints(physicsClientId=self._client):
            # PyBullet's normals and forces are those on its first body.
            for side, sign in ((0, 1.0), (1, -1.0)):
                if point[1 + side] == number:
                    found.append(
                        Contact(
                            link=point[3 + side] + 1,
                            other=self._body_of[point[2 - side]],
                            other_link=point[4 - side] + 1,
                            point=np.array(point[5 + side]),
                            normal=sign * np.array(point[7]),
                            depth=-point[8],
                            force=sign * np.array(_force(point)),
                        )
                    )
        return found

    def contact_forces(self, body: Body, force: Array) -> None:
        number = self._numbers[body].body
        force.fill(0.0)
        # Called at every step: numpy's elements are slow, those of a memoryview are not.
        sums = memoryview(force.reshape(-1))  # type: ignore[arg-type]
        for point in pybullet.getContactPoints(physicsClientId=self._client):
            x, y, z = _force(point)
            if point[1] == number:
                place = 3 * point[3] + 3
                sums[place] += x
                sums[place + 1] += y
                sums[place + 2] += z
            if point[2] == number:
                place = 3 * point[4] + 3
                sums[place] -= x
                sums[place + 1] -= y
                sums[place + 2] -= z

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
            pybullet.resetDebugVisualizerCamera(
                distance, 75.0, -25.0, list(target), physicsClientId=self._client
            )


def _force(point: tuple[Any, ...]) -> tuple[float, float, float]:
    """Force of one of PyBullet's contact points on its first body [N]."""
    n, one, other = point[9], point[10], point[12]
    (nx, ny, nz), (ax, ay, az), (bx, by, bz) = point[7], point[11], point[13]
    return (
        n * nx + one * ax + other * bx,
        n * ny + one * ay + other * by,
        n * nz + one * az + other * bz,
    )
