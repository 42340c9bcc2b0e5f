"""Names of topics, services, actions, types, arguments and parameters on the pages are real.

They are those that the reference has, which is made from the code.
"""

import re
from pathlib import Path

import yaml
from pages import (
    FOLDERS,
    MADE,
    ROOT,
    SPAN,
    Table,
    column,
    lines,
    prose,
    spans,
    tables,
    text_of,
    written,
)
from reference_names import (
    KINDS,
    actions,
    arguments,
    definitions,
    endpoints,
    entries_of,
    found_as,
    of_actions,
    of_nodes,
    parameters,
    short,
)

#: What stands before `:=` beside arguments of the stack and parameters of actions and nodes.
OTHER_ARGUMENTS = {
    'gait': 'of ./softshell action', 'queue': 'of ./softshell action',
    'visuals': 'of a task, which ./softshell score takes',
    'use_sim_time': "ROS's own parameter of every node",
    'name': 'for whatever name', 'NAME': 'for whatever name', 'PARAMETER': 'for whatever name',
    'ENTRY': 'for whatever name',
}  # fmt: skip
#: Values of arguments that a reader makes.
OWN_VALUES = {('bridge', 'mine'), ('robot', 'ant')}
#: Where paths of a machine begin, which look like absolute names.
MACHINE = ('dev', 'opt', 'usr', 'workspace')
#: A word behind "action" that is a key of a file.
KEYS = {'advice'}
#: Identifiers that are in no source: made of numbers or names, or of other programs.
NOWHERE = {'leg_0_0_root', 'leg_0_0_0', 'NAME_optical_frame',
           'GAIT_parts', 'GAIT_stance', 'group_add'}  # fmt: skip
#: Where names are used.
SOURCES = ('src', 'tools', 'config', 'urdf', 'launch', 'interfaces', 'requirements', 'docker',
           'examples', 'tests')  # fmt: skip


def test_every_argument_is_one():
    """What stands before `:=` is an argument of the stack, or a parameter of an action.

    Behind `--ros-args` and `set` it is a parameter of a node, behind `call` an entry of a request.
    Where the reference lists the values of an argument, the value is in the list; a robot is a
    shipped one, or a path.
    """
    stack, wrong = arguments(), []
    for page, text in written(reference=True):
        for line in lines(text):
            known = of_nodes() if '--ros-args' in line else {*stack} | of_actions()
            if ' -r ' in line:
                known |= {*endpoints()}
            for node in re.findall(r'softshell set (\w+) \w', line):
                known |= {*parameters()[node]}
            for service in re.findall(r'softshell call ([\w/]+) [\w"]', line):
                known |= {*entries_of(service)}
            for name, value in re.findall(r'(?<![\w{])(\w+):=([\w./-]*)', line):
                given = name in stack and re.fullmatch('[a-z_0-9]+', value)
                fits = not given or value in (stack[name] or [value])
                if name not in known | {*OTHER_ARGUMENTS} or not (
                    fits or (name, value) in OWN_VALUES
                ):
                    wrong.append((page, line))
    assert not wrong, wrong


def kind_in(table: Table, cell: str) -> str:
    """What a row speaks of, by the head of its table or by a word before its type."""
    told = cell.partition('`')[0].strip(' ,')
    return table.head[0] if table.head[0] in KINDS else told or 'topic'


def test_every_table_of_names_and_types_agrees_with_the_reference():
    """Names are there, of that kind, and have that type: in the README and on other pages."""
    wrong, count = [], 0
    for page, text in written():
        for table in tables(text):
            if table.head[0] not in (*KINDS, 'name') or table.head[1:2] != ('type',):
                continue
            for row in table.rows:
                names, types = SPAN.findall(row[0]), SPAN.findall(row[1])
                types = types * len(names) if len(types) == 1 else types
                for name, type_ in zip(names, types, strict=True):
                    full = type_ if '/' in type_ else f'softshell_interfaces/{type_}'
                    found = [(kind, short(each)) for kind, each in found_as(name)]
                    count += 1
                    if (kind_in(table, row[1]), full) not in found:
                        wrong.append((page, name, type_, found))
    assert not wrong, wrong
    assert count > 15


def test_every_column_of_topics_or_parameters_has_such():
    """By its head."""
    for page, text in written():
        for table in tables(text):
            for place, head in enumerate(table.head):
                known = {'topics': found_as, 'parameter': of_nodes().__contains__}.get(head)
                for name in column(table, place) if known else ():
                    assert known(name), (page, name)


