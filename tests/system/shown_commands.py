"""The commands that the pages and the help show."""

import re

from pages import PAGES, REFERENCE, ROOT

from softshell_tools import cli

#: Pages that show no commands to be typed, or have a test of their own.
APART = ('CHANGELOG.md', 'tutorial.md')
#: Files of examples show commands in their comments.
SHOWN = [*(page for page in PAGES if page.name not in APART and page.parent != REFERENCE),
         *sorted({*ROOT.glob('examples/*.*')} - {*PAGES})]  # fmt: skip


def commands_in(text: str) -> list[str]:
    """What comes after each ./softshell of a text, without values that a reader has to fill in."""
    found = re.findall(r'\./softshell ([a-z][a-z-]*(?: [^\s`#|…]+)*)', text)
    return [words for words in found if not words.endswith(':=')]


def commands() -> list[str]:
    """What comes after ./softshell, of every page and every help text, each once."""
    found = dict.fromkeys(words for page in SHOWN for words in commands_in(page.read_text()))
    for command in cli.app.registered_commands:
        name = command.name or command.callback.__name__
        for words in re.findall(rf'(?:^|: ) *({name} [^\n]*)', command.callback.__doc__, re.M):
            if '[' not in words:
                found[re.sub(r'\. .*', '', words)] = None
    return list(found)
