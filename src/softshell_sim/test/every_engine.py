"""The engines that tests take in turn."""

import pytest

from softshell_sim.physics.engines import ENGINES

LONG = pytest.mark.long

#: Every engine; what asks for one that is not installed is not run, and named.
EACH = sorted(ENGINES)
#: The same, all but MuJoCo in long tests.
OTHERS_LONG = [name if name == 'mujoco' else pytest.param(name, marks=LONG) for name in EACH]
