"""What servos do when the computer's program dies or sleeps, by the file of their wiring."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hardware_rig import wiring_text

from softshell_description.load import load_robot
from softshell_hardware.emulator.robot import EmulatedRobot
from softshell_hardware.wiring.config import load_hardware

#: For whatever comes in the end [s]; until then it is waited for, and no longer.
PATIENCE = 60.0


class Host:
    """Emulated servos of an arm whose time passes, and a process that drives them."""

    def __init__(self, folder, family, death):
        robot = load_robot('arm')
        path = folder / 'wiring.yaml'
        # So many beats that a machine under load does not miss them all.
        text = wiring_text(robot, family) + f'\non_host_death: {death}\nbeats: 100\n'
        path.write_text(text)
        config = load_hardware(robot, path)
        self.emulated = EmulatedRobot(robot, config, physics=False, folder=folder)
        bus = f'buses: {{body: {{family: {family}, port: {folder / "body"}, slack: 1.0}}}}'
        protection = 'protection: {stall: 1.0}'
        lines = [bus if line.startswith('buses') else line for line in text.splitlines()]
        path.write_text('\n'.join([*lines, protection]))
        self._running = True
        self._thread = threading.Thread(target=self._pass_time, daemon=True)
        self._thread.start()
        program = Path(__file__).parent / 'host_process.py'
        self.process = subprocess.Popen(
            [sys.executable, program, path], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout.readline() == 'drives\n'

    def _pass_time(self):
        while self._running:
            self.emulated.step(0.01)
            time.sleep(0.01)

    @property
    def torques(self):
        return [servo.torque for servo in self.emulated.servos.values()]

    def close(self):
        self.process.kill()
        self.process.wait()
        self._running = False
        self._thread.join()
        self.emulated.close()


@pytest.fixture
def host(tmp_path):
    """Makes hosts; all are closed after the test."""
    hosts = []

    def make(*arguments):
        hosts.append(Host(tmp_path, *arguments))
        return hosts[-1]

    yield make
    for each in hosts:
        each.close()


def wait_until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize('family', ['ax', 'x'])
def test_servos_give_way_when_their_host_is_killed_if_they_shall(host, family):
    """`on_host_death: relax`: the guardian that inherited the port switches the torque off."""
    made = host(family, 'relax')
    assert made.torques == [True] * 3
    made.process.kill()
    wait_until(lambda: made.torques == [False] * 3)


def test_ax_holds_when_its_host_is_killed_by_default(host):
    """Nobody switches anything off; the goals stay."""
    made = host('ax', 'hold')
    goals = [servo.get('goal_position') for servo in made.emulated.servos.values()]
    made.process.kill()
    made.process.wait()
    time.sleep(0.5)
    assert made.torques == [True] * 3
    assert [s.get('goal_position') for s in made.emulated.servos.values()] == goals


def test_x_stops_by_its_own_watchdog_when_its_host_is_killed(host):
    """Each servo's watchdog trips; it holds where it is."""
    made = host('x', 'hold')
    made.process.kill()
    servos = made.emulated.servos.values()
    wait_until(lambda: all(servo.get('bus_watchdog') == -1 for servo in servos))
    assert made.torques == [True] * 3


def test_a_host_that_slept_does_not_bring_the_torque_back(host):
    """Stopped for longer than its guardian waits, it wakes to a fault and sends nothing."""
    made = host('ax', 'relax')
    made.process.send_signal(signal.SIGSTOP)
    wait_until(lambda: made.torques == [False] * 3)
    made.process.send_signal(signal.SIGCONT)
    reason = made.process.stdout.readline()
    assert any(word in reason for word in ('still', 'guardian')), reason
    time.sleep(0.5)
    assert made.torques == [False] * 3


def test_an_end_in_order_leaves_nobody_behind(tmp_path, rig):
    """The guardian goes home when the bridge sees to its servos itself."""
    made = rig('arm', 'ax', death='relax')
    made.core.activate()
    made.run(2)
    line = made.backend.crew.lines[0]
    process = line.watch._heartbeat._process
    assert process.poll() is None
    made.core.deactivate()
    assert process.poll() == 0
    assert not any(servo.torque for servo in made.emulated.servos.values())
