"""A problem that is solved in slices has the answers of one that is solved at once."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_kinematics import IkOptions, Limbs, ParallelMechanism
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.examples import arm7, goals_of, lower_leg, puma, upper_leg
from softshell_kinematics.solving import search as search_arguments

POINTS = 60
ARRAYS = ('q', 'status', 'residual', 'error', 'iterations', 'jumps')


def paths():
    """Goals of four limbs along a path, in parts out of reach, in parts with free angles.

    Such a path has all that a search does: restarts, small parts, jumps, limits and ridges.
    """
    chains = [lower_leg(), upper_leg(), puma(), arm7()]
    generator = np.random.default_rng(2)
    goals = []
    for chain, constrained in zip(chains, ('x y z', 'x z', 'all', 'all'), strict=True):
        ends = chain.random(3, generator)
        t = np.linspace(0.0, 2.0, POINTS)[:, None]
        q = ends[0] + np.minimum(t, 1.0) * (ends[1] - ends[0])
        q += np.maximum(t - 1.0, 0.0) * (ends[2] - ends[1])
        goals.append(goals_of(chain, q, constrained))
    goals = np.stack(goals)
    goals[:, 20:30, 2] += 0.5
    goals[2, 40:, 3:5] = np.nan
    return Limbs(chains), goals


LIMBS, GOALS = paths()
SETTINGS = {
    'each by itself': IkOptions(restarts=3),
    'path': IkOptions(warm_start=True, restarts=3),
    'path that may jump': IkOptions(warm_start=True, restarts=3, allow_jumps=True),
    'path with speeds': IkOptions(warm_start=True, restarts=0, time_step=0.02),
}


SEEDS = LIMBS.seeds([chain.middle() + 0.1 for chain in LIMBS.chains])
POSTURES = [{}, None, None, {'j1': 0.0, 'j3': 0.5}]


@functools.cache
def at_once(kind, postured):
    """All points solved in one go."""
    return LIMBS.solve(GOALS, SEEDS, SETTINGS[kind], ['q1'], POSTURES if postured else None)


@pytest.mark.long
@pytest.mark.parametrize('postured', [False, True])
@pytest.mark.parametrize('kind', SETTINGS)
@settings(max_examples=15)
@given(sizes=st.lists(st.integers(1, 40), min_size=1))
def test_slices_change_no_bit(kind, postured, sizes):
    """However a path is cut, each slice goes on from the solution of the point before it."""
    whole = at_once(kind, postured)
    search = LIMBS.begin(GOALS, SEEDS, SETTINGS[kind], ['q1'], POSTURES if postured else None)
    for size in sizes:
        search.go_on(size)
        assert search.done == (search.solved == POINTS)
    search.go_on()
    assert search.done
    cut = search.result()
    for name in ARRAYS:
        assert getattr(cut, name).tobytes() == getattr(whole, name).tobytes(), name


def test_a_slice_solves_its_points_and_no_others():
    """What is not solved yet is untouched, and what is solved stays as it is."""
    search = LIMBS.begin(GOALS, options=IkOptions(warm_start=True, restarts=0))
    search.go_on(7)
    assert (search.solved, search.points, search.done) == (7, POINTS, False)
    early = search.result().q.copy()
    assert not early[:, 7:].any()
    search.go_on(1000)
    assert search.done
    assert search.result().q[:, :7].tobytes() == early[:, :7].tobytes()


@pytest.mark.parametrize('size', [-5, 0, 0.5, np.nan, 'x'])
def test_a_slice_has_a_point(size):
    """Else it would write outside of arrays, or never end."""
    mechanism = ParallelMechanism(LIMBS.chains[:1])
    for search in (LIMBS.begin(GOALS), mechanism.begin(GOALS[:1].transpose(1, 0, 2))):
        search.go_on(1)
        with pytest.raises(SoftshellError, match=f'a slice has {size!r} points; expected 1 or'):
            search.go_on(size)
        assert search.solved == 1


@pytest.mark.parametrize('warm_start', [False, True])
def test_the_arrays_of_the_caller_are_free_once_a_search_has_begun(warm_start):
    """Other goals may be written to them between two slices, for a mechanism as well."""
    options = IkOptions(warm_start=warm_start)
    mechanism = ParallelMechanism(LIMBS.chains[:2])
    shared = np.ascontiguousarray(GOALS[:2].transpose(1, 0, 2))
    starts = np.tile(mechanism.middle(), (POINTS, 1))
    for problem, wanted, seeds in (
        (LIMBS, GOALS, np.repeat(SEEDS, POINTS, axis=1)),
        (mechanism, shared, starts),
    ):
        whole = problem.solve(wanted, seeds, options)
        goals, starts = wanted.copy(), seeds.copy()
        search = problem.begin(goals, starts, options)
        search.go_on(7)
        goals[:], starts[:] = np.nan, 0.3
        search.go_on()
        assert search.result().q.tobytes() == whole.q.tobytes()


@pytest.mark.parametrize('threads', [1, 4])
def test_a_part_that_the_kernel_refuses_is_an_error(threads):
    """Else its points would be told as solved."""
    goals = np.tile(GOALS, (1, 10, 1))
    search = LIMBS.begin(goals, SEEDS, IkOptions(threads=threads))
    search.go_on(1)
    search._arguments[search_arguments.GOALS][3, 500, 0] = np.inf
    with pytest.raises(SoftshellError, match='points 1 to 599: a goal or a seed is not what'):
        search.go_on()


def test_each_point_of_a_path_may_have_its_own_posture():
    """The answers are those of the points solved alone, each with the posture of its own."""
    limbs, goals = Limbs([arm7()]), GOALS[3:, :6, :3]
    goals = np.concatenate([goals, np.full_like(goals, np.nan)], axis=2)
    postures = np.linspace(-0.3, 0.4, 6)[:, None] + np.linspace(0.0, 0.5, 7)
    named = dict(zip(limbs.chains[0].variables, postures.T, strict=True))
    whole = limbs.solve(goals, postures=[named])
    assert whole.q.tobytes() == limbs.solve(goals, postures=[postures]).q.tobytes()
    for point, posture in enumerate(postures):
        alone = limbs.solve(goals[:, point : point + 1], postures=[posture])
        assert alone.q[:, 0].tobytes() == whole.q[:, point].tobytes()
    with pytest.raises(SoftshellError, match=r"posture of '.*' has 5 points; expected one or 6"):
        limbs.solve(goals, postures=[postures[:5]])
