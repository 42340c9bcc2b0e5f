"""The bodies of MuJoCo: adding and removing, surfaces and layers, saved states."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_sim.bodies import (
    Body,
    BodyState,
    ObjectSpec,
    RobotSpec,
)
from softshell_sim.mujoco.anisotropy import Anisotropy
from softshell_sim.mujoco.arrays import Places, find
from softshell_sim.mujoco.camera import MujocoCamera
from softshell_sim.mujoco.driving import keep_apart, make_heavy
from softshell_sim.mujoco.loading import build, mujoco_quaternion
from softshell_sim.mujoco.member import Member, object_member, robot_member
from softshell_sim.mujoco.pairs import masks_of
from softshell_sim.mujoco.surfaces import write_own_surface, write_surfaces
from softshell_sim.physics.engine import Engine
from softshell_sim.physics.engine_settings import EngineSettings

# By default MuJoCo writes its warnings to a file in the current folder.
mujoco.set_mju_user_warning(lambda text: None)

#: The parts of the data that the next steps depend on.
STATE = mujoco.mjtState.mjSTATE_INTEGRATION


class MujocoBodies(Engine):
    """MuJoCo, with a model that is compiled anew after a body was added, removed or changed.

    Raises:
        SoftshellError: there is no display for its window, or another engine has one.
    """

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings)
        self._window: Any = None
        self._camera = MujocoCamera()
        if settings.window:
            with self._opening_window():
                from softshell_sim.mujoco.window import Window

                self._window = Window()
        self._members: dict[Body, Member] = {}
        self._with_dry_friction: list[Body] = []  # in their joints
        self._places: dict[Body, Places] = {}
        self._masks: dict[Body, int] = {}
        self._gravity = np.array([0.0, 0.0, -settings.gravity])
        self._gravity_size = settings.gravity
        self._model: Any = None
        self._data: Any = None
        self._anisotropy: Anisotropy | None = None
        self._waiting: dict[Body, BodyState] = {}  # to be set in the next model
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
        # A model of this body alone, to see whether MuJoCo accepts it. The model of all bodies is
        # compiled when it is needed: once for many bodies that are added together.
        build([member], self.settings, {member.body: 1} if member.self_collision else {})
        self._members[member.body] = member
        self._enter_surface(member.body, spec)
        self._is_changed = True
        return member.body

    def _remove(self, body: Body) -> None:
        self._refuse_ended()
        del self._members[body]
        self._waiting.pop(body, None)
        self._is_changed = True

    def _clear(self) -> None:
        self._refuse_ended()
        self._members.clear()
        self._places.clear()
        self._waiting.clear()
        self._data, self._is_changed = None, True

    @property
    def data(self) -> Any:
        """MuJoCo's data of all present bodies; compiles the model if that has changed.

        Raises:
            SoftshellError: the engine has ended.
        """
        self._refuse_ended()
        if self._is_changed:
            self._compile()
        return self._data

    def _compile(self) -> None:
        """Compile a model of all bodies; those of the last model keep their state."""
        members = list(self._members.values())
        self._masks = masks_of(members, self.surfaces)
        model = build(members, self.settings, self._masks)
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
        anisotropic = {
            places[member.body].links[place]: friction
            for member in members
            for place, friction in member.anisotropic.items()
        }
        self._anisotropy = Anisotropy(model.nbody, anisotropic) if anisotropic else None
        self._owned = [member.body for member in members]
        self._own_inertia = np.array([model.dof_armature, model.dof_M0])
        for member in members:
            added = member.added(self.settings.time_step)
            self._own_inertia[:, places[member.body].velocity] -= added
        for body in self.driven:
            make_heavy(model, places[body])
        self._is_changed, self._is_moved = False, True
        self._write_surfaces()
        self._write_springs()
        for body, state in self._waiting.items():
            self._place(body, state)
        self._waiting.clear()

    def _place(self, body: Body, state: BodyState) -> None:
        """Set pose and velocity of the root link of a body in the present model."""
        data, places = self._data, self._places[body]
        self._is_moved = True
        if not np.isfinite(data.qacc_warmstart).all():
            # The solver starts from it, and would not get rid of the numbers that are not finite.
            data.qacc_warmstart[:] = 0.0
        if places.free is None:
            self._stand(body, state.pose)
            return
        q, v = places.free
        data.qpos[q : q + 3] = state.position
        data.qpos[q + 3 : q + 7] = np.roll(state.orientation, 1)
        data.qvel[v : v + 3] = state.linear_velocity
        turn = rotation_from_quaternion(state.orientation)
        data.qvel[v + 3 : v + 6] = turn.T @ state.angular_velocity

    def _write_surfaces(self) -> None:
        padding = [self.padding[body] for body in self._owned]
        write_surfaces(self._model, self._owner, self._owned, padding, self.surfaces)
        for body, mask in self._masks.items():
            write_own_surface(self._model, mask, self.surfaces.between(body, body))
        if self.driven:
            driven = [self._places[body].links[0] for body in self.driven]
            roots = [places.links[0] for places in self._places.values() if places.free is None]
            keep_apart(self._model, driven, roots)

    def _write_springs(self) -> None:
        """Write the springs into the model, with inertia that makes them implicit.

        MuJoCo integrates springs and damping explicitly. An implicit step h gives the same forces
        the accelerations of joints with the inertia h D + h² K in addition, at a damping D + h K.
        So contacts and stops feel them as well.
        """
        model = self._model
        self._with_dry_friction.clear()
        for body, member in self._members.items():
            springs, places = member.springs, self._places[body]
            if springs is None:
                continue
            joints, added = model.dof_jntid[places.velocity], member.added(self.time_step)
            model.jnt_stiffness[joints] = springs.stiffness
            model.qpos_spring[places.position] = springs.neutral
            model.dof_damping[places.velocity] = added / self.time_step
            own = self._own_inertia[:, places.velocity]
            model.dof_armature[places.velocity], model.dof_M0[places.velocity] = own + added
            if self.implicit_mass(body).friction:
                self._with_dry_friction.append(body)

    def _set_driven(self, driven: set[Body]) -> None:
        if driven != self.driven:
            self._refuse_ended()
            self.driven, self._is_changed = set(driven), True

    def _placed(self) -> Any:
        """The data, with frames and centres of mass computed from the positions."""
        data = self.data
        if self._is_moved:
            mujoco.mj_kinematics(self._model, data)
            mujoco.mj_comPos(self._model, data)
            self._is_moved = False
        return data

    def _save(self) -> tuple[Array, dict[str, tuple[Array, ...]]]:
        data, model = self.data, self._model
        content = np.zeros(mujoco.mj_stateSize(model, STATE))
        mujoco.mj_getState(model, data, content, STATE)
        roots: dict[str, tuple[Array, ...]] = {}
        for body, member in self._members.items():
            link = self._places[body].links[0]
            place = model.body_pos[link].copy(), model.body_quat[link].copy()
            roots[body.name] = (member.root, *place)
        return content, roots

    def _restore(self, content: tuple[Array, dict[str, tuple[Array, ...]]]) -> None:
        self._apply_surfaces()
        data, (state, roots) = self.data, content
        mujoco.mj_setState(self._model, data, state, STATE)
        for name, (root, position, quaternion) in roots.items():
            body = self.bodies[name]
            if self._places[body].free is None:
                # Copied bit for bit; the conversion of a pose to a quaternion rounds.
                link, self._members[body].root = self._places[body].links[0], root
                self._model.body_pos[link], self._model.body_quat[link] = position, quaternion
        self._is_moved = True

    def _stand(self, body: Body, root: Array) -> None:
        """Set the (4, 4) pose of the root link of a body whose root link stands still."""
        link = self._places[body].links[0]
        self._members[body].root = root
        self._model.body_pos[link] = root[:3, 3]
        self._model.body_quat[link] = mujoco_quaternion(root[:3, :3])

    def _apply_surfaces(self, *changed: Body) -> None:
        self._is_changed |= masks_of(self._members.values(), self.surfaces) != self._masks
        if not self._is_changed:
            self._write_surfaces()

    def _set_padding(self, padding: Mapping[Body, float]) -> None:
        members = {}
        for body, thickness in padding.items():
            old, spec = self._members[body], self._padded_spec(body, thickness)
            new = object_member(spec) if isinstance(spec, ObjectSpec) else robot_member(spec)
            members[body] = replace(new, body=body, root=old.root, passing=old.passing)
        self._members |= members
        self.padding |= padding
        self._is_changed = True
