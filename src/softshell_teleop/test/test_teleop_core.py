"""What keys mean, with injected time and no terminal."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softshell_teleop import core
from softshell_teleop.commands import CancelAction, Exit, Perform, Say, SetPosture, Show, Twist
from softshell_teleop.core import State, step, wake_time, with_refusal, with_report
from softshell_teleop.offer import Offer
from softshell_teleop.posture import Posture
from softshell_teleop.settings import load_settings

settings.register_profile('shared machine', deadline=None)
settings.load_profile('shared machine')

SETTINGS = load_settings(Path(__file__).parents[3] / 'config/teleop.yaml')
FIRST, REPEAT = SETTINGS.hold.first, SETTINGS.hold.repeat
SPEED, TURN = SETTINGS.drive.linear, SETTINGS.drive.angular
STANDING = Posture(z=0.14)
OFFER = Offer(frozenset({'stand'}), height=(0.05, 0.22), roll=(-0.25, 0.25), pitch=(-0.3, 0.2))


def play(presses, until, state=None, obedient=False):
    """Press keys at their times, wake when asked to; returns (time, command) pairs and the state.

    Args:
        presses: (time [s], key) pairs in order.
        until: end of the play [s].
        state: at the start.
        obedient: each posture asked for is reported back at once.
    """
    state = state or State()
    presses, log = list(presses), []
    while True:
        wake = wake_time(SETTINGS, state)
        due = presses[0][0] if presses else math.inf
        now = min(due, math.inf if wake is None else wake)
        if now > until:
            return log, state
        state, commands = step(SETTINGS, state, presses.pop(0)[1] if now == due else None, now)
        log.extend((now, command) for command in commands)
        for command in commands if obedient else ():
            if isinstance(command, SetPosture):
                state = with_report(state, command.posture, now)


def held(key, delay, period, release):
    """Reports of a terminal for a key held from 0 to `release` [s]."""
    times, now = [0.0], delay
    while now < release:
        times.append(now)
        now += period
    return [(time, key) for time in times]


def twists(log):
    return [(time, command) for time, command in log if isinstance(command, Twist)]


def of_kind(log, kind):
    return [command for _, command in log if isinstance(command, kind)]


@pytest.mark.parametrize(
    ('key', 'twist'),
    [
        ('w', Twist(SPEED, 0, 0)),
        ('s', Twist(-SPEED, 0, 0)),
        ('a', Twist(0, SPEED, 0)),
        ('d', Twist(0, -SPEED, 0)),
        ('q', Twist(0, 0, TURN)),
        ('e', Twist(0, 0, -TURN)),
    ],
)
def test_drive_keys_are_velocities_by_rep_103(key, twist):
    """W/S, A/D, Q/E move forward/back, left/right, turn left/right (REP-103), at once."""
    log, _ = play([(0.0, key)], 0.0)
    assert twists(log) == [(0.0, twist)]


@given(
    delay=st.floats(0.2, 0.75),
    period=st.floats(0.02, 0.12),
    release=st.floats(0.0, 5.0),
)
def test_hold_is_one_unbroken_motion(delay, period, release):
    """A key held on any usual terminal walks without a gap, and its release sends one zero.

    The zero comes within the dead-man time of the last report, and nothing follows it.
    """
    reports = held('w', delay, period, release)
    log, state = play(reports, release + 10)
    sent = twists(log)
    assert [twist for _, twist in sent[:-1]] == [Twist(SPEED)] * (len(sent) - 1)
    assert sent[-1][1] == Twist()
    gaps = [later - sooner for (sooner, _), (later, _) in itertools.pairwise(sent)]
    assert max(gaps) <= 1 / SETTINGS.drive.rate + 1e-9
    last = reports[-1][0]
    assert last < sent[-1][0] <= last + FIRST + 1e-9
    assert wake_time(SETTINGS, state) is None


@given(repeats=st.integers(2, 60))
def test_release_is_quick_once_repeating(repeats):
    """After two repeats or more the robot stops `repeat` after the last one."""
    reports = [(0.0, 'w'), *((0.5 + 0.033 * count, 'w') for count in range(repeats))]
    log, _ = play(reports, 60)
    assert twists(log)[-1][0] == pytest.approx(reports[-1][0] + REPEAT)


def test_tap_moves_for_the_first_time():
    """A tap ends after `first`, which outlasts the delay before a repeat."""
    log, _ = play([(0.0, 'w')], 10)
    assert twists(log)[-1] == (FIRST, Twist())


def test_second_press_has_the_long_time_again():
    """A key pressed again after a pause shorter than `first` is not taken for a fast repeat."""
    log, _ = play([(0.0, 'w'), (0.6, 'w')], 10)
    assert twists(log)[-1] == (0.6 + FIRST, Twist())
    assert [twist for _, twist in twists(log)].count(Twist()) == 1


def test_axes_combine():
    """Two keys in force add up; a diagonal is no faster than a straight line."""
    log, _ = play([(0.0, 'w'), (0.1, 'q'), (0.2, 'a')], 0.2)
    assert twists(log)[-1][1] == Twist(
        pytest.approx(SPEED / math.sqrt(2)), pytest.approx(SPEED / math.sqrt(2)), TURN
    )


def test_opposite_key_replaces():
    """The newest of two opposite keys counts, without a stop in between."""
    log, _ = play([(0.0, 'w'), (0.1, 's')], 0.1)
    forward = [twist.forward for _, twist in twists(log)]
    assert forward[-1] == -SPEED
    assert set(forward[:-1]) == {SPEED}


def test_stop_is_one_zero_and_cancels():
    """Space sends one zero at once, cancels the action and then stays silent, even if held."""
    log, _ = play([(0.0, 'w'), (0.02, 'space'), (0.5, 'space'), (0.53, 'space')], 10)
    assert twists(log) == [(0.0, Twist(SPEED)), (0.02, Twist())]
    assert of_kind(log, CancelAction) == [CancelAction()]


def test_action_stops_walking_first():
    """An action key sends the zero before its goal, and only one goal while held."""
    log, _ = play([(0.0, 'w'), (0.02, 't'), (0.5, 't'), (0.53, 't')], 10)
    kinds = [type(command) for _, command in log]
    assert twists(log)[-1] == (0.02, Twist())
    assert kinds.index(Perform) > kinds.index(Twist) + 1
    assert of_kind(log, Perform) == [Perform('stand')]
    assert of_kind(play([(0.0, 'i')], 1)[0], Perform) == [Perform('idle')]


@pytest.mark.parametrize('key', ['x', 'ctrl-c', 'ctrl-d'])
def test_exit_stops_first(key):
    """Leaving while walking sends the zero, then exits."""
    log, _ = play([(0.0, 'w'), (0.02, key)], 0.02)
    assert [command for _, command in log[-2:]] == [Twist(), Exit()]


def test_speed_scales_at_once():
    """Faster scales the running motion; the factor stays within its range."""
    log, state = play([(0.0, 'w'), (0.02, '+')], 0.02)
    assert twists(log)[-1][1].forward == pytest.approx(SPEED * SETTINGS.drive.speed_step)
    _, state = play([(10.0 + count, '+') for count in range(30)], 60, state)
    assert state.speed == SETTINGS.drive.speed_maximum
    _, state = play([(100.0 + count, '-') for count in range(60)], 200, state)
    assert state.speed == SETTINGS.drive.speed_minimum


@pytest.mark.parametrize(('key', 'what'), [('h', 'help'), ('?', 'help'), ('k', 'keys')])
def test_help_is_shown_once_even_if_its_key_is_held(key, what):
    """H and K show help and keys, once even if held."""
    log, _ = play([(0.0, key), (0.4, key)], 1)
    assert of_kind(log, Show) == [Show(what)]


def test_unknown_key_is_a_hint():
    """A key without a meaning moves nothing and says how to see the keys, once."""
    log, _ = play([(0.0, 'z'), (0.5, 'z'), (0.53, 'z')], 5)
    assert [command.problem for command in of_kind(log, Say)] == [True]
    assert len(log) == 1
    assert 'lists the keys' in log[0][1].text


@pytest.mark.parametrize(
    ('key', 'change'),
    [
        ('u', {'z': 1}),
        ('l', {'z': -1}),
        ('up', {'pitch': 1}),
        ('down', {'pitch': -1}),
        ('left', {'roll': -1}),
        ('right', {'roll': 1}),
    ],
)
def test_a_posture_key_moves_one_coordinate_by_its_step(key, change):
    """Each posture key moves one coordinate by its step: up is nose down, left is left side down.

    The other coordinates stay as the action manager reported them.
    """
    reported = Posture(0.01, -0.02, 0.14, 0.03, -0.04, 0.05)
    log, _ = play([(0.0, key)], 0.0, with_report(State(), reported, 0.0))
    name, sign = next(iter(change.items()))
    size = SETTINGS.posture.height_step if name == 'z' else SETTINGS.posture.tilt_step
    expected = replace(reported, **{name: pytest.approx(getattr(reported, name) + sign * size)})
    assert of_kind(log, SetPosture) == [SetPosture(expected)]


def test_unknown_posture_is_not_guessed():
    """Without a reported posture a posture key sends nothing and says why; NaN is no report."""
    unknown = with_report(State(), Posture(z=math.nan), 0.0)
    log, _ = play([(0.0, 'u')], 5, unknown)
    assert [type(command) for _, command in log] == [Say]
    assert 'not known' in log[0][1].text


@given(
    keys=st.lists(
        st.tuples(st.floats(0.0, 0.5), st.sampled_from(['u', 'l', 'up', 'down', 'left', 'right'])),
        max_size=60,
    ),
    z=st.floats(0.0, 0.5),
    tilt=st.floats(-0.6, 0.6),
)
def test_posture_never_jumps(keys, z, tilt):
    """Whatever is pressed, each step is at most one step long and never leads out of the range.

    The ranges are the robot's. A posture that starts outside comes back inwards by steps.
    """
    steps, now, presses = SETTINGS.posture, 0.0, []
    for pause, key in keys:
        now += pause
        presses.append((now, key))
    before = Posture(z=z, roll=tilt, pitch=-tilt)
    state = with_report(State(offer=OFFER), before, 0.0)
    log, _ = play(presses, now + 10, state, obedient=True)
    for command in of_kind(log, SetPosture):
        after = command.posture
        assert abs(after.z - before.z) <= steps.height_step + 1e-12
        assert abs(after.roll - before.roll) <= steps.tilt_step + 1e-12
        assert abs(after.pitch - before.pitch) <= steps.tilt_step + 1e-12
        for name, (lowest, highest) in (
            ('z', OFFER.height), ('roll', OFFER.roll), ('pitch', OFFER.pitch),
        ):  # fmt: skip
            assert getattr(after, name) <= max(highest, getattr(before, name))
            assert getattr(after, name) >= min(lowest, getattr(before, name))
        before = after


def test_at_the_end_of_the_range_of_the_robot_nothing_is_asked_for():
    """A base that is as high as this robot's may be stays there, and that is said."""
    at_the_top = with_report(State(offer=OFFER), Posture(z=0.22), 0.0)
    log, _ = play([(0.0, 'u')], 0.0, at_the_top)
    assert [type(command) for _, command in log] == [Say]
    assert 'already there' in log[0][1].text


