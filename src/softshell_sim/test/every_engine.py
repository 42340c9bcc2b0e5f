"""The engines that tests take in turn."""

import pytest

from softshell_sim.engines import ENGINES

#: Every engine; what asks for one that is not installed is not run, and named.
EACH = [
    pytest.param(name, marks=pytest.mark.needs('pybullet') if name == 'pybullet' else ())
    for name in sorted(ENGINES)
]
