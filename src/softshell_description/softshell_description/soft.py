"""What is soft on a robot: its manipulators, and what drives them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from softshell_common.yaml_file import YamlFile
from softshell_continuum.elastic_chain import ElasticChain, chain_of
from softshell_continuum.files import read
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.parts import Part, parts_of_manipulator
from softshell_continuum.routes import Routes
from softshell_continuum.tendon import Tendon, refuse_rigid
from softshell_description.form import ChannelKind, ChannelSpec
from softshell_description.placeholders import Placeholders, fill
from softshell_description.soft_form import MomentForm, SoftForm, TendonForm
from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.transforms import pose_from_coordinates

#: Kinds of channels that pull a tendon, and that bend joints.
PULLING = (ChannelKind.TENSION, ChannelKind.LENGTH)
BENDING = (ChannelKind.EFFORT, ChannelKind.PRESSURE)


@dataclass(frozen=True, eq=False)
class SoftSpec:
    """A soft manipulator of a robot.

    Args:
        name: of the manipulator; the names of its links and joints begin with it.
        parts: its bodies, from the base outwards; the first has no parent if only the URDF says
            what it is fixed to.
        tendons: that run along it; each has the name of the channel that pulls it.
        moments: what else bends it, by channel.
        where: line of its entry.
    """

    name: str
    parts: tuple[Part, ...]
    tendons: tuple[Tendon, ...] = ()
    moments: Mapping[str, MomentForm] = field(default_factory=dict)
    where: str = ''

    @cached_property
    def moved(self) -> tuple[Part, ...]:
        """The bodies that an elastic joint moves."""
        return tuple(part for part in self.parts if part.joint is not None)

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of its elastic joints, from the base outwards."""
        return tuple(part.joint_name for part in self.moved)

    @cached_property
    def chain(self) -> ElasticChain:
        """Its joints and backbone, in the frame of its base."""
        return chain_of([replace(self.parts[0], parent=''), *self.parts[1:]])

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels that drive it."""
        return (*(tendon.name for tendon in self.tendons), *self.moments)


def soft_parts(
    file: YamlFile,
    forms: Mapping[str, SoftForm],
    placeholders: Placeholders,
    channels: Mapping[str, ChannelSpec],
    folders: Sequence[Path],
) -> tuple[tuple[SoftSpec, ...], list[str]]:
    """The soft manipulators of a robot, and what is wrong with their entries.

    Args:
        file: its `robot.yaml`.
        forms: as written, by name with placeholders.
        placeholders: of the names.
        channels: of the robot.
        folders: where definitions are looked for.
    """
    found: list[SoftSpec] = []
    problems: dict[str, None] = {}
    driven: dict[str, str] = {}
    for written, key, value in placeholders.rows(forms):
        form, name = forms[written], fill(written, key, value)
        if any(spec.name == name for spec in found):
            text = f'{name!r} is given already; expected once'
            problems[file.problem(('soft', written), text)] = None
            continue
        try:
            definition = _definition(form.manipulator, folders)
        except SoftshellError as error:
            problems[file.problem(('soft', written, 'manipulator'), str(error))] = None
            continue
        x, y, z, roll, pitch, yaw = form.pose
        try:
            pose = pose_from_coordinates([x, y, z, yaw, pitch, roll])
        except SoftshellError as error:
            problems[file.problem(('soft', written, 'pose'), str(error))] = None
            continue
        link = '' if form.link is None else fill(form.link, key, value)
        parts = tuple(parts_of_manipulator(definition, f'{name}_', link, pose))
        spec = SoftSpec(name, parts, where=file.where(('soft', written)))
        tendons, moments = [], {}
        for kind, kinds in (('tendons', PULLING), ('moments', BENDING)):
            for entry, drive in getattr(form, kind).items():
                channel, location = fill(entry, key, value), ('soft', written, kind, entry)
                try:
                    _refuse_channel(channel, kinds, channels, driven)
                    driven[channel] = name
                    if isinstance(drive, TendonForm):
                        if channels[channel].kind is ChannelKind.LENGTH:
                            _refuse_no_length(channel, channels[channel])
                            refuse_rigid(f'tendon {channel!r}', drive.stiffness or math.inf)
                        tendons.append(_tendon(channel, drive, spec))
                    else:
                        _refuse_moment(drive, spec)
                        moments[channel] = drive
                except SoftshellError as error:
                    problems[file.problem(location, str(error))] = None
        found.append(replace(spec, tendons=tuple(tendons), moments=moments))
    return tuple(found), list(problems)


def _definition(name: str, folders: Iterable[Path]) -> ManipulatorForm:
    tried = [folder / name for folder in folders]
    for path in tried:
        if path.is_file():
            try:
                return read(ManipulatorForm, path)
            except ProblemsError as error:
                raise SoftshellError(f'{path}: {"; ".join(error.problems)}') from None
    raise SoftshellError(f'is {name!r}; expected a file: {" or ".join(map(str, tried))}')


def _refuse_no_length(name: str, channel: ChannelSpec) -> None:
    """Refuse a channel that may shorten a tendon to nothing: its strain would be infinite.

    Raises:
        SoftshellError: its range begins at 0.
    """
    if channel.range[0] <= 0.0:
        raise SoftshellError(
            f'channel {name!r} of kind length has the range {list(channel.range)} m; expected '
            'more than 0, as of all lengths of a tendon'
        )


def _refuse_channel(
    name: str,
    kinds: tuple[ChannelKind, ...],
    channels: Mapping[str, ChannelSpec],
    driven: Mapping[str, str],
) -> None:
    if name not in channels:
        raise UnknownNameError('channel', name, channels)
    if channels[name].kind not in kinds:
        raise SoftshellError(
            f'channel {name!r} is of kind {channels[name].kind.value}; expected '
            f'{" or ".join(kind.value for kind in kinds)}'
        )
    if name in driven:
        raise SoftshellError(f'channel {name!r} drives {driven[name]} already; expected one')


def _tendon(name: str, form: TendonForm, spec: SoftSpec) -> Tendon:
    ends = spec.chain.ends
    discs = _eyes(spec) if form.discs is None else list(form.discs)
    more = {} if form.stiffness is None else {'stiffness': form.stiffness}
    tendon = Tendon.along(
        name, discs, form.radius, form.angle, form.twist,
        friction=form.friction, outside=form.outside, **more,
    )  # fmt: skip
    if discs and max(discs) > ends[-1] * (1.0 + 1e-9):
        raise SoftshellError(f'discs are up to {max(discs):g} m; expected {ends[-1]:g} at most')
    Routes(spec.chain, [tendon])
    return tendon


def _eyes(spec: SoftSpec) -> list[float]:
    """Arc lengths of the base, the middle of each link, and the end [m]."""
    begins = np.concatenate([[0.0], spec.chain.ends])
    lengths = np.diff(begins)
    middles = (begins[:-1] + 0.5 * lengths)[lengths > 0.0]
    inner = [float(middle) for middle in middles[1:-1]]
    return [0.0, *inner, float(spec.chain.length)]


def _refuse_moment(form: MomentForm, spec: SoftSpec) -> None:
    numbers = sorted({part.actuator for part in spec.moved})
    if form.actuator not in numbers:
        raise SoftshellError(f'actuator is {form.actuator}; expected one of {numbers}')
    places = np.flatnonzero([part.actuator == form.actuator for part in spec.moved])
    count = len(spec.chain.by_axis(places))
    if form.axis >= count:
        raise SoftshellError(f'axis is {form.axis}; expected less than {count}')
