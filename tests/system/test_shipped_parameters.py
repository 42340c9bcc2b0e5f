"""Shipped files of ROS parameters: nodes take what they say, and no parameter is missing."""

import dataclasses
import re
from pathlib import Path

import pytest
import rclpy
import yaml
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter

from softshell_common.ros.parameters import declare
from softshell_tools.reference.parameters import NODES

ROOT = Path(__file__).resolve().parents[2]
FILES = [path for path in ROOT.glob('examples/*.yaml') if 'ros__parameters' in path.read_text()]
SECTIONS = [
    pytest.param(node.removeprefix('/**/'), section['ros__parameters'], id=f'{path.stem}-{node}')
    for path in FILES
    for node, section in yaml.safe_load(path.read_text()).items()
]
#: Where parameters are set: by files, programs, arguments of the stack, and commands on pages.
SET_IN = ('examples/**/*', 'config/**/*', 'src/softshell_bringup/softshell_bringup/*.py')
TOOLS, PAGES = 'tools/softshell_tools/*.py', ('README.md', 'docs/*.md', 'src/*/README.md')
CODE = re.compile(r'```\w*\n(.*?)```|`([^`\n]+)`', re.DOTALL)


def classes_of(node):
    """The classes of parameters that a node of this name may have."""
    titles = [title for title in NODES if title == node or title.startswith(f'{node},')]
    return [NODES[title][1]() for title in titles]


@pytest.mark.parametrize(('node', 'given'), SECTIONS)
def test_a_node_takes_each_value(node, given, domains):
    """Every name is one of its parameters, every value of its type and in its range."""
    context = Context()
    rclpy.init(context=context, domain_id=domains())
    (kind, *_) = [
        one
        for one in classes_of(node)
        if set(given) <= {field.name for field in dataclasses.fields(one)}
    ]
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    taken = declare(Node(node, context=context, parameter_overrides=overrides), kind)
    assert {name: getattr(taken, name) for name in given} == given
    context.try_shutdown()


def test_each_parameter_is_set_by_somebody():
    """One that no file, example, program or page sets is either hidden from users or needless."""
    text = ''.join(
        path.read_text(encoding='utf-8')
        for pattern in (*SET_IN, TOOLS)
        for path in ROOT.glob(pattern)
        if path.suffix in ('.py', '.yaml', '.md')
    )
    pages = [path for pattern in PAGES for path in ROOT.glob(pattern)]
    for path in pages:
        text += '\n'.join(''.join(each) for each in CODE.findall(path.read_text(encoding='utf-8')))
    names = {field.name for _, kind in NODES.values() for field in dataclasses.fields(kind())}
    idle = {name for name in names if not re.search(rf"\b{name}(:=|: )|'{name}'", text)}
    assert not idle
