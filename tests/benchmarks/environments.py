"""What environments cost beside the physics: steps a second against a bare loop, in the same run.

The bare loop passes the same actions to the same world, and sees nothing. Aim: 0.9 of its steps a
second through Gymnasium; two environments in processes of their own are told beside.
"""

import functools
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


def side_by_side(task: Task, name: str, actions: np.ndarray, swap: int) -> np.ndarray:
    """Times of each step of the world alone and of the environment, in turn [s], (steps, 2).

    A machine that slows down meanwhile slows down both.

    Args:
        task: its world alone is stepped, without an observation, a reward or a check.
        name: of the environment.
        actions: of each step.
        swap: 0: the world alone begins at even steps; 1: at odd ones.
    """
    environment = gymnasium.make(f'{PREFIX}{name}-v0')
    environment.reset(seed=0)
    task.begin(np.random.default_rng(0))
    base = RobotTask if isinstance(task, RobotTask) else SoftTask
    steps = [functools.partial(base.act, task), environment.step]
    times = np.empty((len(actions), 2))
    for number, action in enumerate(actions):
        given = [action.astype(np.float64), action]
        first = (number + swap) % 2
        for which in (first, 1 - first):
            begin = time.perf_counter()
            steps[which](given[which])
            times[number, which] = time.perf_counter() - begin
    environment.close()
    return times


def quickest(task: Task, name: str, actions: np.ndarray, rounds: int) -> tuple[float, float]:
    """Mean times of a step of the world alone and of the environment [s], each step's least."""
    times: list[np.ndarray] = []
    begin = time.perf_counter()
    while len(times) < rounds or (rounds > 1 and time.perf_counter() - begin < LEAST):
        times.append(side_by_side(task, name, actions, len(times) % 2))
    alone, whole = np.min(times, axis=0)[FIRST:].mean(axis=0)
    return float(alone), float(whole)


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
        '--rounds', type=int, default=3, help='at least, of which the quickest of each step counts'
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
