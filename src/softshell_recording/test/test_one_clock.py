"""Messages of one clock, of bags whose clock begins anew or whose stamps are wrong."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from bag_rig import BEGIN, SECOND, Header, Recorded, Time

from softshell_recording.report.log import read_log
from softshell_recording.report.one_clock import rows_of_one_clock

PERIOD = 0.02


def stamped(times):
    """Messages with these stamps [s]."""
    whole = [divmod(round(time * SECOND), SECOND) for time in times]
    stamps = [SimpleNamespace(sec=sec, nanosec=nanosec) for sec, nanosec in whole]
    return [SimpleNamespace(header=SimpleNamespace(stamp=stamp)) for stamp in stamps]


def kept(times):
    """The stamps of the messages that are kept, received one each period, and what is told."""
    told = []
    walls = [BEGIN + round(k * PERIOD * SECOND) for k in range(len(times))]
    rows = rows_of_one_clock(stamped(times), walls, 'bag: /joint_states', told.append)
    return np.asarray(times)[rows].tolist(), told


STEADY = (PERIOD * np.arange(300)).tolist()


@pytest.mark.parametrize('begin', [0.0, 1.7e9])
@pytest.mark.parametrize('size', [2, 20, 300])
def test_what_is_only_out_of_order_is_all_kept_by_its_stamps(begin, size):
    """A little or wholly: all stamps, each once, increase; nothing is left out."""
    chance = np.random.default_rng(1)
    times = begin + np.concatenate(
        [chance.permutation(STEADY[k : k + size]) for k in range(0, 300, size)]
    )
    assert kept(times) == (np.sort(times).tolist(), [])


def test_of_a_clock_that_begins_anew_the_longest_stretch_is_kept():
    """Whether it is the first, or a later one; what is left out is counted."""
    short, long = STEADY[:50], STEADY[:250]
    for times in (short + long, long + short, [*np.add(short, 1.7e9), *long]):
        stamps, told = kept(times)
        assert stamps == long
        assert len(told) == 1
        assert told[0].startswith('bag: /joint_states: 50 of 300 messages are left out: ')
        assert 'from 0.000 to 4.980 s' in told[0]


@pytest.mark.parametrize('place', [0, 100, 299])
@pytest.mark.parametrize('wrong', [-1e6, 1e6, 1e9])
def test_a_single_stamp_that_is_wrong_costs_that_message_only(place, wrong):
    """Wherever it lies, ahead or behind."""
    times = [2e6 + time for time in STEADY]
    times[place] += wrong
    stamps, told = kept(times)
    assert stamps == times[:place] + times[place + 1 :]
    assert len(told) == 1
    assert told[0].startswith('bag: /joint_states: 1 of 300 messages are left out: ')
    assert told[0].endswith(f'the first of the others has the stamp {times[place]:.3f} s')


def test_gaps_cost_nothing():
    """Of ten seconds in which nothing came, or a simulation went fast."""
    times = STEADY[:100] + [time + 10.0 for time in STEADY[100:]]
    assert kept(times) == (times, [])


def test_stamps_that_were_never_set_are_told():
    """One message for each stamp counts."""
    stamps, told = kept([0.0] * 300)
    assert set(stamps) == {0.0}
    assert told == [
        'bag: /joint_states: 299 of 300 messages are left out: their stamps are those of messages '
        'before, the first 0.000 s; expected one message for each stamp'
    ]


def test_a_report_is_of_the_longest_stretch_of_the_clock(tmp_path: Path):
    """Of all topics; what came on them before is not mixed into it."""
    pytest.importorskip('softshell_interfaces.msg', reason='needs the built workspace')
    recorded, told = Recorded(tmp_path / 'bag'), []
    for came in range(40):
        time = 0.1 * came if came < 10 else 0.1 * (came - 10)
        header = Header(Time(int(time), round(time % 1 * SECOND)), '')
        values = np.array([float(came)])
        for topic in ('/joint_states', '/joint_commands'):
            recorded.add(
                topic, 'sensor_msgs/msg/JointState', 0.1 * came, header=header, name=['a'],
                position=values, velocity=values, effort=values,
            )  # fmt: skip
        recorded.add('/mode', 'std_msgs/msg/String', 0.1 * came, data=f'mode {came}')
    recorded.bag.close()
    log = read_log(recorded.bag.path, tell=told.append)
    assert log.recording.times == pytest.approx(0.1 * np.arange(30))
    assert log.recording.joints[:, 0].tolist() == [*range(10, 40)]
    assert log.recording.errors[:, 0] == pytest.approx(0.0)
    assert [event.text for event in log.events] == [f'mode {came}' for came in range(10, 40)]
    assert [event.time for event in log.events] == pytest.approx(log.recording.times)
    assert '/joint_states: 10 of 40 messages are left out: the clock jumps' in told[0]
