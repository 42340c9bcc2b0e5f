"""All that is public in the packages is there for somebody: for other code, a page or an example.

Tests do not count: what they alone use has to go, or to be shown where a user looks for it.
"""

import ast
import gc
import re
from collections import Counter
from pathlib import Path

from softshell_studies.gym.tasks import TASKS

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ('src', 'tools', 'launch', 'examples', 'docs', 'tests/benchmarks', 'config')
#: Generated pages name all that there is, so they do not count either.
LEFT_OUT = {'test', 'build', '__pycache__', 'reference'}
#: What nobody here calls by its name, and why it is there.
ALLOWED = {
    'read by pydantic': {'model_config'},
    'called by the executor of rclpy': {
        'beginning_execution', 'can_execute', 'ending_execution',
    },
    'called by numba': {'load_overload', 'save_overload'},
    'called by PyYAML': {'construct_object'},
    'called by dynamixel-sdk': {'getCFlagBaud', 'setupPort', 'writePort'},
    'found by the name of its task': {f'Scripted{task.kind}' for task in TASKS.values()},
    'written in files as `continuous`': {'CONTINUOUS'},
    'a robot with joints of every kind, which tests of several packages share': {'GANTRY'},
}  # fmt: skip
#: Imports of a page, names like `package.module:Class`, and the code of a page.
IMPORT = re.compile(r'from (softshell_[\w.]+) import (\([^)]*\)|[\w, ]+)')
ENTRY = re.compile(r'(softshell_[\w.]+):(\w+)')
CODE = re.compile(r'```\w*\n(.*?)```|`([^`\n]+)`', re.DOTALL)
WORD = re.compile(r'\w+')


def defined(node):
    """Public functions, classes and constants that a statement defines; no fields of classes."""
    names = []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        names = [node.name]
    elif isinstance(node, ast.Assign):
        parts = [part for target in node.targets for part in ast.walk(target)]
        names = [part.id for part in parts if isinstance(part, ast.Name)]
    return [name for name in names if not name.startswith('_')]


class Survey:
    """What is defined in the packages, and what is used anywhere but in tests.

    Attributes:
        top: what modules define: module, name, and how often the definition uses itself.
        members: names of methods and of constants of classes.
        within: how often a module uses a name, by both.
        wanted: modules and names that are imported from them.
        read: names of attributes that are read.
        shown: names in the text of pages, as code.
    """

    def __init__(self):
        self.top, self.members, self.within = [], set(), Counter()
        self.wanted, self.read, self.shown = set(), set(), set()

    def idle(self):
        """Names that nobody uses."""
        of_modules = {
            name
            for module, name, own in self.top
            if (module, name) not in self.wanted and self.within[module, name] <= own
        }
        return (of_modules | (self.members - self.read)) - self.shown

    def look_at(self, path):
        """Take note of a file."""
        text = path.read_text(encoding='utf-8')
        self.wanted.update(ENTRY.findall(text))
        if path.suffix == '.py':
            parts = path.relative_to(ROOT).with_suffix('').parts
            ships = parts[0] == 'src' and path.name != 'setup.py'
            self._look_at_code('.'.join(parts[2:]).removesuffix('.__init__'), text, ships)
        elif path.suffix in ('.md', '.ipynb'):
            self._look_at_page(text)

    def _look_at_page(self, text):
        for module, names in IMPORT.findall(text):
            self.wanted.update((module, name) for name in WORD.findall(names))
        self.read.update(re.findall(r'\.(\w+)', text))
        for _, inline in CODE.findall(text):
            if not inline.endswith(('.py', '.md', '.yaml')):
                self.shown.update(WORD.findall(inline))

    def _look_at_code(self, module, text, ships):
        aliases, owners = {}, []
        for node in ast.parse(text).body:
            used = Counter()
            for part in ast.walk(node):
                if isinstance(part, ast.ImportFrom):
                    for each in part.names:
                        aliases[each.asname or each.name] = (part.module, each.name)
                        self.wanted.add((part.module, each.name))
                else:
                    self._look_at_part(part, used, owners)
            for name in defined(node) if ships else ():
                self.top.append((module, name, used[name]))
                for member in node.body if isinstance(node, ast.ClassDef) else ():
                    self.members.update(defined(member))
            for name, count in used.items():
                self.within[module, name] += count
        for owner, name in owners:  # of a module that is imported
            if owner in aliases:
                self.wanted.add(('.'.join(aliases[owner]), name))

    def _look_at_part(self, part, used, owners):
        if isinstance(part, ast.Name):
            used[part.id] += isinstance(part.ctx, ast.Load)
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
            owner = part.value
            if getattr(getattr(owner, 'func', None), 'id', '') != 'super':
                self.read.add(part.attr)
            owners.append((getattr(owner, 'id', ''), part.attr))
        elif isinstance(part, ast.MatchClass):
            self.read.update(part.kwd_attrs)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            text = part.value
            self.wanted.add((text, 'main'))  # of a node, by the name of its module
            if '\n' not in text and ('|' in text or ' ' not in text):  # for getattr, or of a type
                for name in WORD.findall(text):
                    self.read.add(name)
                    used[name] += 1
        elif isinstance(part, ast.Tuple) and len(part.elts) == 2:  # of a table of classes
            self.wanted.add(tuple(getattr(each, 'value', None) for each in part.elts))


def test_what_is_public_is_used_by_more_than_tests():
    """Or it is allowed, with its reason; what is used by now has no reason any more."""
    survey = Survey()
    gc.disable()  # it would look at all nodes of all trees again and again
    try:
        for folder in FOLDERS:
            for path in sorted((ROOT / folder).rglob('*')):
                kind = path.suffix in ('.py', '.md', '.ipynb', '.yaml')
                if kind and not LEFT_OUT & {*path.relative_to(ROOT).parts}:
                    survey.look_at(path)
    finally:
        gc.enable()
    packages = {path.parent.name for path in ROOT.glob('src/*/setup.py')}
    assert {module.split('.')[0] for module, *_ in survey.top} == packages
    assert survey.idle() == set().union(*ALLOWED.values())
