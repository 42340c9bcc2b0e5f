"""Each `ros2 …` command on the pages names what there is.

The wheels that ./softshell installs have no command `ros2`, so that they are not run but held
against the reference, the packages and the definitions of messages.
"""

import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from pages import ROOT, lines, text_of, written
from reference_names import arguments, found_as, parameters

#: Commands of ROS's own, without names of ours.
OF_ROS = (['bag'], ['security', 'create_keystore'], ['security', 'create_enclave'])
#: Commands that a text speaks of.
SPOKEN_OF = ([], ['launch'], ['run'], ['param', 'set'], ['service', 'call'], ['service', 'list'],
             ['topic', 'echo'], ['topic', 'pub'], ['action', 'send_goal'])  # fmt: skip
PACKAGES = {path.parent.name: path.parent for path in ROOT.glob('*/*/package.xml')}
LAUNCH_FILES = {'softshell_bringup': ROOT / 'launch'}


def commands() -> list[tuple[str, list[str]]]:
    """The page and the words behind `ros2` of each command, in blocks and in the text."""
    shown = [(page, line) for page, text in written(reference=True) for line in lines(text)]
    found = [(page, said) for page, line in shown
             for said in re.findall(r'(?:^|[:;#] )ros2( .*)', line)]  # fmt: skip
    return [(page, shlex.split(said, comments=True)) for page, said in found]


def misfits(kind: Any, values: dict[str, Any]) -> Iterator[str]:
    """Entries of a message, a request or a goal that its type does not have."""
    types = kind.get_fields_and_field_types()
    for name, value in values.items():
        nested = re.search(r'(\w+)/(\w+)', types.get(name, ''))
        if name not in types:
            yield f'{name} of {kind.__name__}'
        elif nested:
            inner = getattr(import_module(f'{nested[1]}.msg'), nested[2])
            for each in value if isinstance(value, list) else [value]:
                yield from misfits(inner, each)


def called(part: str, name: str, type_: str, given: str) -> Iterator[str]:
    """What is wrong with a topic, service or action, its type, and what is sent to it."""
    kind = 'msg' if part == 'topic' else {'service': 'srv'}.get(part, part)
    if not name.startswith('/') or (part, type_) not in found_as(name):
        yield f'{part} {name} of type {type_}'
        return
    package, middle, word = type_.split('/')
    assert middle == kind
    sent = getattr(import_module(f'{package}.{middle}'), word)
    sent = {'srv': lambda: sent.Request, 'action': lambda: sent.Goal}.get(kind, lambda: sent)()
    yield from misfits(sent, yaml.safe_load(given))


def set_live(node: str, name: str) -> Iterator[str]:
    """What is wrong with a parameter that is set while a node runs."""
    if not parameters().get(node.removeprefix('/'), {}).get(name):
        yield f'{node} has no live parameter {name}'


def launched(package: str, file: str, given: list[str]) -> Iterator[str]:
    """What is wrong with a launch file and its arguments."""
    folder = LAUNCH_FILES.get(package, PACKAGES.get(package, Path()) / 'launch')
    if not (folder / file).is_file():
        yield f'{package} has no {file}'
    yield from (word for word in given if word.partition(':=')[0] not in arguments())


def run(package: str, program: str) -> Iterator[str]:
    """What is wrong with a program of a package."""
    setup = PACKAGES.get(package, Path()) / 'setup.py'
    if not setup.is_file() or f"'{program} = " not in text_of(setup):
        yield f'{package} has no {program}'


def wrong_with(words: list[str]) -> list[str]:
    """What a command names that is not there."""
    match words:
        case ['launch', package, file, *given]:
            return [*launched(package, file, given)]
        case ['run', package, program, *_]:
            return [*run(package, program)]
        case ['topic', 'pub', *_, name, type_, given]:
            return [*called('topic', name, type_, given)]
        case ['topic', 'echo' | 'hz', name]:
            return [] if ('topic' in dict(found_as(name))) else [name]
        case ['service', 'call', name, type_, *given]:
            return [*called('service', name, type_, *(given or ['{}']))]
        case ['action', 'send_goal', name, type_, given, *_]:
            return [*called('action', name, type_, given)]
        case ['param', 'set', node, name, _]:
            return [*set_live(node, name)]
        case [] | [_] | [_, _] if words in SPOKEN_OF:
            return []
        case ['param', 'dump', node]:
            return [] if node.removeprefix('/') in parameters() else [node]
        case _:
            return [] if any(words[: len(own)] == own for own in OF_ROS) else ['this command']


def test_each_command_names_only_what_there_is():
    """Topics, services and actions with their types and entries, parameters, arguments, files."""
    found = commands()
    wrong = [(page, ' '.join(words), wrong) for page, words in found
             if (wrong := wrong_with(words))]  # fmt: skip
    assert not wrong, wrong
    assert len(found) > 15


@pytest.mark.parametrize(
    'command',
    [
        'service call /bridge/halt std_srvs/srv/Trigger',
        'service call /bridge/pause std_srvs/srv/Empty',
        'service call bridge/pause std_srvs/srv/Trigger',
        'service call /bridge/step softshell_interfaces/srv/StepTime "{time: 0.1}"',
        'topic pub /policy/cmd_vel geometry_msgs/msg/Twist "{linear: {forward: 0.08}}"',
        'topic echo /joint_angles',
        'param set /bridge pd implicit',
        'param set /manager gait wave',
        'launch softshell_bringup stack.launch.py',
        'launch softshell_bringup softshell.launch.py motors:=mine',
        'run my_robot_pkg walk',
        'node list',
    ],
)
def test_what_is_not_there_is_found(command):
    """A name, a type, an entry, a parameter that is not live, a file, an unknown command."""
    assert wrong_with(shlex.split(command))
