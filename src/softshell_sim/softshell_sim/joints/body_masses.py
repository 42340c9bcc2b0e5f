"""The implicit mass matrices of the bodies of an engine, one for each body."""

from collections.abc import Mapping

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, RobotSpec
from softshell_sim.joints.implicit_mass import ImplicitMass


class BodyMasses:
    """The implicit mass matrices of bodies, each made when it is first asked for."""

    def __init__(self) -> None:
        self._masses: dict[str, ImplicitMass] = {}

    def of(self, spec: RobotSpec) -> ImplicitMass:
        """The implicit mass matrix of the body that was made from this specification."""
        if spec.name not in self._masses:
            self._masses[spec.name] = ImplicitMass(
                spec.springs, spec.urdf, spec.joints, spec.fixed, spec.rotor_inertia
            )
        return self._masses[spec.name]

    def passed(self) -> None:
        """Say that a step has passed."""
        for mass in self._masses.values():
            mass.passed()

    def placed(self, body: Body) -> None:
        """Say that the joints of a body were placed."""
        if body.name in self._masses:
            self._masses[body.name].placed()

    def forget(self, body: Body) -> None:
        """Remove a body."""
        self._masses.pop(body.name, None)

    def clear(self) -> None:
        """Remove all bodies."""
        self._masses.clear()

    def save(self) -> dict[str, tuple[Array, ...]]:
        """A copy of the state of each, by name of the body."""
        return {name: mass.save() for name, mass in self._masses.items()}

    def restore(
        self, content: Mapping[str, tuple[Array, ...]], specs: Mapping[str, object]
    ) -> None:
        """Bring back what `save` returned.

        Args:
            content: what `save` returned.
            specs: of all bodies, by name.
        """
        for name, mass in self._masses.items():
            if name not in content:
                mass.forget()
        for name, kept in content.items():
            spec = specs[name]
            assert isinstance(spec, RobotSpec)
            self.of(spec).restore(kept)
