"""The page on the ROS parameters of every node, made from the dataclasses that declare them."""

import dataclasses
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from softshell_description.load import load_robot
from softshell_tools.reference.markdown import code, page, table


def _class(place: str) -> type:
    module, _, name = place.partition(':')
    found: type = getattr(import_module(module), name)
    return found


def _of_simulation() -> type:
    from softshell_sim.ros.sim_bridge import sim_parameters

    return sim_parameters(load_robot())


BRIDGE = 'softshell_control.ros.bridge_parameters:BridgeParameters'
#: A remark and the dataclass of each node's parameters, by the title of the node's section.
NODES: dict[str, tuple[str, Callable[[], type]]] = {
    'bridge, every kind': ('', partial(_class, BRIDGE)),
    'bridge, simulation': (
        'In addition to those of every bridge. Each group of joints of the robot has gains: '
        "these are Shell's.",
        _of_simulation,
    ),
    'bridge, hardware': (
        'In addition to those of every bridge, or in their place.',
        partial(_class, 'softshell_hardware.ros.hardware_bridge:HardwareParameters'),
    ),
    'servo_emulator': (
        '', partial(_class, 'softshell_hardware.ros.servo_emulator:EmulatorParameters'),
    ),
    'kinematics': (
        '', partial(_class, 'softshell_kinematics_ros.ros.kinematics_node:Parameters'),
    ),
    'action_manager': ('', partial(_class, 'softshell_actions.ros.manager_node:Parameters')),
    'policy': ('', partial(_class, 'softshell_studies.ros.policy_node:PolicyParameters')),
    'black_box': ('', partial(_class, 'softshell_recording.ros.black_box:BlackBoxParameters')),
    'dashboard': (
        '', partial(_class, 'softshell_dashboard.ros.dashboard_node:DashboardParameters'),
    ),
    'keyboard': ('', partial(_class, 'softshell_teleop.ros.keyboard_node:Parameters')),
}  # fmt: skip


def parameters_page() -> str:
    """The page, in Markdown."""
    common = {field.name: _row(field) for field in dataclasses.fields(_class(BRIDGE))}
    sections = []
    for name, (remark, load) in NODES.items():
        fields = dataclasses.fields(load())
        if name.startswith('bridge,') and name != 'bridge, every kind':
            fields = tuple(field for field in fields if _row(field) != common.get(field.name))
        rows = [_row(field) for field in fields]
        sections += [f'## {name}', *([remark] if remark else []), table(HEAD, rows)]
    return page(
        'Parameters',
        'ROS parameters of the nodes. A parameters file (`params_file:=`) sets them at the start; '
        'those marked live can also be set while the node runs, e.g. with `ros2 param set`. Nodes '
        'that need the robot also have `robot`, its name or folder.',
        sections,
    )


HEAD = ('parameter', 'default', 'valid', 'live', 'meaning')


def _row(field: 'dataclasses.Field[Any]') -> tuple[str, ...]:
    data = field.metadata
    default = str(field.default).lower() if isinstance(field.default, bool) else field.default
    return (
        code(field.name),
        code(default) or '–',
        _valid(field),
        'live' if data['live'] else '',
        data['description'],
    )


def _valid(field: 'dataclasses.Field[Any]') -> str:
    data = field.metadata
    if data['choices']:
        return ' or '.join(code(choice) for choice in data['choices'] if choice)
    if data['range'] is not None:
        low, high = data['range']
        return ('0, or ' if data['zero'] else '') + f'{low:g} to {high:g}'
    words = {bool: 'true or false', str: 'text', float: 'number', int: 'whole number'}
    return words[type(field.default)]
