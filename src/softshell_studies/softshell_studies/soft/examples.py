"""The experiments with soft manipulators, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from softshell_kinematics.errors import UnknownNameError
from softshell_studies.film import Film
from softshell_studies.outcome import Outcome


@dataclass(frozen=True)
class Example:
    """An experiment.

    Attributes:
        title: what it does, in a line.
        module: in this package, with a function `run(engine: str, film: Film) -> Outcome`.
        engine: name of the physics engine that is used by default.
    """

    title: str
    module: str
    engine: str = 'mujoco'

    @property
    def run(self) -> Callable[[str, Film], Outcome]:
        """The function that runs it, from the name of an engine and a film."""
        found: Callable[[str, Film], Outcome] = import_module(f'{__package__}.{self.module}').run
        return found


EXAMPLES = {
    'basketball': Example('An arm grasps a ball and throws it through a hoop', 'basketball'),
    'blocked-force': Example('A finger presses on a wall as hard as statics say', 'blocked_force'),
    'calibration': Example('Fingers are as stiff as they were calibrated to be', 'calibration'),
    'hand-cube': Example('A hand of four fingers turns a cube on its palm', 'hand_cube'),
    'snake': Example('A snake slithers, because friction is lower along it than across', 'snake'),
    'starfish': Example('A starfish of a disc and five soft arms crawls', 'starfish'),
    'tendon-rod': Example('A rod with tendons bends as a real one was measured', 'tendon_rod'),
}


def example(name: str) -> Example:
    """An experiment by its name.

    Raises:
        UnknownNameError: there is no experiment of this name.
    """
    if name not in EXAMPLES:
        raise UnknownNameError('example', name, EXAMPLES)
    return EXAMPLES[name]
