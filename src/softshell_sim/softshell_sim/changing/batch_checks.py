"""Checks of a batch of changes, before any of them is made."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from re import sub
from typing import get_args

import numpy as np

from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import Body, BodyState, ObjectSpec, RobotSpec
from softshell_sim.changing.changes import Change, Place, Push, Remove, SetPadding, Spawn, name_of
from softshell_sim.changing.drive import Drive, Release
from softshell_sim.joints.limits import limit_problems
from softshell_sim.physics.engine import Engine
from softshell_sim.shapes import FEWEST_SAMPLES, HeightField


def batch_problems(
    engine: Engine, robots: Collection[str], changes: Sequence[Change]
) -> list[str]:
    """What is wrong with changes, each checked as if those before it had been made.

    Args:
        engine: whose bodies are to be changed; it stays as it is.
        robots: names of bodies that cannot be removed.
        changes: in the order in which they are to be made.

    Returns:
        One line for each problem, with the number and kind of its change; empty: none.
    """
    course = _Course(engine, robots)
    problems = []
    try:
        for number, change in enumerate(changes, start=1):
            if not isinstance(change, Change):
                expected = ', '.join(kind.__name__ for kind in get_args(Change))
                problems.append(
                    f'change {number} of {len(changes)} is {change!r}; expected one of {expected}'
                )
                continue
            kind = sub('(?<=[a-z])(?=[A-Z])', ' ', type(change).__name__).lower()
            where = f'change {number} of {len(changes)}, {kind} {name_of(change)!r}: '
            problems += [where + problem for problem in course.take(change)]
    finally:
        course.close()
    return problems


class _Course:
    """The bodies of an engine as they would be after some changes."""

    def __init__(self, engine: Engine, robots: Collection[str]) -> None:
        self._engine, self._robots = engine, robots
        self._bodies, self._specs = dict(engine.bodies), dict(engine.specs)
        self._driven = {body.name for body in engine.driven}
        self._states: dict[str, BodyState] = {}  # that changes give to bodies
        self._trial: Engine | None = None

    def close(self) -> None:
        """End the trial engine."""
        if self._trial is not None:
            self._trial.close()

    def take(self, change: Change) -> list[str]:
        """What is wrong with the next change; what is not wrong with it counts for later ones."""
        found = list(change.problems(self._bodies))
        match change:
            case Remove(name):
                if name in self._robots:
                    found.append(f'{name!r} is the robot and stays')
                self._forget(name)
            case _ if found:
                return found
            case Spawn(spec, state):
                found += self._spawn_problems(spec, state)
            case SetPadding(name, padding):
                found += self._padding_problems(name, padding)
            case Place(name, state, joints):
                spec = self._specs[name]
                if isinstance(spec, RobotSpec):
                    found += limit_problems(spec.urdf, joints)
                if state is not None and name in self._driven:
                    found.append(f'{name!r} is driven; release it first')
                elif state is not None:
                    found += _velocity_problems(self._specs[name], state)
                    self._states[name] = state
            case Push(name):
                if self._specs[name].stands and change.link in ('', self._bodies[name].links[0]):
                    found.append(
                        f'{name!r} stands still and cannot be pushed; expected a body or a link '
                        'that can move'
                    )
            case Drive(name):
                found += self._drive_problems(change)
            case Release(name):
                if name not in self._driven:
                    found.append(f'{name!r} is not driven; expected one that is')
                self._driven.discard(name)
        return found

    def _forget(self, name: str) -> None:
        for known in (self._bodies, self._specs, self._states):
            known.pop(name, None)
        self._driven.discard(name)

    def _try(self, spec: ObjectSpec | RobotSpec) -> Body:
        """Add a body to a trial engine, which refuses what the real one would, and remove it."""
        if self._trial is None:
            engine = self._engine
            self._trial = type(engine)(replace(engine.settings, window=False))
        trial = self._trial
        if isinstance(spec, ObjectSpec) and isinstance(spec.shape, HeightField):
            # A few samples are enough to find a problem; for all of them PyBullet takes seconds.
            few = spec.shape.heights[:FEWEST_SAMPLES, :FEWEST_SAMPLES]
            spec = replace(spec, shape=HeightField(few, spec.shape.size))
        body = trial.add(spec) if isinstance(spec, ObjectSpec) else trial.load(spec)
        trial.remove(body)
        return body

    def _spawn_problems(
        self, spec: ObjectSpec | RobotSpec, state: BodyState | None
    ) -> Iterator[str]:
        try:
            self._bodies[spec.name] = self._try(spec)
        except SoftshellError as error:
            yield str(error)
            return
        if state is not None:
            yield from _velocity_problems(spec, state)
        pose = spec.pose if isinstance(spec, ObjectSpec) else np.eye(4)
        self._specs[spec.name] = spec
        self._states[spec.name] = state or BodyState.at_rest(pose)

    def _padding_problems(self, name: str, padding: float) -> Iterator[str]:
        try:
            self._try(replace(self._specs[name], padding=padding))
        except SoftshellError as error:
            yield str(error)

    def _drive_problems(self, change: Drive) -> Iterator[str]:
        name = change.body
        if self._specs[name].stands:
            yield f'{name!r} stands still and cannot be driven; expected a body that can move'
            return
        state = self._states.get(name)
        if state is None:
            state = BodyState()
            self._engine.read(self._engine.bodies[name], state)
        yield from change.first_way_problems(state)
        self._driven.add(name)
        self._states[name] = change.start(state)


def _velocity_problems(spec: ObjectSpec | RobotSpec, state: BodyState) -> Iterator[str]:
    """What is wrong with the velocity of a state: 0 is expected of a body that stands still."""
    if not spec.stands:
        return
    for name, velocity, unit in (
        ('linear velocity', state.linear_velocity, 'm/s'),
        ('angular velocity', state.angular_velocity, 'rad/s'),
    ):
        if np.any(velocity):
            yield (
                f'{spec.name!r} stands still; its {name} is {np.asarray(velocity).tolist()} '
                f'{unit}, expected 0'
            )