def test_what_the_robot_does_not_have_is_not_asked_of_it():
    """Keys for actions and postures of other robots say so and do nothing, once while held."""
    arm = State(offer=Offer(frozenset({'wave'}), poses=False))
    for key, said in (('t', 'stand: this robot has no such action'), ('u', 'base of this robot')):
        log, _ = play([(0.0, key), (0.5, key), (0.53, key)], 5, with_report(arm, STANDING, 0.0))
        assert [type(command) for _, command in log] == [Say]
        assert said in log[0][1].text
        assert log[0][1].problem
    log, _ = play([(0.0, 't')], 0.0, State(offer=OFFER))
    assert of_kind(log, Perform) == [Perform('stand')]


def test_held_posture_key_steps_at_the_interval():
    """A repeating key steps once per interval, and tells the first and the final posture."""
    log, _ = play(held('up', 0.5, 0.03, 1.5), 5, with_report(State(), STANDING, 0.0))
    times = [time for time, command in log if isinstance(command, SetPosture)]
    pauses = [later - sooner for sooner, later in itertools.pairwise(times)]
    assert min(pauses) >= SETTINGS.posture.interval - 1e-9
    said = of_kind(log, Say)
    assert len(said) == 2
    final = of_kind(log, SetPosture)[-1].posture
    assert said[1].text == f'posture: {final}'


