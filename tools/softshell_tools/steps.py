"""Runs the commands of the set-up, and shows their progress.

Only the standard library, and any Python from 3.9: this runs before anything is installed.
"""

import contextlib
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

#: Disk space that is needed while the requirements are unpacked [B].
FREE_SPACE = 3e9
#: Why a signal may have ended a command that nobody ended.
REASONS = {
    signal.SIGKILL: 'Linux does this when memory runs out',
    signal.SIGILL: 'this processor lacks an instruction',
}


def say(text, end='\n'):
    """Print a line of progress to stderr; stdout is for the command that runs afterwards."""
    print(text, end=end, file=sys.stderr, flush=True)


def fail(text):
    """End the program with a message."""
    sys.exit(f'softshell: {text}')


@contextlib.contextmanager
def one_error(root):
    """A context in which a file that cannot be read or written ends the program with a message.

    Args:
        root: folder of the checkout.
    """
    try:
        yield
    except OSError as error:
        fail(
            f'{error.filename or root}: {error.strerror or error}; expected a complete checkout '
            f'that this user may write to, with {FREE_SPACE / 1e9:.0f} GB free on its disk'
        )


def in_words(seconds):
    """A duration [s] in words, e.g. `3 minutes`."""
    if seconds < 60:
        return f'{seconds:.0f} s'
    minutes = math.ceil(seconds / 60)
    return f'{minutes} minute{"s" * (minutes > 1)}'


class Steps:
    """Runs the commands of the set-up, showing title, elapsed time and the last line of output.

    Args:
        workspace: the workspace in which the commands run, and whose `log/setup` has their output.
        lock: file descriptor of the set-up's lock; the commands inherit it, so that they hold the
            lock even if this process is killed.

    Attributes:
        plan: usual time of each step [s], by its title.
    """

    def __init__(self, workspace, lock):
        self._workspace = workspace
        self._lock = lock
        self._running, self._begun = {}, {}  # processes, and when they began [s], by title
        self.plan = {}
        self._logs = workspace.root / 'log' / 'setup'

    def run(self, title, command, environment):
        """Run one command to its end. If it fails, the set-up ends and shows its output."""
        with self._started({title: (command, environment)}):
            self._wait([title])

    @contextlib.contextmanager
    def beside(self, commands):
        """A context beside which commands run; it lasts until they have ended as well.

        If one fails, within the context or beside it, all that run are ended, and the set-up ends
        and shows its output.

        Args:
            commands: each a pair of command line and environment, by title.
        """
        with self._started(commands):
            yield
            self.wait_for_others()

    def wait_for_others(self):
        """Wait until all that runs beside has ended."""
        titles = list(self._running)
        self._say_begin(titles)
        self._wait(titles)

    @contextlib.contextmanager
    def _started(self, commands):
        """A context in which commands run: what still does in the end is ended."""
        self._logs.mkdir(parents=True, exist_ok=True)
        self._say_begin(commands)
        try:
            for title, (command, environment) in commands.items():
                self._running[title] = self._begin(title, command, environment)
            yield
        finally:
            ended = [self._running.pop(title) for title in commands if title in self._running]
            for process in ended:
                process.terminate()
            for process in ended:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(5)
                process.kill()

    def _wait(self, titles):
        """Wait until these commands have ended, and tell which do, of all that run."""
        while awaited := [title for title in titles if title in self._running]:
            time.sleep(0.1)
            if is_live():
                elapsed = time.monotonic() - self._begun[awaited[0]]
                latest = last_line(self._log(awaited[0]))
                show(f'  {self._placed(awaited)} ... {elapsed:.0f} s  {latest}')
            for title, process in list(self._running.items()):
                if process.poll() is not None:
                    del self._running[title]
                    self._tell_end(title, process.returncode)

    def _say_begin(self, titles):
        """Print what is waited for, where no line is rewritten all the time."""
        if titles and not is_live():
            say(f'  {self._placed(titles)} ...')

    def _placed(self, titles):
        """The titles of commands, each with its place among the planned steps."""
        return ', '.join(title + self._place(title) for title in titles)

    def _place(self, title):
        """Which of the planned steps this is, and its usual time; empty if it is none of them."""
        if title not in self.plan:
            return ''
        number = [*self.plan].index(title) + 1
        return f' ({number} of {len(self.plan)}, usually {in_words(self.plan[title])})'

    def _log(self, title):
        """The file that keeps the output of a command."""
        return self._logs / (re.sub(r'\W+', '-', title.lower()).strip('-') + '.log')

    def _begin(self, title, command, environment):
        self._begun[title] = time.monotonic()
        with self._log(title).open('wb') as output:
            return subprocess.Popen(
                [*attached(), *map(str, command)],
                cwd=self._workspace.root, env=environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                pass_fds=[self._lock],
            )  # fmt: skip

    def _tell_end(self, title, status):
        """Print how long a command took; end the set-up if it has failed."""
        elapsed = time.monotonic() - self._begun[title]
        say(('\r\033[K' if is_live() else '') + f'  {title}: {elapsed:.0f} s')
        if status:
            log = self._log(title)
            say('\n'.join(log.read_text(errors='replace').splitlines()[-40:]))
            fail(
                f'"{title}" {end_of(status)}; all of its output is in '
                f'{log.relative_to(self._workspace.root)}. The next start goes on from here.'
            )


def end_of(status):
    """How a command failed, in words, by its status: negative is the signal that ended it."""
    if status > 0:
        return f'failed with exit status {status}'
    named = {one.value: one.name for one in signal.Signals}  # few of the real-time ones
    name = named.get(-status, f'signal {-status}')
    return f'was ended by {name}' + (f' ({REASONS[-status]})' if -status in REASONS else '')


def attached():
    """The words to put before a command so that it ends with this process, even a killed one."""
    root = Path(__file__).resolve().parents[2]
    program = root / 'src' / 'softshell_bringup' / 'softshell_bringup' / 'attached.py'
    return [sys.executable, '-I', '-S', str(program), str(os.getpid()), '0']


def is_live():
    """Whether the terminal can rewrite its current line."""
    return sys.stderr.isatty() and os.environ.get('TERM') != 'dumb'


def show(line):
    """Rewrite the terminal's current line."""
    say('\r\033[K' + line[: shutil.get_terminal_size().columns - 1], end='')


def last_line(log):
    """The last line with text of a file that may be growing."""
    with log.open('rb') as stream:
        stream.seek(max(0, log.stat().st_size - 400))
        lines = stream.read().decode(errors='replace').splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), '')
