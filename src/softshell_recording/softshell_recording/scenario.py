"""What a demo performs: the steps and checks of a scenario's file; needs no ROS."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from softshell_common.yaml_file import Number, Positive, StrictModel, YamlFile, yaml_files
from softshell_description.model import RobotModel
from softshell_description.robots import ROBOT_FILE
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError

#: The scenario of a robot where no other is named.
SCENARIO_FILE = 'demo.yaml'

Name = Annotated[str, Field(min_length=1)]


class Step(StrictModel):
    """One action.

    Attributes:
        action: its name.
        parameters: values of its parameters, in their units; others have their defaults.
        gait: for an action that works with any gait; empty: that of cmd_vel.
        rolls: whether the base may turn over in this step, as in a ball: its tilt is not checked.
        measure: what the summary takes from this step: how far the base travelled, or how far it
            turned; at most one step for each.
    """

    action: Name
    parameters: dict[str, Number] = Field(default_factory=dict, alias='with')
    gait: str = ''
    rolls: bool = False
    measure: Literal['travel', 'turn'] | None = None

    @property
    def told(self) -> str:
        """The parameters for a person, e.g. `distance=1.8 gait=wave`."""
        told = [f'{name}={value:g}' for name, value in self.parameters.items()]
        return ' '.join([*told, f'gait={self.gait}'] if self.gait else told)


class Checks(StrictModel):
    """What makes the demo fail; a check that is left out is not made.

    Attributes:
        minimum_distance: least distance of the step measured as travel [m].
        maximum_tilt: largest tilt of the base [rad]; beyond it the robot has fallen.
        maximum_tracking: largest error of a joint against its command [rad] or [m].
    """

    minimum_distance: Positive | None = None
    maximum_tilt: Positive | None = None
    maximum_tracking: Positive | None = None


class View(StrictModel):
    """The camera of picture and video.

    Attributes:
        distance: from the middle of the robot, as a multiple of the size of the robot.
        yaw: direction in which the camera looks, from the y axis towards −x [deg].
        pitch: angle by which it looks upwards; negative: downwards [deg].
    """

    distance: Positive = 1.1
    yaw: Annotated[Number, Field(ge=-180, le=180)] = 75.0
    pitch: Annotated[Number, Field(ge=-89, le=89)] = -20.0


class Content(StrictModel):
    """All of a scenario's file.

    Attributes:
        description: one line, for people.
        scene: scene file of the simulated world, relative to the scenario's folder; empty: a floor
            alone.
        footing: whether feet are fitted to the ground; the argument of the stack overrides it.
        engine: physics engine; the argument of the stack overrides it; empty: the default.
        fingers: how many soft fingers the robot has.
        steps: actions, in order.
        checks: what makes the demo fail.
        view: the camera of picture and video.
    """

    description: str
    scene: str = ''
    footing: bool = False
    engine: str = ''
    fingers: Literal[0, 6] = 0
    steps: tuple[Step, ...]
    checks: Checks = Checks()
    view: View = View()


@dataclass(frozen=True, eq=False)
class Scenario:
    """A scenario that was read.

    Args:
        file: from which it was read.
        scene: path of the scene file; None: a floor alone.
        description, steps, checks, footing, engine, fingers, view: as in `Content`.
    """

    file: YamlFile
    description: str
    steps: tuple[Step, ...]
    checks: Checks
    scene: Path | None = None
    footing: bool = False
    engine: str = ''
    fingers: int = 0
    view: View = field(default_factory=View)

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of the stack that it needs, by name."""
        needed = {
            'footing': 'true' if self.footing else '',
            'engine': self.engine,
            'fingers': str(self.fingers or ''),
            'scene': '' if self.scene is None else str(self.scene),
        }
        return {name: value for name, value in needed.items() if value}

    def measured(self, what: str) -> int | None:
        """Place of the step that is measured as `travel` or `turn`; None if there is none."""
        places = [place for place, step in enumerate(self.steps) if step.measure == what]
        return places[0] if places else None

    def require(self, actions: Mapping[str, Collection[str]]) -> None:
        """Check that the robot has the actions and parameters of all steps.

        Args:
            actions: names of the parameters of each action of the robot, by its name.

        Raises:
            ProblemsError: unknown actions and parameters, all at once, with their lines.
        """
        problems = list(self._unknown(actions))
        if problems:
            raise ProblemsError(str(self.file.path), problems)

    def _unknown(self, actions: Mapping[str, Collection[str]]) -> Iterator[str]:
        for place, step in enumerate(self.steps):
            if step.action not in actions:
                known = ', '.join(sorted(actions)) or 'none'
                text = f'unknown action {step.action!r}; known: {known}'
                yield self.file.problem(('steps', place, 'action'), text)
                continue
            parameters = actions[step.action]
            for name in step.parameters:
                if name not in parameters:
                    known = ', '.join(sorted(parameters)) or 'none'
                    text = f'unknown parameter {name!r} of {step.action}; known: {known}'
                    yield self.file.problem(('steps', place, 'with', name), text)


def scenario_of(robot: RobotModel, name: str) -> Path:
    """The file of a scenario.

    Args:
        robot: with scenarios of its own, and those of the robots that it extends.
        name: of a scenario of the robot, or path of a file or folder; empty: the robot's demo.

    Raises:
        SoftshellError: there is no such scenario and no such path.
    """
    path = Path(name)
    if name and path.exists():
        return path
    found: dict[str, Path] = {}
    for folder in (robot.folder, *robot.bases):  # the nearest first
        for file in yaml_files(folder):
            if file.name != ROBOT_FILE:
                found.setdefault(file.stem, file)
    if not name:
        return found.get(Path(SCENARIO_FILE).stem, robot.folder)
    if name not in found:
        problem = UnknownNameError('scenario', name, found)
        raise SoftshellError(f'{problem}; or the path of a file')
    return found[name]


def load_scenario(path: Path) -> Scenario:
    """Read a scenario.

    Args:
        path: of the file, or of the folder of a robot.

    Raises:
        ProblemsError: everything that is wrong with it, with lines.
    """
    file = YamlFile(path / SCENARIO_FILE if path.is_dir() else path)
    content, problems = file.fitting(Content)
    if content is not None:
        problems += _cross_problems(file, content)
    if problems or content is None:
        raise ProblemsError(str(file.path), problems)
    scene = file.path.parent / content.scene if content.scene else None
    return Scenario(
        file, content.description, content.steps, content.checks, scene, content.footing,
        content.engine, content.fingers, content.view,
    )  # fmt: skip


def _cross_problems(file: YamlFile, content: Content) -> Iterator[str]:
    """Problems of entries that do not fit each other, or the folder."""
    if not content.steps:
        yield file.problem(('steps',), 'is empty; expected at least one step')
    if content.scene and not (file.path.parent / content.scene).is_file():
        yield file.problem(('scene',), f'no file {content.scene!r} in {file.path.parent}')
    counts = Counter(str(step.measure) for step in content.steps if step.measure)
    for place, step in enumerate(content.steps):
        if counts[str(step.measure)] > 1:
            text = f'{step.measure} is measured in {counts[str(step.measure)]} steps; expected one'
            yield file.problem(('steps', place, 'measure'), text)
    if content.checks.minimum_distance is not None and not counts['travel']:
        text = 'expected a step with `measure: travel`, of which it is a check'
        yield file.problem(('checks', 'minimum_distance'), text)
