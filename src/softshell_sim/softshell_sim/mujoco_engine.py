"""MuJoCo as an engine."""

from typing import Any

import mujoco
import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import (
    quaternion_from_rotation,
    rotation_from_quaternion,
    transform,
)
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
from softshell_sim.mujoco_arrays import Places, add_forces, find, read_root
from softshell_sim.mujoco_camera import take_picture
from softshell_sim.mujoco_contacts import contact_table, kinetic_energy
from softshell_sim.mujoco_friction import correct_friction
from softshell_sim.mujoco_gaps import gap
from softshell_sim.mujoco_loading import Member, build, object_member, robot_member
from softshell_sim.mujoco_shapes import SEEN
from softshell_sim.mujoco_surfaces import write_surfaces

# It would write a file into whatever folder the program runs in.
mujoco.set_mju_user_warning(lambda text: None)

#: Groups of shapes that a ray ends at.
SOLID = np.array([group != SEEN for group in range(6)], dtype=np.uint8)
#: All that a step depends on.
STATE = mujoco.mjtState.mjSTATE_INTEGRATION


class MujocoEngine(Engine):
    """MuJoCo, with a model that is made anew whenever a body comes, goes or changes.

    Raises:
        SoftshellError: there is no display for its window.
    """

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings)
        self._window: Any = None
        if settings.window:
            check_display()
            from softshell_sim.mujoco_window import Window

            self._window = Window()
        self._members: dict[Body, Member] = {}
        self._places: dict[Body, Places] = {}
        self._gravity = np.array([0.0, 0.0, -settings.gravity])
        self._strength = settings.gravity
        self._model: Any = None
        self._data: Any = None
        self._is_changed = True
        self._is_moved = False
        self._compile()

    def _close(self) -> None:
        if self._window is not None:
            self._window.close()

    def _load(self, spec: RobotSpec) -> Body:
        return self._enter(spec, robot_member(spec))

    def _add(self, spec: ObjectSpec) -> Body:
        return self._enter(spec, object_member(spec))

    def _enter(self, spec: RobotSpec | ObjectSpec, member: Member) -> Body:
        self._refuse_ended()
        self._members[member.body] = member
        self._enter_surface(member.body, spec)
        self._is_changed = True
        try:
            self._compile()
        except SoftshellError:
            del self._members[member.body], self.padding[member.body]
            self.surfaces.forget(member.body)
            self._compile()
            raise
        return member.body

    def _remove(self, body: Body) -> None:
        self._refuse_ended()
        del self._members[body]
        self._is_changed = True

    def _clear(self) -> None:
        self._refuse_ended()
        self._members.clear()
        self._places.clear()
        self._data, self._is_changed = None, True

    @property
    def data(self) -> Any:
        """MuJoCo's data of the bodies that there are.

        Raises:
            SoftshellError: the engine was closed.
        """
        self._refuse_ended()
        if self._is_changed:
            self._compile()
        return self._data

    def _compile(self) -> None:
        """Make a model of all bodies; those that were there before go on as they were."""
        members = list(self._members.values())
        model = build(members, self.settings)
        model.opt.gravity[:], model.opt.timestep = self._gravity, self.time_step
        data, before, old = mujoco.MjData(model), self._places, self._data
        places = {member.body: find(model, k, member) for k, member in enumerate(members)}
        for body, new in places.items():
            was = before.get(body)
            if old is None or was is None:
                continue
            data.qpos[new.position] = old.qpos[was.position]
            data.qvel[new.velocity] = old.qvel[was.velocity]
            data.qfrc_applied[new.velocity] = old.qfrc_applied[was.velocity]
            data.xfrc_applied[new.links] = old.xfrc_applied[was.links]
            if new.free is not None and was.free is not None:
                (q, v), (p, w) = new.free, was.free
                data.qpos[q : q + 7] = old.qpos[p : p + 7]
                data.qvel[v : v + 6] = old.qvel[w : w + 6]
                data.qacc_warmstart[v : v + 6] = old.qacc_warmstart[w : w + 6]
            data.qacc_warmstart[new.velocity] = old.qacc_warmstart[was.velocity]
        if old is not None:
            data.time = old.time
        self._model, self._data, self._places = model, data, places
        owner = np.full((model.nbody, 2), -1, dtype=np.int64)
        for number, member in enumerate(members):
            for place, link in enumerate(places[member.body].links):
                owner[link] = number, place
        self._owner = owner
        self._owned = [member.body for member in members]
        self._is_changed, self._is_moved = False, True
        self._write_surfaces()

    def _write_surfaces(self) -> None:
        padding = [self.padding[body] for body in self._owned]
        write_surfaces(self._model, self._owner, self._owned, padding, self.surfaces.between)

    def _placed(self) -> Any:
        """The data, with all that follows from positions."""
        data = self.data
        if self._is_moved:
            mujoco.mj_kinematics(self._model, data)
            mujoco.mj_comPos(self._model, data)
            self._is_moved = False
        return data

    def _save(self) -> tuple[Array, dict[str, tuple[Any, ...]]]:
        data, model = self.data, self._model
        content = np.zeros(mujoco.mj_stateSize(model, STATE))
        mujoco.mj_getState(model, data, content, STATE)
        roots = {}
        for body, member in self._members.items():
            link = self._places[body].links[0]
            place = model.body_pos[link].copy(), model.body_quat[link].copy()
            roots[body.name] = (member.root, *place)
        return content, roots

    def _restore(self, content: tuple[Array, dict[str, tuple[Any, ...]]]) -> None:
        state, roots = content
        mujoco.mj_setState(self._model, self.data, state, STATE)
        for name, (root, position, quaternion) in roots.items():
            body = self.bodies[name]
            if self._places[body].free is None:
                # To the bit, which the way from a pose to a quaternion is not.
                link, self._members[body].root = self._places[body].links[0], root
                self._model.body_pos[link], self._model.body_quat[link] = position, quaternion
        self._is_moved = True

    def place(self, body: Body, state: BodyState) -> None:
        data, places = self.data, self._places[body]
        self._is_moved = True
        if not np.isfinite(data.qacc_warmstart).all():
            # The solver begins with it, and would end with it.
            data.qacc_warmstart[:] = 0.0
        quaternion = np.roll(state.orientation, 1)
        if places.free is None:
            self._members[body].root = state.pose
            self._model.body_pos[places.links[0]] = state.position
            self._model.body_quat[places.links[0]] = quaternion
            return
        q, v = places.free
        data.qpos[q : q + 3] = state.position
        data.qpos[q + 3 : q + 7] = quaternion
        data.qvel[v : v + 3] = state.linear_velocity
        turn = rotation_from_quaternion(state.orientation)
        data.qvel[v + 3 : v + 6] = turn.T @ state.angular_velocity

    def place_joints(self, body: Body, position: Array, velocity: Array | None = None) -> None:
        data, places = self.data, self._places[body]
        data.qpos[places.position] = position
        data.qvel[places.velocity] = 0.0 if velocity is None else velocity
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

    def _apply_surfaces(self, *changed: Body) -> None:
        self._refuse_ended()
        if not self._is_changed:
            self._write_surfaces()

    def ignore_collisions(self, body: Body, pairs: set[tuple[int, int]]) -> None:
        self._refuse_ended()
        self._members[body].passing |= pairs
        self._is_changed = True

    def set_gravity(self, gravity: Array) -> None:
        self._gravity[:] = gravity
        self._strength = float(np.linalg.norm(gravity))
        self._refuse_ended()
        self._model.opt.gravity[:] = gravity

    def _set_time_step(self, time_step: float) -> None:
        self._refuse_ended()
        self._model.opt.timestep = time_step
        self._apply_surfaces()  # springs and dampers are as stiff as a step bears

    def step(self) -> None:
        data, model = self.data, self._model
        mujoco.mj_step1(model, data)
        if data.ncon:
            contact = data.contact
            correct_friction(contact.efc_address, contact.friction, data.efc_aref, self._strength)
        mujoco.mj_step2(model, data)
        data.qfrc_applied[:] = 0.0
        data.xfrc_applied[:] = 0.0
        self._is_moved = True
        if self._window is not None:
            self._window.show(model, data)

    def look(self, target: Array, distance: float) -> None:
        if self._window is not None:
            self._window.look(target, distance)

    def follow(self, way: Array) -> None:
        if self._window is not None:
            self._window.follow(way)

    def all_contacts(self) -> ContactTable:
        return contact_table(self._model, self.data, tuple(self._owned), self._owner)

    def mass(self, body: Body) -> float:
        self.data  # noqa: B018 a model with this body
        return float(self._model.body_mass[self._places[body].links].sum())

    def kinetic_energy(self, body: Body) -> float:
        return kinetic_energy(self._model, self._placed(), self._places[body])

    def contact_forces(self, body: Body, force: Array) -> None:
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
        return take_picture(self._model, data, view)

    def gaps(self, body: Body, other: Body, within: float) -> list[Gap]:
        data, model = self._placed(), self._model
        nearest: dict[tuple[int, int], float] = {}
        layers = self.padding[body] + self.padding[other]
        shapes = [self._shapes(each) for each in (body, other)]
        for link, one in shapes[0]:
            for other_link, two in shapes[1]:
                if body is other and link >= other_link:
                    continue
                distance = gap(model, data, one, two, within + layers) - layers
                pair = (link, other_link)
                if distance < within:
                    nearest[pair] = min(distance, nearest.get(pair, within))
        return [Gap(*pair, distance) for pair, distance in nearest.items()]

    def _shapes(self, body: Body) -> list[tuple[int, int]]:
        """Links of a body, and MuJoCo's numbers of their shapes."""
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
        part = mujoco.mj_ray(self._model, data, start, way, SOLID, 1, -1, shape, normal)
        if shape[0] < 0 or not 0.0 <= part <= 1.0:
            return None
        owner, link = self._owner[self._model.geom_bodyid[shape[0]]]
        return RayHit(self._owned[owner], int(link), start + part * way, normal)
