"""Lines of emulated servos, and bridges to them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # servo_line, hardware_rig


@pytest.fixture
def line():
    """Makes lines; all are closed after the test."""
    from servo_line import Line

    lines = []

    def make(family, **options):
        lines.append(Line(family, **options))
        return lines[-1]

    yield make
    for each in lines:
        each.close()


@pytest.fixture
def rig(tmp_path):
    """Makes bridges of a robot on emulated servos of a family; all are closed after the test."""
    from hardware_rig import HardwareRig, wiring_text

    from softshell_description.load import load_robot

    rigs = []

    def make(robot='arm', family='ax', death='hold', **options):
        path = tmp_path / f'{robot}-{family}.yaml'
        text = wiring_text(load_robot(robot), family)
        path.write_text(f'{text}\non_host_death: {death}\nbeats: 1000\n')
        rigs.append(HardwareRig(robot, path, **options))
        return rigs[-1]

    yield make
    for each in rigs:
        each.close()


@pytest.fixture
def moving(rig):
    """An arm of a family whose joints are on their way."""
    from softshell_common.bridge_mode import BridgeMode

    def make(family):
        made = rig('arm', family)
        made.core.activate()
        made.run(3)
        made.offer({'shoulder': -1.4, 'elbow': 1.2, 'wrist': -0.3}, duration=4.0)
        made.run(10)
        assert made.core.mode is BridgeMode.EXECUTING
        return made

    return make
