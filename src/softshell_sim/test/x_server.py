"""An X server without a screen, and what it shows."""

import shutil
import struct
import subprocess
import time

import numpy as np
import pytest

needs_x_server = pytest.mark.skipif(
    shutil.which('Xvfb') is None, reason='Xvfb is not installed (apt install xvfb)'
)


class XServer:
    """Xvfb on a free display.

    Args:
        folder: for its picture.
    """

    def __init__(self, folder):
        self._picture = folder / 'Xvfb_screen0'
        self._process = subprocess.Popen(
            ['Xvfb', '-displayfd', '1', '-screen', '0', '640x480x24', '-fbdir', str(folder)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.display = f':{self._process.stdout.readline().strip()}'

    def picture(self):
        """(height, width, 3) what is on the screen, by the header of X Window Dumps, XWDFile.h."""
        content = self._picture.read_bytes()
        header = struct.unpack('>25I', content[:100])
        size, height, row, colours = header[0], header[5], header[12], header[19]
        begin = size + 12 * colours
        pixels = np.frombuffer(content, np.uint8, height * row, begin).reshape(height, -1, 4)
        return pixels[:, : header[4], 2::-1]

    def shows(self, condition, patience=60.0):
        """Wait until a picture fulfils a condition; whether it did."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if condition(self.picture()):
                return True
            time.sleep(0.1)
        return False

    def close(self):
        self._process.terminate()
        self._process.wait(10)
