"""What programs import from softshell: its classes and functions, for the pages on them."""

import enum
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from softshell_tools.reference.docstrings import Docstring, read
from softshell_tools.reference.signatures import class_signature, signature


@dataclass(frozen=True)
class Part:
    """Classes and functions that are used together, which have a page.

    Args:
        file: name of the page's file.
        title: what they are for.
        introduction: what to read besides, in Markdown.
        names: their names, by the module from which they are imported.
    """

    file: str
    title: str
    introduction: str
    names: dict[str, tuple[str, ...]]


PARTS = (
    Part(
        'client.md',
        'Python: a running robot',
        'With a stack that runs, in simulation or on servos, a program imports `Shell` and moves '
        'the robot: [an example](../../examples/04_shell.py). `Client` is for programs that do '
        'not wait. `Stack` starts and ends all nodes itself; it takes the '
        '[arguments](arguments.md) of `./softshell up`. All of this needs ROS.',
        {
            'softshell_client': (
                'Shell', 'Client', 'BridgeState', 'BridgeMode', 'Status', 'ActionFailedError',
                'RequestRefusedError', 'ServerGoneError', 'SoftshellError',
            ),
            'softshell_client.ros.execution': ('Execution',),
            'softshell_client.ros.asking': ('Question',),
            'softshell_bringup.runner': ('Stack', 'NotReadyError'),
            'softshell_bringup.processes': ('ProcessDiedError',),
            'softshell_bringup.domain': ('DomainBusyError',),
        },
    ),
    Part(
        'world.md',
        'Python: a simulated world without ROS',
        '`World` moves joints: [an example](../../examples/01_world.py). `CommandedRobot` '
        'performs actions: [an example](../../examples/21_roll.py). Explained in '
        '[simulation.md](../simulation.md). Quaternions are x, y, z, w.',
        {
            'softshell_description.load': ('load_robot',),
            'softshell_description.model': ('RobotModel',),
            'softshell_studies.commanded_robot': ('CommandedRobot',),
            'softshell_sim.world': ('World',),
            'softshell_sim.settings': ('WorldSettings',),
            'softshell_sim.sensing.sensor_settings': ('load_sensors',),
            'softshell_sim.changing.changes': (
                'Spawn', 'Remove', 'Place', 'Push', 'SetSurface', 'SetPadding',
            ),
            'softshell_sim.changing.drive': ('Drive', 'Release'),
            'softshell_sim.bodies': ('ObjectSpec', 'BodyState', 'Surface'),
            'softshell_sim.shapes': (
                'Box', 'Sphere', 'Cylinder', 'Capsule', 'Plane', 'HeightField', 'Compound',
            ),
            'softshell_sim.scenes.terrain': ('ramp', 'stairs', 'rubble', 'height_field'),
            'softshell_sim.scenes.scene_file': ('read_scene',),
            'softshell_sim.batch': ('run_batch', 'Outcome'),
        },
    ),
    Part(
        'bridge.md',
        'Python: a bridge of your own',
        'Explained in [add-a-bridge.md](../add-a-bridge.md).',
        {'softshell_control.backend': ('Backend', 'Measured', 'StopPolicy')},
    ),
    Part(
        'kinematics.md',
        'Python: kinematics',
        'Needs no ROS: [examples](../../src/softshell_kinematics/README.md). Explained in '
        '[kinematics.md](../kinematics.md).',
        {
            'softshell_kinematics': (
                'chain_from_urdf', 'chain_from_dh', 'DhRow', 'chain_from_screws', 'Screw',
                'SerialChain', 'solve_ik', 'Limbs', 'ParallelMechanism', 'IkOptions', 'IkResult',
                'LimbsResult', 'IkStatus', 'shortfall_of', 'first_shortfall', 'Shortfall',
                'geometric_jacobian', 'analytic_jacobian', 'base_reach', 'BaseReach',
                'support_polygon', 'static_margin', 'OutOfRangeError', 'NonFiniteError',
                'UnknownNameError', 'ProblemsError',
            ),
        },
    ),
)  # fmt: skip
#: What programs are given, and do not make.
GIVEN = (
    'BridgeState', 'Execution', 'Question', 'RobotModel', 'Measured', 'Outcome', 'IkResult',
    'LimbsResult', 'Shortfall', 'BaseReach',
)  # fmt: skip
#: Public methods that only our own code calls, by class; `problems` is one of every change.
INNER = {
    'CommandedRobot': {
        'solve', 'measure', 'tilt', 'holds', 'driven', 'disturbed', 'send', 'run', 'sleep',
        'adapted', 'late',
    },
    'Measured': {'zero', 'write_known', 'check'},
    'Drive': {'first_way_problems', 'start', 'path'},
    'SerialChain': {'beyond'},
    'Limbs': {'arguments', 'arguments_of_one', 'refuse_wrong'},
}  # fmt: skip
OF_CHANGES = 'problems'


@dataclass(frozen=True)
class Entry:
    """A class or a function of a page, or a method of one of its classes.

    Args:
        name: its name; of a method with that of its class, e.g. `Shell.perform`.
        thing: the class or the function.
        file: name of the page's file.
        module: from which it is imported; empty for a method.
    """

    name: str
    thing: Any
    file: str
    module: str = ''

    @cached_property
    def docstring(self) -> Docstring:
        """What its docstring says."""
        return read(self.thing)

    @cached_property
    def signature(self) -> str:
        """How it is called or made; empty for what programs do not make."""
        if not inspect.isclass(self.thing):
            return signature(self.name.rpartition('.')[2], self.thing)
        if self.name in GIVEN or isinstance(self.thing, enum.EnumType):
            return ''
        return class_signature(self.thing)

    @cached_property
    def arguments(self) -> dict[str, str]:
        """The arguments that its docstring explains, or that of the class that it extends."""
        fields = getattr(self.thing, '__dataclass_fields__', {}).values()
        from_fields = {each.name: each.metadata['meaning'] for each in fields if each.metadata}
        places = self.thing.__mro__ if inspect.isclass(self.thing) else (self.thing,)
        told = (found for place in places if (found := read(place).lists.get('Args')))
        return from_fields or next(told, {})


def api() -> dict[str, Entry]:
    """The classes and functions of all pages, by name."""
    return {
        name: Entry(name, getattr(import_module(module), name), part.file, module)
        for part in PARTS
        for module, names in part.names.items()
        for name in names
    }


def own(entry: Entry, others: dict[str, Entry]) -> Iterator[tuple[str, Any]]:
    """The public members that a class has itself, and those of its bases that have no section.

    Args:
        entry: the class.
        others: all classes and functions of the pages.
    """
    told = {each.thing for each in others.values()} - {entry.thing}
    seen: set[str] = set()
    for base in entry.thing.__mro__:
        if base in told or not base.__module__.startswith('softshell_'):
            continue
        for name, value in vars(base).items():
            if not name.startswith('_') and name not in seen:
                seen.add(name)
                yield name, value


def methods(entry: Entry, others: dict[str, Entry]) -> list[Entry]:
    """The methods of a class, as `own`."""
    found = []
    inner = {OF_CHANGES, *INNER.get(entry.name, ())}
    for name, value in own(entry, others):
        function = getattr(value, '__func__', value)
        if inspect.isfunction(function) and name not in inner:
            found.append(Entry(f'{entry.name}.{name}', function, entry.file))
    return found
