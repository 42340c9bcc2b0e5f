"""The commands that the pages and the help show."""

import re
from pathlib import Path

from softshell_tools import cli

ROOT = Path(__file__).parents[2]
#: The tutorial has a test of its own.
GLOBS = ('README.md', 'CONTRIBUTING.md', 'docs/[!t]*.md', 'examples/*.*')
PAGES = [path for glob in GLOBS for path in sorted(ROOT.glob(glob))]


def commands() -> list[str]:
    """What comes after ./softshell, of every page and every help text, each once."""
    found: dict[str, None] = {}
    for page in PAGES:
        for words in re.findall(r'\./softshell ([a-z][a-z-]*(?: [^\s`#|…]+)*)', page.read_text()):
            if not words.endswith(':='):  # a value that the reader has to fill in
                found[words] = None
    for command in cli.app.registered_commands:
        name = command.name or command.callback.__name__
        for words in re.findall(rf'(?:^|: ) *({name} [^\n]*)', command.callback.__doc__, re.M):
            if '[' not in words:
                found[re.sub(r'\. .*', '', words)] = None
    return list(found)
