"""How every softshell node starts, spins and ends."""

import contextlib
import faulthandler
import gc
import signal
import sys
import time
import traceback
from collections.abc import Callable
from types import FrameType

import rclpy
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from softshell_common.entry import ENDING, LONGEST_ENDING
from softshell_common.ros.clock_thread import ClockThread
from softshell_common.ros.context import initialise
from softshell_common.ros.parameters import unknown_parameters
from softshell_kinematics.errors import SoftshellError

#: Longest time that a node may take, when it ends, to answer requests that wait for it [s].
ENDING_TIME = 1.0
#: Time between two checks whether a signal has come [s].
LOOK_PERIOD = 0.1
#: File descriptor that what hangs is told on, also when Python's own streams are closed.
STANDARD_ERROR = 2
#: Steps of the executor after the last answer, so that it is sent.
LAST_STEPS = 5


class Ending:
    """Notes whether a signal has asked the node to end.

    Before the node spins, the first signal raises KeyboardInterrupt, so that e.g. compiling stops.
    While it spins, a signal is only noted, as it may come in the middle of anything. While it
    ends, signals are ignored.

    Attributes:
        asked: whether a signal has come.
        interrupts: whether the first signal raises KeyboardInterrupt.
        hurry: called at the first signal, in the middle of anything.
    """

    def __init__(self) -> None:
        self.asked = False
        self.interrupts = True
        self.hurry: Callable[[], None] = _nothing
        for number in ENDING:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        first = not self.asked
        self._begin()
        if first and self.interrupts:
            raise KeyboardInterrupt

    def _begin(self) -> None:
        """Note that the node ends, which takes `LONGEST_ENDING` at most.

        If it hangs, each thread is told with where it waits, and the process ends.
        """
        first, self.asked = not self.asked, True
        if first:
            self.hurry()
            with contextlib.suppress(RuntimeError):  # no thread can be made for it
                faulthandler.dump_traceback_later(LONGEST_ENDING, exit=True, file=STANDARD_ERROR)

    def ignore(self) -> None:
        """Ignore signals from now on, also while Python itself ends.

        At its end Python restores the default action of signals, but not of ignored ones.
        """
        self._begin()  # a signal that came before this line is handled after it raises nothing
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)


def run(make_node: Callable[[], Node], arguments: list[str] | None = None) -> int:
    """Make a node, spin it until SIGINT or SIGTERM, and take it down cleanly.

    A node may have these methods:

    * `hurry()`: called in the middle of a callback, by the signal. It only notes something, so
      that the callback ends soon.
    * `begin_ending()`: called next. The node begins to answer requests that wait for it.
    * `is_ending()`: the node spins on while this is true, at most for `ENDING_TIME`.
    * `close()`: called before the node is destroyed. It ends threads and puts hardware to rest.

    Args:
        make_node: returns the node; called once ROS is initialised.
        arguments: command line; default `sys.argv`.

    Returns:
        The process's exit status: 0, or 1 after an error, which is printed. A node that hangs
        while it ends is ended after `LONGEST_ENDING`, with status 1.
    """
    node = clock = None
    status = 0
    ending = Ending()
    try:
        initialise(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
        node = make_node()
        ending.hurry = getattr(node, 'hurry', _nothing)
        if node.get_parameter('use_sim_time').value:
            clock = ClockThread(node)
        gc.collect()
        gc.freeze()  # what lives as long as the node is not searched again and again
        ending.interrupts = False
        for line in unknown_parameters(node):
            node.get_logger().warning(line)
        _spin(node, ending)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except (
        SoftshellError,  # e.g. of a parameters file
        InvalidParameterValueException,
        InvalidParameterTypeException,
    ) as error:
        status = _failed(error)
    finally:
        ending.ignore()
        if clock is not None:
            clock.close()
        if node is not None:
            status |= _take_down(node)
        rclpy.try_shutdown()
        faulthandler.cancel_dump_traceback_later()
    return status


def _take_down(node: Node) -> int:
    try:
        getattr(node, 'close', _nothing)()
    except SoftshellError as error:
        return _failed(error)
    finally:
        node.destroy_node()
    return 0


def _failed(error: Exception) -> int:
    print(f'error: {error}', file=sys.stderr, flush=True)
    return 1


def _spin(node: Node, ending: Ending) -> None:
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        while not ending.asked:
            _step(node, executor, LOOK_PERIOD)
        _end(node, executor)
    finally:
        executor.shutdown()


def _step(node: Node, executor: Executor, timeout: float) -> None:
    """Run one callback; an unexpected error in it is logged and does not end the node.

    Even callbacks of rclpy itself raise on some messages, e.g. on a parameter of an unknown type.

    Raises:
        SoftshellError: raised by the callback; it ends the node.
        ExternalShutdownException: ROS was shut down.
    """
    try:
        executor.spin_once(timeout_sec=timeout)
    except (SoftshellError, ExternalShutdownException):
        raise
    except Exception:
        node.get_logger().error(
            f'a callback failed, the node continues:\n{traceback.format_exc()}',
            throttle_duration_sec=1.0,
        )


def _end(node: Node, executor: Executor) -> None:
    getattr(node, 'begin_ending', _nothing)()
    is_ending = getattr(node, 'is_ending', lambda: False)
    latest = time.monotonic() + ENDING_TIME
    while is_ending() and time.monotonic() < latest:
        _step(node, executor, 0.02)
    for _ in range(LAST_STEPS):  # what was answered still has to be sent
        _step(node, executor, 0.01)


def _nothing() -> None:
    """Stands in for a method that a node does not have."""
