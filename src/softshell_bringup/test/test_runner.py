"""The stack as a context manager."""

from dataclasses import replace

import pytest

from softshell_bringup.nodes import NODES, NodeRow
from softshell_bringup.runner import Stack
from softshell_kinematics.errors import SoftshellError


def test_a_missing_executable_is_named():
    """A row whose package is not built says which."""
    with pytest.raises(SoftshellError, match='package no_such_package is not built'):
        Stack(rows=(NodeRow('no_such_package', 'node', 'node'),))


def test_without_ros_a_program_is_not_built(monkeypatch):
    """An environment that does not tell where packages are has none of them."""
    monkeypatch.delenv('AMENT_PREFIX_PATH')
    with pytest.raises(SoftshellError, match='package softshell_sim is not built; try'):
        Stack(rows=NODES[:1])


def test_a_program_of_ros_that_is_not_installed_is_named():
    """RViz is started where it is installed; where it is not, that is said."""
    with pytest.raises(SoftshellError, match='package no_such_package is not installed'):
        Stack(rows=(NodeRow('no_such_package', 'node', 'node', optional=True),))


def test_what_looks_on_by_default_is_left_out_where_it_is_not_installed():
    """One remark names it and its package; if an argument asks for it, that is an error."""
    lacking = tuple(replace(row, package='no_such_package') if row.optional else row
                    for row in NODES)  # fmt: skip
    stack = Stack(rows=lacking)
    assert [node.name for node in stack.nodes] == ['bridge', 'kinematics', 'action_manager']
    assert stack.remarks == ['black_box is left out: package no_such_package is not installed']
    assert Stack({'black_box': 'false'}, rows=lacking).remarks == []
    with pytest.raises(SoftshellError, match='package no_such_package is not installed'):
        Stack({'black_box': 'true'}, rows=lacking)
