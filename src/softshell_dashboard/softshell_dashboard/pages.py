"""The files that the server sends: those of the page, and the page of viser's viewer."""

import functools
import gzip
from importlib import resources
from pathlib import Path

import viser
from aiohttp import web

#: Files of the page, and their media types.
FILES = {
    'index.html': 'text/html', 'style.css': 'text/css', 'app.js': 'text/javascript',
    'drive.js': 'text/javascript', 'panels.js': 'text/javascript', 'plots.js': 'text/javascript',
    'link.js': 'text/javascript', 'joints.js': 'text/javascript',
}  # fmt: skip
#: Hides the panels of the viewer, so that only the scene is seen.
SCENE_ONLY = (
    '<style>[data-floating-window], .mantine-Notifications-root '
    '{ display: none !important }</style>'
)


def page(name: str) -> web.Response:
    """The response with a file of the page.

    Args:
        name: one of `FILES`.
    """
    text = resources.files('softshell_dashboard').joinpath('page', name).read_text('utf-8')
    headers = {'Cache-Control': 'no-cache'}
    return web.Response(text=text, content_type=FILES[name], headers=headers)


@functools.cache
def viewer() -> bytes:
    """The page of the viewer, compressed by gzip."""
    path = Path(viser.__file__).parent / 'client' / 'build' / 'index.html'
    page = path.read_text('utf-8').replace('</head>', f'{SCENE_ONLY}</head>', 1)
    return gzip.compress(page.encode(), 6)
