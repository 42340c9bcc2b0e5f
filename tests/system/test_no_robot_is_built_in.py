"""No module knows a robot: not by a name in the code, and not when every name is another."""

import ast
import re
from pathlib import Path

import pytest
import rclpy
import yaml
from rclpy.context import Context

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_description.load import load_robot
from softshell_description.model import RobotModel

ROOT = Path(__file__).parents[2]

#: Words that Shell shares with things that have nothing to do with it.
OTHER_MEANINGS = {
    'lower': 'the lower limit of a joint, and the key that lowers the base',
    'upper': 'the upper limit of a joint',
    'stand': 'a role that a robot.yaml gives to a pose',
    'zero': 'the number',
    'ball': 'a fact of every robot with a cage of panels',
    'base_link': 'the name that ROS gives to a base (REP 105)',
}

#: Keys of an action or a gait whose values are names.
NAMING = (
    'name', 'group', 'pose', 'gait', 'use', 'action', 'advice', 'stride', 'legs', 'chains', 'like',
    'controller',
)  # fmt: skip


def names_of(robot: RobotModel) -> set[str]:
    """Every name in a robot's data that code could be tempted to use."""
    names = {*robot.groups, *robot.chains, *robot.poses, *robot.joint_names}
    names |= {link.name for link in robot.urdf.links}
    names |= {joint.name for joint in robot.urdf.joints}
    return names | {path.stem for path in robot.folder.glob('gaits/*.yaml')}


def literals(path: Path) -> list[tuple[int, str]]:
    """Line and text of every string in a module, docstrings left out; `{}` where one is filled."""
    tree = ast.parse(path.read_text(encoding='utf-8'))
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else '{}' for p in node.values)
            found.append((node.lineno, ''.join(map(str, parts))))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documents | inside
        ):
            found.append((node.lineno, node.value))
    return found


def matches(text: str, names: set[str]) -> bool:
    """Whether a string is one of the names, or becomes one when it is filled."""
    if text in names:
        return True
    if '{}' not in text or not re.search(r'[a-z]{2}', text.replace('{}', '')):
        return False
    pattern = re.compile(r'\w+'.join(map(re.escape, text.split('{}'))))
    return any(pattern.fullmatch(name) for name in names)


def modules() -> list[Path]:
    return [
        path
        for folder in ('src', 'tools', 'launch')
        for path in sorted((ROOT / folder).rglob('*.py'))
        if 'test' not in path.relative_to(ROOT).parts and 'build' not in path.parts
    ]


def test_no_module_names_a_part_of_shell():
    """No string in the code is the name of a group, leg, joint, pose, link or gait of Shell."""
    names = names_of(load_robot()) - OTHER_MEANINGS.keys()
    assert {'fold', 'lower_3', 'idle', 'foot_0', 'upper_2_elbow', 'tripod'} <= names
    found = [
        f'{path.relative_to(ROOT)}:{line}: {text!r}'
        for path in modules()
        for line, text in literals(path)
        if matches(text, names)
    ]
    assert len(modules()) > 100
    assert not found, '\n'.join(found)


