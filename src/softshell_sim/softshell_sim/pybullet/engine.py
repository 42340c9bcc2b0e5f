"""PyBullet as an engine."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import (
    Body,
    BodyState,
    Gap,
    RayHit,
)
from softshell_sim.contact.contact_table import ContactTable
from softshell_sim.contact.friction_forces import Moving
from softshell_sim.pybullet.bodies import PyBulletBodies
from softshell_sim.pybullet.camera import take_picture
from softshell_sim.pybullet.contacts import Point, add_forces, contact_table, gaps
from softshell_sim.pybullet.driving import aim
from softshell_sim.pybullet.energy import kinetic_energy, moving_links
from softshell_sim.pybullet.quietly import pybullet
from softshell_sim.pybullet.surfaces import MOST_FRICTION
from softshell_sim.sensing.camera import Picture, View


class PyBulletEngine(PyBulletBodies):
    """The PyBullet engine: placing, reading and moving its bodies.

    Raises:
        SoftshellError: PyBullet does not start, there is no display for its window, or another
            engine has one.
    """

    def place(self, body: Body, state: BodyState) -> None:
        numbers = self._numbers[body]
        self._anisotropy.forget(body, itself=False)
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

    def drive(self, body: Body, position: Array, orientation: Array) -> None:
        numbers, step = self._numbers[body], self.time_step
        aim(self._client, numbers, position, orientation, step, self._gravity)

    def place_joints(self, body: Body, position: Array, velocity: Array | None = None) -> None:
        numbers = self._numbers[body]
        self._anisotropy.forget(body, itself=False)
        self._masses.placed(body)
        if body in self._springs:
            self._springs[body].placed()
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
        # In PyBullet the velocity is that of the centre of mass.
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
        numbers, client = self._numbers[body], self._client
        if numbers.joints:
            states = pybullet.getJointStates(numbers.body, numbers.joints, physicsClientId=client)
            position[:] = [state[0] for state in states]
            velocity[:] = [state[1] for state in states]

    def apply_effort(self, body: Body, effort: Array) -> None:
        if body in self._springs:
            self._springs[body].give(effort)
        else:
            self._apply(body, effort)

    def _apply(self, body: Body, effort: Array) -> None:
        numbers, client = self._numbers[body], self._client
        if numbers.joints:
            pybullet.setJointMotorControlArray(
                numbers.body,
                numbers.joints,
                pybullet.TORQUE_CONTROL,
                forces=effort.tolist(),
                physicsClientId=client,
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
        self._passing.setdefault(body, set()).update(pairs)
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

    def _step(self) -> None:
        self.show()
        for body, springs in self._springs.items():
            position, velocity = np.empty((2, len(body.joints)))
            self.read_joints(body, position, velocity)
            self._apply(body, springs.efforts(position, velocity, self.time_step))
        self._anisotropy.sums.clear()
        if self._anisotropy.touches:
            self._apply_friction()
        pybullet.stepSimulation(physicsClientId=self._client)
        if self._anisotropy.links:
            points = pybullet.getContactPoints(physicsClientId=self._client)
            self._anisotropy.look(points, self._body_of)

    def _apply_friction(self) -> None:
        """Apply the friction of links with anisotropic friction, which have none in PyBullet."""
        places: dict[Body, set[int]] = {}
        for touch in self._anisotropy.touches:
            for body, place in touch[:2]:
                places.setdefault(body, set()).add(place)
        links, parts = [], []
        for body, of_body in places.items():
            numbers, some = self._numbers[body], sorted(of_body)
            links += [(body, place) for place in some]
            parts.append(
                moving_links(
                    self._client,
                    numbers.body,
                    numbers.root_in_inertial,
                    self._inertias[body],
                    some,
                )
            )
        moving = Moving(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        for push in self._anisotropy.pushes(links, moving, self._friction, self.time_step):
            for (body, place), sign in ((push.link, 1.0), (push.other, -1.0)):
                force = (sign * push.force).tolist()
                pybullet.applyExternalForce(
                    self._numbers[body].body, place - 1, force, push.point.tolist(),
                    pybullet.WORLD_FRAME, physicsClientId=self._client,
                )  # fmt: skip

    def _points(self) -> tuple[Point, ...]:
        """PyBullet's contacts, with the anisotropic friction that was applied as forces."""
        # For a single body PyBullet turns the normals towards it and leaves out the friction.
        points: tuple[Point, ...] = pybullet.getContactPoints(physicsClientId=self._client)
        if self._anisotropy.links:
            return self._anisotropy.told(points, self._body_of)
        return points

    def _all_contacts(self) -> ContactTable:
        points = self._points()
        bodies = tuple(self._numbers)
        places = {numbers.body: place for place, numbers in enumerate(self._numbers.values())}
        return contact_table(points, bodies, places, self._told_friction)

    def _told_friction(self, body: Body, other: Body) -> float:
        """The coefficient of friction that PyBullet solves contacts of two bodies with."""
        return min(self._friction(body, other), MOST_FRICTION)

    def _friction(self, body: Body, other: Body) -> float:
        return self._factors[body].friction * self._factors[other].friction

    def _contact_forces(self, body: Body, force: Array) -> None:
        force.fill(0.0)
        points = self._points()
        add_forces(points, self._numbers[body].body, force)

    def mass(self, body: Body) -> float:
        self._refuse_ended()
        return float(self._inertias[body].mass.sum())

    def kinetic_energy(self, body: Body) -> float:
        return kinetic_energy(self._client, self._numbers[body].body, self._inertias[body])

    def picture(self, view: View) -> Picture:
        return take_picture(self._client, view)

    def gaps(self, body: Body, other: Body, within: float) -> list[Gap]:
        numbers = self._numbers
        return gaps(self._client, numbers[body].body, numbers[other].body, within)

    def ray(self, start: Array, end: Array) -> RayHit | None:
        number, link, _, point, normal = pybullet.rayTest(
            list(start), list(end), physicsClientId=self._client
        )[0]
        if number < 0:
            return None
        return RayHit(self._body_of[number], link + 1, np.array(point), np.array(normal))

    def show(self) -> None:
        if self._hidden:
            self._show(pybullet.COV_ENABLE_RENDERING, True)
            self._hidden = False

    def look(self, target: Array, distance: float) -> None:
        if self.settings.window:
            self._target = target.copy()
            pybullet.resetDebugVisualizerCamera(
                distance, 75.0, -25.0, list(target), physicsClientId=self._client
            )

    def follow(self, way: Array) -> None:
        if self.settings.window:
            # The window reports an old target; to shift that one would lose some movement.
            self._target += way
            *_, yaw, pitch, distance, _ = pybullet.getDebugVisualizerCamera(
                physicsClientId=self._client
            )
            pybullet.resetDebugVisualizerCamera(
                distance, yaw, pitch, self._target.tolist(), physicsClientId=self._client
            )
