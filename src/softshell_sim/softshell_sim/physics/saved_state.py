"""The saved state of a physics engine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import ObjectSpec, RobotSpec
from softshell_sim.contact.contact_table import ContactTable
from softshell_sim.contact.surfaces import SavedSurfaces
from softshell_sim.physics.same import is_same


@dataclass(frozen=True, eq=False)
class SavedState:
    """The state of an engine; only one of the same class with the same bodies can restore it.

    Args:
        engine: the class of the engine.
        specs: of the bodies, in the order in which they were added.
        content: what the engine itself saves.
        surfaces: of bodies and pairs.
        padding: thickness of the layer of each body [m], by name.
        driven: names of the driven bodies.
        contacts: of the last step.
        masses: as `BodyMasses.save` returns them, by body.
    """

    engine: type
    specs: tuple[ObjectSpec | RobotSpec, ...]
    content: Any
    surfaces: SavedSurfaces
    padding: Mapping[str, float]
    driven: frozenset[str]
    contacts: ContactTable
    masses: Mapping[str, tuple[Array, ...]]

    def refuse_others(self, kind: type, specs: Mapping[str, ObjectSpec | RobotSpec]) -> None:
        """Check that an engine can restore this state.

        Args:
            kind: class of the engine.
            specs: of its bodies by name, in the order in which they were added.

        Raises:
            SoftshellError: it cannot; the text names the class, or the bodies that differ.
        """
        if self.engine is not kind:
            raise SoftshellError(
                f'the state was saved by a {self.engine.__name__}; expected one of a '
                f'{kind.__name__}'
            )
        saved = {spec.name: spec for spec in self.specs}
        problems = [f'{name!r} is missing' for name in saved if name not in specs]
        problems += [f'{name!r} is new' for name in specs if name not in saved]
        problems += [
            f'{name!r} is specified otherwise'
            for name, spec in specs.items()
            if not is_same(saved.get(name, spec), spec)
        ]
        if not problems and list(saved) != list(specs):
            problems.append(f'they were added in the order {", ".join(map(repr, saved))}')
        if problems:
            raise SoftshellError(f'the state was saved with other bodies: {", ".join(problems)}')
