"""What the bridge tells of itself once a second, whatever its backend measured."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='no ROS here')
pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.serialization import deserialize_message, serialize_message

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import Reason, ReasonCode
from softshell_control.mock import MockBackend
from softshell_control.pacing import Pace
from softshell_control.ros import messages
from softshell_control.status import Status
from softshell_control.trajectories.goal_event import GoalEvent
from softshell_description.load import load_robot

LIMITED = Reason(ReasonCode.RATE, 'rate limited: knee')
PACE = Pace(1.0, 1e-4, 2e-4, 1e-3, 250, 0)


def over_the_wire(message):
    return deserialize_message(serialize_message(message), type(message))


def diagnose(mode=BridgeMode.HOLDING, pace=PACE, wanted=1.0, reasons=()):
    status = Status(mode, GoalEvent(), reasons)
    message = messages.diagnostics_message('/bridge', 'mock', status, pace, wanted, {'a': 'b'})
    return over_the_wire(message).status[0]


def test_diagnostics_are_as_bad_as_it_is():
    """A slow loop, missed deadlines and warnings are one; a fault and a stop are errors."""
    level = {
        'ok': diagnose(),
        'slow': diagnose(pace=Pace(0.4, 0, 0, 0, 9, 0), wanted=0.5),
        'missed': diagnose(pace=Pace(1.0, 0, 0, 0, 250, 3)),
        'fault': diagnose(BridgeMode.FAULT, reasons=(Reason(ReasonCode.BUS, 'port is gone'),)),
        'stopped': diagnose(BridgeMode.EMERGENCY_STOP),
        'warned': diagnose(reasons=(LIMITED, Reason(ReasonCode.TEMPERATURE, 'knee: 60 °C'))),
        'limited': diagnose(reasons=(LIMITED,)),
        'not finite': diagnose(BridgeMode.FAULT, reasons=(Reason(ReasonCode.NOT_FINITE, 'nan'),)),
        'as fast as possible': diagnose(pace=Pace(0.1, 0, 0, 0, 9, 0), wanted=0.0),
    }
    assert {kind: entry.level for kind, entry in level.items()} == {
        'ok': DiagnosticStatus.OK,
        'slow': DiagnosticStatus.WARN,
        'missed': DiagnosticStatus.WARN,
        'fault': DiagnosticStatus.ERROR,
        'stopped': DiagnosticStatus.ERROR,
        'warned': DiagnosticStatus.WARN,
        'limited': DiagnosticStatus.OK,
        'not finite': DiagnosticStatus.ERROR,
        'as fast as possible': DiagnosticStatus.OK,
    }
    assert level['ok'].message == 'holding'
    assert 'real-time factor 0.40 of 0.50' in level['slow'].message
    assert '3 of 250 deadlines missed' in level['missed'].message
    assert level['fault'].message == 'port is gone'
    assert level['warned'].message == 'knee: 60 °C'
    assert level['not finite'].message == 'nan'
    assert level['stopped'].message == 'emergency stop'
    codes = [entry.value for entry in level['warned'].values if entry.key == 'reasons']
    assert codes == ['RATE, TEMPERATURE']
    values = {entry.key: entry.value for entry in level['missed'].values}
    assert (values['missed_deadlines'], values['steps'], values['a']) == ('3', '250', 'b')


def test_diagnostics_tell_what_has_no_topic():
    """Temperature, voltage, age and joints that were not measured, where there are any."""
    backend = MockBackend(load_robot('arm'))
    measured = backend.reset()
    names = ('shoulder', 'elbow', 'wrist')
    assert messages.backend_values(backend, measured, names) == {}
    measured.valid[1] = False
    measured.age[:] = (0.01, 7.0, 0.02)
    measured.temperature = np.array([40.0, np.nan, 61.25])
    measured.voltage = 11.1
    assert messages.backend_values(backend, measured, names) == {
        'not measured': 'elbow',
        'oldest measurement': '7.000 s, of elbow',
        'highest temperature': '61.2 °C, wrist',
        'voltage': '11.10 V',
    }


@pytest.mark.parametrize(
    ('given', 'told'),
    [
        ({'temperature': np.full(3, np.nan)}, {'highest temperature': 'unknown'}),
        ({'temperature': np.array([1.0])}, {'highest temperature': 'unknown'}),
        ({'temperature': 'hot'}, {'highest temperature': 'unknown'}),
        ({'temperature': np.array([np.inf, 20.0, np.nan])}, {'highest temperature': '20.0 °C, b'}),
        ({'temperature': np.full(3, -5.0)}, {'highest temperature': '-5.0 °C, a'}),
        ({'voltage': 'low'}, {'voltage': 'unknown'}),
        ({'voltage': np.nan}, {'voltage': 'unknown'}),
        ({'age': np.full(3, np.nan)}, {'oldest measurement': 'unknown'}),
        ({'age': None}, {'oldest measurement': 'unknown'}),
        ({'valid': None}, {'not measured': 'unknown'}),
    ],
)
def test_diagnostics_survive_whatever_was_measured(given, told):
    """What makes no sense is unknown, and what does is told."""
    backend = MockBackend(load_robot('arm'))
    measured = replace(backend.reset(), **given)
    assert messages.backend_values(backend, measured, ('a', 'b', 'c')) == told


def test_what_a_backend_tells_becomes_text():
    """Numbers among its diagnostics go over the wire as well."""

    class Talking(MockBackend):
        def diagnostics(self):
            return {'bus errors': 3, 4: None}

    backend = Talking(load_robot('arm'))
    values = messages.backend_values(backend, backend.reset(), ('a', 'b', 'c'))
    assert values == {'bus errors': '3', '4': 'None'}


def test_diagnostics_that_fail_are_told_and_stop_nothing():
    """What only informs is no reason to end the control loop."""

    class Broken(MockBackend):
        def diagnostics(self):
            raise OSError('no answer')

    backend = Broken(load_robot('arm'))
    values = messages.backend_values(backend, backend.reset(), ('a', 'b', 'c'))
    assert values == {'diagnostics': 'failed: OSError: no answer'}