def test_level_zeroes_the_tilt_alone():
    """C levels the base and keeps its height."""
    tilted = with_report(State(), Posture(z=0.14, roll=0.1, pitch=-0.1, yaw=0.2), 0.0)
    log, _ = play([(0.0, 'c')], 0.0, tilted)
    assert of_kind(log, SetPosture) == [SetPosture(Posture(z=0.14, yaw=0.2))]


def test_own_posture_counts_until_a_report_catches_up():
    """Steps add up on our own target while reports lag; a later report counts again.

    Without a newer report, e.g. in a long walk, our own target never expires: the next step must
    not fall back to a posture from before it.
    """
    state = with_report(State(), STANDING, 0.0)
    log, state = play([(0.1, 'u'), (0.3, 'l'), (0.6, 'u')], 0.6, state)
    assert of_kind(log, SetPosture)[-1].posture.z == pytest.approx(0.145)
    log, _ = play([(60.0, 'u')], 60, state)
    assert of_kind(log, SetPosture)[-1].posture.z == pytest.approx(0.150)
    early, late = 0.9, 0.6 + core.POSTURE_MEMORY + 0.1
    state = with_report(state, Posture(z=0.1), early)
    log, _ = play([(early, 'u')], early, state)
    assert of_kind(log, SetPosture)[-1].posture.z == pytest.approx(0.150)
    log, _ = play([(late, 'u')], late, state)
    assert of_kind(log, SetPosture)[-1].posture.z == pytest.approx(0.105)


