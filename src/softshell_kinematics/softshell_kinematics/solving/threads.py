"""Threads that share a large problem: kernels release Python's global lock while they run."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

#: Fewest points per thread: with fewer, starting it costs more than it saves.
POINTS_FOR_THREAD = 200

_pool: tuple[int, ThreadPoolExecutor] | None = None


def threads_for(points: int, wanted: int) -> int:
    """How many threads to use for a number of points.

    Args:
        points: of the problem.
        wanted: most threads; 0: one for each CPU that this process may use.
    """
    worth = points // POINTS_FOR_THREAD
    return 1 if worth < 2 else max(1, min(worth, int(wanted) or usable_cpus()))


def usable_cpus() -> int:
    """Number of CPUs that this process may use, which its affinity tells where there is one."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shares(count: int, parts: int) -> list[tuple[int, int]]:
    """Split `count` things into parts: the first index of each, and the one after its last."""
    edges = [count * k // parts for k in range(parts + 1)]
    return list(pairwise(edges))


def run_all(tasks: Sequence[Callable[[], bool]]) -> list[bool]:
    """Run each in a thread of its own, and wait for all; what they return."""
    pool = _threads(len(tasks))
    return [ended.result() for ended in [pool.submit(task) for task in tasks]]


def _threads(count: int) -> ThreadPoolExecutor:
    """A pool of at least so many threads, which lives as long as the process."""
    global _pool
    kept = _pool
    if kept is None or kept[0] < count:
        # Two callers at once may each make one: both work, and only one is kept.
        kept = _pool = (count, ThreadPoolExecutor(count, thread_name_prefix='kinematics'))
    return kept[1]


def _forget() -> None:
    """Drop the pool in a forked process, which inherits the memory but not the threads."""
    global _pool
    _pool = None


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_forget)
