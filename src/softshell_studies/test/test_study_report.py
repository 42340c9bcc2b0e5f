"""Reports of studies: means, sensitivities and best runs, against closed forms."""

import json

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_studies.report import interactive, plots
from softshell_studies.report.page import write_report
from softshell_studies.report.runs import Runs, over_repeats, read_runs, sensitivity
from softshell_studies.study.results import BEST, Results
from softshell_studies.study.study import read_study
from softshell_studies.study.work import Record

FUNCTION = 'def ishigami(parameters, seed):\n    return {}\n'


@pytest.fixture
def done(tmp_path):
    """A study whose runs are made up by a function of their values."""
    (tmp_path / 'made.py').write_text(FUNCTION, encoding='utf-8')

    def make(value, **content):
        path = tmp_path / 'study.yaml'
        content = {'function': 'made.py:ishigami', 'metrics': ['y'], **content}
        path.write_text(json.dumps(content), encoding='utf-8')
        study = read_study(path)
        records = []
        for number in range(len(study)):
            if study.form.optimize is not None:
                study.points.put(number // study.form.repeats, {'a': 0.5})
            y = value(study.run(number))
            error = '' if isinstance(y, float) else str(y)
            records.append(Record(number, 0.1, {} if error else {'y': y}, error))
        with Results(tmp_path / 'out', study) as results:
            results.add(records)
        return tmp_path / 'out'

    # The table needs a set of its own; the report does not.
    pytest.importorskip('pyarrow', reason='the set studies is not installed')
    return make


def test_sensitivities_agree_with_a_closed_form(done):
    """Ishigami and Homma (1990): y = sin a + 7 sin² b + 0.1 c⁴ sin a; S = 0.3139, 0.4424, 0."""

    def ishigami(run):
        a, b, c = run.values['a'], run.values['b'], run.values['c']
        return float(np.sin(a) + 7.0 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a))

    axis = {'uniform': [-np.pi, np.pi]}
    folder = done(ishigami, parameters=dict.fromkeys('abc', axis), sampling='sobol', samples=4096)
    runs = read_runs(folder)
    shares = sensitivity(runs, runs.metric('y'))
    assert shares['a'] == pytest.approx(0.3139, abs=0.02)
    assert shares['b'] == pytest.approx(0.4424, abs=0.02)
    assert shares['c'] < 0.02


def runs_of(**columns):
    """Runs with these values of their parameters."""
    count = len(next(iter(columns.values())))
    numbers, no = np.arange(count), np.zeros(count, bool)
    return Runs(
        'made', {'study': {}}, columns, {}, {}, numbers, no, ('',) * count, numbers, numbers,
        ~no, (),
    )  # fmt: skip


@pytest.mark.parametrize('levels', [5, 9, 11, 16, 40])
@pytest.mark.parametrize('effect', [np.square, lambda a: np.sin(6.0 * a)])
def test_a_parameter_that_alone_decides_explains_everything(levels, effect):
    """However many values it has, if there are some runs of each."""
    a, b = (each.ravel() for each in np.mgrid[0:levels, 0:9])
    a, y = 2.0 * a / (levels - 1) - 1.0, effect(2.0 * a / (levels - 1) - 1.0)
    shares = sensitivity(runs_of(a=a, b=b.astype(float)), y)
    assert shares['a'] == pytest.approx(1.0, abs=1e-12)
    assert shares['b'] == 0.0


def test_a_value_that_most_runs_have_is_kept_apart_from_the_others():
    """Whether the others have a run each, or there are more of them than such runs."""
    for few in (10, 60):
        x = np.concatenate([np.zeros(100 - few), np.arange(1.0, few + 1.0)])
        assert sensitivity(runs_of(x=x), (x > 0.0) * 1.0)['x'] == pytest.approx(1.0)


def test_shares_of_a_few_hundred_runs_are_right_on_average():
    """y = a + 2 b² + noise of 0.3 for uniform a, b in 0 to 1: variances 1/12, 4·4/45 and 0.09."""
    random, found = np.random.default_rng(4), []
    for _ in range(100):
        a, b = random.uniform(size=(2, 200))
        y = a + 2.0 * b**2 + random.normal(0.0, 0.3, 200)
        found.append([*sensitivity(runs_of(a=a, b=b), y).values()])
    parts = np.array([1.0 / 12.0, 16.0 / 45.0])
    assert np.mean(found, axis=0) == pytest.approx(parts / (parts.sum() + 0.09), abs=0.02)


def test_parameters_without_an_effect_explain_nothing(done):
    """Also if there are only a few runs for each value."""
    random = np.random.default_rng(3)
    folder = done(
        lambda run: float(random.normal()),
        parameters={'a': {'range': [0.0, 1.0], 'count': 40}}, repeats=3,
    )  # fmt: skip
    runs = read_runs(folder)
    assert sensitivity(runs, runs.metric('y'))['a'] < 0.2


