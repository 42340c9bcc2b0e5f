"""What the console tells of services that the control loop carries out."""

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from softshell_control.ros.requests import carry_out
from softshell_kinematics.errors import SoftshellError


class Console:
    """A node whose log is kept, and a control loop that does everything at once."""

    def __init__(self):
        self.lines = []

    def get_logger(self):
        return self

    def info(self, text):
        self.lines.append(('info', text))

    def warning(self, text):
        self.lines.append(('warning', text))

    def request(self, change):
        self.result = lambda patience: change()
        return self


def refuse():
    raise SoftshellError('no')


@pytest.mark.parametrize(
    ('query', 'act', 'answer', 'lines'),
    [
        (False, lambda: 'done', (True, 'done'), [('info', 'act: done')]),
        (True, lambda: 'done', (True, 'done'), []),
        (False, refuse, (False, 'no'), [('warning', 'act failed: no')]),
        (True, refuse, (False, 'no'), [('warning', 'act failed: no')]),
    ],
)
def test_what_only_reads_is_told_where_it_fails(query, act, answer, lines):
    """What changes something is told in any case; the answer is the same."""
    console = Console()
    assert carry_out(console, console, 'act', act, query=query) == answer
    assert console.lines == lines
