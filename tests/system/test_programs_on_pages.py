"""Every program on a page is run by a test, which is listed here; some of them are run here."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from page_blocks import ROOT, blocks
from pages import PAGES, REFERENCE, code, name_of, text_of

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_common.reason import Reason, ReasonCode
from softshell_control.fault import FaultError
from softshell_description.load import load_robot
from softshell_sim.sensing.sensor_settings import load_sensors, sensor_settings
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

SAYS = 'test_explanations: test_the_program_of_the_page_prints_what_it_says'
MOVES = 'test_bridge_page: test_the_bridge_of_the_page_moves_a_robot'
FITS = 'test_bridge_page: test_node_executable_and_row_of_the_page_fit_together'
TELLS = 'test_programs_on_pages: test_a_backend_tells_of_a_hot_motor_as_on_the_page'
HAS = 'test_docs: test_the_engine_of_the_page_has_what_an_engine_needs'
SOLVES = 'test_readme: test_the_kinematics_program_runs'
#: The test of each program, in the order of the page.
TESTS = {
    'README.md': ['test_readme: test_the_program_moves_the_robot'],
    'docs/add-a-bridge.md': [MOVES, TELLS, TELLS, FITS, FITS, FITS, FITS],
    'docs/add-an-engine.md': [HAS, HAS],
    'docs/contacts.md': ['test_contacts_page: test_the_program_of_the_page'],
    'docs/continuum.md': [
        'test_docs: test_the_finger_of_the_page_comes_to_rest_and_its_tensions_bring_it_there',
        'test_docs: test_the_measurements_of_the_page_give_what_they_were_made_of',
    ],
    'docs/gate.md': [SAYS],
    'docs/kinematics.md': [SAYS],
    'docs/learning.md': ['test_programs_on_pages: test_an_episode_begins_as_on_the_page'],
    'docs/motions.md': [SAYS],
    'docs/recording.md': ['test_programs_on_pages: test_a_program_records_as_on_the_page'],
    'docs/sensors.md': ['test_programs_on_pages: test_a_world_has_the_sensors_of_the_page'],
    'docs/simulation.md': [
        'test_simulation_page: '
        'test_the_program_of_the_page_on_worlds_pushes_a_cube_and_lets_it_fall',
        'test_simulation_page: test_the_program_of_the_page_on_driven_bodies_lifts_a_cup',
    ],
    'docs/studies.md': ['test_studies_page: test_the_program_of_the_page_sweeps'],
    'src/softshell_kinematics/README.md': [SOLVES, SOLVES],
}  # fmt: skip


def test_every_program_has_a_test():
    """A new one has none yet; a test that is listed is there, in a file that names the page."""
    pages = {name_of(page): len(code(text_of(page), 'python')) for page in PAGES
             if page.parent != REFERENCE}  # fmt: skip
    assert {page: count for page, count in pages.items() if count} == {
        page: len(tests) for page, tests in TESTS.items()
    }
    for page, tests in TESTS.items():
        for test in tests:
            file, _, function = test.partition(': ')
            (path,) = [*ROOT.glob(f'tests/*/{file}.py'), *ROOT.glob(f'src/*/test/{file}.py')]
            text = text_of(path)
            assert f'def {function}(' in text, test
            assert page.rpartition('/')[2] in text, (page, test)


def test_a_backend_tells_of_a_hot_motor_as_on_the_page():
    """The error that ends a period has its code and its text, and so has a warning."""
    _, fault, warning, *_ = blocks('add-a-bridge.md', 'python')
    names = {'FaultError': FaultError, 'Reason': Reason, 'ReasonCode': ReasonCode}
    with pytest.raises(FaultError, match='elbow: 71 °C') as caught:
        exec(fault, names)
    assert caught.value.code is ReasonCode.TEMPERATURE
    exec(warning, names)
    (told,) = names['warnings'](None)
    assert (told.code, told.text) == (ReasonCode.TEMPERATURE, 'elbow: 61 °C, slowed down')


@pytest.mark.needs('studies')
def test_an_episode_begins_as_on_the_page(capsys):
    """The score after one step of the arm is its distance from the target, as a negative."""
    (program,) = blocks('learning.md', 'python')
    names = {}
    exec(program, names)
    assert float(capsys.readouterr().out) == names['info']['score'] < 0.0
    assert np.isfinite(names['observation']).all()
    names['environment'].close()


def test_a_world_has_the_sensors_of_the_page(monkeypatch):
    """Those of the file, and an IMU whose value is 10 ms old."""
    monkeypatch.chdir(ROOT)
    (program,) = blocks('sensors.md', 'python')
    names = {
        'World': World, 'WorldSettings': WorldSettings, 'Path': Path, 'load_sensors': load_sensors,
        'sensor_settings': sensor_settings, 'robot': load_robot('shell'),
    }  # fmt: skip
    first, second = (eval(line, names) for line in program.splitlines())
    shown = yaml.safe_load(text_of(ROOT / 'examples' / 'sensors.yaml'))
    assert (
        first.settings.sensors.imu.angular_velocity.noise
        == (shown['imu']['angular_velocity']['noise'])
    )
    assert first.settings.seed == 1
    assert second.settings.sensors.imu.delay == 0.01
    for world in (first, second):
        world.close()


@pytest.mark.long  # it records for ten seconds
def test_a_program_records_as_on_the_page(tmp_path):
    """Beside a stack: what odometry and joints send in ten seconds, and nothing else."""
    (program,) = blocks('recording.md', 'python')
    with Stack({'bridge': 'mock', 'robot': 'arm'}, domain=free_domain()) as stack:
        stack.wait_ready()
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(stack.domain)}
        subprocess.run(
            [sys.executable, '-c', program], cwd=tmp_path, env=environment, check=True, timeout=60
        )
    text = (tmp_path / 'out' / 'odometry' / 'metadata.yaml').read_text(encoding='utf-8')
    bag = yaml.safe_load(text)['rosbag2_bagfile_information']
    counts = {
        each['topic_metadata']['name']: each['message_count']
        for each in bag['topics_with_message_count']
    }
    assert counts.pop('/joint_states') > 500
    assert all(name.startswith(('/odom', '/joint_')) for name in counts), counts
    assert bag['duration']['nanoseconds'] == pytest.approx(10e9, rel=0.2)
