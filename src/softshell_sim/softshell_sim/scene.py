"""The bodies of a world beside its control: changed in batches, pushed, saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from softshell_control.joint_map import JointMap
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_sim.bodies import Body, BodyState, ObjectSpec
from softshell_sim.changes import Change, Place, Push, Remove, Spawn, name_of
from softshell_sim.engine import Engine
from softshell_sim.saved_state import SavedState
from softshell_sim.stability import Stability


@dataclass(frozen=True, eq=False)
class _Pushing:
    """A push under way: its body, the place of its link, and how long it still acts [s]."""

    push: Push
    body: Body
    link: int
    left: float


@dataclass(frozen=True, eq=False)
class SavedScene:
    """Bodies and pushes, as `Scene.save` gives them."""

    engine: SavedState
    pushes: tuple[_Pushing, ...]


class Scene:
    """The bodies in an engine.

    Args:
        engine: holds them.
        robots: names of bodies that cannot be removed, and which of their joints follow which.

    Attributes:
        stability: if set, watches all bodies and corrects those that go astray.
    """

    def __init__(self, engine: Engine, robots: Mapping[str, JointMap]) -> None:
        self.engine, self._robots = engine, robots
        self._pushes: list[_Pushing] = []
        self.stability: Stability | None = None

    def begin(self, bodies: Sequence[Spawn]) -> None:
        """Forget all pushes: the engine holds what the world begins with, but for some bodies.

        Args:
            bodies: that are still to be added.

        Raises:
            ProblemsError: what is wrong with them.
        """
        self._pushes.clear()
        if self.stability is not None:
            self.stability.begin()
        self.apply(bodies)

    def apply(self, changes: Sequence[Change]) -> None:
        """Make all changes, in their order, or none.

        Raises:
            ProblemsError: what is wrong with each change; nothing was changed.
        """
        changes = [self._complete(change) for change in changes]
        problems = self._problems(changes)
        if problems:
            raise ProblemsError('changes of the world', problems)
        for change in changes:
            self._make(change)

    def step(self) -> None:
        """Let one step of the engine pass, with pushes."""
        if self._pushes:
            self._push()
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

    def save(self) -> SavedScene:
        """All bodies as they are; see `Engine.save`."""
        return SavedScene(self.engine.save(), tuple(self._pushes))

    def restore(self, saved: SavedScene) -> None:
        """Bring all bodies to a saved state.

        Raises:
            SoftshellError: there are other bodies than then; nothing was changed.
        """
        self.engine.restore(saved.engine)
        # Bodies may have been made anew since.
        bodies = self.engine.bodies
        self._pushes = [replace(each, body=bodies[each.push.body]) for each in saved.pushes]

    def state(self, name: str) -> BodyState:
        """Where the root link of a body is, and how it moves.

        Raises:
            UnknownNameError: there is no such body.
        """
        state = BodyState()
        self.engine.read(self.engine.body(name), state)
        return state

    def stands(self, name: str) -> bool:
        """Whether the root link of a body stands still.

        Raises:
            UnknownNameError: there is no such body.
        """
        spec = self.engine.specs[self.engine.body(name).name]
        return spec.mass == 0.0 if isinstance(spec, ObjectSpec) else spec.fixed

    def _complete(self, change: Change) -> Change:
        """A change of joints with those that follow them."""
        if not isinstance(change, Place) or change.body not in self._robots:
            return change
        return replace(change, joints=self._robots[change.body].complete(change.joints))

    def _problems(self, changes: Sequence[Change]) -> list[str]:
        bodies = dict(self.engine.bodies)
        tried: Engine | None = None
        problems = []
        for number, change in enumerate(changes, start=1):
            where = f'change {number} of {len(changes)}'
            where += f', {type(change).__name__.lower()} {name_of(change)!r}: '
            found = list(change.problems(bodies))
            if isinstance(change, Remove):
                if change.body in self._robots:
                    found.append(f'{change.body!r} is the robot and stays')
                bodies.pop(change.body, None)
            if isinstance(change, Spawn) and not found:
                tried = tried or self._trial_engine()
                try:
                    bodies[change.spec.name] = _try(tried, change)
                except SoftshellError as error:
                    found.append(str(error))
            problems += [where + problem for problem in found]
        if tried is not None:
            tried.close()
        return problems

    def _trial_engine(self) -> Engine:
        """One of the same kind, in which bodies are tried before they come."""
        return type(self.engine)(replace(self.engine.settings, window=False))

    def _make(self, change: Change) -> None:
        engine = self.engine
        match change:
            case Spawn(spec, state):
                body = engine.add(spec) if isinstance(spec, ObjectSpec) else engine.load(spec)
                if state is not None:
                    engine.place(body, state)
            case Remove(name):
                body = engine.body(name)
                engine.remove(body)
                self._pushes = [each for each in self._pushes if each.body is not body]
            case Place():
                self._place(change)
            case Push(name, force, torque, duration, link_name, point):
                body = engine.body(name)
                link = body.links.index(link_name) if link_name else 0
                # As arrays of its own, whatever it was given as.
                force, torque, point = np.array([force, torque, point], dtype=np.float64)
                push = replace(change, force=force, torque=torque, point=point)
                self._pushes.append(_Pushing(push, body, link, duration))

    def _place(self, change: Place) -> None:
        engine, body = self.engine, self.engine.body(change.body)
        if change.state is not None:
            state = change.state
            unit = state.orientation / np.linalg.norm(state.orientation)
            engine.place(body, replace(state, orientation=unit))
        if change.joints:
            position, velocity = np.zeros(len(body.joints)), np.zeros(len(body.joints))
            engine.read_joints(body, position, velocity)
            for name, value in change.joints.items():
                joint = body.joints.index(name)
                position[joint], velocity[joint] = value, 0.0
            engine.place_joints(body, position, velocity)


def _try(engine: Engine, change: Spawn) -> Body:
    """Add a body to an engine that only tries; what this raises would be raised later."""
    spec = replace(change.spec, name=f'tried {len(engine.bodies)}')
    body = engine.add(spec) if isinstance(spec, ObjectSpec) else engine.load(spec)
    return replace(body, name=change.spec.name)
