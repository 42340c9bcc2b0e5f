"""What keys do: a pure function (state, key, now) → (state, commands).

A terminal reports presses and repeats but no releases, so a drive key counts as held until its
dead-man time has passed since its last report. That time is long after a press, to outlast the
delay before the first repeat, and short after a repeat, so that a release stops the robot
quickly. While keys are held, a Twist is sent at a fixed rate. When the last key is released, one
zero Twist is sent, and then none, so that other programs may publish on cmd_vel.
"""

from dataclasses import dataclass, replace

from softshell_teleop.commands import (
    STOP,
    CancelAction,
    Command,
    EmergencyStop,
    Exit,
    Perform,
    Say,
    SetGait,
    SetPosture,
    Show,
    Twist,
)
from softshell_teleop.offer import UNKNOWN, Offer
from softshell_teleop.posture import Posture, stepped
from softshell_teleop.settings import Settings

#: Drive commands and their direction (forward, left, turn left).
DIRECTIONS = {
    'forward': (1, 0, 0),
    'backward': (-1, 0, 0),
    'left': (0, 1, 0),
    'right': (0, -1, 0),
    'turn_left': (0, 0, 1),
    'turn_right': (0, 0, -1),
}
#: Posture commands and their steps (height, roll, pitch), in steps of the settings.
POSTURE_STEPS = {
    'raise': (1, 0, 0),
    'lower': (-1, 0, 0),
    'tilt_forward': (0, 0, 1),
    'tilt_backward': (0, 0, -1),
    'tilt_left': (0, -1, 0),
    'tilt_right': (0, 1, 0),
}
#: How long after asking for a posture steps start from it, whatever is reported [s]: reports lag
#: behind while the base moves. A report from before we asked is never used.
POSTURE_MEMORY = 2.0


@dataclass(frozen=True)
class Held:
    """A drive command whose key is held.

    Attributes:
        name: one of `DIRECTIONS`.
        seen: time of the last report of its key [s].
        until: time at which it counts as released [s].
    """

    name: str
    seen: float
    until: float


@dataclass(frozen=True)
class State:
    """All that the keyboard interface remembers.

    Attributes:
        held: drive commands whose keys are held, oldest first.
        next_twist: time of the next Twist [s]; None while none is sent.
        speed: factor of the speeds.
        offer: what the robot can be asked for; None if that is not known.
        gait: the gait that we last asked for; empty: none.
        reported: the posture that the action manager last reported, at `reported_at` [s]; None if
            it reported none.
        posture: the posture that we last asked for, at `posture_at` [s]; None if we did not.
        unsaid: whether the posture has changed since it was last printed.
        stepped_at: time of the last step of posture or speed [s].
        key, key_at: the last key and its time [s].
    """

    held: tuple[Held, ...] = ()
    next_twist: float | None = None
    speed: float = 1.0
    offer: Offer | None = None
    gait: str = ''
    reported: Posture | None = None
    reported_at: float = 0.0
    posture: Posture | None = None
    posture_at: float = 0.0
    unsaid: bool = False
    stepped_at: float = -1e9
    key: str = ''
    key_at: float = -1e9


Step = tuple[State, tuple[Command, ...]]


def step(settings: Settings, state: State, key: str | None, now: float) -> Step:
    """The new state and the commands after a key, or after some time without a key.

    Args:
        settings: key map, speeds and steps.
        state: the state that the last call returned.
        key: name of the key, see `key_parser`; None: only time has passed.
        now: time of a clock that never runs backwards [s].

    Returns:
        The new state, and the commands to carry out, in order.
    """
    state, commands = _pass_time(settings, state, now)
    if key is None:
        return state, commands
    repeated = key == state.key and now - state.key_at <= settings.hold.first
    state = replace(state, key=key, key_at=now)
    state, more = _obey(settings, state, key, repeated, now)
    return state, commands + more


