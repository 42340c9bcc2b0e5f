"""The engines that tests take in turn."""

import pytest

from softshell_sim.physics.engines import ENGINES

LONG = pytest.mark.long

#: Every engine; what asks for one that is not installed is not run, and named.
EACH = [
    pytest.param(name, marks=pytest.mark.needs('pybullet') if name == 'pybullet' else ())
    for name in sorted(ENGINES)
]
#: The same, all but MuJoCo in long tests.
OTHERS_LONG = [
    each if each.values == ('mujoco',) else pytest.param(*each.values, marks=[*each.marks, LONG])
    for each in EACH
]
