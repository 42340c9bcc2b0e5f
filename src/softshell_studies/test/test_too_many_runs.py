"""A study has at most a million runs: more are refused as its file is read, with their number."""

import pytest

from softshell_kinematics.errors import ProblemsError

MANY = '{range: [0.0, 1.0], count: 100}'


@pytest.mark.parametrize(
    ('text', 'problem'),
    [
        (
            'parameters: {' + ', '.join(f'p{k}: {MANY}' for k in range(10)) + '}\n',
            f'has a grid of {" * ".join(["100"] * 10)} points: {100**10} runs; expected at most',
        ),
        (
            'parameters: {' + ', '.join(f'p{k}: {MANY}' for k in range(200)) + '}\n'
            'sampling: slices\n',
            f'values: {100 * 100 * 200 * 199 // 2} runs; expected at most 1000000',
        ),
        (f'parameters: {{a: {{range: [0.0, 1.0], count: {10**9}}}}}\n', 'parameters.a.count: is'),
        (f'parameters: {{a: {{range: [0.0, 1.0], count: {2**63}}}}}\n', 'parameters.a.count: is'),
        (
            'parameters: {a: {uniform: [0.0, 1.0]}}\nsampling: latin_hypercube\n'
            f'samples: {10**9}\n',
            'samples: is 1000000000; expected at most',
        ),
        (
            'parameters: {a: {uniform: [0.0, 1.0]}}\nsampling: sobol\nsamples: 1000\n'
            'repeats: 1001\n',
            'has 1000 samples, 1001 times each: 1001000 runs; expected at most 1000000',
        ),
        (
            'parameters: {a: {uniform: [0.0, 1.0]}}\n'
            f'optimize: {{metric: sum, goal: most, sampler: tpe, trials: {10**12}}}\n',
            f'has {10**12} trials: {10**12} runs',
        ),
    ],
)
def test_more_than_a_million_runs_are_refused_by_their_number(study, text, problem):
    """Before any of them is listed: the numbers here are more than a memory holds."""
    with pytest.raises(ProblemsError) as caught:
        study(text)
    assert problem in str(caught.value)


def test_a_million_runs_may_be(study):
    """The last of them has the last value of each parameter."""
    made = study(f'parameters: {{a: {MANY}, b: {MANY}}}\nrepeats: 100\n')
    assert len(made) == 1_000_000
    assert made.run(999_999).values == {'a': 1.0, 'b': 1.0}