class Renamed:
    """Shell with another name for everything.

    Args:
        folder: is made, and holds the robot.
    """

    def __init__(self, folder: Path) -> None:
        self.robot = load_robot()
        actions = {path.stem for path in self.robot.folder.glob('actions/*.yaml')}
        own = {*self.robot.motors, *self.robot.controllers}
        every = sorted(names_of(self.robot) | actions | own)
        self.names = {name: f'part{index}x' for index, name in enumerate(every)}
        folder.mkdir()
        self._write_urdf(folder)
        self._write_robot(folder)
        for kind in ('actions', 'gaits'):
            (folder / kind).mkdir()
            for path in self.robot.folder.glob(f'{kind}/*.yaml'):
                data = self._renamed(yaml.safe_load(path.read_text(encoding='utf-8')))
                (folder / kind / f'{self.names[path.stem]}.yaml').write_text(
                    yaml.safe_dump(data, sort_keys=False)
                )

    def _write_urdf(self, folder: Path) -> None:
        def other(match: re.Match) -> str:
            return f'{match[1]}"{self.names.get(match[2], match[2])}"'

        text = re.sub(r'((?:link|joint|name)=)"([^"]*)"', other, self.robot.resolved_urdf)
        (folder / 'robot.urdf').write_text(text)

    def _write_robot(self, folder: Path) -> None:
        source = yaml.safe_load((self.robot.folder / 'robot.yaml').read_text(encoding='utf-8'))
        expand = self.robot.placeholders.expand
        names, robot = self.names, self.robot
        data = {
            'description': 'Nothing is called what it was.',
            'urdf': 'robot.urdf',
            'base': {'link': names[robot.base.link], 'footprint': 'under_it'},
            'motors': {names[name]: value for name, value in source['motors'].items()},
            'groups': {
                names[name]: {
                    **group,
                    'joints': {
                        names[joint.name]: names[joint.motor]
                        for joint in robot.joints
                        if joint.group == name
                    },
                    'chains': {
                        names[chain.name]: {
                            'base': names[chain.base_link],
                            'tip': names[chain.tip_link],
                        }
                        for chain in robot.chains.values()
                        if chain.group == name
                    },
                }
                for name, group in source['groups'].items()
            },
            'poses': {
                names[name]: {
                    **pose,
                    'joints': {
                        names[joint]: value
                        for entry, value in pose['joints'].items()
                        for joint in expand(entry)
                    },
                }
                for name, pose in source['poses'].items()
            },
            'start': names[source['start']],
            'legs': {
                'chains': [names[chain] for chain in robot.legs.chains],
                'stand': names[robot.legs.stand],
                'rest': names[robot.legs.rest],
            },
            'shared': [names[joint] for joint in robot.shared],
            'cage': {'pose': names[robot.cage.pose]},
            'controllers': {names[name]: place for name, place in source['controllers'].items()},
            'commands': {role: names[name] for role, name in source['commands'].items()},
        }
        (folder / 'robot.yaml').write_text(yaml.safe_dump(data, sort_keys=False))

    def _renamed(self, data, key=''):
        """An action or gait with other names: of groups, poses, gaits, joints, legs, actions."""
        if isinstance(data, dict):
            return {
                other: self._renamed(value, name)
                for name, value in data.items()
                for other in (self._others(name) if key in ('legs', 'joints') else [name])
            }
        if isinstance(data, list):
            return [self._renamed(value, key) for value in data]
        if key in NAMING:
            return self.names.get(data, data)
        if isinstance(data, str):  # an expression: a number of a gait
            return re.sub(
                r'(\w+)_(parts|stance)',
                lambda m: f'{self.names.get(m[1], m[1])}_{m[2]}',
                data,
            )
        return data

    def _others(self, name):
        """New names of all that a name with a placeholder stands for."""
        return [self.names[one] for one in self.robot.placeholders.expand(name)]


@pytest.mark.long
@pytest.mark.usefixtures('family')
def test_a_shell_by_other_names_walks(tmp_path):
    """With every name in its data replaced the robot stands up, walks 0.3 m and lies down."""
    renamed = Renamed(tmp_path / 'other')
    model = load_robot(tmp_path / 'other')
    shared = names_of(model) & names_of(renamed.robot)
    assert not shared
    arguments = {'robot': str(tmp_path / 'other'), 'real_time_factor': '0'}
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context, domain_id=stack.domain)
        with Shell(context=context) as shell:
            shell.wait_for_odometry()
            start = shell.position
            shell.perform(renamed.names['stand'])
            assert shell.position[2] - start[2] > 0.05
            shell.perform(renamed.names['walk'], distance=0.3)
            assert shell.position[0] - start[0] == pytest.approx(0.3, rel=0.1)
            shell.perform(renamed.names['idle'])
            assert shell.position[2] == pytest.approx(start[2], abs=0.01)
        context.try_shutdown()
