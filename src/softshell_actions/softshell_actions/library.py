"""The actions and gaits of a configuration folder, checked as a whole and ready to be called."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from softshell_actions.call import Call
from softshell_actions.expression import evaluate, round_up
from softshell_actions.gait_cycle import GaitCycle
from softshell_actions.language import Action, Gait, SubAction, Use
from softshell_actions.review import condition_problems, gait_problems, sub_action_problems
from softshell_actions.vocabulary import Vocabulary
from softshell_common.yaml_file import Model, YamlFile
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError

#: An action that uses another that uses another, and so on.
MOST_NESTED = 8


class ParameterError(SoftshellError):
    """A parameter of an action that is unknown or outside its range."""


class ActionLibrary:
    """Every action and gait below one folder.

    Args:
        folder: holds `actions/*.yaml`, and `gaits/*.yaml` if the robot has legs.
        vocabulary: the names of the robot.

    Raises:
        ProblemsError: everything that is wrong in any of the files.
    """

    def __init__(self, folder: Path, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        problems: list[str] = []
        gait_files = _load(folder / 'gaits', Gait, problems) if vocabulary.legs else {}
        action_files = _load(folder / 'actions', Action, problems)
        self.gaits = MappingProxyType({name: gait for name, (_, gait) in gait_files.items()})
        self.actions = MappingProxyType(
            {name: action for name, (_, action) in action_files.items()}
        )
        for file, gait in gait_files.values():
            found = list(gait_problems(file, gait, vocabulary, self.actions))
            problems += [f'{file.path.name}: {problem}' for problem in found]
        # Expressions may use the number of parts of each gait, which a wrong gait has not.
        self._lengths = dict(vocabulary.lengths)
        if not problems:
            for name, gait in self.gaits.items():
                cycle = GaitCycle(vocabulary.timings(gait), gait.sway)
                self._lengths[f'{name}_parts'] = float(len(cycle.parts))
        for file, action in action_files.values():
            found = list(self._action_problems(file, action))
            problems += [f'{file.path.name}: {problem}' for problem in found]
        if problems:
            raise ProblemsError(str(folder), problems)

    def action(self, name: str) -> Action:
        """An action by name.

        Raises:
            UnknownNameError: there is none; the text lists those there are.
        """
        if name not in self.actions:
            raise UnknownNameError('action', name, self.actions)
        return self.actions[name]

    def gait(self, name: str) -> Gait:
        """A gait by name.

        Raises:
            UnknownNameError: there is none; the text lists those there are.
        """
        if name not in self.gaits:
            raise UnknownNameError('gait', name, self.gaits)
        return self.gaits[name]

    def call(self, name: str, parameters: Mapping[str, float] | None = None) -> list[Call]:
        """The sub-actions of one call of an action, repetitions and uses of others unrolled.

        Args:
            name: the action.
            parameters: values by name; those not given keep their defaults.

        Raises:
            UnknownNameError: no such action.
            ParameterError: a parameter is unknown, not finite or outside its range.
            ExpressionError: an expression has no value for these parameters.
        """
        return self._call(self.action(name), parameters or {}, (name,))

    def values(self, action: Action, parameters: Mapping[str, float]) -> Mapping[str, float]:
        """What an action's expressions see: lengths, parameters with defaults, variables.

        Raises:
            ParameterError, ExpressionError: as `call`.
        """
        values = {**self._lengths, **{n: entry.default for n, entry in action.parameters.items()}}
        for name, value in parameters.items():
            if name not in action.parameters:
                known = ', '.join(sorted(action.parameters)) or 'none'
                raise ParameterError(f'{action.name}: unknown parameter {name!r}; known: {known}')
            entry = action.parameters[name]
            if not entry.minimum - 1e-12 <= value <= entry.maximum + 1e-12:
                raise ParameterError(
                    f'{action.name}: parameter {name} is {value:g}; '
                    f'expected {entry.minimum:g} to {entry.maximum:g} {entry.unit}'
                )
            values[name] = float(value)
        for name, expression in action.variables.items():
            values[name] = evaluate(expression, values)
        return MappingProxyType(values)

    def _call(
        self, action: Action, parameters: Mapping[str, float], path: tuple[str, ...]
    ) -> list[Call]:
        if len(path) > MOST_NESTED:
            raise ParameterError(f'actions use each other without end: {" → ".join(path)}')
        values = self.values(action, parameters)
        calls = []
        for part in action.sub_actions:
            times = max(0, round_up(evaluate(part.repeat, values)))
            if isinstance(part, Use):
                chosen = {name: evaluate(entry, values) for name, entry in part.with_.items()}
                inner = self._call(self.action(part.use), chosen, (*path, part.use))
                calls += inner * times
            else:
                calls += [Call(part, values)] * times
        return calls

    def _action_problems(self, file: YamlFile, action: Action) -> Iterator[str]:
        if action.requires is not None:
            required = action.requires
            if required.action is not None and required.action not in self.actions:
                error = UnknownNameError('action', required.action, self.actions)
                yield file.problem(['requires', 'action'], str(error))
            elif (circle := self._circle(action)) is not None:
                yield file.problem(['requires', 'action'], f'requires itself: {circle}')
            yield from condition_problems(
                file, ['requires', 'condition'], required.condition, self._vocabulary
            )
        try:
            values = self.values(action, {})
        except SoftshellError as error:
            yield file.problem(['variables'], str(error))
            return
        for index, part in enumerate(action.sub_actions):
            if isinstance(part, SubAction):
                yield from sub_action_problems(
                    file, index, part, values, self._vocabulary, self.gaits
                )
        try:
            self.call(action.name)
        except SoftshellError as error:
            yield file.problem(['sub_actions'], str(error))

    def _circle(self, action: Action) -> str | None:
        """How an action requires itself, by way of others."""
        names = [action.name]
        required = action.requires
        while required is not None and required.action in self.actions:
            name = str(required.action)
            if name in names:
                # Of a circle that this action only leads to, its own members tell.
                return ' -> '.join([*names, name]) if name == action.name else None
            names.append(name)
            required = self.actions[name].requires
        return None


def _load(
    folder: Path, kind: type[Model], problems: list[str]
) -> dict[str, tuple[YamlFile, Model]]:
    """Every valid file of a folder, by the name within; what is wrong goes to `problems`."""
    found: dict[str, tuple[YamlFile, Model]] = {}
    for path in sorted(folder.glob('*.yaml')):
        try:
            file = YamlFile(path)
            entry = file.validate(kind)
        except ProblemsError as error:
            problems += [f'{path.name}: {problem}' for problem in error.problems]
            continue
        name = entry.name  # type: ignore[attr-defined]
        if name != path.stem:
            text = file.problem(['name'], f'is {name!r}; expected {path.stem!r}')
            problems.append(f'{path.name}: {text}')
        found[name] = (file, entry)
    if not found and not problems:
        problems.append(f'{folder} holds no *.yaml file')
    return found
