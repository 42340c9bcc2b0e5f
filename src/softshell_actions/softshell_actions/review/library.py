"""What is wrong with the actions and gaits of a robot as a whole."""

from collections.abc import Callable, Iterator, Mapping

from softshell_actions.language.expression import ExpressionError
from softshell_actions.language.files import Files
from softshell_actions.language.gait import CHOSEN, Gait
from softshell_actions.language.grammar import Action, Use
from softshell_actions.language.vocabulary import Vocabulary
from softshell_actions.performing.call import Call
from softshell_actions.planning.gait_cycle import NUMBERS, GaitCycle
from softshell_actions.review.actions import (
    Known,
    Scope,
    header_problems,
    use_problems,
)
from softshell_actions.review.circles import circles
from softshell_actions.review.gaits import (
    default_problems,
    name_problems,
    stride_problems,
    timing_problems,
)
from softshell_actions.review.moves import scopes_of, sub_action_problems
from softshell_actions.review.well_formed import WellFormed, well_formed, whole
from softshell_common.yaml_file import YamlFile
from softshell_kinematics.errors import SoftshellError

#: Most actions of which each uses the next one.
MOST_NESTED = 8

#: Makes a call of an action, from its name, parameters and gait.
Calling = Callable[[str, Mapping[str, float], str], list[Call]]


