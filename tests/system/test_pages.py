"""What the pages lead to is there: files, headings, folders, programs."""

import re
from pathlib import Path

from pages import (
    FOLDERS,
    PAGES,
    ROOT,
    anchors,
    code,
    lines,
    links,
    name_of,
    spans,
    text_of,
    written,
)

PACKAGES = [path.name for path in (ROOT / 'src').iterdir() if path.name != 'softshell_interfaces']
#: Files of a reader's own, which pages only show how to write.
READERS_OWN = {'my_motors/backend.py', 'my_engine.py'}


def leads(page: Path, target: str) -> bool:
    """Whether a link of a page leads to a file or folder and, on a page, to a heading."""
    path, _, anchor = target.partition('#')
    there = (page.parent / path).resolve() if path else page
    return there.exists() and (not anchor or anchor in anchors(text_of(there)))


def test_every_link_and_picture_leads_somewhere():
    """To a file, and the part behind `#` to a heading by GitHub's rule."""
    wrong = [(name_of(page), target) for page in PAGES
             for target in links(text_of(page)) if not leads(page, target)]  # fmt: skip
    assert not wrong, wrong


def test_anchors_are_made_by_githubs_rule():
    """Signs go, blanks become hyphens, one each; a second heading of the same name is counted."""
    text = '# How `a_b` works: c, d – e\n## Twice\n```bash\n# no heading\n```\n## Twice\n'
    assert anchors(text) == {'how-a_b-works-c-d--e', 'twice', 'twice-1'}


def exists(page: Path, path: str) -> bool:
    """Whether a path is there, from the root, a package or its page; `*`, `<name>`: any name."""
    pattern = re.sub(r'<\w+>|\{\w+\}', '*', path.rstrip('/.'))
    return any([*folder.glob(each)] for folder, each in
               ((ROOT, pattern), (ROOT, f'src/*/{pattern}'), (page.parent, pattern)))  # fmt: skip


def test_every_path_exists_that_begins_with_a_folder_or_a_package():
    """Between backticks and in blocks of code, such as `config/robots/arm` or `docs/*.md`."""
    begin = '|'.join([*FOLDERS, *PACKAGES])
    path = re.compile(rf'(?<![\w./~{{}}>:-])(?:{begin})/[\w./*<>{{}}-]*')
    wrong = [(name_of(page), found) for page in PAGES
             for shown in (*spans(text_of(page)), *code(text_of(page)))
             for found in path.findall(shown) if not exists(page, found)]  # fmt: skip
    assert not wrong, wrong


def test_every_program_is_there():
    """A file in Python that a page names is the end of the path of one of ours."""
    ours = {f'/{path.relative_to(ROOT)}' for top in FOLDERS for path in (ROOT / top).rglob('*.py')}
    for name, text in written():
        for shown in spans(text):
            if re.fullmatch(r'[\w/*]+\.py', shown) and shown not in READERS_OWN:
                end = re.compile('.*/' + shown.replace('.', r'\.').replace('*', '.*'))
                assert any(end.fullmatch(path) for path in ours), (name, shown)


def test_every_example_is_started_as_it_says():
    """The command of a page is the one in the program's docstring."""
    for name, text in written():
        for line in lines(text):
            if line.startswith('.venv/bin/python examples/'):
                command = line.partition('  #')[0].rstrip()
                program = text_of(ROOT / command.split()[1])
                assert f'\nRun: {command}\n' in program, (name, command)


def test_soft_manipulators_are_installed_as_their_page_says():
    """By the same line in the README of the package; each library after those that it needs."""
    readme = (ROOT / 'src/softshell_continuum/README.md').read_text(encoding='utf-8')
    (line,) = re.findall(r'^pip install .*$', readme, re.MULTILINE)
    assert f'`{line}`' in (ROOT / 'docs/continuum.md').read_text(encoding='utf-8')
    libraries = ['softshell_kinematics', 'softshell_common', 'softshell_continuum']
    assert re.findall(r'\./src/(\w+)', line) == libraries
