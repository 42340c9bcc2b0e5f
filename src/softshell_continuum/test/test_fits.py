"""Fits give the parameters with which the measurements were made up, and what is left over."""

import math

import numpy as np
import pytest
from rods import LEVEL

from softshell_continuum.fits import fit, proportion, root
from softshell_continuum.measured_rod import measured_rod
from softshell_continuum.rod import Rod
from softshell_continuum.statics import Statics
from softshell_kinematics.errors import SoftshellError


def test_a_modulus_is_found_by_a_deflection():
    """That with which the deflection was made."""

    def sag(modulus):
        rod = Rod(0.25, 0.011, modulus, 7e6, 1000.0)
        return -Statics(rod.chain(25), base=LEVEL).solve().tip[2]

    found = root(sag, sag(16.6e6), (1e6, 1e8), "Young's modulus")
    assert found.value == pytest.approx(16.6e6, rel=1e-9)
    assert abs(found.residual) < 1e-12
    with pytest.raises(SoftshellError, match=r"Young's modulus from 1e.07 to 1e.08 gives"):
        root(sag, 0.2, (1e7, 1e8), "Young's modulus")
    with pytest.raises(
        SoftshellError, match=r'from 0\.0 to 1\.0; expected finite numbers above 0'
    ):
        root(lambda value: value, 0.5, (0.0, 1.0))
    with pytest.raises(SoftshellError, match='from 1 to 2 gives nan to nan; expected a range'):
        root(lambda value: math.nan, 0.5, (1.0, 2.0))


@pytest.mark.parametrize('size', [1e-170, 1e-320, 1.0, 1e170])
def test_the_size_of_results_does_not_matter_to_a_root(size):
    """Products of those at both ends would be 0, or too large."""
    with pytest.raises(
        SoftshellError, match=r'value from 2 to 10 gives .*; expected a range that'
    ):
        root(lambda value: size * (value - 1.0), 0.0, (2.0, 10.0))
    found = root(lambda value: size * (value - 5.0), 0.0, (2.0, 10.0))
    assert found.value == pytest.approx(5.0, rel=1e-3 if size == 1e-320 else 1e-9)


def test_a_result_that_is_none_is_told_with_its_parameter():
    """A model without a result between 2 and 9 is asked there; its value is told, not another."""
    asked = []

    def model(value):
        asked.append(value)
        return math.nan if 2.0 < value < 9.0 else value

    with pytest.raises(SoftshellError, match='gives nan; expected a number') as caught:
        root(model, 5.0, (1.0, 10.0), 'width')
    assert 2.0 < asked[-1] < 9.0
    assert str(caught.value).startswith(f'width of {asked[-1]:g} gives')


def test_a_proportion_is_fitted_through_the_origin():
    """Against the closed form; its deviation is that of the noise."""
    random = np.random.default_rng(3)
    x = np.linspace(1.0, 10.0, 400)
    found = proportion(x, 2.5 * x + random.normal(0.0, 0.1, 400))
    assert found.slope == pytest.approx(2.5, abs=4 * found.deviation)
    assert found.deviation == pytest.approx(0.1 / math.sqrt(x @ x), rel=0.1)
    for bad in (([0.0, 0.0], [1.0, 2.0]), ([1.0], [1.0, 2.0]), ([1.0, np.nan], [1.0, 2.0])):
        with pytest.raises(SoftshellError, match='expected as many numbers of both'):
            proportion(*bad)
    for bad in (('abc', [1.0]), ([[1.0], [1.0, 2.0]], [1.0, 2.0])):
        with pytest.raises(SoftshellError, match=r'first: .* is no array of numbers; expected'):
            proportion(*bad)


#: Tensions of a made-up experiment [N], and the moduli that it was made with [Pa].
PULLS = [(0.0, 0.0), (0.0, 2.0), (2.0, 1.0), (3.0, 0.0), (1.0, 3.0)]
TRUE = {'young': 14e6, 'shear': 5e6}


def tips(moduli):
    """(experiments, 3) of the measured rod with other moduli [m]."""
    statics = measured_rod(**moduli, links=12)
    return np.array([statics.solve(pulls).tip for pulls in PULLS])


def test_both_moduli_are_found_by_recorded_tips():
    """Exactly from exact tips; nothing is left over."""
    found = fit(tips, tips(TRUE), {'young': 20e6, 'shear': 3e6})
    assert found.converged
    assert found.values == pytest.approx(TRUE, rel=1e-6)
    assert np.abs(found.residuals).max() < 1e-9


@pytest.mark.long
def test_errors_of_moduli_are_as_large_as_they_are_said_to_be():
    """Over made-up recordings with noise of 1 mm: errors by their deviations have RMS 1."""
    random, exact, off = np.random.default_rng(6), tips(TRUE), []
    for _ in range(40):
        noisy = exact + random.normal(0.0, 1e-3, exact.shape)
        found = fit(tips, noisy, TRUE)
        assert np.abs(found.residuals).max() < 5e-3
        assert np.sqrt((found.residuals**2).mean()) == pytest.approx(1e-3, rel=0.6)
        off += [(found.values[k] - TRUE[k]) / found.deviations[k] for k in TRUE]
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(1.0, abs=0.3)


