"""A study in its file: its points, its seeds, and all its mistakes."""

import math

import numpy as np
import pytest

from softshell_actions.language.expression import ExpressionError
from softshell_kinematics.errors import ProblemsError
from softshell_studies.study.axes import Axis
from softshell_studies.study.condition import is_true
from softshell_studies.study.paths import value_at, with_values
from softshell_studies.study.study import read_study

FUNCTION = """
import math

print(math.pi)

def measure(parameters, seed):
    return {'sum': parameters['a'] + parameters['b']['c'], 'chance': seed}
"""
#: A study of a function, to which tests add lines.
STUDY = """
function: sum.py:measure
metrics: [sum, chance]
"""


@pytest.fixture
def study(tmp_path):
    """Makes a study of lines beside a function."""
    (tmp_path / 'sum.py').write_text(FUNCTION, encoding='utf-8')

    def make(text, head=STUDY):
        path = tmp_path / 'study.yaml'
        path.write_text(head + text, encoding='utf-8')
        return read_study(path)

    return make


def values(study):
    return [study.run(number).values for number in range(len(study))]


def test_a_grid_has_all_combinations_and_repeats_follow_each_other(study):
    made = study(
        'parameters: {a: {values: [1, 2]}, b.c: {range: [0.0, 1.0], count: 3}}\nrepeats: 2\n'
    )
    found = values(made)
    assert len(made) == len(found) == 12
    assert [one['a'] for one in found] == [1] * 6 + [2] * 6
    assert [one['b.c'] for one in found[::2]] == [0.0, 0.5, 1.0] * 2
    assert made.parameters(found[0]) == {'a': 1, 'b': {'c': 0.0}}
    assert [made.run(number).point for number in range(4)] == [0, 0, 1, 1]


def test_slices_vary_two_parameters_and_keep_all_others(study):
    made = study(
        'fixed: {a: 5, b: {c: 6, d: 7}}\nsampling: slices\n'
        'parameters: {a: {values: [1, 2]}, b.c: {values: [3]}, b.d: {values: [8, 9]}}\n'
    )
    found = [tuple(one.values()) for one in values(made)]
    assert found == [
        (1, 3, 7), (2, 3, 7),
        (1, 6, 8), (1, 6, 9), (2, 6, 8), (2, 6, 9),
        (5, 3, 8), (5, 3, 9),
    ]  # fmt: skip


@pytest.mark.parametrize('sampling', ['latin_hypercube', 'sobol'])
def test_scattered_points_fill_each_axis_evenly(study, sampling):
    """Each sixteenth of an axis, by probability, has one point; a list has equal numbers."""
    text = (
        'parameters: {a: {uniform: [2.0, 4.0]}, b.c: {log_uniform: [0.01, 100.0]}, '
        f'd: {{normal: [5.0, 2.0]}}, e: {{values: [x, y]}}}}\nsampling: {sampling}\nsamples: 16\n'
    )
    found = values(study(text))
    for part in (
        [(one['a'] - 2.0) / 2.0 for one in found],
        [(math.log10(one['b.c']) + 2.0) / 4.0 for one in found],
        [0.5 * (1.0 + math.erf((one['d'] - 5.0) / (2.0 * math.sqrt(2.0)))) for one in found],
    ):
        assert sorted(int(16 * value) for value in part) == list(range(16))
    assert sorted(one['e'] for one in found) == ['x'] * 8 + ['y'] * 8
    assert values(study(text)) == found
    assert values(study(text + 'seed: 1\n')) != found


def test_a_log_range_has_equal_ratios():
    axis = Axis(range=(0.1, 10.0), count=3, scale='log')
    assert axis.steps == pytest.approx([0.1, 1.0, 10.0])
    assert axis.at(0.5) == pytest.approx(1.0)


def test_seeds_differ_and_follow_from_the_seed_of_the_study(study):
    text = 'parameters: {a: {values: [1, 2, 3]}}\nrepeats: 4\n'
    seeds = [study(text).run(number).seed for number in range(12)]
    assert len(set(seeds)) == 12
    assert [study(text).run(number).seed for number in range(12)] == seeds
    assert study(text + 'seed: 5\n').run(0).seed != seeds[0]
    common = study(text + 'common_seeds: true\n')
    seeds = np.array([common.run(number).seed for number in range(12)]).reshape(3, 4)
    assert (seeds == seeds[0]).all()
    assert len(set(seeds[0].tolist())) == 4


