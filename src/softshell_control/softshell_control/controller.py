"""Controllers: they move channels by what is measured, period by period, until they are done.

A robot names its controllers in `robot.yaml`, each with its class. What a controller wants passes
the same gate as a trajectory.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType

import numpy as np

from softshell_common.reason import Reason, ReasonCode
from softshell_control.backend import Measured
from softshell_control.channel import Limits
from softshell_control.trajectories.check import Refusal
from softshell_control.trajectories.trajectory import Identity
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError


@dataclass(frozen=True)
class Reference:
    """A number that tells a controller what it is to do.

    Args:
        default: its value if none is given.
        minimum, maximum: its range.
        unit: e.g. 'rad'.
        meaning: for people.
    """

    default: float
    minimum: float
    maximum: float
    unit: str
    meaning: str


class Controller(ABC):
    """Moves channels while a run of it is active. One thread calls it.

    Attributes:
        references: what it may be told, by name.
    """

    references: Mapping[str, Reference]

    @abstractmethod
    def begin(self, now: int, measured: Measured, value: Array) -> None:
        """Begin a run.

        Args:
            now: begin of the control period [ns].
            measured: then.
            value: (channels,) commanded until now.

        Raises:
            SoftshellError: it cannot; the text says why.
        """

    @abstractmethod
    def instruct(self, now: int, references: Mapping[str, float]) -> None:
        """Take new references, all of them valid; those not named keep their values.

        Args:
            now: begin of the control period [ns].
            references: values by name, in the units of `Reference`.
        """

    @abstractmethod
    def finish(self) -> None:
        """Begin to come to rest, as soon as possible."""

    @abstractmethod
    def update(self, now: int, end: int, measured: Measured, value: Array, rate: Array) -> None:
        """Write what is wanted of its channels at the end of a control period.

        Args:
            now, end: begin and end of the period [ns].
            measured: at its begin.
            value, rate: (channels,) wanted of the whole robot; the same arrays each time.
        """

    @abstractmethod
    def watch(self, now: int, measured: Measured, value: Array, rate: Array) -> None:
        """Take note of what is measured while no run of it is active.

        Args:
            now: begin of the control period [ns].
            measured: then.
            value, rate: (channels,) wanted of the whole robot, to be read only.
        """

    def forget(self) -> None:  # noqa: B027 - few have anything to forget
        """Drop what `watch` and runs have learnt: a simulated robot was put somewhere else."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether the run has reached its end."""

    @property
    @abstractmethod
    def problem(self) -> Reason | None:
        """Why the run cannot go on, if it cannot."""


#: Makes a controller of a robot, its limits and the control period [s].
Factory = Callable[[RobotModel, Limits, float], Controller]


def controllers_of(robot: RobotModel, limits: Limits, period: float) -> dict[str, Controller]:
    """The controllers that a robot names.

    Args:
        robot: names them.
        limits: of its channels.
        period: the control period [s].

    Raises:
        SoftshellError: there is no such class, or it refuses the robot.
    """
    return {
        name: factory_of(name, place)(robot, limits, period)
        for name, place in robot.controllers.items()
    }


def factory_of(name: str, place: str) -> Factory:
    """What makes a controller, from `module:Class`.

    Raises:
        SoftshellError: there is no such module or class.
    """
    module, _, attribute = place.partition(':')
    try:
        factory: Factory = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise SoftshellError(
            f'controller {name!r}: {place!r} cannot be imported ({error}); expected module:Class'
        ) from None
    return factory


@dataclass(frozen=True, eq=False)
class Run:
    """A valid run of a controller, as it was asked for.

    Args:
        identity: whose it is.
        controller: that runs.
        references: a value for each reference of the controller, by name.
        queued: starts when what is active has reached its goal, rather than at once.
        stamp: its earliest start [ns]; 0: none.
        after: see `Trajectory`.
    """

    identity: Identity
    controller: Controller
    references: Mapping[str, float]
    queued: bool = False
    stamp: int = 0
    after: bytes | None = None


@dataclass(frozen=True)
class Instruction:
    """New references for an active run, or that it is to finish.

    Args:
        identity: of the run.
        references: by name, already checked.
        finish: whether it is to come to rest.
        controller: for which they were checked: a run of another one does not take them. None:
            for that of the run.
    """

    identity: Identity
    references: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    finish: bool = False
    controller: Controller | None = None

    def is_for(self, run: Run) -> bool:
        """Whether it is for this run, and was checked for its controller."""
        return self.identity == run.identity and self.controller in (None, run.controller)


def check_run(
    identity: Identity,
    name: str,
    references: Mapping[str, float],
    queued: bool,
    controllers: Mapping[str, Controller],
    after: bytes | None = None,
) -> Run | Refusal:
    """Take or refuse a run as a whole.

    Args:
        identity: whose it is.
        name: of the controller.
        references: by name; the others have their defaults.
        queued, after: see `Run`.
        controllers: of the robot.
    """
    if name not in controllers:
        text = str(UnknownNameError('controller', name, controllers))
        return Refusal(identity, (Reason(ReasonCode.UNKNOWN_CHANNEL, text),))
    controller = controllers[name]
    problems = reference_problems(controller, references)
    if problems:
        return Refusal(identity, problems)
    defaults = {key: entry.default for key, entry in controller.references.items()}
    return Run(identity, controller, {**defaults, **references}, queued, after=after)


def repeated(names: Sequence[str]) -> tuple[Reason, ...]:
    """What is wrong with names of references: those that are given twice."""
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    text = f'references given twice: {", ".join(map(repr, twice))}'
    return (Reason(ReasonCode.DUPLICATE_CHANNEL, text),) if twice else ()


def reference_problems(
    controller: Controller, references: Mapping[str, float]
) -> tuple[Reason, ...]:
    """What is wrong with references: unknown names, values out of range."""
    problems = []
    for name, value in references.items():
        if name not in controller.references:
            text = str(UnknownNameError('reference', name, controller.references))
            problems.append(Reason(ReasonCode.UNKNOWN_CHANNEL, text))
            continue
        entry = controller.references[name]
        if not np.isfinite(value) or not entry.minimum <= value <= entry.maximum:
            text = (
                f'reference {name} is {value:g} {entry.unit}; expected {entry.minimum:g} to '
                f'{entry.maximum:g} {entry.unit}'
            )
            problems.append(Reason(ReasonCode.OUT_OF_RANGE, text))
    return tuple(problems)
