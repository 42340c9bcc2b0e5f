"""The experiments with soft manipulators, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from softshell_kinematics.errors import UnknownNameError
from softshell_studies.film import Film
from softshell_studies.outcome import Outcome


@dataclass(frozen=True)
class Example:
    """An experiment that is run by its name.

    Attributes:
        title: what it does, in a line.
        module: below this package, with a function `run(engine: str, film: Film) -> Outcome`.
        engine: that it is run on where none is named.
    """

    title: str
    module: str
    engine: str = 'mujoco'

    @property
    def run(self) -> Callable[[str, Film], Outcome]:
        """Runs it: takes the name of an engine, and what takes pictures."""
        found: Callable[[str, Film], Outcome] = import_module(f'{__package__}.{self.module}').run
        return found


EXAMPLES = {
    'basketball': Example('An arm grasps a ball and throws it through a hoop', 'basketball'),
    'blocked-force': Example('A finger presses on a wall as statics say', 'blocked_force'),
    'calibration': Example('Fingers are as stiff as they are calibrated to be', 'calibration'),
    'hand-cube': Example('A hand of four fingers turns a cube on its palm', 'hand_cube'),
    'snake': Example('A snake slithers by friction that is less along it than across', 'snake'),
    'starfish': Example('A starfish of a disc and five soft arms crawls', 'starfish'),
    'tendon-rod': Example('A rod that tendons pull, beside one that was measured', 'tendon_rod'),
}


def example(name: str) -> Example:
    """The experiment of this name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in EXAMPLES:
        raise UnknownNameError('example', name, EXAMPLES)
    return EXAMPLES[name]
