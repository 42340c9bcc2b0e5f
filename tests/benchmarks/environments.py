"""What environments cost beside the physics: steps a second against a bare loop, in the same run.

The bare loop passes the same actions to the same world, and sees nothing. Aim: 0.9 of its steps a
second through Gymnasium; two environments in processes of their own are told beside.
"""

import sys
import time
import warnings

import gymnasium
import numpy as np
from _arguments import parser_of
from rich.console import Console
from rich.table import Table

from softshell_studies.gym.robot_task import RobotTask
from softshell_studies.gym.soft_task import SoftTask
from softshell_studies.gym.task import Task, size_of
from softshell_studies.gym.tasks import TASKS

#: Aim: of a bare loop's steps a second.
SHARE = 0.9
#: Steps of an episode that are timed, the first of which are left out.
STEPS, FIRST = 150, 10
#: Least time that the rounds of a task take together: those of quick tasks are short [s].
LEAST = 2.0
PREFIX = 'softshell_studies.gym:softshell/'


def bare(task: Task, actions: np.ndarray) -> float:
    """Time of a step of the world alone, without an observation, a reward or a check [s]."""
    task.begin(np.random.default_rng(0))
    begin = 0.0
    for number, action in enumerate(actions):
        if number == FIRST:
            begin = time.perf_counter()
        if isinstance(task, RobotTask):
            RobotTask.act(task, action)
        elif isinstance(task, SoftTask):
            SoftTask.act(task, action)
    return (time.perf_counter() - begin) / (len(actions) - FIRST)


def through_gymnasium(name: str, actions: np.ndarray) -> float:
    """Time of a step of the environment [s]."""
    environment = gymnasium.make(f'{PREFIX}{name}-v0')
    environment.reset(seed=0)
    begin = 0.0
    for number, action in enumerate(actions):
        if number == FIRST:
            begin = time.perf_counter()
        environment.step(action)
    took = (time.perf_counter() - begin) / (len(actions) - FIRST)
    environment.close()
    return took


def quickest(task: Task, name: str, actions: np.ndarray, rounds: int) -> tuple[float, float]:
    """Least times of a step of the world alone and of the environment, measured in turn [s]."""
    alone, whole = [], []
    begin = time.perf_counter()
    while len(alone) < rounds or (rounds > 1 and time.perf_counter() - begin < LEAST):
        alone.append(bare(task, actions.astype(np.float64)))
        whole.append(through_gymnasium(name, actions))
    return min(alone), min(whole)


def beside_each_other(name: str, actions: np.ndarray) -> float:
    """Time of a step of each of two environments in processes of their own, for both [s]."""
    both = gymnasium.make_vec(f'{PREFIX}{name}-v0', num_envs=2, vectorization_mode='async')
    both.reset(seed=0)
    begin = 0.0
    for number, action in enumerate(actions):
        if number == FIRST:
            begin = time.perf_counter()
        both.step(np.stack([action, action]))
    took = (time.perf_counter() - begin) / (len(actions) - FIRST) / 2.0
    both.close()
    return took


def main() -> int:
    """Measure, print, and say whether the aim is met."""
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--quick', action='store_true', help='few steps, and no aim')
    parser.add_argument('--tasks', nargs='*', choices=list(TASKS), help='only these')
    parser.add_argument(
        '--rounds', type=int, default=3, help='at least, of which the quickest counts'
    )
    options = parser.parse_args()
    rounds, steps = (1, 40) if options.quick else (options.rounds, STEPS)
    warnings.simplefilter('ignore')
    table = Table('task', 'steps a second', 'of a bare loop', 'two processes')
    missed = False
    for name in options.tasks or TASKS:
        task: Task = gymnasium.make(f'{PREFIX}{name}-v0').unwrapped.task  # type: ignore[attr-defined]
        random = np.random.default_rng(1)
        # Single precision in the bare loop too: on rubble, the last bits decide on the contacts,
        # and so on what the physics costs.
        actions = 0.2 * random.uniform(-1.0, 1.0, (steps, size_of(task.actions)))
        actions = actions.astype(np.float32)
        alone, whole = quickest(task, name, actions, rounds)
        pair = beside_each_other(name, actions)
        task.close()
        missed |= alone / whole < SHARE
        table.add_row(name, f'{1.0 / whole:.0f}', f'{alone / whole:.2f}', f'{1.0 / pair:.0f}')
    Console(markup=False).print(table)
    Console(markup=False).print(f'aim: {SHARE:g} of a bare loop')
    return int(missed and not options.quick)


if __name__ == '__main__':
    sys.exit(main())
