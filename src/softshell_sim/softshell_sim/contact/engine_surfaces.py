"""How the bodies of an engine touch: their surfaces and the layers round them."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from softshell_kinematics.errors import UnknownNameError
from softshell_sim.bodies import Body, ObjectSpec, RobotSpec, Surface
from softshell_sim.contact.padding import refuse_padding
from softshell_sim.contact.surfaces import SurfaceResidual, Surfaces, Touching
from softshell_sim.physics.engine_window import EngineWindow


class EngineSurfaces(EngineWindow):
    """Bodies by name, and how they touch each other.

    Attributes:
        bodies, specs: the bodies, and what each was made from, by name, in the order in which they
            were added.
        surfaces: of bodies and pairs; change them by `set_surface` and `set_pair_surface` only.
        padding: thickness of the layer of each body [m]; change it by `set_padding` only.
        surface_residual: the largest differences between `surfaces` and those that the engine has.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bodies: dict[str, Body] = {}
        self.specs: dict[str, ObjectSpec | RobotSpec] = {}
        self.surfaces = Surfaces()
        self.padding: dict[Body, float] = {}
        self.surface_residual = SurfaceResidual()
        self._gathered: set[Body] | None = None

    @contextmanager
    def surfaces_at_once(self) -> Iterator[None]:
        """Apply all changes of surfaces in this context together, at its end.

        PyBullet fits numbers of bodies to the surfaces of all pairs (`surface_fit.py`); so it does
        that once, instead of after each change.
        """
        self._gathered = set()
        try:
            yield
        finally:
            changed, self._gathered = self._gathered, None
            if changed:
                self._apply_surfaces(*changed)

    def set_surface(self, body: Body, surface: Surface) -> None:
        """Set the surface of all links of a body; pairs that were given their own keep it.

        Raises:
            UnknownNameError: it is not in the world.
        """
        self._present(body)
        self._refuse_ended()
        self.surfaces.set(body, surface)
        self._surfaces_changed(body)

    def set_pair_surface(self, body: Body, other: Body, surface: Surface | None) -> None:
        """Set the surface between two bodies, instead of the blend of theirs.

        Args:
            body, other: the bodies; the same one twice: its links among each other.
            surface: between them; None: the blend again.

        Raises:
            UnknownNameError: one is not in the world.
        """
        self._present(body, other)
        self._refuse_ended()
        self.surfaces.set_pair(body, other, surface)
        self._surfaces_changed(body, other)

    def set_padding(self, body: Body, padding: float) -> None:
        """Set the thickness `padding` of the layer round a body [m]; a preshrunk shape follows.

        Raises:
            UnknownNameError: the body is not in the world.
            SoftshellError: the body cannot have such a layer; nothing has changed.
        """
        self._present(body)
        self._refuse_ended()
        refuse_padding(self._padded_spec(body, padding))
        if padding != self.padding[body]:
            self._set_padding({body: padding})

    def _enter_surface(self, body: Body, spec: RobotSpec | ObjectSpec) -> None:
        """Store the surface and the padding of a new body."""
        if isinstance(spec, ObjectSpec):
            stands, itself = spec.mass == 0.0, False
        else:
            stands, itself = spec.fixed and len(body.links) == 1, spec.self_collision
        self.surfaces.enter(body, Touching(spec.surface, stands, itself))
        self.padding[body] = spec.padding

    def _surfaces_changed(self, *bodies: Body) -> None:
        """Apply `surfaces`, which changed for these bodies, now or at the end of the context."""
        if self._gathered is None:
            self._apply_surfaces(*bodies)
        else:
            self._gathered.update(bodies)

    def _present(self, *bodies: Body) -> None:
        """Check that bodies are in the world.

        Raises:
            UnknownNameError: one is not.
        """
        for body in bodies:
            if self.bodies.get(body.name) is not body:
                raise UnknownNameError('body', body.name, self.bodies)

    def _padded_spec(self, body: Body, padding: float) -> ObjectSpec | RobotSpec:
        """What a body is made from, with a layer of this thickness [m]."""
        return replace(self.specs[body.name], padding=padding)

    @abstractmethod
    def _apply_surfaces(self, *changed: Body) -> None:
        """Apply `surfaces`, which changed for these bodies."""

    @abstractmethod
    def _set_padding(self, padding: Mapping[Body, float]) -> None:
        """Set the thickness of the layers of bodies [m], and store it in `self.padding`.

        Raises:
            SoftshellError: the engine cannot make one of them; nothing has changed.
        """
