"""How every softshell node starts, spins and ends."""

import signal
import sys
from collections.abc import Callable

import rclpy
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from softshell_kinematics.errors import SoftshellError


def run(make_node: Callable[[], Node], arguments: list[str] | None = None) -> int:
    """Make a node, spin it until SIGINT or SIGTERM, and take it down cleanly.

    A node may have a `close()`: it is called before the node is destroyed, and is where threads
    end and hardware is put to rest.

    Args:
        make_node: called once ROS is initialised.
        arguments: command line; default `sys.argv`.

    Returns:
        The process's exit status: 0, or 1 after an error that names what is wrong.
    """
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt_once)
    node = None
    try:
        node = make_node()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        while rclpy.ok():
            executor.spin_once(timeout_sec=0.2)
        return 0
    except (KeyboardInterrupt, ExternalShutdownException):
        return 0
    except (
        SoftshellError,
        InvalidParameterValueException,
        InvalidParameterTypeException,
    ) as error:
        print(f'error: {error}', file=sys.stderr, flush=True)
        return 1
    finally:
        _ignore_signals()
        if node is not None:
            close = getattr(node, 'close', None)
            if close is not None:
                close()
            node.destroy_node()
        rclpy.try_shutdown()


def _interrupt_once(number: int, frame: object) -> None:
    """End the main thread's work; a second Ctrl-C must not cut the clean-up short."""
    _ignore_signals()
    raise KeyboardInterrupt


def _ignore_signals() -> None:
    # Not SIG_IGN: Python complains of a signal that is already on its way to another handler.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: None)
