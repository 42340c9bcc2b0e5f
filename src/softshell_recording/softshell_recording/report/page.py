"""The report: one page of HTML that needs no other files; needs no ROS."""

from collections.abc import Callable, Iterator, Sequence
from html import escape

import numpy as np

from softshell_common.html_page import section, table, whole_page
from softshell_kinematics.errors import SoftshellError
from softshell_recording.report import charts
from softshell_recording.report.analysis import (
    SHORT,
    Energy,
    FeetMotion,
    cost_of_transport,
    distance,
    energy,
    feet_motion,
    missing_time,
)
from softshell_recording.report.log import Event, Log

#: How many of the joints with the largest tracking errors are listed.
WORST = 5
#: Most events that are listed.
MOST_EVENTS = 200


def page(log: Log, title: str, tell: Callable[[str], None] = lambda line: None) -> str:
    """The whole page.

    Args:
        log: what was recorded.
        title: of the page.
        tell: takes a line about a section that is left out, and about gaps.

    Returns:
        The HTML.
    """
    with np.errstate(over='ignore', invalid='ignore'):  # messages may hold any numbers
        return _page(log, title, tell)


def _page(log: Log, title: str, tell: Callable[[str], None]) -> str:
    """As `page`, which has the arguments."""
    try:
        motion = feet_motion(log)
    except SoftshellError as error:
        tell(f'slip of the feet is left out: robot_description and foot_contacts: {error}')
        motion = None
    spent = energy(log)
    if (lost := missing_time(log)) > 0.0 and (motion is not None or spent is not None):
        whole = log.recording.times[-1] - log.recording.times[0]
        tell(
            f'no joint_states came for {lost:.1f} s of {whole:.1f} s: slip, work and cost of '
            'transport are without what happened then'
        )
    return whole_page(title, (table(summary(log, motion, spent)), *_sections(log, motion, spent)))


def summary(log: Log, motion: FeetMotion | None, spent: Energy | None) -> list[tuple[str, str]]:
    """The rows of the summary: a name and a value each."""
    times, errors = log.recording.times, log.recording.errors
    rows = [
        ('bridge', log.bridge),
        ('namespace', log.namespace),
        ('duration', f'{times[-1] - times[0]:.1f} s, in {log.wall:.1f} s of wall time'),
    ]
    lost = missing_time(log)
    if lost > 0.0:
        rows.append(('without joint states', f'{lost:.1f} s, left out of slip, work and cost'))
    way, known = distance(log), distance(log, gaps=False)
    if way is not None:
        rows.append(('way of the base', f'{way:.3f} m'))
    if motion is not None:
        total = float(motion.slip[-1].sum())
        each = f', {total / known:.3f} m a metre' if known and known > SHORT else ''
        rows.append(('slip of all feet together', f'{total:.3f} m{each}'))
    if np.isfinite(errors).any():
        mean = float(np.sqrt(np.nanmean(errors**2)))
        rows.append(('tracking error, rms', f'{mean:.4f} rad or m'))
    if spent is not None:
        work = float(spent.work[-1])
        rows.append(('work of the joints', f'{work:.1f} J'))
        cost = None if known is None else cost_of_transport(log, work, known)
        if cost is not None:
            rows.append(('cost of transport', f'{cost:.2f}'))
    for name, kind in (('stops and faults', 'fault'), ('warnings', 'warning')):
        rows.append((name, str(sum(event.kind == kind for event in log.events))))
    return [row for row in rows if row[1]]


def _sections(log: Log, motion: FeetMotion | None, spent: Energy | None) -> Iterator[str]:
    """The sections of the page, as HTML: only of what was recorded."""
    told = [event for event in log.events if event.kind != 'action']
    if told:
        yield section('What happened', '') + _events(log, told)
    if log.touch is not None:
        yield section('Gait diagram', 'Red lines are stops and faults, grey ones begin a '
                       'sub-action.', charts.gait_diagram(log, log.touch))  # fmt: skip
    if log.recording.base is not None:
        yield section('Way of the base, from above', '', charts.way(log))
        yield section('Height and tilt of the base', '', charts.base(log))
    if len(log.driven):
        yield section('Velocities that were asked for', '', charts.velocities(log))
    if log.touch is not None and motion is not None:
        yield section('Slip', 'How far the lowest points of the feet have moved over the ground '
                       'while they touched it; a foot that rolls does not slip.',
                       charts.slip(log, log.touch, motion))  # fmt: skip
    if log.touch is not None:
        yield section('Contacts', '', charts.forces(log, log.touch))
    if np.isfinite(log.recording.errors).any():
        text = 'Against the commands of the joints, after trajectories were adapted and limited.'
        yield section('Tracking', text, charts.tracking(log)) + table(_worst(log))
    if spent is not None:
        text = 'Sum over the joints of |effort times velocity|: braking returns no energy.'
        yield section('Power', text, charts.power(log, spent))
    if log.health is not None:
        for title, figure in charts.health(log):
            yield section(title, '', figure)
    if log.temperatures is not None:
        text = f'The {charts.NAMED} hottest ones by name, all others in grey.'
        yield section('Temperatures of the motors', text, charts.temperatures(log))


def _worst(log: Log) -> list[tuple[str, str]]:
    """The joints with the largest tracking errors."""
    errors = np.abs(log.recording.errors)
    largest = np.nanmax(np.where(np.isfinite(errors), errors, 0.0), axis=0)
    order = np.argsort(-largest)[:WORST]
    return [(log.recording.joint_names[k], f'{largest[k]:.4f} at most') for k in order]


def _events(log: Log, events: Sequence[Event]) -> str:
    begin = log.recording.times[0]
    lines = [
        f'<tr class="{event.kind}"><td>{event.time - begin:.2f} s</td><td>{event.kind}</td>'
        f'<td>{escape(event.text)}</td></tr>'
        for event in events[:MOST_EVENTS]
    ]
    more = len(events) - MOST_EVENTS
    if more > 0:
        lines.append(f'<tr><td></td><td></td><td>and {more} more</td></tr>')
    return f'<table>{"".join(lines)}</table>'
