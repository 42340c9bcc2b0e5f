"""MuJoCo as an engine."""

import mujoco
import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import (
    quaternion_from_rotation,
    transform,
)
from softshell_sim.bodies import (
    Body,
    BodyState,
    Gap,
    RayHit,
)
from softshell_sim.contact.contact_table import ContactTable
from softshell_sim.mujoco.arrays import add_forces, read_root
from softshell_sim.mujoco.bodies import MujocoBodies
from softshell_sim.mujoco.contacts import contact_table, kinetic_energy
from softshell_sim.mujoco.driving import aim, push
from softshell_sim.mujoco.friction import correct_friction
from softshell_sim.mujoco.gaps import gap, may_be_near
from softshell_sim.mujoco.shapes import SEEN
from softshell_sim.sensing.camera import Picture, View

#: Whether a ray hits the shapes of a group, for each of MuJoCo's groups.
SOLID = np.array([group != SEEN for group in range(6)], dtype=np.uint8)


class MujocoEngine(MujocoBodies):
    """The MuJoCo engine: placing, reading and moving its bodies.

    Raises:
        SoftshellError: there is no display for its window, or another engine has one.
    """

    def place(self, body: Body, state: BodyState) -> None:
        self._refuse_ended()
        if self._is_changed:
            parts = state.position, state.orientation, state.linear_velocity
            copies = (np.array(part) for part in (*parts, state.angular_velocity))
            self._waiting[body] = BodyState(*copies)
        else:
            self._place(body, state)

    def drive(self, body: Body, position: Array, orientation: Array) -> None:
        data, free = self.data, self._places[body].free
        assert free is not None
        goal = *free, position, orientation, self.time_step
        if body.joints:
            push(data.qpos, data.qvel, data.qfrc_applied, *goal)
        else:
            aim(data.qpos, data.qvel, *goal)

    def place_joints(self, body: Body, position: Array, velocity: Array | None = None) -> None:
        data, places = self.data, self._places[body]
        data.qpos[places.position] = position
        data.qvel[places.velocity] = 0.0 if velocity is None else velocity
        self._masses.placed(body)
        self._is_moved = True

    def read(self, body: Body, state: BodyState) -> None:
        data, places = self.data, self._places[body]
        if places.free is None:
            root = self._members[body].root
            state.position[:] = root[:3, 3]
            state.orientation[:] = quaternion_from_rotation(root[:3, :3])
            state.linear_velocity[:] = state.angular_velocity[:] = 0.0
            return
        read_root(
            data.qpos, data.qvel, *places.free, state.position, state.orientation,
            state.linear_velocity, state.angular_velocity,
        )  # fmt: skip

    def link_pose(self, body: Body, link: int) -> Array:
        data, number = self._placed(), self._places[body].links[link]
        return transform(data.xmat[number].reshape(3, 3), data.xpos[number])

    def read_joints(self, body: Body, position: Array, velocity: Array) -> None:
        data, places = self.data, self._places[body]
        data.qpos.take(places.position, out=position)
        data.qvel.take(places.velocity, out=velocity)

    def apply_effort(self, body: Body, effort: Array) -> None:
        self.data.qfrc_applied[self._places[body].velocity] = effort

    def apply_wrench(
        self, body: Body, link: int, force: Array, torque: Array, point: Array
    ) -> None:
        data = self._placed()
        number = self._places[body].links[link]
        arm = np.asarray(point) - data.xipos[number]
        data.xfrc_applied[number, :3] += force
        data.xfrc_applied[number, 3:] += torque + np.cross(arm, force)

    def ignore_collisions(self, body: Body, pairs: set[tuple[int, int]]) -> None:
        self._refuse_ended()
        self._members[body].passing |= pairs
        self._is_changed = True

    def set_gravity(self, gravity: Array) -> None:
        self._refuse_ended()
        self._gravity[:] = gravity
        self._gravity_size = float(np.linalg.norm(gravity))
        self._model.opt.gravity[:] = gravity

    def _set_time_step(self, time_step: float) -> None:
        self._refuse_ended()
        self._model.opt.timestep = time_step
        self._apply_surfaces()  # contacts are as stiff as the step allows
        if not self._is_changed:
            self._write_springs()

    def _step(self) -> None:
        data, model = self.data, self._model
        for body in self._with_dry_friction:
            self._apply_dry_friction(body)
        mujoco.mj_step1(model, data)
        if data.ncon:
            if self._anisotropy is not None:
                self._anisotropy.turn_contacts(model, data, self._gravity_size)
            contact = data.contact
            correct_friction(
                contact.efc_address, contact.friction, data.efc_aref, self._gravity_size
            )
        mujoco.mj_step2(model, data)
        data.qfrc_applied[:] = 0.0
        data.xfrc_applied[:] = 0.0
        self._is_moved = True
        self.show()

    def _apply_dry_friction(self, body: Body) -> None:
        """Apply the dry friction of a body's joints; `_write_springs` has added its damping."""
        data, places = self.data, self._places[body]
        position, velocity = data.qpos[places.position], data.qvel[places.velocity]
        friction = self.implicit_mass(body).friction
        friction.look(position, velocity, self.time_step)
        data.qfrc_applied[places.velocity] += friction.stiffness * (friction.held - position)

    def show(self) -> None:
        if self._window is not None and self._window.is_due:
            data = self._placed()  # compiles a model with all bodies
            self._window.show(self._model, data)

    def look(self, target: Array, distance: float) -> None:
        if self._window is not None:
            self._window.look(target, distance)

    def follow(self, way: Array) -> None:
        if self._window is not None:
            self._window.follow(way)

    def _all_contacts(self) -> ContactTable:
        data = self.data  # compiles a model with all bodies
        return contact_table(self._model, data, tuple(self._owned), self._owner)

    def mass(self, body: Body) -> float:
        self.data  # noqa: B018 compiles a model with this body
        return float(self._model.body_mass[self._places[body].links].sum())

    def kinetic_energy(self, body: Body) -> float:
        data = self._placed()
        return kinetic_energy(self._model, data, self._places[body], self._own_inertia)

    def _contact_forces(self, body: Body, force: Array) -> None:
        data = self.data
        force.fill(0.0)
        if data.ncon:
            contact = data.contact
            number = next(k for k, each in enumerate(self._owned) if each is body)
            add_forces(
                contact.geom, contact.frame, contact.efc_address, data.efc_force,
                self._model.geom_bodyid, self._owner, number, force,
            )  # fmt: skip

    def picture(self, view: View) -> Picture:
        data = self._placed()
        return self._camera.take(self._model, data, view)

    def gaps(self, body: Body, other: Body, within: float) -> list[Gap]:
        data, model = self._placed(), self._model
        nearest: dict[tuple[int, int], float] = {}
        layers = self.padding[body] + self.padding[other]
        shapes = [self._shapes(each) for each in (body, other)]
        ones, others = ([shape for _, shape in some] for some in shapes)
        for first, second in may_be_near(model, data, ones, others, within + layers).tolist():
            (link, one), (other_link, two) = shapes[0][first], shapes[1][second]
            if body is other and link >= other_link:
                continue
            distance = gap(model, data, one, two, within + layers) - layers
            pair = (link, other_link)
            if distance < within:
                nearest[pair] = min(distance, nearest.get(pair, within))
        return [Gap(*pair, distance) for pair, distance in nearest.items()]

    def _shapes(self, body: Body) -> list[tuple[int, int]]:
        """Places of links of a body, with MuJoCo's numbers of their collision shapes."""
        places = self._places[body]
        return [
            (link, shape)
            for link, number in enumerate(places.links)
            for shape in np.flatnonzero(self._model.geom_bodyid == number).tolist()
            if self._model.geom_group[shape] != SEEN
        ]

    def ray(self, start: Array, end: Array) -> RayHit | None:
        data, shape, normal = self._placed(), np.zeros(1, dtype=np.int32), np.zeros(3)
        way = np.asarray(end) - start
        if not way.any():
            return None
        part = mujoco.mj_ray(self._model, data, start, way, SOLID, 1, -1, shape, normal)
        if shape[0] < 0 or not 0.0 <= part <= 1.0:
            return None
        owner, link = self._owner[self._model.geom_bodyid[shape[0]]]
        return RayHit(self._owned[owner], int(link), start + part * way, normal)