def test_the_digest_changes_with_the_runs_but_not_with_labels(study):
    text = 'parameters: {a: {values: [1, 2]}}\n'
    digest = study(text).digest
    assert study(text + 'labels: {large: sum > 1}\n').digest == digest
    assert study(text + 'repeats: 2\n').digest != digest
    assert study(text + 'fixed: {b: {c: 1}}\n').digest != digest


@pytest.mark.parametrize(
    ('text', 'problems'),
    [
        ('parameters: {}\n', ['1 or more entries']),
        ('parameters: {a: {values: []}}\n', ['1 or more entries']),
        ('parameters: {a: {range: [2.0, 1.0], count: 3}}\n', ['range is 2 to 1; expected']),
        ('parameters: {a: {uniform: [0.0, 1.0]}}\n', ['has no steps; expected values, or range']),
        ('parameters: {a: {range: [0.0, 1.0]}}\n', ['has no steps']),
        ('parameters: {a: {values: [1], uniform: [0.0, 1.0]}}\n', ['has values and uniform']),
        ('parameters: {a: {values: [1], count: 3}}\n', ['count or scale with values']),
        ('parameters: {a: {range: [0.0, 1.0], count: 3, scale: log}}\n', ['expected more than 0']),
        ('parameters: {a: {values: [1]}}\nsampling: sobol\n', ['expected samples: their number']),
        ('parameters: {a: {values: [1]}}\nsamples: 4\n', ['expected none with grid']),
        ('parameters: {a: {values: [1]}}\nsampling: slices\n', ['two parameters or more']),
        ('parameters: {a: {values: [1]}, a.b: {values: [1]}}\n', ['is a part of a']),
        (
            'parameters: {a: {range: [0.0, 1.0], count: 3}}\nsampling: sobol\nsamples: 4\n',
            ['has count with sobol, which takes any number in the range; expected none'],
        ),
        (
            'fixed: {b.c: 1, b: {d: 2}}\nparameters: {a: {values: [1]}}\n',
            ['fixed.b.c: is a part of b, which is given too; expected only one of them'],
        ),
        (
            'fixed: {b: {d: {e: 2}}, b.d.f: 1}\nparameters: {a: {values: [1]}}\n',
            ['fixed.b.d.f: is a part of b'],
        ),
        (
            'fixed: {b: .nan}\nparameters: {a: {values: [1, 2025-01-31]}, b: {values: [.inf]}}\n',
            [
                'a.values.1: is 2025-01-31; expected a finite number, a text (a date in quotes)',
                'b.values.0: is .inf; expected a finite number',
                'fixed.b: is .nan; expected a finite number',
            ],
        ),
        ('parameters: {a: {values: [1]}}\nlabels: {x: sum > fun}\n', ["unknown name 'fun'"]),
        ('parameters: {a: {values: [1]}}\nlabels: {x: sum + 1}\n', ['is no condition']),
        ('parameters: {a: {values: [1]}}\nrepeats: 0\nseed: -1\n', ['repeats', 'seed']),
        ('parameters: {a b: {values: [1]}}\n', ['a b']),
    ],
)
def test_all_mistakes_are_reported_before_the_first_run(study, text, problems):
    with pytest.raises(ProblemsError) as caught:
        study(text)
    told = str(caught.value)
    for problem in problems:
        assert problem in told


@pytest.mark.parametrize(
    ('head', 'problem'),
    [
        ('metrics: [x]\n', 'expected either scenario or function'),
        ('function: sum.py:measure\n', 'expected metrics'),
        ('function: sum.py:other\nmetrics: [x]\n', "has no function 'other'"),
        ('function: sum.py:math\nmetrics: [x]\n', "has no function 'math'; expected one that it"),
        ('function: sum.py:print\nmetrics: [x]\n', "has no function 'print'"),
        ('function: none.py:measure\nmetrics: [x]\n', 'none.py cannot be read: No such file'),
        ('scenario: wlak\n', "unknown scenario 'wlak'; did you mean walk"),
    ],
)
def test_a_missing_scenario_or_function_is_reported(study, head, problem):
    with pytest.raises(ProblemsError) as caught:
        study('parameters: {a: {values: [1]}}\n', head)
    assert problem in str(caught.value)