def wake_time(settings: Settings, state: State) -> float | None:
    """Time at which `step` must be called even without a key [s]; None if it need not be."""
    times = [held.until for held in state.held]
    if state.next_twist is not None:
        times.append(state.next_twist)
    if state.unsaid:
        times.append(_settled_at(settings, state))
    return min(times, default=None)


def with_report(state: State, posture: Posture, now: float) -> State:
    """The state after the action manager has reported a posture."""
    return replace(state, reported=posture, reported_at=now) if posture.finite else state


def with_offer(state: State, offer: Offer | None) -> State:
    """The state with what the robot offers now; the gait of one that has gone is forgotten."""
    return replace(state, offer=offer, gait='' if offer is None else state.gait)


def with_refusal(state: State) -> State:
    """The state after a posture was refused: the next step starts from the reported posture."""
    return replace(state, posture=None, unsaid=False)


def released(state: State) -> Step:
    """Release every key, e.g. before the interface ends or is suspended."""
    commands = (Twist(),) if state.next_twist is not None else ()
    return replace(state, held=(), next_twist=None), commands


def twist_of(settings: Settings, state: State) -> Twist:
    """The velocity for the held keys; on a diagonal the speed is that of a straight line."""
    forward, left, turn = (
        sum(DIRECTIONS[held.name][axis] for held in state.held) for axis in range(3)
    )
    linear = settings.drive.linear * state.speed / max(1.0, (forward**2 + left**2) ** 0.5)
    return Twist(forward * linear, left * linear, turn * settings.drive.angular * state.speed)


def _pass_time(settings: Settings, state: State, now: float) -> Step:
    commands: tuple[Command, ...] = ()
    held = tuple(one for one in state.held if one.until > now)
    if held != state.held:
        state = replace(state, held=held)
        state, commands = _send(settings, state, now) if held else released(state)
    elif state.next_twist is not None and now >= state.next_twist:
        state, commands = _send(settings, state, now)
    if state.unsaid and state.posture and now >= _settled_at(settings, state):
        commands += (Say(f'posture: {state.posture}'),)
        state = replace(state, unsaid=False)
    return state, commands


def _settled_at(settings: Settings, state: State) -> float:
    return state.posture_at + settings.hold.repeat + settings.posture.interval


def _send(settings: Settings, state: State, now: float) -> Step:
    due = replace(state, next_twist=now + 1.0 / settings.drive.rate)
    return due, (twist_of(settings, state),)


def _obey(settings: Settings, state: State, key: str, repeated: bool, now: float) -> Step:
    binding = settings.bindings.get(key)
    if binding is None:
        hint = ' or '.join(settings.keys.keys) or 'the key map'
        unknown = () if repeated else (Say(f'{key}: no such key; {hint} lists the keys', True),)
        return state, unknown
    if binding.command in DIRECTIONS:
        return _hold(settings, state, binding.command, now)
    if binding.command in POSTURE_STEPS or binding.command == 'level':
        return _change_posture(settings, state, binding.command, repeated, now)
    if binding.command in ('faster', 'slower'):
        return _change_speed(settings, state, binding.command, repeated, now)
    if binding.command == 'stop':
        state, zero = released(state)
        return state, zero if repeated else (Twist(), CancelAction(), Say('stop'))
    if binding.command == STOP:
        state, _ = released(state)
        return state, () if repeated else (
            EmergencyStop(),
            Twist(),
            Say('emergency stop asked for'),
        )
    if repeated:
        return state, ()
    if binding.command == 'next_gait':
        return _change_gait(state)
    if binding.command == 'action':
        if state.offer is not None and binding.action not in state.offer.actions:
            return state, (Say(f'{binding.action}: this robot has no such action', True),)
        state, zero = released(state)
        state = replace(state, posture=None, unsaid=False)
        return state, (*zero, Say(binding.action), Perform(binding.action))
    if binding.command == 'exit':
        state, zero = released(state)
        return state, (*zero, Exit())
    return state, (Show(binding.command),)


