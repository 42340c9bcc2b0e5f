"""The scenarios that studies run, and the metrics that they return."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pydantic import BaseModel

from softshell_kinematics.errors import UnknownNameError

#: Module and attribute of each scenario, by name; a module is imported when it is needed.
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
    """A number that is measured in a run.

    Attributes:
        unit: empty for a count or a ratio.
        meaning: in a few words.
    """

    unit: str
    meaning: str


@dataclass(frozen=True)
class Scenario:
    """What a run does.

    Attributes:
        name: by which studies name it.
        form: its parameters, all with defaults; fields of nested forms have paths with dots.
        metrics: that it returns, by name.
        run: the function that performs it: takes parameters and a seed, returns the metrics.
        is_seen: whether it can be filmed.
        has_joints: whether it has a robot whose joints can be recorded.
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
        UnknownNameError: there is no scenario of this name; the message lists the valid names.
    """
    if name not in SCENARIOS:
        raise UnknownNameError('scenario', name, SCENARIOS)
    module, attribute = SCENARIOS[name]
    scenario: Scenario = getattr(import_module(module), attribute)
    return scenario