def test_every_name_with_a_slash_is_one():
    """Of a topic, a service or a type; what begins with a folder is a path."""
    kinds = {short(type_) for _, type_ in endpoints().values()}
    kinds |= {f'softshell_interfaces/{name}' for name in definitions()}
    wrong = []
    for page, text in written(reference=True):
        for shown in spans(text):
            if re.fullmatch(r'[a-z]\w*/((msg|srv|action)/)?[A-Z]\w*', shown):
                good = short(shown) in kinds
            elif re.fullmatch(r'\w+\.(msg|srv|action)', shown):
                good = shown.partition('.')[0] in definitions()
            elif re.fullmatch(r'(~|[a-z]\w*|)(/[a-z]\w*)+', shown):
                begin = shown.lstrip('/').partition('/')[0]
                good = begin in (*FOLDERS, *MADE, *MACHINE) or bool(found_as(shown))
            else:
                continue
            if not good:
                wrong.append((page, shown))
    assert not wrong, wrong


def test_what_is_called_a_topic_a_service_an_action_or_a_parameter_is_one():
    """Names that follow such a word, such as in "topics `mode` and `joint_states`"."""
    of_compose = yaml.safe_load(text_of(ROOT / 'docker' / 'compose.yaml'))['services']
    known = {
        'topic': lambda name: 'topic' in dict(found_as(name)),
        'service': lambda name: name in of_compose or 'service' in dict(found_as(name)),
        'action': lambda name: name in {*actions()} | KEYS or bool(found_as(name)),
        'parameter': (of_nodes() | of_actions()).__contains__,
        'argument': {*arguments(), *OTHER_ARGUMENTS}.__contains__,
    }
    names = r'((?:(?:, | and |, and | or )?`[^`\n]+`)+)'
    wrong = []
    for page, text in written():
        for kind, said in re.findall(rf'\b({"|".join(known)})s? {names}', prose(text)):
            for name in ' '.join(each for each in SPAN.findall(said) if '.' not in each).split():
                if not known[kind](name.removesuffix(':=')):
                    wrong.append((page, kind, name))
    assert not wrong, wrong


def test_the_names_on_the_drawing_of_the_architecture_are_real():
    """Topics, services, actions and packages; fields of a message; bridges."""
    drawing = text_of(ROOT / 'docs' / 'architecture.svg')
    texts = re.findall(r'<text ([^>]*)>([^<]*)</text>', drawing)
    slanted = ' '.join(text for style, text in texts if 'italic' in style)
    fields = re.findall(r'\(([a-z]+(?:, [a-z]+)+)\)', slanted)
    names = re.findall(r'[/a-z_]+', re.sub(r'\(.*?\)', '', slanted))
    for _, text in texts:
        words = re.findall(r'/?[a-z]+(?:_[a-z]+)+', text)
        if text.startswith('bridge/'):
            words = [f'bridge/{each}' for each in text.removeprefix('bridge/').split(' · ')]
        names += [each for each in words if not each.startswith('softshell_')]
    assert len(names) > 20
    assert not [each for each in names if not found_as(each)]
    assert {*re.findall(r'softshell_\w+', drawing)} <= {
        path.name for path in (ROOT / 'src').iterdir()
    }
    message = text_of(ROOT / 'src' / 'softshell_interfaces' / 'msg' / 'TrajectoryCommand.msg')
    for each in ', '.join(fields).split(', '):
        assert re.search(rf'^\S+ {each}\b', message, re.MULTILINE), each
    bold = {text for style, text in texts if 'bold' in style}
    assert {*arguments()['bridge']} <= bold


def test_every_identifier_is_used_somewhere():
    """Such as `odom_estimated`: with a change of its name in the code it is no word there.

    The name of a file counts as well, without what all tests begin with.
    """
    files = [path for top in SOURCES for path in (ROOT / top).rglob('*')
             if path.suffix in ('.py', '.yaml', '.xacro', '.msg', '.srv', '.action', '.js', '.txt')
             and path != Path(__file__)]  # fmt: skip
    words = {word for path in files for word in re.findall(r'\w+', text_of(path))}
    words |= {re.sub(r'^test_(kinematics_)?', '', path.stem) for path in files}
    wrong = [(page, shown) for page, text in written() for shown in spans(text)
             if re.fullmatch(r'[A-Za-z]+(_[A-Za-z0-9]+)+', shown)
             and shown not in words | NOWHERE]  # fmt: skip
    assert not wrong, wrong
    assert not NOWHERE & words
