"""Every experiment with soft manipulators passes its checks, on its engine and on others."""

import pytest

from softshell_kinematics.errors import UnknownNameError
from softshell_studies.film import Film
from softshell_studies.soft.examples import EXAMPLES, example

#: Experiments that run for longer than a quarter of a minute, or on one engine only.
LONG = {'basketball', 'calibration', 'hand-cube', 'snake', 'tendon-rod'}
ONE_ENGINE = {'tendon-rod'}


def cases():
    """Name and engine of each."""
    for name, row in EXAMPLES.items():
        for engine in ('mujoco', 'pybullet'):
            if name in ONE_ENGINE and engine != row.engine:
                continue
            long = name in LONG or (name, engine) == ('starfish', 'pybullet')
            yield pytest.param(name, engine, marks=pytest.mark.long if long else ())


@pytest.mark.parametrize(('name', 'engine'), cases())
def test_all_checks_of_an_experiment_pass(name, engine):
    """Without pictures."""
    outcome = example(name).run(engine, Film(wanted=False))
    assert outcome.passed, outcome.table()


def test_an_unknown_experiment_is_refused():
    """The message lists the valid names."""
    with pytest.raises(UnknownNameError, match='blocked-force'):
        example('nothing')