def _change_gait(state: State) -> Step:
    gaits = () if state.offer is None else state.offer.gaits
    if len(gaits) < 2:
        known = 'is the robot up?' if state.offer is None else 'this robot has no other'
        return state, (Say(f'gait: {known}', True),)
    place = gaits.index(state.gait) if state.gait in gaits else 0
    gait = gaits[(place + 1) % len(gaits)]
    return replace(state, gait=gait), (Say(f'gait: {gait}'), SetGait(gait))


def _hold(settings: Settings, state: State, name: str, now: float) -> Step:
    before = next((held for held in state.held if held.name == name), None)
    repeats = before is not None and now - before.seen <= settings.hold.repeat
    for_now = settings.hold.repeat if repeats else settings.hold.first
    opposite = tuple(-value for value in DIRECTIONS[name])
    held = Held(name, now, now + for_now)
    others = tuple(
        one for one in state.held if one.name != name and DIRECTIONS[one.name] != opposite
    )
    state = replace(state, held=(*others, held))
    if before is not None:
        return state, ()  # the velocity is the same; the next Twist comes at its rate
    state, commands = _send(settings, state, now)
    names = ' + '.join(one.name.replace('_', ' ') for one in state.held)
    return state, (Say(f'{names} (speed ×{state.speed:.2f})'), *commands)


def _change_speed(settings: Settings, state: State, name: str, repeated: bool, now: float) -> Step:
    if repeated and now - state.stepped_at < settings.posture.interval:
        return state, ()
    drive = settings.drive
    factor = drive.speed_step if name == 'faster' else 1.0 / drive.speed_step
    speed = min(max(state.speed * factor, drive.speed_minimum), drive.speed_maximum)
    speed = 1.0 if abs(speed - 1.0) < 1e-6 else speed
    if repeated and speed == state.speed:
        return state, ()
    limit = ', its limit' if speed in (drive.speed_minimum, drive.speed_maximum) else ''
    said = Say(
        f'speed ×{speed:.2f}: {drive.linear * speed:.3f} m/s, '
        f'{drive.angular * speed:.2f} rad/s{limit}'
    )
    state = replace(state, speed=speed, stepped_at=now)
    if not state.held:
        return state, (said,)
    state, commands = _send(settings, state, now)
    return state, (said, *commands)


def _change_posture(
    settings: Settings, state: State, name: str, repeated: bool, now: float
) -> Step:
    label, offer = name.replace('_', ' '), state.offer or UNKNOWN
    if not offer.poses:
        text = f'{label}: the base of this robot cannot be brought to a pose'
        return state, () if repeated else (Say(text, True),)
    ours = now - state.posture_at <= POSTURE_MEMORY or state.reported_at < state.posture_at
    base = state.posture if ours and state.posture is not None else state.reported
    if base is None:
        text = f'{label}: posture not known yet; is the action manager running?'
        return state, () if repeated else (Say(text, True),)
    if repeated and now - state.stepped_at < settings.posture.interval:
        return state, ()
    posture = _next_posture(settings, offer, base, name)
    if posture == base:
        text = f'{label}: already there: {base}'
        return state, () if repeated else (Say(text),)
    first = not state.unsaid and not repeated
    state = replace(
        state, posture=posture, posture_at=now, stepped_at=now, unsaid=not first or state.unsaid
    )
    commands: tuple[Command, ...] = (SetPosture(posture),)
    return state, (Say(f'{label}: {posture}'), *commands) if first else commands


def _next_posture(settings: Settings, offer: Offer, base: Posture, name: str) -> Posture:
    if name == 'level':
        return replace(base, roll=0.0, pitch=0.0)
    steps = settings.posture
    height, roll, pitch = POSTURE_STEPS[name]
    return replace(
        base,
        z=stepped(base.z, height * steps.height_step, *offer.height),
        roll=stepped(base.roll, roll * steps.tilt_step, *offer.roll),
        pitch=stepped(base.pitch, pitch * steps.tilt_step, *offer.pitch),
    )
