"""Arithmetic of the action language."""

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softshell_actions.language.expression import ExpressionError, check, evaluate, holds


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        (3, 3.0),
        ('-a ** 2', -4.0),
        ('ceil(abs(-a) / 1.5)', 2.0),
        ('max(a, 1) * cos(pi)', -2.0),
        ('sqrt(a) ** 2 - a', 0.0),
    ],
)
def test_an_expression_has_the_value_that_python_gives_it(text, value):
    """An expression has the value Python gives it."""
    assert evaluate(text, {'a': 2.0}) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ('text', 'part'),
    [
        ('a +', 'no arithmetic'),
        ('height / 2', 'known: a, abs'),
        ('__import__(a)', "unknown name '__import__'"),
        ('"a"', 'no arithmetic'),
        ('a.real', 'no arithmetic'),
        ('True', 'no arithmetic'),
        ('1 / 0', 'divides by zero'),
        ('0 ** -1', 'divides by zero'),
        ('sqrt(0 - a)', 'has no real value'),
        ('(0 - 1) ** 0.5', 'has no real value'),
        ('1e308 * 10', 'expected a finite number'),
        ('9 ** 9 ** 9', 'is too large'),
        ('exec(a)', "unknown name 'exec'"),
        ('a' * 300, 'longer than 200'),
    ],
)
def test_what_has_no_value_is_an_error_that_says_why(text, part):
    """Whatever is no finite arithmetic is refused with the expression and the reason."""
    with pytest.raises(ExpressionError, match='expression') as caught:
        evaluate(text, {'a': 2.0})
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ('text', 'x'),
    [('1 / x', 2.0), ('1 / max(0, x)', 2.0), ('sqrt(max(-1, x))', 2.0), ('1 / min(0, x)', -2.0)],
)
def test_what_has_a_value_for_some_x_passes_a_check(text, x):
    """`max` and `min` of a number that is not known yet are not known either."""
    assert math.isfinite(evaluate(text, {'x': x}))
    check(text, ['x'])


@pytest.mark.parametrize(
    ('text', 'part'),
    [
        ('1 / max(0, -1)', 'divides by zero'),
        ('max(x, y)', "unknown name 'y'"),
        ('max(x)', 'too many or too few'),
        ('min()', 'too many or too few'),
    ],
)
def test_what_has_a_value_for_no_x_fails_a_check(text, part):
    """Whatever x is, it divides by zero, lacks a name or a number."""
    with pytest.raises(ExpressionError) as caught:
        check(text, ['x'])
    assert part in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_a_number_or_an_expression_error(text):
    """No text whatsoever has any other outcome."""
    with suppress(ExpressionError):
        assert math.isfinite(evaluate(text, {'a': 1.0}))


@pytest.mark.parametrize(
    ('condition', 'truth'),
    [
        ('a', True),
        ('not a', False),
        ('a and not b', True),
        ('b or not (a or b)', False),
        ('a and b or not b', True),
    ],
)
def test_conditions_are_logic_over_facts(condition, truth):
    """and, or, not and brackets mean what they mean in Python."""
    assert holds(condition, {'a': True, 'b': False}) is truth


@pytest.mark.parametrize(
    ('condition', 'part'),
    [
        ('a and c', "unknown fact 'c'; known: a, b"),
        ('b and c', "unknown fact 'c'"),
        ('a > b', 'is no condition; expected facts joined by and, or, not'),
        ('1', 'is no condition'),
        ('', 'is no condition'),
        ('a' * 300, 'longer than 200'),
    ],
)
def test_what_is_no_condition_says_so(condition, part):
    """A wrong name is found even where the truth does not depend on it."""
    with pytest.raises(ExpressionError) as caught:
        holds(condition, {'a': True, 'b': False})
    assert part in str(caught.value)


def test_powers_of_rounded_numbers_are_numbers_of_the_usual_kind():
    """Whole numbers of any size would take all memory."""
    with pytest.raises(ExpressionError, match='too large'):
        evaluate('ceil(10) ** ceil(400) / ceil(10) ** ceil(400)', {})
