"""The demo on emulated servos, held against the demo of the simulation."""

import cmath
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def summary_of(folder, *arguments):
    """What a demo measured."""
    run = subprocess.run(
        [sys.executable, '-m', 'softshell_tools.cli', 'demo', *arguments, '--output', folder],
        capture_output=True,
        text=True,
        timeout=600,
        env={
            **os.environ,
            'PYTHONPATH': f'{ROOT / "tools"}{os.pathsep}{os.environ["PYTHONPATH"]}',
        },
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return json.loads((folder / 'summary.json').read_text())


class Place:
    """Where a robot is after some steps of a demo, from where the first one began."""

    def __init__(self):
        self.at, self._heading = 0j, 0.0

    def go(self, step):
        """Add a step."""
        way = complex(step['distance_m'], step['sideways_m'])
        self.at += way * cmath.exp(1j * self._heading)
        self._heading += math.radians(step['turn_deg'])


@pytest.mark.long
def test_shell_walks_on_ax_servos_as_in_simulation(tmp_path, monkeypatch):
    """Distance and tracking within 10 %, slow reads or not: the servos wait for late goals.

    The way and the joints are those of the emulated world.
    """
    from softshell_bringup.domain import free_domain

    monkeypatch.setenv('ROS_DOMAIN_ID', str(free_domain()))
    sim = summary_of(tmp_path / 'sim')
    servos = summary_of(tmp_path / 'servos', 'bridge:=hardware')
    assert servos['bridge'] == 'hardware'
    assert servos['distance_m'] == pytest.approx(sim['distance_m'], rel=0.1)
    assert servos['turn_deg'] == pytest.approx(sim['turn_deg'], abs=9.0)
    assert servos['tracking_rms_rad'] < 1.1 * sim['tracking_rms_rad']
    assert servos['tilt_max_deg'] < 5.0


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_shell_makes_its_tour_on_servos_as_in_simulation(tmp_path, monkeypatch):
    """Each walk, turn and pose by the emulated bus is that of the simulation; the ball rolls.

    Each is within 5 %, at least 10 mm. Places after several of them are, too: to 10 mm and 2 % of
    the way, which the odometry of legs states as its standard deviation. Both robots move at half
    the speed of real time, so that a slow computer plans quick strides in time, too.
    """
    from softshell_bringup.domain import free_domain

    monkeypatch.setenv('ROS_DOMAIN_ID', str(free_domain()))
    tour = ('--scenario', 'tour', 'real_time_factor:=0.5')
    pairs = zip(
        summary_of(tmp_path / 'sim', *tour, 'engine:=mujoco')['steps'],
        summary_of(tmp_path / 'servos', *tour, 'bridge:=hardware')['steps'],
        strict=True,
    )
    places, way = (Place(), Place()), 0.0
    for sim, servos in pairs:
        assert servos['action'] == sim['action']
        if sim['action'] == 'roll':
            ways = [(each['distance_m'], each['sideways_m']) for each in (sim, servos)]
            assert all(1.0 < np.hypot(*each) < 3.0 for each in ways)
            places, way = (Place(), Place()), 0.0
        elif sim['action'] not in ('close', 'open'):
            for place, step in zip(places, (sim, servos), strict=True):
                place.go(step)
            way += math.hypot(sim['distance_m'], sim['sideways_m'])
            assert abs(places[0].at - places[1].at) < 0.01 + 0.02 * way
            far = max(0.01, 0.05 * abs(sim['distance_m']))
            assert servos['distance_m'] == pytest.approx(sim['distance_m'], abs=far)
            assert servos['sideways_m'] == pytest.approx(sim['sideways_m'], abs=0.01)
            assert servos['turn_deg'] == pytest.approx(sim['turn_deg'], abs=1.0)
            assert servos['tilt_max_deg'] == pytest.approx(sim['tilt_max_deg'], abs=1.0)
