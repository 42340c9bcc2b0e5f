"""A file of parameters: which of its sections are for no node is told."""

import pytest

from softshell_bringup.arguments import parse_arguments
from softshell_bringup.nodes import node_starts, remarks
from softshell_bringup.params_file import fits
from softshell_kinematics.errors import ProblemsError


@pytest.mark.parametrize(
    ('pattern', 'node', 'expected'),
    [
        ('bridge', '/bridge', True),
        ('/bridge', '/bridge', True),
        ('bridge', '/one/bridge', False),
        ('one/bridge', '/one/bridge', True),
        ('*/bridge', '/one/bridge', True),
        ('*/bridge', '/one/two/bridge', False),
        ('/**/bridge', '/one/two/bridge', True),
        ('/**/bridge', '/bridge', True),
        ('/**', '/one/bridge', True),
        ('/**', '/bridge', True),
        ('/one/**', '/two/bridge', False),
        ('*', '/bridge', True),
        ('*', '/one/bridge', False),
        ('/**/brigde', '/bridge', False),
    ],
)
def test_sections_fit_nodes_as_ros_has_it(pattern, node, expected):
    """One star stands for one name, two for any number of them."""
    assert fits(pattern, node) is expected


def remarks_on(tmp_path, text, **arguments):
    path = tmp_path / 'params.yaml'
    path.write_text(text)
    return remarks(node_starts(parse_arguments({'params_file': str(path), **arguments})))


def test_a_section_for_no_node_is_told_with_what_was_probably_meant(tmp_path):
    """Outside its namespace, or misspelt; a section that fits is not mentioned."""
    text = '/**:\n  ros__parameters: {}\nbridge:\n  ros__parameters: {activate: false}\n'
    assert remarks_on(tmp_path, text) == []
    (remark,) = remarks_on(tmp_path, text, namespace='one')
    assert 'line 3: bridge: is for no node of the stack; did you mean /one/bridge' in remark
    (remark,) = remarks_on(tmp_path, '/one/bridge:\n  ros__parameters: {activate: false}\n')
    assert remark.endswith('did you mean /bridge, or /**/bridge?')
    text = 'one:\n  bridge:\n    ros__parameters: {activate: false}\n'
    assert remarks_on(tmp_path, text, namespace='one') == []
    (remark,) = remarks_on(tmp_path, 'brigde:\n  ros__parameters: {activate: false}\n')
    assert 'is for no node of the stack: /bridge, /kinematics, /action_manager' in remark


def test_a_file_that_is_no_yaml_is_refused_with_the_line(tmp_path):
    """Before any node starts and dies of it."""
    with pytest.raises(ProblemsError, match='line 2: is not YAML'):
        remarks_on(tmp_path, 'bridge:\n  - a: [}\n')
