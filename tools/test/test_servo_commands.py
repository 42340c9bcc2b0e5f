"""The commands for people with servos, on emulated ports."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from softshell_bringup.domain import free_domain
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError
from softshell_tools import servo_commands, servo_emulation
from softshell_tools.cli import app

pytestmark = pytest.mark.needs('hardware')
pytest.importorskip('dynamixel_sdk', reason='the set hardware is not installed')

from softshell_hardware.emulator.robot import EmulatedRobot  # noqa: E402
from softshell_hardware.wiring.config import hardware_file, load_hardware  # noqa: E402


@pytest.fixture(autouse=True)
def nothing_is_installed(monkeypatch):
    monkeypatch.setattr(servo_commands, 'set_up', lambda names: None)
    monkeypatch.setenv('COLUMNS', '200')
    monkeypatch.setenv('ROS_DOMAIN_ID', str(free_domain()))


@pytest.fixture
def arm(tmp_path):
    """Emulated servos of the arm in its start pose, and a wiring file with their port."""
    robot = load_robot('arm')
    with EmulatedRobot(robot, load_hardware(robot), physics=False) as emulated:
        path = tmp_path / 'arm.yaml'
        text = hardware_file(robot).read_text()
        text = text.replace('/dev/ttyUSB0', emulated.ports['body'].path)
        path.write_text(text.replace('latency: 0.001', 'latency: 0.001, slack: 0.3'))
        yield emulated, path


def softshell(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def scan(path, *arguments):
    quick = ('--quick', '--baud', 1_000_000)
    return softshell('scan', 'robot:=arm', f'wiring:={path}', *quick, *arguments)


def test_a_scan_shows_each_servo_and_succeeds_if_all_are_as_expected(arm):
    """Joints that are not calibrated are told, and no error."""
    _, path = arm
    result = scan(path)
    assert result.exit_code == 0, result.output
    assert '3 found, 3 expected' in result.output
    assert re.search(r'2 +│ elbow +│ AX-18A +│ 24 +│ 1 +│ 1000000 +│ as expected', result.output)
    which = shlex.join(['robot:=arm', f'wiring:={path}'])
    told = f'not calibrated yet: all joints; to calibrate: ./softshell calibrate {which}'
    assert told in result.output


def test_a_scan_fails_if_something_is_not_as_expected_and_can_set_the_delay(arm):
    """A servo that answers late, until it is set; one that is missing."""
    emulated, path = arm
    emulated.servos['elbow'].set('return_delay', 250)
    result = scan(path)
    assert result.exit_code == 1
    assert 'return delay is 250 (500 µs); expected 0' in result.output
    which = shlex.join(['robot:=arm', f'wiring:={path}'])
    assert f'./softshell scan {which} --set-return-delay' in result.output
    result = scan(path, '--set-return-delay')
    assert result.exit_code == 0, result.output
    assert 'servo 2: its return delay is now 0' in result.output
    emulated.servos['wrist'].faults.dead = True
    result = scan(path)
    assert result.exit_code == 1
    assert 'missing; expected AX-12A at 1000000 baud' in result.output


def test_a_port_that_is_missing_is_one_error(arm, tmp_path):
    """What every command on a port says."""
    _, path = arm
    path.write_text(re.sub('port: [^,]+', 'port: /dev/no-adapter', path.read_text()))
    for words in (
        ('scan', 'robot:=arm', f'wiring:={path}'),
        ('scan', 'robot:=arm', '--port', '/dev/no-adapter'),
        ('calibrate', 'robot:=arm', f'wiring:={path}', '--yes'),
        ('reboot', 'elbow', 'robot:=arm', f'wiring:={path}'),
    ):
        error = softshell(*words).exception
        assert str(error) == (
            'port /dev/no-adapter: there is no such device; is the adapter plugged in?'
        )


def test_a_calibration_writes_offsets_and_a_dry_run_does_not(arm):
    """The difference is shown; afterwards the file is that of a calibrated robot."""
    _, path = arm
    before = path.read_bytes()
    words = ('calibrate', 'robot:=arm', f'wiring:={path}', '--yes')
    result = softshell(*words, '--dry-run')
    assert result.exit_code == 0, result.output
    assert result.output.count('\n+  ') == 3
    assert path.read_bytes() == before
    result = softshell(*words, '--joint', 'elbow')
    assert result.exit_code == 0, result.output
    assert f'{path}: 1 joints written' in result.output
    config = load_hardware(load_robot('arm'), path)
    assert config.uncalibrated == ('shoulder', 'wrist')
    assert config.joints[1].offset == pytest.approx(0.0, abs=config.joints[1].family.tick)


def test_a_person_is_asked_before_anything_is_written(arm):
    """Enter at each step; "n" at the end leaves the file as it was."""
    _, path = arm
    before = path.read_bytes()
    words = ['calibrate', 'robot:=arm', f'wiring:={path}']
    result = CliRunner().invoke(app, words, input='\n\nn\n')
    assert result.exit_code == 1
    assert 'The joints will lose their torque now' in result.output
    assert "Bring the joints into the pose 'home', and keep still." in result.output
    assert path.read_bytes() == before
    result = CliRunner().invoke(app, words, input='\n\ny\n')
    assert result.exit_code == 0, result.output
    assert load_hardware(load_robot('arm'), path).uncalibrated == ()


@pytest.mark.parametrize(
    ('shoulder', 'elbow'),
    [
        ('&joint {id: 1, model: AX-18A, direction: 1, offset: null}', '{<<: *joint, id: 2}'),
        (
            '{id: 1, model: AX-18A, direction: 1, offset: &none null}',
            '{id: 2, model: AX-18A, direction: 1, offset: *none}',
        ),
    ],
)
def test_offsets_that_cannot_be_written_are_refused_before_the_torque_is_off(arm, shoulder, elbow):
    """Nobody is asked to hold a joint for what would be lost: values that are shared."""
    emulated, path = arm
    text = re.sub('shoulder: {.*}', f'shoulder: {shoulder}', path.read_text())
    path.write_text(re.sub('elbow: {.*}', f'elbow: {elbow}', text))
    emulated.servos['shoulder'].set('torque_enable', 1)
    words = ['calibrate', 'robot:=arm', f'wiring:={path}']
    result = CliRunner().invoke(app, words, input='\n\ny\n')
    assert 'joints.shoulder.offset: cannot be changed without changing' in str(result.exception)
    assert result.output == ''
    assert emulated.servos['shoulder'].get('torque_enable') == 1


def test_faults_are_listed_with_what_they_take():
    """Without words, and for a name that there is not."""
    result = softshell('inject')
    assert result.exit_code == 0
    assert 'so much warmer [°C/s]' in result.output
    result = softshell('inject', 'elbow', 'ded')
    assert result.exit_code == 1
    assert "unknown fault 'ded'" in result.output
    assert 'unplugged' in result.output


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (('scan', 'bridge:=sim'), "unknown argument 'bridge'; known: robot, wiring"),
        (('calibrate', 'wiring:=emulated'), 'softshell emulate-servos writes that of emulated'),
        (('scan', 'shell'), "'shell': expected name:=value"),
        (('calibrate', '--directions', '--yes'), 'needs a person to move the joints'),
        (('inject', 'elbow'), "'elbow'; expected WHERE FAULT [VALUE]"),
        (('inject', 'elbow', 'dead', 'robot:=arm'), "unknown argument 'robot'; known: namespace"),
        (('reboot', 'elbow', 'wrist'), "'elbow wrist'; expected one JOINT"),
        (
            ('emulate-servos', 'gui:=web'),
            "unknown argument 'gui'; known: robot, wiring, namespace",
        ),
    ],
)
def test_a_mistake_is_a_usage_error(words, said):
    """Before anything is installed or opened."""
    result = softshell(*words)
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (('scan', 'robot:=arm', '--baud', '12345'), 'baud rate 12345; expected one of 9600,'),
        (
            ('calibrate', 'robot:=arm', '--pose', 'hom'),
            "unknown pose 'hom'; did you mean home? known: home",
        ),
        (('emulate-servos', '--fault', 'elbow'), "fault 'elbow'; expected WHERE:FAULT=VALUE"),
        (('inject', 'elbow', 'dead'), 'no emulated servos in namespace / within 0.1 s'),
        (('reboot', 'elbow', 'namespace:=one'), 'no bridge to servos in namespace /one within'),
    ],
)
def test_what_cannot_be_done_says_why(words, said, monkeypatch):
    """By an error that names what is known, or what to start."""
    monkeypatch.setattr('softshell_client.ros.servos.ask.__defaults__', (0.1,))
    assert said in str(softshell(*words).exception)


@pytest.mark.parametrize('folder', [None, 'here and there'])
def test_a_wiring_is_where_the_lock_is(tmp_path, monkeypatch, capsys, folder):
    """Beside the ports, so that two emulations of a robot do not overwrite each other's.

    The command that is printed can be pasted into a shell.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(servo_emulation, 'command', lambda *_: ['true'])
    monkeypatch.setattr(servo_emulation, 'ready', lambda *_: True)
    monkeypatch.setattr(servo_emulation, 'on_ending', lambda handler: None)
    config = load_hardware(load_robot('arm'))
    request = servo_emulation.Request('arm', folder=folder and tmp_path / folder)
    assert servo_emulation.emulate(tmp_path, config, request) == 0
    (command,) = re.findall('ready: (.*)', capsys.readouterr().out)
    wiring = f'{folder}/arm.yaml' if folder else 'out/emulated/arm.yaml'
    assert shlex.split(command)[2:] == ['robot:=arm', 'bridge:=hardware', f'wiring:={wiring}']
    written = load_hardware(load_robot('arm'), tmp_path / wiring)
    ports = tmp_path / (folder or 'out/emulated/arm')
    assert Path(written.buses['body'].port) == ports / 'body'
    assert [*tmp_path.rglob('*.yaml')] == [tmp_path / wiring]


