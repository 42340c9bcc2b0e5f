"""A file of ROS parameters: the shipped one is taken whole, and mistakes in one are told."""

import re
from pathlib import Path

import pytest
import rclpy
import yaml
from rcl_interfaces.srv import GetParameters
from rclpy.context import Context
from rclpy.parameter import parameter_value_to_python

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import ActionFailedError, Shell

ROOT = Path(__file__).resolve().parents[2]
CAREFUL = ROOT / 'examples' / 'careful.yaml'


@pytest.mark.long
@pytest.mark.parametrize('namespace', ['', 'one/two'])
def test_every_parameter_of_the_shipped_file_arrives(family, namespace):
    """Each has the value of the file; nothing moves before activation, then all works."""
    wanted = yaml.safe_load(CAREFUL.read_text())
    lines: list[str] = []
    with Stack(
        {
            'bridge': 'mock',
            'params_file': str(CAREFUL),
            'namespace': namespace,
            'real_time_factor': '0',
        },
        domain=free_domain(),
        output=lambda name, line: lines.append(line),
    ) as stack:
        assert not stack.remarks
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context, domain_id=stack.domain)
        with Shell(namespace=namespace, context=context) as shell:
            for pattern, section in wanted.items():
                node, parameters = pattern.removeprefix('/**/'), section['ros__parameters']
                client = shell.node.create_client(GetParameters, f'{node}/get_parameters')
                assert client.wait_for_service(30)
                request = GetParameters.Request(names=list(parameters))
                values = client.call(request, timeout_sec=30).values
                got = [parameter_value_to_python(value) for value in values]
                assert got == list(parameters.values())
            with pytest.raises(ActionFailedError, match='activate'):
                shell.perform('stand')
            shell.activate()
            shell.perform('stand')
        context.try_shutdown()
    assert not [line for line in lines if 'unknown parameter' in line]


def test_mistakes_in_a_file_are_told_and_whole_numbers_are_numbers(family, tmp_path):
    """A misspelt name is told with the nearest; `1` stands for `1.0`."""
    file = tmp_path / 'params.yaml'
    file.write_text(
        'bridge:\n  ros__parameters: {publish_dvider: 4, real_time_factor: 2, robot: arm}\n'
    )
    lines: list[str] = []
    with Stack(
        {'bridge': 'mock', 'robot': 'arm', 'params_file': str(file)},
        domain=free_domain(),
        output=lambda name, line: lines.append(line),
    ) as stack:
        stack.wait_ready()
    [told] = [line for line in lines if 'publish_dvider' in line]
    assert re.search(
        r"'publish_dvider' is no parameter of this node; did you mean publish_divider\?", told
    )
