"""What is done again and again with other parameters, and what is measured of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pydantic import BaseModel

from softshell_kinematics.errors import UnknownNameError

#: Where each scenario is, by name, as module and attribute; imported when it is asked for.
SCENARIOS = {
    'grasp': ('softshell_studies.scenarios.grasp', 'GRASP'),
    'hand': ('softshell_studies.scenarios.hand', 'HAND'),
    'roll': ('softshell_studies.scenarios.roll', 'ROLL'),
    'snake': ('softshell_studies.scenarios.snake', 'SNAKE'),
    'walk': ('softshell_studies.scenarios.walk', 'WALK'),
    'tendon_rod': ('softshell_studies.scenarios.tendon_rod', 'TENDON_ROD'),
}


@dataclass(frozen=True)
class Metric:
    """A number that is measured of a run.

    Attributes:
        unit: of it; empty for a count or a ratio.
        meaning: in a few words.
    """

    unit: str
    meaning: str


@dataclass(frozen=True)
class Scenario:
    """What is done in a run.

    Attributes:
        name: by which studies ask for it.
        form: its parameters, all with defaults; nested forms have paths with dots.
        metrics: that it measures, by name.
        run: does it, from parameters of the form and a seed, and returns the metrics.
        is_seen: whether there is something to film.
        has_joints: whether there is a robot whose joints can be recorded.
    """

    name: str
    form: type[BaseModel]
    metrics: Mapping[str, Metric]
    run: Callable[[Any, int], Mapping[str, float]]
    is_seen: bool = True
    has_joints: bool = True


def scenario_of(name: str) -> Scenario:
    """A scenario by its name.

    Raises:
        UnknownNameError: there is none; the text lists those that there are.
    """
    if name not in SCENARIOS:
        raise UnknownNameError('scenario', name, SCENARIOS)
    module, attribute = SCENARIOS[name]
    scenario: Scenario = getattr(import_module(module), attribute)
    return scenario
