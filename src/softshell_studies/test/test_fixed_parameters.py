"""Fixed values of a study beside its parameters: none is dropped without a word."""

import pytest

from softshell_kinematics.errors import ProblemsError


def test_a_parameter_varies_beside_what_is_fixed(study):
    """In one mapping; a parameter replaces the fixed value at its own path."""
    made = study(
        'fixed: {a: {b: 5, c: 6}}\nparameters: {a.b: {values: [1]}, a.d: {values: [2]}}\n'
    )
    assert made.parameters(made.run(0).values) == {'a': {'b': 1, 'c': 6, 'd': 2}}


@pytest.mark.parametrize(
    ('fixed', 'parameter', 'problem'),
    [
        ('a: 5', 'a.b', 'parameters.a.b: is a part of a, which is fixed to 5; expected only one'),
        ('a: {b: null}', 'a.b.c', 'parameters.a.b.c: is a part of a.b, which is fixed to None'),
        ('a.b: 5', 'a', 'fixed.a.b: is a part of the parameter a; expected only one of them'),
    ],
)
def test_a_fixed_value_that_a_parameter_would_replace_is_reported(
    study, fixed, parameter, problem
):
    """That at another path than the parameter's, of which one is a part of the other."""
    with pytest.raises(ProblemsError) as caught:
        study(f'fixed: {{{fixed}}}\nparameters: {{{parameter}: {{values: [1, 2]}}}}\n')
    assert problem in str(caught.value)
