"""Files that the server sends: those of the page, and the viewer's."""

import functools
import gzip
from importlib import resources
from pathlib import Path

import viser
from aiohttp import web

#: Files of the page, and what they are.
FILES = {
    'index.html': 'text/html', 'style.css': 'text/css', 'app.js': 'text/javascript',
    'drive.js': 'text/javascript', 'panels.js': 'text/javascript', 'plots.js': 'text/javascript',
    'link.js': 'text/javascript', 'joints.js': 'text/javascript',
}  # fmt: skip
#: Of the viewer only the scene is shown: its panels are for programs of its own.
SCENE_ONLY = (
    '<style>[data-floating-window], .mantine-Notifications-root '
    '{ display: none !important }</style>'
)


def page(name: str) -> web.Response:
    """A file of the page.

    Args:
        name: one of `FILES`.
    """
    text = resources.files('softshell_dashboard').joinpath('page', name).read_text('utf-8')
    headers = {'Cache-Control': 'no-cache'}
    return web.Response(text=text, content_type=FILES[name], headers=headers)


@functools.cache
def viewer() -> bytes:
    """The viewer's page, compressed."""
    path = Path(viser.__file__).parent / 'client' / 'build' / 'index.html'
    page = path.read_text('utf-8').replace('</head>', f'{SCENE_ONLY}</head>', 1)
    return gzip.compress(page.encode(), 6)
