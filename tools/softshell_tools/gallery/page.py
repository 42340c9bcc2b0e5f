"""The gallery's picture of the page in the browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from queue import Empty, SimpleQueue

from PIL import Image

from softshell_kinematics.errors import SoftshellError
from softshell_tools.surroundings import BROWSERS, installed_browser

#: Size of the picture [pixels].
WIDTH, HEIGHT = 1280, 800
COLOURS = 128  # of the picture, so that its file is small
#: Chromium draws in software, so that no graphics card is needed.
FLAGS = (
    '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
)  # fmt: skip
PATIENCE = 120.0  # [s]
#: How long the scene takes to appear, and how long the robot has walked in the picture [s].
APPEARS, WALKS = 6.0, 4.0
#: Whether the page tells the height of a base that stands.
STANDS = '/height 0\\.1/.test(document.body.innerText)'


def save_page(arguments: list[str], path: Path) -> None:
    """Start the stack with its page in the browser, walk by a key, and take a picture of that.

    Args:
        arguments: of the stack, as `name:=value`.
        path: of the picture, a PNG.

    Raises:
        SoftshellError: there is no Chromium, or the page did not come.
        OSError: the picture cannot be written.
    """
    from playwright.sync_api import Error, sync_playwright

    browser = installed_browser()
    if browser is None:
        raise SoftshellError(f'none of {", ".join(BROWSERS)} is installed: apt install chromium')
    with _stack(arguments) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=[*FLAGS])
        try:
            page = chromium.new_page(viewport={'width': WIDTH, 'height': HEIGHT})
            page.goto(address)
            page.wait_for_function("document.querySelectorAll('#action option').length > 5")
            page.click('#contacts')
            page.wait_for_timeout(1e3 * APPEARS)
            page.keyboard.press('t')
            page.wait_for_function(STANDS)
            page.keyboard.down('w')
            page.wait_for_timeout(1e3 * WALKS)
            content = page.screenshot(type='png', timeout=1e3 * PATIENCE)
            page.keyboard.up('w')
        except Error as error:
            raise SoftshellError(f'{address}: {error.message}') from error
        finally:
            chromium.close()
    picture = Image.open(BytesIO(content)).convert('RGB').quantize(COLOURS)
    whole = path.with_name(f'.{path.name}')
    picture.save(whole, format='PNG', optimize=True)
    whole.replace(path)


@contextmanager
def _stack(arguments: list[str]) -> Iterator[str]:
    """A running stack, by the address of its page.

    Raises:
        SoftshellError: an argument is wrong, or no address was told in time.
    """
    from softshell_bringup.domain import free_domain
    from softshell_bringup.runner import Stack
    from softshell_common.onlooker import address_in

    addresses: SimpleQueue[str] = SimpleQueue()

    def hear(name: str, line: str) -> None:
        if address := address_in(name, line):
            addresses.put(address)

    given = dict(argument.split(':=', 1) for argument in arguments)
    with Stack({'bridge': 'sim', **given}, domain=free_domain(), output=hear) as stack:
        stack.wait_ready()
        try:
            yield addresses.get(timeout=PATIENCE)
        except Empty:
            raise SoftshellError(f'no page within {PATIENCE:.0f} s') from None
