"""Searches find the best point, continue after an end, and refuse wrong studies."""

import json
import math
import re
import shutil
import time
from contextlib import nullcontext

import numpy as np
import pytest

from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_studies.report.runs import read_runs
from softshell_studies.study.optimise import SAMPLER, optimise
from softshell_studies.study.results import JOURNAL, TABLE, read_manifest, rows_of
from softshell_studies.study.samplers import Sampler
from softshell_studies.study.study import read_study
from softshell_studies.study.sweep import sweep
from softshell_studies.study.workers import workers_of

pytestmark = pytest.mark.needs('studies')

#: An interval to search in.
Y = {'uniform': [0.0, 1.0]}
#: A bowl with its least at (0.3, -0.2); with chance where that is asked for.
FUNCTION = """
import random

def bowl(parameters, seed):
    x, y = parameters['x'], parameters['y']
    if x > parameters.get('fails', 9.0):
        raise ValueError('too far')
    chance = parameters.get('chance', 0.0) * random.Random(seed).gauss(0.0, 1.0)
    return {'height': (x - 0.3) ** 2 + (y + 0.2) ** 2 + 1.0 + chance, 'sum': x + y}
"""


@pytest.fixture(scope='module')
def worker():
    """Shared by all searches of one worker: to start one takes more than a second."""
    with workers_of('', 1) as client:
        yield client


@pytest.fixture
def study(tmp_path, request, monkeypatch):
    """Makes a study of the bowl."""
    monkeypatch.setattr(
        'softshell_studies.study.optimise.workers_of',
        lambda where, count: (
            nullcontext(request.getfixturevalue('worker'))
            if count == 1
            else workers_of(where, count)
        ),
    )
    (tmp_path / 'bowl.py').write_text(FUNCTION, encoding='utf-8')

    def make(optimize=None, fixed=None, **more):
        path = tmp_path / 'study.yaml'
        axis = {'uniform': [-1.0, 1.0]}
        content = {
            'function': 'bowl.py:bowl',
            'metrics': ['height', 'sum'],
            'fixed': {'x': 0.9, 'y': 0.9, **(fixed or {})},
            'parameters': {'x': axis, 'y': axis},
            'optimize': {'metric': 'height', 'goal': 'least', 'trials': 60, **(optimize or {})},
            **more,
        }
        path.write_text(json.dumps(content), encoding='utf-8')
        return read_study(path)

    return make


@pytest.mark.parametrize(
    ('sampler', 'off'),
    [
        ('cmaes', 0.05),
        pytest.param('tpe', 0.2, marks=pytest.mark.long),
        pytest.param('random', 0.4, marks=pytest.mark.long),
    ],
)
def test_each_sampler_finds_the_least(study, tmp_path, sampler, off):
    """The gain is relative to the default, which is run as well."""
    results, found = optimise(study({'sampler': sampler}), tmp_path / 'out', workers=1)
    assert len(results.done) == 61
    assert found.default == {'x': 0.9, 'y': 0.9}
    assert found.values['x'] == pytest.approx(0.3, abs=off)
    assert found.values['y'] == pytest.approx(-0.2, abs=off)
    assert found.by_default == (pytest.approx(2.57),)
    assert found.gain == pytest.approx(found.best[0] / 2.57 - 1.0)
    told = json.loads((tmp_path / 'out/best.json').read_text())
    assert told['best'] == found.values
    assert told['gain'] == found.gain
    assert 'height: best 1.' in found.table()
    assert (tmp_path / 'out' / TABLE).exists()


def test_the_most_is_found_within_a_condition(study, tmp_path):
    """Points that violate the condition count as bad as those that fail."""
    wanted = {'metric': 'sum', 'goal': 'most', 'where': 'height < 1.2'}
    _, found = optimise(
        study(wanted, {'x': 0.3, 'y': -0.2, 'fails': 0.8}), tmp_path / 'out', workers=1
    )
    assert (found.values['x'] - 0.3) ** 2 + (found.values['y'] + 0.2) ** 2 < 0.2
    assert found.best[0] > 0.45  # 0.732 is the most
    failed = [row for row in rows_of(tmp_path / 'out') if row['error']]
    assert all(row['parameters']['x'] > 0.8 for row in failed)


