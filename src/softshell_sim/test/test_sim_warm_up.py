"""What is compiled ahead is what bridges need when they start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_sim import warm_up

sys.path.insert(0, str(Path(__file__).parents[2] / 'softshell_control/test'))

#: A bridge that tells of each function that it compiles.
TELLING = """
import sys
from numba.core import event

class Teller(event.Listener):
    def on_start(self, start):
        print('compiles', start.data['dispatcher'].py_func, file=sys.stderr, flush=True)

    def on_end(self, end):
        pass

event.register('numba:compile', Teller())
from {module} import main
sys.exit(main())
"""


@pytest.mark.needs('pybullet')
def test_an_engine_that_cannot_be_had_is_told_and_the_others_go_on(monkeypatch):
    """Setting up goes on where an engine has no wheel."""

    def refuse(settings):
        raise SoftshellError('engine pybullet cannot be imported')

    monkeypatch.setitem(warm_up.ENGINES, 'pybullet', refuse)
    told = []
    assert warm_up.warm_up(told.append) > 0.0
    assert told == ['mock', 'pybullet', 'engine pybullet cannot be imported', 'mujoco']


@pytest.mark.long
@pytest.mark.timeout(900)
def test_bridges_compile_nothing_after_it(tmp_path, monkeypatch, domains):
    """From an empty cache: what it compiled is all that a start and a second of a bridge need."""
    pytest.importorskip('rclpy', reason='ROS is not installed')
    from bridge_process import Bridge

    monkeypatch.setenv('NUMBA_CACHE_DIR', str(tmp_path))
    for name in ('softshell_kinematics', 'softshell_sim'):
        subprocess.run([sys.executable, '-m', f'{name}.warm_up'], env=dict(os.environ), check=True)
    for module in ('softshell_control.ros.mock_bridge', 'softshell_sim.ros.sim_bridge'):
        bridge = Bridge('footing:=true', code=TELLING.format(module=module), domain=domains())
        client = bridge.client
        try:
            client.wait(lambda heard=client: len(heard.joints) > 100, 'joint states')
        finally:
            bridge.close()
        assert [line for line in bridge.errors if line.startswith('compiles')] == []
