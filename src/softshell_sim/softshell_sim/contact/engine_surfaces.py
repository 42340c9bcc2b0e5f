"""The bodies of an engine as far as touching goes: their surfaces and the layers round them."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from softshell_kinematics.errors import UnknownNameError
from softshell_sim.bodies import Body, ObjectSpec, RobotSpec, Surface
from softshell_sim.contact.padding import refuse_padding
from softshell_sim.engine_life import EngineLife
from softshell_sim.surfaces import SurfaceResidual, Surfaces, Touching


class EngineSurfaces(EngineLife):
    """Bodies by name, and how they touch each other.

    Attributes:
        bodies, specs: the bodies by name, and what each was made from, in the order in which they
            came.
        surfaces: of bodies and pairs; changed by `set_surface` and `set_pair_surface` alone.
        padding: of each body [m]; changed by `set_padding` alone.
        surface_residual: by how much the surfaces of pairs differ from these, at most.
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
        """Bring all surfaces that change in here into force at the end, together.

        An engine that knows no pairs looks for numbers of bodies that stand for them: for many
        bodies once, instead of after each.
        """
        self._gathered = set()
        try:
            yield
        finally:
            changed, self._gathered = self._gathered, None
            if changed:
                self._apply_surfaces(*changed)

    def set_surface(self, body: Body, surface: Surface) -> None:
        """Give all links of a body a surface; pairs that were given theirs keep it.

        Raises:
            UnknownNameError: it is not in the world.
        """
        self._present(body)
        self._refuse_ended()
        self.surfaces.set(body, surface)
        self._surfaces_changed(body)

    def set_pair_surface(self, body: Body, other: Body, surface: Surface | None) -> None:
        """Give two bodies a surface between them, instead of the blend of theirs.

        Args:
            body, other: the bodies, or twice the same: for its links among each other.
            surface: between them; None: the blend again.

        Raises:
            UnknownNameError: one is not in the world.
        """
        self._present(body, other)
        self._refuse_ended()
        self.surfaces.set_pair(body, other, surface)
        self._surfaces_changed(body, other)

    def set_padding(self, body: Body, padding: float) -> None:
        """Give a body a layer of another thickness [m], in which a shrunk shape is made anew.

        Raises:
            UnknownNameError: it is not in the world.
            SoftshellError: it cannot have such a layer; nothing has changed.
        """
        self._present(body)
        self._refuse_ended()
        refuse_padding(self._padded_spec(body, padding))
        if padding != self.padding[body]:
            self._set_padding({body: padding})

    def _enter_surface(self, body: Body, spec: RobotSpec | ObjectSpec) -> None:
        """Take the surface and the padding of a new body."""
        if isinstance(spec, ObjectSpec):
            stands, itself = spec.mass == 0.0, False
        else:
            stands, itself = spec.fixed and len(body.links) == 1, spec.self_collision
        self.surfaces.enter(body, Touching(spec.surface, stands, itself))
        self.padding[body] = spec.padding

    def _surfaces_changed(self, *bodies: Body) -> None:
        """Bring `surfaces`, which changed for these bodies, into force, now or with others."""
        if self._gathered is None:
            self._apply_surfaces(*bodies)
        else:
            self._gathered.update(bodies)

    def _present(self, *bodies: Body) -> None:
        for body in bodies:
            if self.bodies.get(body.name) is not body:
                raise UnknownNameError('body', body.name, self.bodies)

    def _padded_spec(self, body: Body, padding: float) -> ObjectSpec | RobotSpec:
        """What a body is made from, with a layer of this thickness [m]."""
        return replace(self.specs[body.name], padding=padding)

    @abstractmethod
    def _apply_surfaces(self, *changed: Body) -> None:
        """Bring `surfaces`, which changed for these bodies, into force."""

    @abstractmethod
    def _set_padding(self, padding: Mapping[Body, float]) -> None:
        """Give bodies layers of other thickness [m], in `padding` as well.

        Raises:
            SoftshellError: the engine cannot make one; nothing has changed.
        """