def test_an_ended_search_continues(study, tmp_path):
    """No run is done twice; the sampler knows the results of earlier runs."""
    seen = []
    made = study({'trials': 45})
    _, found = optimise(
        made, tmp_path / 'out', workers=1, progress=seen.append,
        ended=lambda: bool(seen) and seen[-1].done >= 10,
    )  # fmt: skip
    assert found is None
    before = {row['run']: row for row in rows_of(tmp_path / 'out')}
    assert 10 <= len(before) < 46
    results, found = optimise(study({'trials': 45}), tmp_path / 'out', workers=1)
    after = {row['run']: row for row in rows_of(tmp_path / 'out')}
    assert len(after) == len(results.done) == 46
    assert {run: after[run] for run in before} == before
    assert len({tuple(row['parameters'].values()) for row in after.values()}) == 46
    # As if it had not been ended: of the last ten points most are near to the least.
    last = [after[run]['parameters'] for run in range(36, 46)]
    off = sorted(np.hypot(point['x'] - 0.3, point['y'] + 0.2) for point in last)
    assert off[5] < 0.45
    _, again = optimise(study({'trials': 45}), tmp_path / 'out', workers=1)
    assert again == found


def chosen(study, path, *sessions):
    """Points that a sampler chooses, which is told their heights; each session starts it anew."""
    points = []
    for numbers in sessions:
        sampler = Sampler(study, path, 'bowl')
        for number in numbers:
            x, y = sampler.choose(number).values()
            sampler.tell(number, (x - 0.3) ** 2 + (y + 0.2) ** 2)
            points.append((x, y))
    return points


@pytest.mark.parametrize('sampler', ['cmaes', 'tpe', 'random'])
def test_an_interrupted_search_chooses_the_points_of_an_uninterrupted_one(
    study, tmp_path, sampler
):
    """So none is chosen twice, whichever points are still random."""
    made = study({'sampler': sampler})
    whole = chosen(made, tmp_path / 'whole', range(1, 31))
    parts = chosen(made, tmp_path / 'parts', range(1, 6), range(6, 16), range(16, 31))
    assert parts == whole
    assert len(set(parts)) == 30


def test_a_search_that_was_killed_while_it_wrote_goes_on_at_once(study, tmp_path):
    """The lock of optuna that it has left is not waited for, which is given up after 30 s."""
    from optuna.storages.journal import JournalFileOpenLock

    made, path = study({'sampler': 'random'}), tmp_path / 'sampler.log'
    chosen(made, path, range(1, 3))
    assert JournalFileOpenLock(str(path)).acquire()
    begin = time.monotonic()
    assert set(Sampler(made, path, 'bowl').chosen) == {1, 2}
    assert time.monotonic() - begin < 20.0


@pytest.mark.parametrize('sampler', ['cmaes', 'tpe', 'random'])
def test_the_seed_of_a_search_may_be_as_large_as_a_date(study, tmp_path, sampler):
    """It decides with all of its digits, not with the last 32 bits only."""
    small, large = (
        chosen(study({'sampler': sampler}, seed=seed), tmp_path / str(seed), range(1, 4))
        for seed in (202501011200 % 2**32, 202501011200)
    )
    assert not set(small) & set(large)


def test_a_second_search_with_the_same_study_is_a_new_one(study, tmp_path):
    """It has the points of its own, which are the same: one worker does them in their order."""
    made = study({'trials': 4})
    for name in 'ab':
        optimise(made, tmp_path / name, workers=1)
    first, second = ([row['parameters'] for row in rows_of(tmp_path / name)] for name in 'ab')
    assert first == second
    assert len(first) == 5