class LibraryReview:
    """Finds what is wrong with actions and gaits.

    A mistake is listed once, in the file that has it; files that refer to it are not blamed.

    Args:
        vocabulary: names of the robot.
        gaits, actions: files that were read.

    Attributes:
        known: what the files may refer to.
        gait: that is followed if a caller chooses none; empty if there are no gaits.
        numbers: by gait, see `GaitCycle.numbers`.
    """

    def __init__(self, vocabulary: Vocabulary, gaits: Files[Gait], actions: Files[Action]) -> None:
        self._gaits, self._actions = gaits, actions
        self._timing_problems = {
            name: list(timing_problems(gaits.files[name], gait, vocabulary))
            for name, gait in gaits.entries.items()
        }
        self.gait = vocabulary.gait or min(gaits.entries, default='')
        self.numbers = {
            name: GaitCycle(gait, vocabulary.timings(gait)).numbers
            for name, gait in gaits.entries.items()
            if not self._timing_problems[name]
        }
        named = dict(self.numbers)
        if self.gait in named:
            named[CHOSEN] = named[self.gait]
        lengths = {**vocabulary.lengths, **by_gait(named)}
        gaits_named = {*gaits.wrong, *gaits.entries, *([CHOSEN] if gaits.entries else [])}
        self.known = Known(
            vocabulary,
            actions.entries,
            gaits.entries,
            wrong_actions=actions.wrong,
            wrong_gaits=gaits.wrong,
            lengths=lengths,
            unclear={f'{name}_{number}' for name in gaits_named for number in NUMBERS}
            - lengths.keys(),
        )
        self._uses = {name: _uses(action) for name, action in actions.entries.items()}

    def problems(self, call: Calling) -> list[str]:
        """Everything that is wrong, one line each, file by file.

        Args:
            call: makes calls; only of actions without problems so far.
        """
        of_gaits = {name: list(found) for name, found in self._timing_problems.items()}
        of_actions = {
            name: list(self._in_itself(self._actions.files[name], whole(action)))
            for name, action in self._actions.entries.items()
        }
        for name, problem in (*self._requirement_circles(), *self._use_circles()):
            of_actions[name].append(problem)
        for name in self._inner_first():
            if self._is_right(name, of_actions):
                of_actions[name] += self._call_problems(name, call)
        said: set[tuple[str, str]] = set()
        for name, gait in self._gaits.entries.items():
            file = self._gaits.files[name]
            texts = list(self.known.unknown_action(gait.stride))
            of_gaits[name] += name_problems(file, name)
            of_gaits[name] += default_problems(file, gait, self._actions.entries)
            if self._is_right(gait.stride, of_actions) and not of_gaits[name]:
                texts += self._stride_problems(gait, call)
            # What is wrong with a stride of several gaits is reported once.
            new = [text for text in texts if (gait.stride, text) not in said]
            of_gaits[name] += [file.problem(['stride'], text) for text in new]
            said |= {(gait.stride, text) for text in new}
        return [
            *self._actions.problems,
            *self._unfit_problems(),
            *(self._actions.placed(name, p) for name, found in of_actions.items() for p in found),
            *self._gaits.problems,
            *(self._gaits.placed(name, p) for name, found in of_gaits.items() for p in found),
        ]

    def _unfit_problems(self) -> Iterator[str]:
        """What is wrong, beside their form, with action files that have mistakes of form."""
        for file in self._actions.unfit.values():
            read = well_formed(file.data)
            if read is not None:
                for problem in self._in_itself(file, read):
                    yield self._actions.placed_in(file, problem)

    def _in_itself(self, file: YamlFile, read: WellFormed) -> Iterator[str]:
        """What is wrong with one action, before it is called."""
        action = read.action
        yield from header_problems(file, action, self.known)
        unclear = {*self.known.unclear, *read.unclear}
        scope = Scope({**self.known.lengths, **action.defaults}, unclear)
        for variable, expression in action.variables.items():
            try:
                scope.define(variable, expression)
            except ExpressionError as error:
                yield file.problem(['variables', variable], str(error))
        scopes = scopes_of(action, scope)
        for index, part in zip(read.places, action.sub_actions, strict=True):
            where = ('sub_actions', index)
            if isinstance(part, Use):
                yield from use_problems(file, where, part, scope, self.known)
            else:
                yield from sub_action_problems(file, where, part, scopes, self.known)

    def _call_problems(self, name: str, call: Calling) -> list[str]:
        """What is wrong with a call of an action, including the actions that it uses."""
        try:
            call(name, {}, '')
        except SoftshellError as error:
            if not self._is_unclear(error):
                return [self._actions.files[name].problem(['sub_actions'], str(error))]
        return []

    def _stride_problems(self, gait: Gait, call: Calling) -> list[str]:
        """What is wrong with the stride of a gait."""
        try:
            return list(stride_problems(gait, self._actions.entries[gait.stride], call))
        except SoftshellError as error:
            return [] if self._is_unclear(error) else [str(error)]

    def _is_unclear(self, error: SoftshellError) -> bool:
        """Whether an error only follows from a wrong file, which is reported itself."""
        return isinstance(error, ExpressionError) and error.unknown in self.known.unclear

    def _requirement_circles(self) -> Iterator[tuple[str, str]]:
        """Actions that require themselves: the first action of each circle, and the message."""
        required = {
            name: [action.requires.action]
            for name, action in self._actions.entries.items()
            if action.requires is not None and action.requires.action is not None
        }
        for circle in circles(required):
            text = f'requires itself: {_way(circle)}'
            yield circle[0], self._actions.files[circle[0]].problem(['requires', 'action'], text)

    def _use_circles(self) -> Iterator[tuple[str, str]]:
        """Actions that use themselves, or others too deep, each with the message."""
        found = circles(self._uses)
        for circle in found:
            text = f'uses itself: {_way(circle)}'
            yield circle[0], self._use_problem(circle[0], (*circle, circle[0])[1], text)
        if found:
            return  # depth has no meaning then
        for name, path in self._ways().items():
            if len(path) == MOST_NESTED + 1:
                text = f'actions use each other {len(path)} deep: {" -> ".join(path)}; expected '
                yield name, self._use_problem(name, path[1], f'{text}{MOST_NESTED} at most')

    def _use_problem(self, name: str, used: str, text: str) -> str:
        place = ('sub_actions', self._uses[name][used], 'use')
        return self._actions.files[name].problem(place, text)

    def _ways(self) -> dict[str, tuple[str, ...]]:
        """By action: the longest chain of actions from it of which each uses the next."""
        ways: dict[str, tuple[str, ...]] = {}

        def way(name: str) -> tuple[str, ...]:
            if name not in ways:
                further = (way(other) for other in self._uses.get(name, ()))
                ways[name] = (name, *max(further, key=len, default=()))
            return ways[name]

        return {name: way(name) for name in self._uses}

    def _is_right(
        self, name: str, problems: Mapping[str, list[str]], path: tuple[str, ...] = ()
    ) -> bool:
        """Whether neither an action nor any that it uses has a problem."""
        if problems.get(name, True) or name in path or len(path) >= MOST_NESTED:
            return False
        return all(self._is_right(other, problems, (*path, name)) for other in self._uses[name])

    def _inner_first(self) -> list[str]:
        """All actions, each after those that it uses; in any order where there are circles."""
        done: dict[str, None] = {}

        def visit(name: str, path: tuple[str, ...]) -> None:
            if name in self._uses and name not in done and name not in path:
                for other in self._uses[name]:
                    visit(other, (*path, name))
                done[name] = None

        for name in self._uses:
            visit(name, ())
        return list(done)


def _uses(action: Action) -> dict[str, int]:
    """The actions that an action uses, each with the index of the first use in `sub_actions`."""
    found: dict[str, int] = {}
    for index, part in enumerate(action.sub_actions):
        if isinstance(part, Use):
            found.setdefault(part.use, index)
    return found


def _way(circle: tuple[str, ...]) -> str:
    return ' -> '.join([*circle, circle[0]])


def by_gait(numbers: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Numbers of gaits under the names that expressions use, such as `tripod_parts`."""
    return {f'{gait}_{name}': n for gait, own in numbers.items() for name, n in own.items()}
