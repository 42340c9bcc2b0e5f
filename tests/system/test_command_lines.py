"""Each command and option on a page is one that its program takes; nothing is run for that.

Most commands are run as well, by test_commands.py and test_tutorial.py.
"""

import re
import shlex

import pytest
from command_parsers import BENCHMARKS, COMMANDS, options_of, parse
from pages import PAGES, REFERENCE, ROOT, lines, name_of, spans, text_of
from shown_commands import commands, commands_in

from softshell_tools.parts import sets_of

SHOWN = [page for page in PAGES if page.parent != REFERENCE]
OPTION = r'(?<!\S)--[a-z][\w-]*'
#: Options of other programs, those that pages show.
OTHERS = {
    'dask worker': {'--nthreads'},
    'docker compose': {'--build', '--profile', '--rm'},
    'pip wheel': {'--no-deps', '--wheel-dir'},
    'python -m colcon build': {'--base-paths', '--cmake-args', '--symlink-install'},
    'python3 -m venv': {'--system-site-packages'},
    'ros2 action send_goal': {'--feedback'},
    'ros2 run': {'--ros-args'},
    'ros2 topic echo': {'--once'},
    'rosdep install': {'--from-paths', '--ignore-src', '--skip-keys'},
    'rviz2': {'--ros-args'},
    'sudo udevadm control': {'--reload'},
}


def by_name(text: str) -> list[str]:
    """Commands between backticks by their names alone, such as `scan robot:=arm`."""
    return [span for span in spans(text) if span.partition(' ')[0] in COMMANDS and ' ' in span]


def everything() -> list[str]:
    """Commands on all pages, in helps, and in the texts of the benchmarks, each once."""
    found = dict.fromkeys(commands())
    for page in SHOWN:
        found |= dict.fromkeys(by_name(text_of(page)))
    for path in (*BENCHMARKS.values(), ROOT / 'docs' / 'tutorial.md'):
        found |= dict.fromkeys(commands_in(text_of(path)))
    return [words for words in found if not words.startswith('bench NAME ')]


def with_its_sets(words: str):
    """A command, marked with the sets that its benchmark imports."""
    first, name, *_ = (*words.split(), '')
    sets = sets_of(name, ['--quick']) if first == 'bench' and name else []
    return pytest.param(words, marks=pytest.mark.needs(*sets) if sets else ())


@pytest.mark.parametrize('words', map(with_its_sets, everything()))
def test_a_command_is_taken(words):
    """Its quotes are closed, its parser takes its words, and a file of parameters is there."""
    parse(words)
    for word in shlex.split(words):
        name, _, value = word.partition(':=')
        assert name != 'params_file' or (ROOT / value).is_file()


@pytest.mark.parametrize(
    'words',
    ['scan --pose stand', 'up --pose stand', 'calibrate gui:=web', 'bench rolling --seed 3',
     'bench rough --ground sand', 'score', 'sweep', 'train Walk --by chance', 'record --loop'],
)  # fmt: skip
def test_what_a_command_does_not_take_is_found(words):
    """An option, an argument or a value that is another's, and one that is missing."""
    with pytest.raises((Exception, SystemExit)):
        parse(words)


def named_on(text: str) -> dict[str, dict[str, bool]]:
    """Options of each program that a page names, and whether they take a value."""
    words = rf'(?:\./softshell |`)(bench (?:{"|".join(BENCHMARKS)})|{"|".join(COMMANDS)})\b'
    found = {command: options_of(command) for command in re.findall(words, text)}
    others = {each: dict.fromkeys(OTHERS[each], True) for each in OTHERS if each in text}
    return found | others


@pytest.mark.parametrize('page', SHOWN, ids=name_of)
def test_an_option_is_one_of_a_program_that_the_page_names(page):
    """As in "`--scheduler tcp://HEAD:8786`"; what has a value behind it takes one."""
    named = named_on(text_of(page))
    for shown in spans(text_of(page)):
        found = re.fullmatch(rf'(?:run )?({OPTION})(?: (\S+))?', shown)
        takes = [options[found[1]] for options in named.values() if found and found[1] in options]
        assert not found or (any(takes) if found[2] else takes), shown


def test_options_of_other_programs_are_listed():
    """With their programs; and those that are listed are on a page."""
    used = {each: set() for each in OTHERS}
    for page in SHOWN:
        for line in lines(text_of(page)):
            line = re.sub(r'\s#.*', '', line)
            if './softshell' in line or line in by_name(text_of(page)) or line.startswith('--'):
                continue
            options = {*re.findall(OPTION, line)}
            known = [each for each in OTHERS if each in line] or ['docker compose']
            for each in known:
                used[each] |= options & OTHERS[each]
            assert options <= set().union(*(OTHERS[each] for each in known)), (page, line)
    assert used == OTHERS