def test_searches_and_other_studies_are_told_apart_before_anything_is_written(study, tmp_path):
    with pytest.raises(SoftshellError, match='study is a search; expected a call of optimise'):
        sweep(study(), tmp_path / 'out')
    (tmp_path / 'grid.yaml').write_text(
        'function: bowl.py:bowl\nmetrics: [sum]\nparameters: {x: {values: [1.0]}}\n', 'utf-8'
    )
    with pytest.raises(SoftshellError, match='grid has no optimize; expected a search'):
        optimise(read_study(tmp_path / 'grid.yaml'), tmp_path / 'out')
    assert not (tmp_path / 'out').exists()


def test_a_search_continues_whatever_is_left_of_the_file_of_its_sampler(study, tmp_path):
    """Torn in a line, or between the values of a point that was not run yet; missing; no file."""
    seen = []
    made = study({'trials': 12})
    optimise(
        made, tmp_path / 'out', workers=1, progress=seen.append,
        ended=lambda: bool(seen) and seen[-1].done >= 5,
    )  # fmt: skip
    text = (tmp_path / 'out' / SAMPLER).read_bytes()
    between = text[: text.rindex(b'\n', 0, text.rindex(b'"param_name":"y"')) + 1]
    asked = between.count(b'"param_name":"x"')
    for place, (left, most) in enumerate(
        [(text[:-20], 13), (text[: len(text) // 2], 13), (between, asked), (None, 13)]
    ):
        out = tmp_path / str(place)
        shutil.copytree(tmp_path / 'out', out)
        (out / SAMPLER).unlink() if left is None else (out / SAMPLER).write_bytes(left)
        rows = [row for row in rows_of(out) if row['point'] < most]
        (out / JOURNAL).write_text(''.join(json.dumps(row) + '\n' for row in rows), 'utf-8')
        _, found = optimise(study({'trials': 12}), out, workers=1)
        after = list(rows_of(out))
        assert [row['run'] for row in after] == list(range(13))
        assert [row for row in after if row in rows] == rows
        assert found.best[0] == min(row['metrics']['height'] for row in after)
        points = [tuple(row['parameters'].get(name) for name in 'xy') for row in after]
        assert len(set(points)) == 13
        assert all(-1.0 <= value <= 1.0 for point in points for value in point)


@pytest.mark.long
def test_a_noisy_best_is_judged_with_unused_seeds(study, tmp_path):
    """So that it does not look better than it is."""
    made = study({'trials': 20}, {'chance': 0.3}, repeats=4, common_seeds=True)
    results, found = optimise(made, tmp_path / 'out')
    assert len(results.done) == 4 * 23
    rows = {row['run']: row for row in rows_of(tmp_path / 'out')}
    seeds = [{row['seed'] for row in rows.values() if row['point'] == k} for k in range(23)]
    assert seeds[0] == seeds[7]
    assert not seeds[0] & seeds[21]
    assert seeds[21] == seeds[22]
    assert rows[4 * 21]['parameters'] == {'x': 0.9, 'y': 0.9}
    assert rows[4 * 22]['parameters'] == found.values
    assert found.by_default == tuple(rows[4 * 21 + k]['metrics']['height'] for k in range(4))
    assert read_manifest(tmp_path / 'out')['runs'] == 92


def test_runs_of_the_last_comparison_that_do_not_fit_are_told_and_left_out(study, tmp_path):
    """Of three with unused seeds one fails and one violates the condition; there is no gain."""
    fails, high, _ = (
        int(np.random.SeedSequence(0, spawn_key=(4, repeat)).generate_state(1, np.uint32)[0])
        for repeat in range(3)
    )
    (tmp_path / 'bowl.py').write_text(
        'def bowl(parameters, seed):\n'
        f'    assert seed != {fails}\n'
        f'    return {{"height": parameters["x"] + 100.0 * (seed == {high}), "sum": 0.0}}\n',
        encoding='utf-8',
    )
    made = study({'trials': 3, 'where': 'height < 50', 'sampler': 'random'}, repeats=3)
    _, found = optimise(made, tmp_path / 'out', workers=1)
    assert found.by_default == pytest.approx((math.nan, math.nan, 0.9), nan_ok=True)
    words = r'\S+ \(2 of 3 runs failed or violate the condition\)'
    assert re.fullmatch(f'height: best {words}, default {words}', found.table().splitlines()[0])
    told = json.loads((tmp_path / 'out/best.json').read_text())
    assert told['values'] == [None, None, told['value']]
    assert (told['value'], told['by_default']) == (found.values['x'], 0.9)
    assert told['gain'] is None


def test_a_search_without_a_valid_point_says_so(study, tmp_path):
    with pytest.raises(SoftshellError, match="no point of study meets 'height < 0'"):
        optimise(study({'trials': 3, 'where': 'height < 0'}), tmp_path / 'out', workers=1)


def test_a_point_for_which_the_condition_has_no_value_fails_alone(study, tmp_path):
    """With the reason. A label without a value is neither true nor false."""
    import pyarrow.parquet

    (tmp_path / 'bowl.py').write_text(
        'def bowl(parameters, seed):\n'
        '    return {"height": parameters["x"], "sum": float(parameters["x"] > 0.0)}\n',
        encoding='utf-8',
    )
    wanted = {'trials': 12, 'where': '1 / sum > 0', 'sampler': 'random'}
    made = study(wanted, labels={'low': '1 / (height - 0.9) < 0'})
    results, found = optimise(made, tmp_path / 'out', workers=1)
    rows = list(rows_of(tmp_path / 'out'))
    failed = [row for row in rows if row['parameters']['x'] <= 0.0]
    assert [row for row in rows if row['error']] == failed
    assert len(failed) == results.failed > 0
    assert failed[0]['error'] == "optimize.where: expression '1 / sum': divides by zero"
    assert found.values['x'] == min(x for row in rows if (x := row['parameters']['x']) > 0.0)
    assert read_runs(tmp_path / 'out').labels['low'].tolist() == [
        0.0 < row['parameters']['x'] < 0.9 for row in rows
    ]
    assert pyarrow.parquet.read_table(tmp_path / 'out' / TABLE)['is_low'][0].as_py() is None


def test_all_mistakes_are_reported_at_once(study, tmp_path):
    with pytest.raises(ProblemsError) as caught:
        study({'metric': 'hight', 'where': 'heigth < 3'})
    text = str(caught.value)
    assert "unknown metric 'hight'; did you mean height" in text
    assert 'heigth' in text.partition('optimize.where')[2]
    for more, words in (
        ({'sampling': 'sobol', 'samples': 4}, 'has sampling or samples with optimize'),
        (
            {'parameters': {'x': {'range': [0.0, 1.0], 'count': 3}, 'y': Y}},
            'has count with optimize, which takes any number in the range; expected none',
        ),
        ({'optimize': {'metric': 'sum', 'goal': 'best'}}, "expected 'least' or 'most'"),
        ({'parameters': {'x': {'normal': [0.0, 1.0]}}}, 'x has normal; expected an interval'),
        ({'parameters': {'x': {'values': [0.1, 0.2]}}}, 'x has values, between which CMA-ES'),
        ({'parameters': {'x': Y}}, 'has one parameter, but CMA-ES searches in two or more'),
        ({'labels': {'a': 'kind < 1'}}, "unknown name 'kind'"),
        (
            {'parameters': {'z': Y, 'y': Y}},
            'z: has no value in fixed; expected the one that is usual',
        ),
    ):
        with pytest.raises(ProblemsError, match=words):
            study(**more)


def test_failures_are_never_the_best(study, tmp_path):
    """Also if all valid values are large. A parameter that is None is NaN in a condition."""
    (tmp_path / 'bowl.py').write_text(
        'def bowl(parameters, seed):\n'
        '    if parameters["x"] > 0:\n'
        '        raise ValueError\n'
        '    return {"height": 3e9 - parameters["x"], "sum": 0.0}\n',
        encoding='utf-8',
    )
    made = study({'trials': 12, 'where': 'x < 0.5'}, {'x': None})
    _, found = optimise(made, tmp_path / 'out', workers=1)
    assert found.values['x'] < 0.0
    assert found.by_default == (pytest.approx(float('nan'), nan_ok=True),)
    told = json.loads((tmp_path / 'out/best.json').read_text())
    assert told['by_default'] is None
    assert told['gain'] is None