def test_the_best_are_the_best_by_the_mean_of_their_repeats(done):
    folder = done(
        lambda run: run.values['a'] + (run.number % 2) * 100.0,
        parameters={'a': {'values': [3.0, 1.0, 2.0]}, 'kind': {'values': ['x', 'y']}}, repeats=2,
    )  # fmt: skip
    runs = read_runs(folder)
    first, means = over_repeats(runs, runs.metric('y'))
    assert first.tolist() == [0, 2, 4, 6, 8, 10]
    assert means.tolist() == [53.0, 53.0, 51.0, 51.0, 52.0, 52.0]
    files = write_report(folder, 'y', least=True)
    text = files[0].read_text('utf-8')
    assert text.index('<td>4</td><td>51</td><td>2 of 2</td><td>1</td>') < text.index(
        '<td>8</td><td>52'
    )
    assert all(file.stat().st_size > 1000 for file in files)


def test_axes_are_logarithmic_where_values_are_spread_by_factors(done):
    folder = done(
        lambda run: run.values['a'],
        parameters={
            'a': {'range': [0.1, 10.0], 'count': 3, 'scale': 'log'},
            'b': {'range': [0.0, 1.0], 'count': 3},
        },
    )  # fmt: skip
    runs = read_runs(folder)
    first, second = plots.effects(runs, 'y').axes
    assert (first.get_xscale(), second.get_xscale()) == ('log', 'linear')
    axes = plots.contours(runs, 'y', ['b', 'a']).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ('linear', 'log')


def test_failures_are_listed_by_their_error(done):
    folder = done(
        lambda run: 1.0 if run.number > 3 else 'ValueError: too slippery',
        parameters={
            'a': {'range': [0.0, 1.0], 'count': 3},
            'b': {'range': [0.0, 1.0], 'count': 3},
        },
        labels={'good': 'y > 0'},
    )
    text = write_report(folder)[0].read_text('utf-8')
    assert '<td>4</td><td>ValueError: too slippery</td><td>run 0</td>' in text
    assert '<td>good</td><td>5 runs, 56 %</td>' in text


def test_the_best_tell_how_many_of_their_repeats_did_not_fail(done):
    """The mean is of these alone. Without repeats there is nothing to tell."""
    axis = {'a': {'values': [1.0, 2.0]}}
    folder = done(
        lambda run: 'ValueError: no' if run.number in (0, 2) else run.values['a'],
        parameters=axis, repeats=3,
    )  # fmt: skip
    text = write_report(folder)[0].read_text('utf-8')
    assert '<th>y</th><th>repeats that survived</th><th>a</th>' in text
    assert '<td>3</td><td>2</td><td>3 of 3</td><td>2</td>' in text
    assert '<td>0</td><td>1</td><td>1 of 3</td><td>1</td>' in text


@pytest.mark.long
@pytest.mark.parametrize(
    ('sampler', 'told'),
    [
        ({'sampling': 'slices'}, 'not told: in slices, only two parameters vary at a time'),
        ({'sampler': 'tpe'}, 'not told: the points of a search gather where the metric is good'),
        ({'sampler': 'random'}, '(first-order Sobol index)'),
        ({'sampling': 'grid'}, '(first-order Sobol index)'),
    ],
)
def test_shares_of_the_variance_are_told_only_of_parameters_that_are_independent(
    done, sampler, told
):
    names, given = ('a', 'b'), sampler
    axis = {'range': [0.0, 1.0], 'count': 3}
    if 'sampler' in sampler:
        names, axis = ('a',), {'uniform': [0.0, 1.0]}
        given = {'optimize': {'metric': 'y', 'goal': 'least', 'trials': 9, **sampler}}
    folder = done(
        lambda run: float(run.number),
        fixed=dict.fromkeys(names, 0.5), parameters=dict.fromkeys(names, axis), **given,
    )  # fmt: skip
    text = write_report(folder)[0].read_text('utf-8')
    assert told in text
    assert ('<table>' in text.partition('What decides')[2].partition('<h2>')[0]) is (
        told[0] == '('
    )


def test_the_result_of_a_search_tells_runs_that_do_not_fit(done):
    folder = done(lambda run: 1.0, parameters={'a': {'values': [1.0, 2.0]}})
    told = {
        'metric': 'y', 'best': {'a': 2.0}, 'default': {'a': 1.0}, 'value': 3.0, 'by_default': None,
        'values': [3.0, None], 'values_by_default': [None, None], 'gain': None,
    }  # fmt: skip
    (folder / BEST).write_text(json.dumps(told), 'utf-8')
    text = write_report(folder)[0].read_text('utf-8')
    assert 'y: 3 (1 of 2 runs failed or violate the condition), by default None (2 of' in text


