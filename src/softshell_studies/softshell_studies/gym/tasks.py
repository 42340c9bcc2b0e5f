"""The tasks by name; needs no Gymnasium."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from softshell_kinematics.errors import UnknownNameError
from softshell_studies.gym.policy import Policy
from softshell_studies.gym.task import Task


@dataclass(frozen=True)
class Entry:
    """How a task is made.

    Attributes:
        module: in this package; that of the same name in `scripted_policies` has its scripted
            policy.
        kind: name of the task's class; the class of the policy is `Scripted` followed by it.
        steps: of an episode.
        meaning: what is to be done, in a line.
        settings: that differ from the defaults of the task's form.
        unit: of its score.
    """

    module: str
    kind: str
    steps: int
    meaning: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    unit: str = 'mm'


TASKS = {
    'Walk': Entry('walk', 'Walk', 500, 'walk at a velocity', unit='mm/s'),
    'WalkRough': Entry(
        'walk', 'Walk', 500, 'the same on rubble', {'rough': 0.03}, unit='mm/s'
    ),
    'Roll': Entry('roll', 'Roll', 500, 'roll to a heading as a ball', unit='m'),
    'Reach': Entry('reach', 'Reach', 200, 'bring the tip of a soft arm to a target'),
    'ReachObstacle': Entry(
        'reach', 'Reach', 200, 'the same past an obstacle', {'obstacle': True}
    ),
    'Push': Entry('push', 'Push', 400, 'push a block to a target with a soft arm'),
    'Hand': Entry('hand', 'Hand', 850, 'turn a cube in a hand of soft fingers', unit='deg'),
    'Snake': Entry('snake', 'Snake', 400, 'get through a channel as a soft snake', unit='m'),
}  # fmt: skip


def entry_of(name: str) -> Entry:
    """How a task is made, by its name.

    Raises:
        UnknownNameError: there is no task of this name.
    """
    if name not in TASKS:
        raise UnknownNameError('task', name, TASKS)
    return TASKS[name]


def make_task(name: str, /, **settings: Any) -> Task:
    """Make a task, with its world.

    Args:
        name: of the task.
        settings: that differ from its defaults.

    Raises:
        UnknownNameError: there is no task of this name.
        ProblemsError: a setting is unknown or out of its range.
        SoftshellError: the world does not start.
    """
    entry = entry_of(name)
    kind = getattr(import_module(f'{__package__}.{entry.module}'), entry.kind)
    task: Task = kind(**{**entry.settings, **settings})
    return task


def scripted(name: str, task: Task) -> Policy:
    """The scripted policy for a task.

    Args:
        name: of the task.
        task: that is played.

    Raises:
        UnknownNameError: there is no task of this name.
    """
    entry = entry_of(name)
    module = import_module(f'{__package__}.scripted_policies.{entry.module}')
    policy: Policy = getattr(module, f'Scripted{entry.kind}')(task)
    return policy