def test_a_folder_that_cannot_be_made_is_one_error(tmp_path):
    """It names the folder, the reason and what helps."""
    (tmp_path / 'file').touch()
    request = servo_emulation.Request('arm', folder=tmp_path / 'file' / 'ports')
    config = load_hardware(load_robot('arm'))
    with pytest.raises(SoftshellError, match='file/ports: Not a directory; expected a folder'):
        servo_emulation.emulate(tmp_path, config, request)


@pytest.mark.long
def test_emulated_servos_run_take_faults_and_end(tmp_path, monkeypatch):
    """Until Ctrl-C; their wiring is a calibrated one that leads to their ports.

    What is left of others that were killed is in nobody's way.
    """
    left = tmp_path / 'out' / 'emulated' / 'arm' / 'body'
    left.parent.mkdir(parents=True)
    left.symlink_to(os.devnull)  # a terminal that somebody else has by now
    program = (
        'from softshell_tools import servo_commands as s; s.set_up = lambda names: None; '
        f's.ROOT = s.Path({str(tmp_path)!r}); from softshell_tools.cli import main; main()'
    )
    words = ('emulate-servos', 'robot:=arm', '--no-physics', '--fault', 'wrist:heating=0.1')
    run = subprocess.Popen(
        [sys.executable, '-c', program, *words], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    try:
        said = []
        for line in run.stdout:
            said.append(line)
            if line.startswith('ready: '):
                break
        assert said[-2:] == [
            "bus 'body': 3 servos answer on out/emulated/arm/body\n",
            'ready: ./softshell up robot:=arm bridge:=hardware wiring:=out/emulated/arm.yaml\n',
        ]
        path = tmp_path / 'out' / 'emulated' / 'arm.yaml'
        config = load_hardware(load_robot('arm'), path)
        assert config.uncalibrated == ()
        assert Path(config.buses['body'].port).exists()
        assert scan(path).exit_code == 0
        result = softshell('inject', 'elbow', 'dead')
        assert (result.exit_code, result.output) == (0, 'elbow: dead is True\n')
        result = softshell('inject', 'knee', 'dead')
        assert result.exit_code == 1
        assert "unknown joint or bus 'knee'; known: body, elbow" in result.output
        assert 'missing; expected AX-18A' in scan(path).output
        again = subprocess.run(
            [sys.executable, '-c', program, *words], capture_output=True, text=True, cwd=tmp_path,
            timeout=60, check=False,
        )  # fmt: skip
        assert again.returncode == 1
        assert 'emulated servos run already, with their ports in' in again.stderr
        run.send_signal(signal.SIGINT)
        assert run.wait(30) == 0
    finally:
        run.kill()
        run.wait()
        run.stdout.close()
    assert not path.with_suffix('').exists()
