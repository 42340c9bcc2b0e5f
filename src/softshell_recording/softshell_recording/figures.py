"""Figures of a run, and which of them fail the checks of its scenario; needs no ROS."""

from dataclasses import asdict, dataclass

import numpy as np

from softshell_recording.recording import BasePath, Recording, Run, StepRun
from softshell_recording.scenario import Checks, Scenario

DECIMALS = 5


@dataclass(frozen=True)
class StepFigures:
    """Figures of one step; None where there was no odometry.

    Args:
        action: its name.
        duration_s: [s] on the ROS clock.
        distance_m: travelled along the heading at the start of the step.
        sideways_m: travelled across that heading, to the left.
        turn_deg: change of heading, to the left.
        tilt_max_deg: largest tilt of the base.
    """

    action: str
    duration_s: float
    distance_m: float | None
    sideways_m: float | None
    turn_deg: float | None
    tilt_max_deg: float | None


NO_STEP = StepFigures('', 0.0, None, None, None, None)


@dataclass(frozen=True)
class Summary:
    """Figures of a run; the keys of `summary.json`. None where the run has no such figure.

    Args:
        robot, bridge: what ran.
        distance_m, sideways_m, speed_mps, drift_deg: of the step measured as travel: along and
            across the heading at its start, mean forward speed, change of heading.
        turn_deg: change of heading over the step measured as turn.
        real_time_factor: simulated over wall time, from the first step to the last.
        tracking_rms_rad, tracking_max_rad: measured minus commanded joint positions; metres for
            prismatic joints.
        tilt_max_deg: largest tilt of the base, except in steps in which it rolls.
        fell: whether that is more than the scenario's `maximum_tilt`.
        first_motion_s: wall time from the start of the stack to the first motion.
        simulated_s, wall_s: duration of all steps.
        steps: figures of each.
        problems: why the demo failed, one text each.
    """

    robot: str
    bridge: str
    distance_m: float | None
    drift_deg: float | None
    sideways_m: float | None
    speed_mps: float | None
    turn_deg: float | None
    real_time_factor: float
    tracking_rms_rad: float | None
    tracking_max_rad: float | None
    tilt_max_deg: float | None
    fell: bool | None
    first_motion_s: float | None
    simulated_s: float
    wall_s: float
    steps: tuple[StepFigures, ...]
    problems: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """Plain values for JSON, rounded."""
        return {key: _rounded(value) for key, value in asdict(self).items()}


def summarise(run: Run, scenario: Scenario, robot: str, bridge: str) -> Summary:
    """Figures of a run.

    Args:
        run: in which at least one step was begun.
        scenario: what was performed.
        robot, bridge: names of what ran.
    """
    recording, checks = run.recording, scenario.checks
    steps = tuple(step_figures(recording, step) for step in run.steps)
    travel, turn = (_measured(steps, scenario, what) for what in ('travel', 'turn'))
    errors = np.abs(recording.errors[np.isfinite(recording.errors)])
    tilt = _largest_tilt(run, scenario)
    tilt_limit = checks.maximum_tilt
    simulated = run.steps[-1].end - run.steps[0].start
    distance, speed = travel.distance_m, None
    if distance is not None and travel.duration_s > 0.0:  # a step that fails at once takes none
        speed = distance / travel.duration_s
    summary = Summary(
        robot=robot,
        bridge=bridge,
        distance_m=distance,
        drift_deg=travel.turn_deg,
        sideways_m=travel.sideways_m,
        speed_mps=speed,
        turn_deg=turn.turn_deg,
        real_time_factor=simulated / run.wall,
        tracking_rms_rad=float(np.sqrt(np.mean(errors**2))) if errors.size else None,
        tracking_max_rad=float(errors.max()) if errors.size else None,
        tilt_max_deg=None if tilt is None else float(np.degrees(tilt)),
        fell=None if tilt is None or tilt_limit is None else tilt > tilt_limit,
        first_motion_s=run.first_motion,
        simulated_s=simulated,
        wall_s=run.wall,
        steps=steps,
        problems=(),
    )
    problems = ((run.failure,) if run.failure else ()) + failed_checks(checks, summary)
    return Summary(**{**vars(summary), 'problems': problems})


def step_figures(recording: Recording, step: StepRun) -> StepFigures:
    """Figures of one step."""
    duration = step.end - step.start
    if recording.base is None:
        return StepFigures(step.action, duration, None, None, None, None)
    start, end = recording.at(step.start), recording.at(step.end)
    along, across, turn = travelled(recording.base, start, end)
    tilt = float(np.degrees(recording.base.tilt[start : end + 1].max()))
    return StepFigures(step.action, duration, along, across, float(np.degrees(turn)), tilt)


def _largest_tilt(run: Run, scenario: Scenario) -> float | None:
    """Largest tilt of the base [rad], without steps in which it rolls; None without odometry."""
    recording = run.recording
    if recording.base is None:
        return None
    upright = np.ones(len(recording.times), dtype=bool)
    rolling = [ran for step, ran in zip(scenario.steps, run.steps, strict=False) if step.rolls]
    for ran in rolling:
        # Until the next step begins: a ball stays as it came to rest.
        after = min(
            (other.start for other in run.steps if other.start >= ran.end), default=ran.end
        )
        upright[recording.at(ran.start) : recording.at(after) + 1] = False
    return float(recording.base.tilt[upright].max(initial=0.0))


def travelled(base: BasePath, start: int, end: int) -> tuple[float, float, float]:
    """How the base moved between two samples.

    Returns:
        Travel along and across (to the left of) the heading at the start [m]; change of heading,
        to the left [rad].
    """
    heading = base.yaw[start]
    x, y = (base.positions[end] - base.positions[start])[:2]
    along = x * np.cos(heading) + y * np.sin(heading)
    across = y * np.cos(heading) - x * np.sin(heading)
    return float(along), float(across), float(base.yaw[end] - heading)


def failed_checks(checks: Checks, summary: Summary) -> tuple[str, ...]:
    """A text for each check that fails: the figure, and what was expected.

    A check whose figure is missing, e.g. a distance without odometry, does not fail.
    """
    problems = []
    if summary.fell and checks.maximum_tilt is not None:
        tilt = np.degrees(checks.maximum_tilt)
        problems.append(
            f'the robot fell: tilt {summary.tilt_max_deg:.1f}°; expected at most {tilt:.1f}°'
        )
    least, distance = checks.minimum_distance, summary.distance_m
    if least is not None and distance is not None and distance < least:
        problems.append(f'the robot travelled {distance:.3f} m; expected at least {least:g} m')
    most, error = checks.maximum_tracking, summary.tracking_max_rad
    if most is not None and error is not None and error > most:
        problems.append(f'a joint was {error:.3f} rad from its command; expected at most {most:g}')
    return tuple(problems)


def checks_not_made(checks: Checks, summary: Summary) -> list[str]:
    """Names of the scenario's checks whose figure is missing in the run."""
    figures = {
        'minimum_distance': summary.distance_m,
        'maximum_tilt': summary.tilt_max_deg,
        'maximum_tracking': summary.tracking_max_rad,
    }
    return [
        name
        for name, figure in figures.items()
        if figure is None and getattr(checks, name) is not None
    ]


def _measured(steps: tuple[StepFigures, ...], scenario: Scenario, what: str) -> StepFigures:
    """Figures of the step that is measured; `NO_STEP` if there is none or it was not reached."""
    place = scenario.measured(what)
    return NO_STEP if place is None or place >= len(steps) else steps[place]


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return value
