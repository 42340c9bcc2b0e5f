"""The page on the arguments of the stack."""

from softshell_bringup.arguments import ARGUMENTS
from softshell_tools.reference.markdown import code, page, table


def arguments_page() -> str:
    """The page, in Markdown."""
    rows = [
        (code(one.name), code(one.default_text) or '–', one.valid, one.description)
        for one in ARGUMENTS
    ]
    return page(
        'Arguments of the stack',
        'Given as `name:=value` to `./softshell up`, `./softshell demo` and '
        '`ros2 launch softshell_bringup softshell.launch.py`.',
        [table(('argument', 'default', 'valid', 'meaning'), rows)],
    )
