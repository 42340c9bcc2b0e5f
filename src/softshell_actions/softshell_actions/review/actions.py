"""What is wrong with actions and gaits beyond their form: names, numbers and references."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from softshell_actions.facts import MEASURED
from softshell_actions.language.expression import (
    BUILT_IN,
    ExpressionError,
    can_name,
    evaluate,
    holds,
    names_of,
)
from softshell_actions.language.gait import ANY_GAIT, CHOSEN, Gait
from softshell_actions.language.grammar import (
    Action,
    Number,
    Use,
)
from softshell_actions.language.vocabulary import Vocabulary
from softshell_common.wording import Location
from softshell_common.yaml_file import YamlFile
from softshell_kinematics.errors import UnknownNameError

#: Keys of an action whose conditions are evaluated while nothing moves, so that they may ask for
#: what has to be measured.
SEEN_TO = ('requires', 'ensures')
#: What callers say beside an action's parameters, in commands and as arguments of functions.
SAID_BY_CALLERS = frozenset({CHOSEN, 'queue', 'stop'})


@dataclass(frozen=True)
class Known:
    """What the files of a robot may refer to.

    Args:
        vocabulary: names of the robot.
        actions, gaits: by name.
        wrong_actions, wrong_gaits: names of those whose files are wrong; a reference to one of
            them is not reported again.
        lengths: numbers that every expression may use, by name.
        unclear: names of such numbers whose values are unknown because a file is wrong.
    """

    vocabulary: Vocabulary
    actions: Mapping[str, Action]
    gaits: Mapping[str, Gait]
    wrong_actions: Collection[str] = ()
    wrong_gaits: Collection[str] = ()
    lengths: Mapping[str, float] = field(default_factory=dict)
    unclear: Collection[str] = ()

    def unknown_action(self, name: str) -> Iterator[str]:
        """What is wrong with the name of an action, if anything."""
        if name not in self.wrong_actions:
            yield from unknown('action', [name], self.actions)

    def unknown_gait(self, name: str) -> Iterator[str]:
        """What is wrong with the name of a gait, if anything."""
        if name not in self.wrong_gaits and not (name == ANY_GAIT and self.gaits):
            yield from unknown('gait', [name], self.gaits)


class Scope:
    """The numbers that the expressions of an action may use.

    Args:
        values: by name.
        unclear: names whose value is unknown because of a mistake that is reported elsewhere.
        told: words for messages that say which parameter is not at its default.
    """

    def __init__(
        self, values: Mapping[str, float], unclear: Collection[str] = (), told: str = ''
    ) -> None:
        self.values, self._unclear, self.told = dict(values), set(unclear), told

    def value(self, expression: Number) -> float | None:
        """Value of an expression; None if it uses an unclear name.

        Raises:
            ExpressionError: as `evaluate`.
        """
        try:
            return evaluate(expression, self.values)
        except ExpressionError as error:
            if error.unknown in self._unclear:
                return None
            raise

    def define(self, name: str, expression: Number) -> None:
        """Add a variable; if its expression has no value, the name is unclear.

        Raises:
            ExpressionError: as `value`.
        """
        try:
            value = self.value(expression)
        except ExpressionError:
            self._unclear.add(name)
            raise
        if value is None:
            self._unclear.add(name)
            return
        self.values[name] = value
        self._unclear.discard(name)

    def changed(self, name: str, value: float, variables: Mapping[str, Number]) -> 'Scope':
        """The same with another value of a parameter, and variables evaluated anew."""
        scope = Scope({**self.values, name: value}, self._unclear, f' where {name} is {value:g}')
        for variable, expression in variables.items():
            scope.values.pop(variable, None)
            with suppress(ExpressionError):
                scope.define(variable, expression)
        return scope

    def problems(self, expression: Number) -> Iterator[str]:
        """Why an expression has no value."""
        try:
            self.value(expression)
        except ExpressionError as error:
            yield str(error)


def unknown(kind: str, names: Collection[str], known: Collection[str]) -> Iterator[str]:
    """A line for each name that is not among those that are known."""
    for name in names:
        if name not in known:
            yield str(UnknownNameError(kind, name, known))


def repeated(kind: str, names: Sequence[str]) -> Iterator[str]:
    """A line for each name that is given more than once."""
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield f'{kind} {name!r} is given {names.count(name)} times; expected it once'


def condition_problems(
    file: YamlFile, where: Location, condition: str, vocabulary: Vocabulary
) -> Iterator[str]:
    """What is wrong with a condition over the facts of the robot.

    Facts that have to be measured are allowed in the sections of `SEEN_TO` alone.
    """
    facts = dict.fromkeys(vocabulary.facts, False)
    try:
        holds(condition, facts)
    except ExpressionError as error:
        yield file.problem(where, str(error))
        return
    early = names_of(condition) & {*MEASURED}
    if early and where[0] not in SEEN_TO:
        text = f'asks for {min(early)!r}, which is only measured for requires and ensures'
        yield file.problem(where, text)


def header_problems(file: YamlFile, action: Action, known: Known) -> Iterator[str]:
    """What is wrong with what an action requires, and with the names of its numbers."""
    for name in SAID_BY_CALLERS.intersection(action.parameters):
        text = 'is a name by which a caller says how an action is performed; expected another'
        yield file.problem(['parameters', name], text)
    for key, names in (('parameters', action.parameters), ('variables', action.variables)):
        for name in names:
            for text in _naming_problems(name, known):
                yield file.problem([key, name], text)
    for name in action.variables:
        if name in action.parameters:
            text = 'is the name of a parameter as well; expected another'
            yield file.problem(['variables', name], text)
    for key, entry in (('requires', action.requires), ('ensures', action.ensures)):
        if entry is not None:
            yield from condition_problems(
                file, (key, 'condition'), entry.condition, known.vocabulary
            )
    required = action.requires
    if required is None:
        return
    if required.action is not None:
        for text in known.unknown_action(required.action):
            yield file.problem(['requires', 'action'], text)
    if required.advice is not None:
        for text in known.unknown_action(required.advice):
            yield file.problem(['requires', 'advice'], text)


def _naming_problems(name: str, known: Known) -> Iterator[str]:
    """Why a parameter or a variable cannot have a name."""
    if not can_name(name):
        yield (
            'cannot be used in an expression; expected letters, digits and underscores, no digit '
            "first, and no word such as 'and'"
        )
    elif name in BUILT_IN or name in known.lengths or name in known.unclear:
        yield 'is a name that has a meaning in every expression already; expected another'


def use_problems(
    file: YamlFile, where: Location, use: Use, scope: Scope, known: Known
) -> Iterator[str]:
    """What is wrong with the use of another action: its name, its parameters, the repetition."""
    for text in scope.problems(use.repeat):
        yield file.problem((*where, 'repeat'), text)
    for text in known.unknown_action(use.use):
        yield file.problem((*where, 'use'), text)
    other = known.actions.get(use.use)
    for name, expression in use.with_.items():
        place = (*where, 'with', name)
        try:
            value = scope.value(expression)
        except ExpressionError as error:
            yield file.problem(place, str(error))
            continue
        if other is None or (value is None and name in other.parameters):
            continue
        problem = other.parameter_problem(name, 0.0 if value is None else value)
        if problem is not None:
            yield file.problem(place, problem)
