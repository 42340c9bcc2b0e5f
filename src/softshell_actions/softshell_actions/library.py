"""The actions and gaits of a configuration folder, checked as a whole and ready to be called."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from softshell_actions.language.expression import evaluate, round_up
from softshell_actions.language.files import ACTIONS, GAITS, Files, placed
from softshell_actions.language.gait import ANY_GAIT, CHOSEN, Gait
from softshell_actions.language.grammar import Action, GaitMove, SubAction, Use
from softshell_actions.language.vocabulary import Vocabulary
from softshell_actions.performing.call import Call
from softshell_actions.review.actions import Known
from softshell_actions.review.gaits import following_any
from softshell_actions.review.library import MOST_NESTED, LibraryReview, by_gait
from softshell_common.wording import Location
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError

#: Most sub-actions of one call of an action, repetitions included.
MOST_CALLS = 100_000


class ParameterError(SoftshellError):
    """A parameter of an action that is unknown or outside its range."""


@dataclass(frozen=True)
class Instead:
    """Files that replace a robot's own of the same name, or are added to them."""

    actions: tuple[Path, ...] = ()
    gaits: tuple[Path, ...] = ()


NOTHING_INSTEAD = Instead()


def _nothing(known: Known) -> Iterable[str]:
    return ()


class ActionLibrary:
    """The actions and gaits of a robot's folder and of those of robots that it extends.

    Args:
        folder: holds `actions/*.yaml`, and `gaits/*.yaml` if the robot has legs.
        vocabulary: the names of the robot.
        further: finds problems of other files that refer to actions or gaits.
        bases: further folders like `folder`; no two files may have the same name.
        instead: files that replace those of the same name in the folders, or are added to them.

    Raises:
        ProblemsError: everything that is wrong in any of the files.
    """

    def __init__(
        self,
        folder: Path,
        vocabulary: Vocabulary,
        further: Callable[[Known], Iterable[str]] = _nothing,
        bases: Sequence[Path] = (),
        instead: Instead = NOTHING_INSTEAD,
    ) -> None:
        gaits = Files(GAITS, Gait)
        if vocabulary.legs:
            gaits.read(folder, bases, instead.gaits)
        else:
            text = 'is a gait; expected a robot with legs'
            gaits.problems += [placed(folder, path.resolve(), text) for path in instead.gaits]
        actions = Files(ACTIONS, Action)
        actions.read(folder, bases, instead.actions)
        review = LibraryReview(vocabulary, gaits, actions)
        self.gaits: Mapping[str, Gait] = MappingProxyType(gaits.entries)
        self.actions: Mapping[str, Action] = MappingProxyType(actions.entries)
        self._files, self._lengths = actions, review.known.lengths
        self._gait, self._numbers = review.gait, review.numbers
        self._of_any_gait = following_any(self.actions)
        problems = [*review.problems(self.call), *further(review.known)]
        if problems:
            raise ProblemsError(str(folder.resolve()), problems)

    def action(self, name: str) -> Action:
        """An action by name.

        Raises:
            UnknownNameError: no action has this name; the text lists all names.
        """
        if name not in self.actions:
            raise UnknownNameError('action', name, self.actions)
        return self.actions[name]

    def path(self, name: str) -> Path:
        """The file of an action.

        Raises:
            UnknownNameError: as `action`.
        """
        return self._files.files[self.action(name).name].path

    def problem(self, name: str, location: Location, text: str) -> str:
        """A problem of an entry in an action's file, after the file's path and the line."""
        return self._files.placed(name, self._files.files[name].problem(location, text))

    def gait(self, name: str) -> Gait:
        """A gait by name.

        Raises:
            UnknownNameError: no gait has this name; the text lists all names.
        """
        if name not in self.gaits:
            raise UnknownNameError('gait', name, self.gaits)
        return self.gaits[name]

    def choose(self, action: Action, gait: str) -> None:
        """Check that a caller may choose a gait for an action.

        Raises:
            ParameterError: there is no such gait, or the action does not let the caller choose.
        """
        if gait not in self.gaits:
            raise ParameterError(f'{action.name}: {UnknownNameError("gait", gait, self.gaits)}')
        if action.name not in self._of_any_gait:
            raise ParameterError(
                f'{action.name}: gait is {gait!r}; expected none, as the action does not let the '
                f'caller choose a gait; these do: {", ".join(sorted(self._of_any_gait)) or "none"}'
            )

    def gaits_of(self, action: Action) -> tuple[str, ...]:
        """Names of the gaits that a caller can choose for an action; empty if it has no choice."""
        return tuple(sorted(self.gaits)) if action.name in self._of_any_gait else ()

    def call(
        self, name: str, parameters: Mapping[str, float] | None = None, gait: str = ''
    ) -> list[Call]:
        """The sub-actions of one call of an action, repetitions and uses of others unrolled.

        Args:
            name: the action.
            parameters: values by name; those not given keep their defaults.
            gait: that moves with `gait: any` follow; empty: that of the robot's `cmd_vel`.

        Raises:
            UnknownNameError: no such action, or no such gait.
            ParameterError: a parameter is unknown, not finite or outside its range.
            ExpressionError: an expression has no value for these parameters.
        """
        gait = self.gait(gait).name if gait else self._gait
        return self._call(self.action(name), parameters or {}, (name,), gait)

    def values(
        self, action: Action, parameters: Mapping[str, float], gait: str = ''
    ) -> Mapping[str, float]:
        """The numbers that an action's expressions may use, by name.

        These are the robot's lengths, numbers of gaits, parameters and variables.

        Args:
            action: the action.
            parameters: values by name; others have their defaults.
            gait: as in `call`.

        Raises:
            ParameterError: as `call`.
            ExpressionError: as `call`.
        """
        gait = gait or self._gait
        values = {**self._lengths, **action.defaults}
        if gait in self._numbers:
            values |= by_gait({CHOSEN: self._numbers[gait]})
        if gait in self.gaits and action.name in self._of_any_gait:
            own = self.gaits[gait].defaults
            values |= {name: own[name] for name in own.keys() & action.parameters.keys()}
        others = ('gait',) if action.name in self._of_any_gait else ()
        for name, value in parameters.items():
            problem = action.parameter_problem(name, value, others)
            if problem is not None:
                raise ParameterError(problem)
            values[name] = float(value)
        for name, expression in action.variables.items():
            values[name] = evaluate(expression, values)
        return MappingProxyType(values)

    def _call(
        self,
        action: Action,
        parameters: Mapping[str, float],
        path: tuple[str, ...],
        gait: str,
    ) -> list[Call]:
        if len(path) > MOST_NESTED:
            raise ParameterError(
                f'actions use each other {len(path)} deep: {" -> ".join(path)}; expected '
                f'{MOST_NESTED} at most'
            )
        values = self.values(action, parameters, gait)
        calls: list[Call] = []
        for part in action.sub_actions:
            times = max(0, round_up(evaluate(part.repeat, values)))
            if isinstance(part, Use):
                chosen = {name: evaluate(entry, values) for name, entry in part.with_.items()}
                inner = self._call(self.action(part.use), chosen, (*path, part.use), gait)
            else:
                inner = [Call(_followed(part, gait), values)]
            if len(calls) + len(inner) * times > MOST_CALLS:
                raise ParameterError(
                    f'{action.name}: has more than {MOST_CALLS} sub-actions, repetitions included'
                )
            if inner:  # of nothing there may be any number, more than a list can have
                calls += inner * times
        return calls


def _followed(part: SubAction, gait: str) -> SubAction:
    """A sub-action whose moves with `gait: any` follow this gait."""
    if not any(isinstance(move, GaitMove) and move.gait == ANY_GAIT for move in part.moves):
        return part
    moves = [
        move.model_copy(update={'gait': gait})
        if isinstance(move, GaitMove) and move.gait == ANY_GAIT
        else move
        for move in part.moves
    ]
    return part.model_copy(update={'moves': moves})
