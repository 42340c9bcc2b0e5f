"""The stack as a context manager."""

import pytest

from softshell_bringup.nodes import NodeRow
from softshell_bringup.runner import Stack
from softshell_kinematics.errors import SoftshellError


def test_a_missing_executable_is_named():
    """A row whose package is not built says which."""
    with pytest.raises(SoftshellError, match='package no_such_package is not built'):
        Stack(rows=(NodeRow('no_such_package', 'node', 'node'),))


def test_a_program_of_ros_that_is_not_installed_is_named():
    """RViz is started where it is installed; where it is not, that is said."""
    with pytest.raises(SoftshellError, match='package no_such_package is not installed'):
        Stack(rows=(NodeRow('no_such_package', 'node', 'node', optional=True),))
