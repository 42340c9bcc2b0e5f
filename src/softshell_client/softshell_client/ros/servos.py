"""Restarts servos of the running robot and lets things be wrong with emulated ones."""

import sys
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from softshell_client.ros.connection import TIMEOUT
from softshell_client.ros.shell import checked_namespace
from softshell_hardware.emulator.catalogue import FAULTS
from softshell_interfaces.srv import InjectFault, RebootServo
from softshell_kinematics.errors import SoftshellError

#: How often one service is asked within the time for its answer.
ATTEMPTS = 4


def list_faults() -> int:
    """Print what can be wrong with emulated servos and their lines; the exit status is 0."""
    Console().print(fault_table())
    return 0


def fault_table() -> Table:
    """Faults, one row each."""
    table = Table('of', 'fault', 'value', 'meaning')
    for fault in FAULTS:
        table.add_row(fault.of, fault.name, fault.value, escape(fault.meaning))
    return table


def inject(where: str, fault: str, value: str, namespace: str) -> int:
    """Let something be wrong with an emulated servo or bus; lists the faults if there is no such.

    Args:
        where: a joint or channel, or a bus.
        fault: its name.
        value: as typed; empty: true.
        namespace: of the emulated servos.

    Returns:
        Exit status: 0 if it was done, else 1.

    Raises:
        SoftshellError: no emulated servos, or no answer.
    """
    if fault not in {each.name for each in FAULTS}:
        print(f'error: unknown fault {fault!r}; there are these:', file=sys.stderr)
        Console(stderr=True).print(fault_table())
        return 1
    request = InjectFault.Request(where=where, fault=fault, value=value)
    hint = './softshell emulate-servos, or up bridge:=hardware wiring:=emulated, starts them'
    return _told(
        ask('servo_emulator/inject', InjectFault, request, namespace, 'emulated servos', hint)
    )


def reboot(joint: str, namespace: str) -> int:
    """Restart the servo of a joint or channel.

    Args:
        joint: its name.
        namespace: of the stack.

    Returns:
        Exit status: 0 if it restarts, else 1.

    Raises:
        SoftshellError: no bridge to servos, or no answer.
    """
    request = RebootServo.Request(joint=joint)
    hint = './softshell up bridge:=hardware starts it; without it, give --wiring FILE'
    return _told(
        ask('bridge/reboot_servo', RebootServo, request, namespace, 'bridge to servos', hint)
    )


def ask(
    service: str,
    kind: Any,
    request: Any,
    namespace: str,
    who: str,
    hint: str,
    timeout: float = TIMEOUT,
) -> Any:
    """Call one service; its request may be made again and again.

    Args:
        service: its name in the namespace.
        kind: its type.
        request: the message.
        namespace: of the stack.
        who: serves it, for people.
        hint: what to do if nobody does.
        timeout: for the server, and then for the answer [s, wall].

    Returns:
        The answer.

    Raises:
        SoftshellError: there is no such service, or no answer.
    """
    namespace = checked_namespace(namespace)
    context = Context()
    rclpy.init(args=[], context=context)
    node = Node(
        'servo_client', namespace=namespace, context=context, start_parameter_services=False
    )
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        client = node.create_client(kind, service)
        if not client.wait_for_service(timeout):
            raise SoftshellError(f'no {who} in namespace {namespace} within {timeout:g} s: {hint}')
        # A service drops its answer to a client it has not discovered yet: it is asked again.
        for _ in range(ATTEMPTS):
            future = client.call_async(request)
            executor.spin_until_future_complete(future, timeout / ATTEMPTS)
            if future.done():
                return future.result()
        raise SoftshellError(f'{service}: no answer of the {who} within {timeout:g} s')
    finally:
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()


def _told(answer: Any) -> int:
    """Print what a service answered; the exit status."""
    if answer.success:
        print(answer.message)
        return 0
    print(f'error: {answer.message}', file=sys.stderr)
    return 1