def test_what_cannot_be_fitted_is_refused():
    """Fewer measurements than parameters, and a first guess that is not positive."""
    with pytest.raises(SoftshellError, match=r'expected 2 finite numbers or more, as many as a'):
        fit(lambda values: [1.0], [1.0], {'a': 1.0, 'b': 1.0})
    with pytest.raises(SoftshellError, match='expected numbers above 0'):
        fit(lambda values: [1.0], [1.0], {'a': 0.0})


@pytest.mark.parametrize('times', [lambda a, b: a, lambda a, b: a * b])
def test_a_parameter_that_data_do_not_determine_has_an_infinite_error(times):
    """One that has no effect, and two of which only the product has one; the third is known."""
    x, noise = np.linspace(1.0, 2.0, 50), np.random.default_rng(4).normal(0.0, 0.01, 50)

    def model(values):
        return times(values['a'], values['b']) + values['slope'] * x

    found = fit(model, 3.0 + 2.0 * x + noise, {'a': 2.0, 'b': 1.0, 'slope': 1.0})
    assert found.deviations['b'] == math.inf
    assert (found.deviations['a'] == math.inf) == (times(2.0, 3.0) == 6.0)
    expected = 0.01 / math.sqrt(((x - x.mean()) ** 2).sum())
    assert found.deviations['slope'] == pytest.approx(expected, rel=0.4)
    exact = fit(model, 3.0 + 2.0 * x, {'a': 2.0, 'b': 1.0, 'slope': 1.0})
    assert exact.deviations['b'] == math.inf


def test_as_many_measurements_as_parameters_leave_the_error_open():
    """Without a measurement to spare there is no spread, so no error is known."""
    assert fit(lambda values: [values['a']], [2.0], {'a': 1.0}).deviations == {'a': math.inf}
    assert proportion([1.0], [2.0]).deviation == math.inf


def test_the_step_of_a_derivative_is_part_of_the_parameter():
    """Near 1, too, whose logarithm is 0: the model is tried a 1e-5th beside each guess."""
    tried = []

    def model(values):
        tried.append(values['a'])
        return values['a'] * np.ones(2)

    fit(model, [1.001, 1.001], {'a': 1.0 + 1e-9})
    apart = np.abs(np.log(tried[1:3]) - 1e-9)
    assert apart == pytest.approx([1e-5, 1e-5], rel=1e-4)


def test_results_and_guesses_of_another_shape_are_refused():
    """Too few results, one for all, no guess, and a bracket of three."""
    for results in ([1.0, 1.0], 1.0, [[1.0, 1.0, 1.0]]):
        with pytest.raises(SoftshellError, match=r'results of shape \(.*; expected \(3,\)'):
            fit(lambda values, results=results: results, [1.0, 2.0, 3.0], {'a': 1.0})
    with pytest.raises(SoftshellError, match=r'first guesses are \{\}; expected numbers above 0'):
        fit(lambda values: [1.0], [1.0], {})
    with pytest.raises(SoftshellError, match=r'from 1 to 2 to 3; .* above 0, two of them'):
        root(lambda value: value, 1.5, (1, 2, 3))
    for results, measured, start, said in (
        (1.0, 'abc', 1.0, 'measured'), (1.0, [1.0], 'x', 'first guesses'),
        ('x', [1.0], 1.0, 'results of the model'),
    ):  # fmt: skip
        with pytest.raises(SoftshellError, match=f'{said}: .* is no array of numbers'):
            fit(lambda values, results=results: results, measured, {'a': start})


def test_results_that_are_not_finite_are_refused_with_their_parameters():
    """At the first guess, and where derivatives are taken."""
    said = r"the model gives \[nan, nan\] for \{'a': 1.0\}; expected finite numbers"
    with pytest.raises(SoftshellError, match=said):
        fit(lambda values: [math.nan, math.nan], [1.0, 2.0], {'a': 1.0})
    with pytest.raises(SoftshellError, match=r"gives \[inf\] for \{'a': 1.00001"):
        fit(lambda values: [1.0 if values['a'] <= 1.0 else math.inf], [1.0], {'a': 1.0})


def test_a_fit_goes_back_from_where_the_model_has_no_result():
    """A step that is too long leads there; the parameter is found all the same."""
    tried = []

    def model(values):
        tried.append(values['a'])
        return 2 * [values['a'] if values['a'] < 2e6 else math.nan]

    found = fit(model, [1e6, 1e6], {'a': 10.0})
    assert max(tried) > 2e6
    assert found.values['a'] == pytest.approx(1e6)