def test_after_a_refusal_steps_start_from_the_report():
    """Refused postures do not add up: the next step is one step from what was reported."""
    state = with_report(State(), STANDING, 0.0)
    _, state = play([(0.1, 'u'), (0.3, 'u'), (0.5, 'u')], 0.5, state)
    log, _ = play([(0.7, 'l')], 5, with_refusal(state))
    assert [one.posture.z for one in of_kind(log, SetPosture)] == [pytest.approx(0.135)]
    assert not any(one.text.startswith('posture: ') for one in of_kind(log, Say))


@given(
    presses=st.lists(
        st.tuples(st.floats(0.0, 1.0), st.sampled_from([*SETTINGS.bindings, 'z', 'unknown'])),
        max_size=40,
    )
)
def test_silence_in_the_end(presses):
    """After any keys at all the last Twist is zero, none repeats it, and nothing is left to do."""
    now, timed = 0.0, []
    for pause, key in presses:
        now += pause
        timed.append((now, key))
    log, state = play(timed, now + 20, with_report(State(), STANDING, 0.0))
    sent = [twist for _, twist in twists(log)]
    assert not sent or sent[-1] == Twist()
    explicit = sum(key in ('space', 'backspace') for _, key in timed)
    zeros = sum(later == sooner == Twist() for sooner, later in itertools.pairwise(sent))
    assert zeros <= explicit
    assert wake_time(SETTINGS, state) is None
