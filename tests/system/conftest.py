"""What tests of several packages share."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # pages, page_blocks, …


@pytest.fixture
def simulated(domains):
    """Function: the node of a bridge to a simulation in this process.

    It takes a file of parameters, a namespace, and further parameters.
    """
    import rclpy
    from rclpy.context import Context
    from rclpy.parameter import Parameter

    from softshell_sim.ros.sim_bridge import make_backend, sim_parameters
    from softshell_sim.ros.sim_node import SimBridgeNode

    nodes, contexts = [], []

    def begin(file, namespace='', **parameters):
        contexts.append(Context())
        arguments = ['--ros-args', '--params-file', str(file)]
        rclpy.init(args=arguments, context=contexts[-1], domain_id=domains())
        given = {'real_time_factor': 0.0, **parameters}
        overrides = [Parameter(name, value=value) for name, value in given.items()]
        node = SimBridgeNode(
            make_backend,
            kind=sim_parameters,
            context=contexts[-1],
            namespace=namespace,
            parameter_overrides=overrides,
        )
        nodes.append(node)
        return node

    yield begin
    for node in nodes:
        node.close()
        node.destroy_node()
    for context in contexts:
        context.try_shutdown()


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str], str]:
    """Function: what an example prints, run by its command in an otherwise empty folder."""
    from examples_rig import EXAMPLES, INTERPRETER, command_of

    from softshell_bringup.domain import free_domain

    (tmp_path / 'examples').symlink_to(EXAMPLES)

    def run(name: str) -> str:
        program, *arguments = shlex.split(command_of(EXAMPLES / name))
        assert program == INTERPRETER
        process = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, 'ROS_DOMAIN_ID': str(free_domain())},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        return process.stdout

    return run