def test_all_parameters_that_a_scenario_refuses_are_reported_at_once(study):
    with pytest.raises(ProblemsError) as caught:
        study(
            'fixed: {distance: -1.0, grond: {kind: flat}}\nmetrics: [distance, fun]\n'
            'parameters:\n  gait.perid: {values: [0.5]}\n'
            '  ground.friction: {range: [-1.0, 1.0], count: 3}\n'
            '  ground.kind: {values: [flat, hills]}\n',
            'scenario: walk\n',
        )
    told = str(caught.value)
    for problem in (
        "unknown parameter 'gait.perid'; did you mean gait.period",
        "unknown parameter 'grond'",
        'distance is -1.0',
        'ground.friction is -1.0',
        "ground.kind is 'hills'",
        "unknown metric 'fun'",
    ):
        assert problem in told
    assert len(caught.value.problems) == 6


def test_a_misspelt_parameter_is_named_wherever_it_is_nested(study):
    """Once each; what is spelt right beside it is not."""
    with pytest.raises(ProblemsError) as caught:
        study(
            'fixed: {gait: {perod: 0.5, height: 0.03}, ground.frction: 0.5}\n'
            'parameters: {gait.step: {values: [0.05]}}\n',
            'scenario: walk\n',
        )
    assert len(caught.value.problems) == 2
    for problem, told in zip(
        (
            "fixed.gait.perod: unknown parameter 'gait.perod'; did you mean gait.period",
            "fixed.ground.frction: unknown parameter 'ground.frction'; did you mean ground.fric",
        ),
        caught.value.problems, strict=True,
    ):  # fmt: skip
        assert problem in told


@pytest.mark.parametrize(
    ('text', 'scenario', 'problems'),
    [
        (
            'parameters: {links: {range: [10, 40], count: 5}}\n', 'tendon_rod',
            ['links is 17.5; expected a whole number', 'links is 32.5; expected a whole number'],
        ),
        (
            'parameters: {law.most_open: {uniform: [1, 12]}}\n'
            'optimize: {metric: speed, goal: most, sampler: tpe}\n',
            'roll',
            ['law.most_open is 7.79'],
        ),
        (
            'parameters: {law.most_open: {log_uniform: [1, 12]}}\nsampling: sobol\nsamples: 4\n',
            'roll', ['law.most_open is 4.64'],
        ),
    ],
)  # fmt: skip
def test_values_between_the_ends_are_checked_too(study, text, scenario, problems):
    """All of a grid, and one inside an interval."""
    with pytest.raises(ProblemsError) as caught:
        study(text, f'scenario: {scenario}\n')
    assert len(caught.value.problems) == len(problems)
    for problem, told in zip(problems, caught.value.problems, strict=True):
        assert problem in told


@pytest.mark.parametrize(
    ('text', 'head', 'words'),
    [
        ('parameters: {speed: {values: [0.3]}}\n', 'scenario: roll\n',
         "speed: column 'speed' would be a parameter and a metric; expected another name, or "
         'metrics without it'),
        ('parameters: {seed: {values: [1]}}\n', STUDY,
         "seed: column 'seed' would be a parameter and a column of all results"),
        ('parameters: {a: {values: [1]}}\n', 'function: sum.py:measure\nmetrics: [point]\n',
         "metrics: column 'point' would be a metric and a column of all results"),
        ('parameters: {is_new: {values: [1]}}\nlabels: {new: sum > 1}\n', STUDY,
         "is_new: column 'is_new' would be a parameter and a label"),
    ],
)  # fmt: skip
def test_no_two_columns_of_the_results_have_the_same_name(study, text, head, words):
    with pytest.raises(ProblemsError) as caught:
        study(text, head)
    assert words in str(caught.value)
    assert len(caught.value.problems) == 1


