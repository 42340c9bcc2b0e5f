"""Memory and handles of a stack's processes over time."""

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from _processes import cpu_of, pid_of
from matplotlib.figure import Figure
from scipy.stats import theilslopes

PERIOD = 2.0  # [s] between samples
#: What counts as flat in a long life: growth of memory [B/h] and of handles [1/h].
MEMORY_RATE, HANDLE_RATE = 6e6, 4.0
#: What a node may take beside that, whenever it is [B], and how many handles: what counts in a
#: shorter life.
SLACK, HANDLES = 8e6, 8
#: The part of a life in which everything is loaded for the first time, which does not count; and
#: the half of it, in which a ramp of the beginning has come to its end.
LOADING, HALF = 0.3, 0.5
#: A shorter life tells nothing; rates of a steady one are told; a long one has no slack beside
#: them, also in its second half [s]. Brief ones of a node are told together.
SHORTEST, STEADY, LONG, BRIEF = 120.0, 900.0, 1200.0, 300.0
PAGE = os.sysconf('SC_PAGE_SIZE')


@dataclass
class Life:
    """A node from a start of the stack to its end.

    Attributes:
        node: its name.
        times: [s] since the begin of the soak.
        memory: resident [B].
        handles: open files and sockets.
        cpu: time that it has computed [s].
    """

    node: str
    times: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    handles: list[int] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def load(self) -> float:
        """Part of a core that it took."""
        length = self.times[-1] - self.times[0]
        return (self.cpu[-1] - self.cpu[0]) / length if length else 0.0

    @property
    def hours(self) -> float:
        """How long it was watched."""
        return (self.times[-1] - self.times[0]) / 3600.0

    @property
    def is_steady(self) -> bool:
        """Whether it was watched for so long that rates tell something."""
        return 3600.0 * self.hours >= STEADY

    @property
    def is_long(self) -> bool:
        """Whether it was watched for so long that it has no slack."""
        return 3600.0 * self.hours >= LONG

    def rate(self, values: list[float] | list[int], part: float = LOADING) -> float:
        """Growth in an hour, once everything is loaded: the median slope between two samples.

        Source: P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968.

        Args:
            values: one for each of `times`.
            part: of the life, at its beginning, that does not count.
        """
        first = int(part * len(values))
        return 3600.0 * float(theilslopes(values[first:], self.times[first:])[0])

    def grown(self) -> str:
        """What has grown, in words; empty if nothing has, or it did not live long enough."""
        if 3600.0 * self.hours < SHORTEST:
            return ''
        for what, values, unit, most, slack in (
            ('memory', self.memory, 1e6, MEMORY_RATE, SLACK),
            ('handles', self.handles, 1.0, HANDLE_RATE, HANDLES),
        ):
            rate = self.rate(values)
            bound = most if self.is_long else most + slack / self.hours
            if rate > bound:
                told = f'{rate / unit:.1f} an hour, of at most {bound / unit:.1f}'
                return f'{self.node}: {what} grows by {told}'
        later = self.rate(self.memory, HALF) if self.is_long else 0.0
        if later > MEMORY_RATE:
            told = f'{later / 1e6:.1f} an hour, of at most {MEMORY_RATE / 1e6:.1f}'
            return f'{self.node}: memory still grows by {told} in the second half'
        return ''


def rows_of(lives: list[Life]) -> Iterator[tuple[str, ...]]:
    """What a table says of each life, and in one row of the brief ones of a node.

    Returns:
        Node, time [min], memory at begin and end [MB], its growth [MB/h] and that in the second
        half, handles at begin and end, their growth [1/h], cores. Of several lives: the times and
        the cores of all together, and the range of the others.
    """
    groups: dict[object, list[Life]] = {}
    for life in lives:
        brief = 3600.0 * life.hours < BRIEF
        groups.setdefault(life.node if brief else id(life), []).append(life)
    for group in groups.values():
        first, hours = group[0], sum(life.hours for life in group)
        memory, later, handles = '', '', ''
        if first.is_steady:
            memory = f'{first.rate(first.memory) / 1e6:+.1f}'
            later = f'{first.rate(first.memory, HALF) / 1e6:+.1f}'
            handles = f'{first.rate(first.handles):+.1f}'
        cpu = sum(life.load * life.hours for life in group)
        yield (
            first.node + (f', {len(group)} times' if len(group) > 1 else ''),
            f'{60.0 * hours:.0f}',
            f'{min(life.memory[0] for life in group) / 1e6:.0f} to '
            f'{max(life.memory[-1] for life in group) / 1e6:.0f}',
            memory, later,
            f'{min(life.handles[0] for life in group)} to '
            f'{max(life.handles[-1] for life in group)}',
            handles, f'{cpu / hours if hours else 0.0:.2f}',
        )  # fmt: skip


class Watch:
    """Samples the processes of the stack that runs, in a thread of its own."""

    def __init__(self) -> None:
        self.begin = time.monotonic()
        self.lives: list[Life] = []
        self._now: dict[int, Life] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name='watch', daemon=True)
        self._thread.start()

    def follow(self, domain: int, nodes: list[str]) -> None:
        """Watch the nodes of a stack from now on, besides those that are watched."""
        lives = {pid: Life(node) for node in nodes if (pid := pid_of(node, domain)) is not None}
        with self._lock:
            self._now |= lives
            self.lives += lives.values()

    def leave(self) -> None:
        """Watch nothing, as before a stack is ended."""
        with self._lock:
            self._now = {}

    def close(self) -> None:
        """End it."""
        self._stop.set()
        self._thread.join()
        self.lives = [life for life in self.lives if life.times]

    def _run(self) -> None:
        while not self._stop.wait(PERIOD):
            with self._lock:
                for pid, life in self._now.items():
                    self._sample(pid, life)

    def _sample(self, pid: int, life: Life) -> None:
        try:
            pages = int(Path(f'/proc/{pid}/statm').read_text().split()[1])
            handles, cpu = len(os.listdir(f'/proc/{pid}/fd')), cpu_of(pid)
        except OSError:  # it has ended; who runs the stack is told
            return
        if not pages or not handles:  # it ends, and nobody has taken note of that yet
            return
        life.times.append(time.monotonic() - self.begin)
        life.memory.append(pages * PAGE)
        life.handles.append(handles)
        life.cpu.append(cpu)

    def draw(self, path: Path, events: list[tuple[float, str]]) -> None:
        """Draw memory, handles and what was done, over time.

        Args:
            path: of the picture.
            events: when what was done began [s], and what.
        """
        figure = Figure(figsize=(11, 9), layout='constrained')
        memory, handles, done = figure.subplots(3, 1, sharex=True)
        colours = {
            node: f'C{k}' for k, node in enumerate(dict.fromkeys(x.node for x in self.lives))
        }
        for life in self.lives:
            minutes = np.array(life.times) / 60.0
            memory.plot(minutes, np.array(life.memory) / 1e6, color=colours[life.node])
            handles.plot(minutes, life.handles, color=colours[life.node])
        for node, colour in colours.items():
            memory.plot([], [], color=colour, label=node)
        figure.legend(loc='outside upper center', ncols=6, fontsize='small')
        kinds = sorted({what for _, what in events})
        done.plot([when / 60.0 for when, _ in events], [what for _, what in events], '|')
        done.set_yticks(kinds)
        memory.set_ylabel('memory [MB]')
        handles.set_ylabel('handles')
        done.set_xlabel('[min]')
        for axes in (memory, handles, done):
            axes.grid(alpha=0.3)
        figure.savefig(path, dpi=110)
