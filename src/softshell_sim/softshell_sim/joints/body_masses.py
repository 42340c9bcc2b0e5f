"""How the joints of the bodies of an engine answer to efforts, once for all who ask."""

from collections.abc import Mapping

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, RobotSpec
from softshell_sim.joints.implicit_mass import ImplicitMass


class BodyMasses:
    """The implicit masses of those bodies of which any was asked for."""

    def __init__(self) -> None:
        self._masses: dict[str, ImplicitMass] = {}

    def of(self, spec: RobotSpec) -> ImplicitMass:
        """That of the body that was made from this."""
        if spec.name not in self._masses:
            self._masses[spec.name] = ImplicitMass(
                spec.springs, spec.urdf, spec.joints, spec.fixed, spec.rotor_inertia
            )
        return self._masses[spec.name]

    def passed(self) -> None:
        """A step has passed."""
        for mass in self._masses.values():
            mass.passed()

    def placed(self, body: Body) -> None:
        """Joints of a body were put somewhere."""
        if body.name in self._masses:
            self._masses[body.name].placed()

    def forget(self, body: Body) -> None:
        """A body is gone."""
        self._masses.pop(body.name, None)

    def clear(self) -> None:
        """All bodies are gone."""
        self._masses.clear()

    def save(self) -> dict[str, tuple[Array, ...]]:
        """What is remembered, by body, as a copy."""
        return {name: mass.save() for name, mass in self._masses.items()}

    def restore(
        self, content: Mapping[str, tuple[Array, ...]], specs: Mapping[str, object]
    ) -> None:
        """Go on from what `save` gave.

        Args:
            content: that.
            specs: of all bodies, by name.
        """
        for name, mass in self._masses.items():
            if name not in content:
                mass.forget()
        for name, kept in content.items():
            spec = specs[name]
            assert isinstance(spec, RobotSpec)
            self.of(spec).restore(kept)