def test_a_parameter_may_have_the_name_of_a_metric_that_is_not_kept(study):
    assert len(
        study('parameters: {speed: {values: [0.3]}}\nmetrics: [work]\n', 'scenario: roll\n')
    )


def test_conditions_are_comparisons_of_numbers():
    numbers = {'a': 1.0, 'b': 2.0, 'none': math.nan}
    assert is_true('a < b', numbers)
    assert is_true('0 < a <= 1 and not (b == 1 or a > b)', numbers)
    assert is_true('2 * a == b', numbers)
    assert not is_true('none > 0', numbers)
    assert not is_true('none <= 0', numbers)
    assert not is_true('none != 0', numbers)
    assert is_true('a != b', numbers)
    for text in ('a', 'a + 1', 'a < c', 'a < f(b)', 'a if b else a', 'a is b', '', 'a < ' * 200):
        with pytest.raises(ExpressionError):
            is_true(text, numbers)


def test_a_condition_is_refused_for_what_it_says_not_for_values_it_could_have(study):
    """`1 / (step - 1)` has no value where step is 1, which no run of this study has."""
    head = 'parameters: {gait.step: {values: [0.03]}}\n'
    assert len(study(head + 'labels: {far: 1 / (step - 1) < distance}\n', 'scenario: walk\n'))
    for text in ('1 / 0 < step', '1 / (step - 1) < distanc', 'sqrt(-1) < ceil(step)'):
        with pytest.raises(ProblemsError, match=r'labels\.far: '):
            study(f'{head}labels: {{far: {text}}}\n', 'scenario: walk\n')
    assert not is_true('1 / (none - 1) < ceil(none)', {'none': math.nan})


def test_a_name_in_a_condition_has_one_meaning(study):
    """Two parameters whose paths end in the same word, or a metric and one, are told apart."""
    axes = 'gait.step: {values: [0.03]}, servo.step: {values: [0.1]}, b.sum: {values: [1]}'
    with pytest.raises(ProblemsError) as caught:
        study(f'parameters: {{{axes}}}\nlabels: {{far: step > 0.02, big: chance > sum}}\n')
    assert "labels.far: 'step' may be gait.step or servo.step" in str(caught.value)
    assert "labels.big: 'sum' may be the metric or b.sum" in str(caught.value)
    assert len(caught.value.problems) == 2


def test_values_are_set_at_their_paths():
    base = {'a': 1, 'b': {'c': 2}}
    assert with_values(base, {'b.c': 3, 'd.e.f': 4, 'a.x': 5}) == {
        'a': {'x': 5}, 'b': {'c': 3}, 'd': {'e': {'f': 4}},
    }  # fmt: skip
    assert base == {'a': 1, 'b': {'c': 2}}
    values = {'b': {'d': 1}, 'b.c': 2}
    assert with_values({}, values) == {'b': {'d': 1, 'c': 2}}
    assert values == {'b': {'d': 1}, 'b.c': 2}
    assert value_at(base, 'b.c') == 2
    for path in ('b.d', 'a.x', 'x'):
        with pytest.raises(KeyError):
            value_at(base, path)


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('fixed: {robot: nobody}\nparameters: {gait.step: {values: [0.05]}}\n',
         "fixed: robot: unknown robot 'nobody'"),
        ('parameters: {gait.name: {values: [tripod, gallop]}}\n',
         "unknown gait 'gallop'; known: quick, ripple, tetrapod, tripod, wave"),
        ('fixed: {robot: quadruped}\nparameters: {gait.name: {values: [crawl, tripod]}}\n',
         "unknown gait 'tripod'; did you mean trot? known: crawl, trot"),
    ],
)  # fmt: skip
def test_unknown_robots_and_gaits_are_reported_before_the_first_run(study, text, words):
    """Each once; gaits are those of the robot in `fixed`."""
    with pytest.raises(ProblemsError) as caught:
        study(text, head='scenario: walk\n')
    assert words in str(caught.value)
    assert len(caught.value.problems) == 1
