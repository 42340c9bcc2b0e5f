"""The bodies of a world: changed in batches, pushed, moved along paths, saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from softshell_control.joint_map import JointMap
from softshell_kinematics.errors import ProblemsError
from softshell_sim.bodies import Body, BodyState, ObjectSpec
from softshell_sim.changing.batch_checks import batch_problems
from softshell_sim.changing.changes import (
    Change,
    Place,
    Push,
    Remove,
    SetPadding,
    SetSurface,
    Spawn,
)
from softshell_sim.changing.drive import Drive, Release
from softshell_sim.changing.pose_path import PosePath
from softshell_sim.number_checks import is_number
from softshell_sim.physics.engine import Engine
from softshell_sim.physics.saved_state import SavedState
from softshell_sim.stability import Stability


@dataclass(frozen=True, eq=False)
class _Pushing:
    """A push that acts: its body, the index of its link, and how long it still acts [s]."""

    push: Push
    body: Body
    link: int
    left: float


@dataclass(frozen=True, eq=False)
class _Driving:
    """A body that follows a path, and the time since its start [s]."""

    body: Body
    path: PosePath
    passed: float = 0.0


@dataclass(frozen=True, eq=False)
class SavedScene:
    """Bodies, pushes and drives, as `Scene.save` gives them."""

    engine: SavedState
    pushes: tuple[_Pushing, ...]
    drives: tuple[_Driving, ...]


class Scene:
    """The bodies in an engine.

    Args:
        engine: holds them.
        robots: names of bodies that cannot be removed, and their joints, some of which mimic
            others.

    Attributes:
        stability: if set, watches all bodies and corrects those whose motion is unstable.
    """

    def __init__(self, engine: Engine, robots: Mapping[str, JointMap]) -> None:
        self.engine, self._robots = engine, robots
        self._pushes: list[_Pushing] = []
        self._drives: list[_Driving] = []
        self.stability: Stability | None = None

    def begin(self, changes: Sequence[Change]) -> None:
        """Begin anew, after the floor and the robot were added to an empty engine.

        Args:
            changes: that add the further bodies of the world.

        Raises:
            ProblemsError: what is wrong with each change.
        """
        self._pushes.clear()
        self._drives.clear()
        if self.stability is not None:
            self.stability.begin()
        self.apply(changes)

    def apply(self, changes: Sequence[Change]) -> None:
        """Make all changes, in their order, or none.

        Raises:
            ProblemsError: what is wrong with each change; nothing was changed.
        """
        changes = [self._complete(change) for change in changes]
        problems = batch_problems(self.engine, self._robots, changes)
        if problems:
            raise ProblemsError('changes of the world', problems)
        with self.engine.surfaces_at_once():
            for change in changes:
                self._make(change)

    def step(self) -> None:
        """Let one step of the engine pass, with all pushes and paths."""
        if self._pushes:
            self._push()
        if self._drives:
            self._drive()
        if self.stability is None:
            self.engine.step()
            return
        self.stability.before_step()
        self.engine.step()
        self.stability.after_step()

    def _push(self) -> None:
        seconds = self.engine.time_step
        for pushing in self._pushes:
            pose = self.engine.link_pose(pushing.body, pushing.link)
            point = pose[:3, :3] @ pushing.push.point + pose[:3, 3]
            # A step that is longer than what is left gives the same impulse.
            part = min(pushing.left / seconds, 1.0)
            force, torque = part * pushing.push.force, part * pushing.push.torque
            self.engine.apply_wrench(pushing.body, pushing.link, force, torque, point)
        left = [replace(each, left=each.left - seconds) for each in self._pushes]
        self._pushes = [each for each in left if each.left > 1e-9]

    def _drive(self) -> None:
        seconds = self.engine.time_step
        self._drives = [replace(each, passed=each.passed + seconds) for each in self._drives]
        for driving in self._drives:
            self.engine.drive(driving.body, *driving.path.at(driving.passed))

    def save(self) -> SavedScene:
        """The state of all bodies, pushes and paths; see `Engine.save`."""
        return SavedScene(self.engine.save(), tuple(self._pushes), tuple(self._drives))

    def restore(self, saved: SavedScene) -> None:
        """Bring all bodies to a saved state.

        Raises:
            SoftshellError: there are other bodies than then; nothing was changed.
        """
        self.engine.restore(saved.engine)
        # Bodies may have been removed and added again since.
        bodies = self.engine.bodies
        self._pushes = [replace(each, body=bodies[each.push.body]) for each in saved.pushes]
        self._drives = [replace(each, body=bodies[each.body.name]) for each in saved.drives]
        if self.stability is not None:
            self.stability.begin()

    def state(self, name: str) -> BodyState:
        """Pose and velocities of a body's root link.

        Raises:
            UnknownNameError: there is no such body.
        """
        state = BodyState()
        self.engine.read(self.engine.body(name), state)
        return state

    def stop(self, name: str) -> None:
        """Let the root link of a body be at rest where it is, unless it is driven.

        Raises:
            UnknownNameError: there is no such body.
        """
        body, state = self.engine.body(name), self.state(name)
        moves = state.linear_velocity.any() or state.angular_velocity.any()
        if moves and body not in self.engine.driven:
            self.engine.place(body, BodyState(state.position, state.orientation))

    def stands(self, name: str) -> bool:
        """Whether the root link of a body never moves.

        Raises:
            UnknownNameError: there is no such body.
        """
        return self.engine.specs[self.engine.body(name).name].stands

    def _complete(self, change: Change) -> Change:
        """A change that, if it places joints, also places those that mimic them."""
        if not isinstance(change, Place) or change.body not in self._robots:
            return change
        if not all(is_number(position) for position in change.joints.values()):
            return change  # the checks refuse it
        return replace(change, joints=self._robots[change.body].complete(change.joints))

    def _make(self, change: Change) -> None:
        engine = self.engine
        match change:
            case Spawn(spec, state):
                body = engine.add(spec) if isinstance(spec, ObjectSpec) else engine.load(spec)
                if state is not None:
                    engine.place(body, _checked(state))
            case Remove(name):
                body = engine.body(name)
                engine.remove(body)
                self._pushes = [each for each in self._pushes if each.body is not body]
                self._end_drive(body)
            case Place():
                self._place(change)
            case Push(name, force, torque, duration, link_name, point):
                body = engine.body(name)
                link = body.links.index(link_name) if link_name else 0
                # Copies: the caller may change its arrays later.
                force, torque, point = np.array([force, torque, point], dtype=np.float64)
                push = replace(change, force=force, torque=torque, point=point)
                self._pushes.append(_Pushing(push, body, link, duration))
            case SetSurface():
                self._set_surface(change)
            case SetPadding(name, padding):
                engine.set_padding(engine.body(name), padding)
            case Drive(name):
                self._begin_drive(engine.body(name), change)
            case Release(name):
                body = engine.body(name)
                engine.set_driven(body, False)
                self._end_drive(body)

    def _set_surface(self, change: SetSurface) -> None:
        body = self.engine.body(change.body)
        if change.other:
            self.engine.set_pair_surface(body, self.engine.body(change.other), change.surface)
        elif change.surface is not None:
            self.engine.set_surface(body, change.surface)

    def _begin_drive(self, body: Body, change: Drive) -> None:
        state = self.state(body.name)
        if change.jumps:
            self.engine.place(body, change.start(state))
        self._end_drive(body)
        self.engine.set_driven(body, True)
        self._drives.append(_Driving(body, change.path(state)))

    def _end_drive(self, body: Body) -> None:
        self._drives = [each for each in self._drives if each.body is not body]

    def _place(self, change: Place) -> None:
        engine, body = self.engine, self.engine.body(change.body)
        if change.state is not None:
            engine.place(body, _checked(change.state))
        if change.joints:
            position, velocity = np.zeros(len(body.joints)), np.zeros(len(body.joints))
            engine.read_joints(body, position, velocity)
            for name, value in change.joints.items():
                joint = body.joints.index(name)
                position[joint], velocity[joint] = value, 0.0
            engine.place_joints(body, position, velocity)


def _checked(state: BodyState) -> BodyState:
    """A state that was checked as engines take it: in arrays, its quaternion of length 1."""
    parts = state.position, state.orientation, state.linear_velocity, state.angular_velocity
    arrays = BodyState(*(np.array(part, dtype=np.float64) for part in parts))
    arrays.orientation /= np.linalg.norm(arrays.orientation)
    return arrays