def test_dollars_in_the_values_of_a_parameter_are_dollars(done):
    """And no formulas, which not all texts between them are."""
    folder = done(
        lambda run: float(run.number),
        parameters={'price': {'values': ['$\\frac{$', '$x$', 'none']}},
    )  # fmt: skip
    figure = plots.effects(read_runs(folder), 'y')
    labels = figure.axes[0].get_xticklabels()
    assert [label.get_text() for label in labels] == ['$\\frac{$', '$x$', 'none']
    assert not any(label.get_parse_math() for label in labels)
    assert all(file.stat().st_size > 1000 for file in write_report(folder))


def test_a_missing_study_or_metric_is_refused(done, tmp_path):
    with pytest.raises(SoftshellError, match='none holds no study'):
        write_report(tmp_path / 'none')
    folder = done(lambda run: 1.0, parameters={'a': {'values': [1.0, 2.0]}})
    with pytest.raises(UnknownNameError, match="unknown metric 'z'"):
        write_report(folder, 'z')


def test_a_study_of_which_no_point_has_numbers_for_all_parameters_is_reported(done):
    """Its parallel coordinates alone are missing."""
    folder = done(
        lambda run: 1.0 if run.values['a'] is None else 'ValueError: no',
        parameters={'a': {'values': [None, 1.0]}},
    )
    assert plots.parallel(read_runs(folder), 'y') is None
    text = write_report(folder)[0].read_text('utf-8')
    assert 'y over each parameter' in text
    assert 'Parallel coordinates' not in text


@pytest.mark.parametrize('content', ['', '{}', '[]', '{"metric": "y", "best": {}, "default": {}}'])
def test_a_damaged_result_of_a_search_is_told(done, content):
    folder = done(lambda run: 1.0, parameters={'a': {'values': [1.0, 2.0]}})
    (folder / BEST).write_text(content, 'utf-8')
    with pytest.raises(SoftshellError, match=rf'out/{BEST} is damaged'):
        write_report(folder)


def test_a_study_whose_runs_all_failed_shows_the_first_error(done):
    folder = done(lambda run: 'KeyError: knee', parameters={'a': {'values': [1.0, 2.0]}})
    with pytest.raises(SoftshellError, match='runs failed; error of the first: KeyError: knee'):
        write_report(folder)


def test_what_is_explored_is_each_point_by_the_mean_of_its_repeats(done):
    """Parameters that are texts have their names on their axis; runs that failed are left out."""
    folder = done(
        lambda run: 'ValueError: no' if run.number == 0 else float(run.number),
        parameters={'a': {'values': [3.0, 1.0]}, 'kind': {'values': ['y', 'x']}}, repeats=2,
    )  # fmt: skip
    columns, first = interactive.by_point(read_runs(folder), 'y')
    assert first.tolist() == [0, 2, 4, 6]
    assert columns['a'].tolist() == [3.0, 3.0, 1.0, 1.0]
    assert columns['y'].tolist() == [1.0, 2.5, 4.5, 6.5]
    kind = interactive.parallel(columns, 'y').data[0].dimensions[1]
    assert [kind.ticktext[place] for place in kind['values']] == ['y', 'x', 'y', 'x']
    text = write_report(folder)[1].read_text('utf-8')
    assert 'src="http' not in text  # it needs no network


def test_the_best_of_a_search_excludes_points_with_any_run_that_does_not_fit(done):
    """As the search does: points 1, 3 and 4 have the least mean of the runs that fit, but one
    does not, fails or measures nothing.
    """
    given = [5.0, 5.0, 1.0, 90.0, 3.0, 4.0, 1.0, float('nan'), 1.0, 'no', *[50.0] * 4]
    folder = done(
        lambda run: given[run.number],
        fixed={'a': 0.5}, parameters={'a': {'uniform': [0.0, 1.0]}}, repeats=2,
        optimize={
            'metric': 'y', 'goal': 'least', 'trials': 4, 'where': 'y < 60', 'sampler': 'tpe',
        },
    )  # fmt: skip
    text = write_report(folder)[0].read_text('utf-8')
    best = text.partition('Best runs')[2].partition('</table>')[0]
    assert '<tr><td>4</td><td>3.5</td><td>2 of 2</td>' in best
    assert not any(f'<tr><td>{run}</td>' in best for run in (2, 6, 8))


def test_a_metric_that_no_run_measured_is_refused(done):
    folder = done(lambda run: float('nan'), parameters={'a': {'values': [1.0, 2.0]}})
    with pytest.raises(SoftshellError, match='no run measured y; expected another metric'):
        write_report(folder, 'y')
