"""Restarts servos of the running robot, and injects faults into emulated servos."""

import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from softshell_client.ros.call import told
from softshell_client.ros.connection import TIMEOUT
from softshell_client.ros.entries import made
from softshell_client.ros.lone import lone
from softshell_hardware.emulator.catalogue import FAULTS
from softshell_interfaces.srv import InjectFault, RebootServo


def list_faults() -> int:
    """Print the faults that emulated servos and their buses can have; returns exit status 0."""
    Console(markup=False).print(fault_table())
    return 0


def fault_table() -> Table:
    """A table of the faults that can be injected, one row for each."""
    table = Table('of', 'fault', 'value', 'meaning')
    for fault in FAULTS:
        table.add_row(fault.of, fault.name, fault.value, fault.meaning)
    return table


def inject(where: str, fault: str, value: str, namespace: str) -> int:
    """Inject a fault into an emulated servo or bus; prints all faults if the name is unknown.

    Args:
        where: a joint or channel, for its servo; or a bus.
        fault: name of the fault.
        value: as typed: true, false or a number; empty: true.
        namespace: namespace of the emulated servos.

    Returns:
        Exit status: 0 if it was done, else 1.

    Raises:
        ProblemsError: a text cannot be sent.
        SoftshellError: there are no emulated servos, or they did not answer.
    """
    if fault not in {each.name for each in FAULTS}:
        print(f'error: unknown fault {fault!r}; known:', file=sys.stderr)
        Console(stderr=True, markup=False).print(fault_table())
        return 1
    request = made(InjectFault.Request, where=where, fault=fault, value=value)
    hint = './softshell emulate-servos, or up bridge:=hardware wiring:=emulated, starts them'
    service = 'servo_emulator/inject'
    return told(service, ask(service, InjectFault, request, namespace, 'emulated servos', hint))


def reboot(joint: str, namespace: str) -> int:
    """Restart the servo of a joint or channel.

    Args:
        joint: name of the joint or channel.
        namespace: namespace of the stack.

    Returns:
        Exit status: 0 if the servo restarts, else 1.

    Raises:
        ProblemsError: the name cannot be sent.
        SoftshellError: there is no bridge to servos, or it did not answer.
    """
    request = made(RebootServo.Request, joint=joint)
    hint = './softshell up bridge:=hardware starts it; without it, give wiring:=FILE'
    service = 'bridge/reboot_servo'
    return told(service, ask(service, RebootServo, request, namespace, 'bridge to servos', hint))


def ask(
    service: str,
    kind: Any,
    request: Any,
    namespace: str,
    who: str,
    hint: str,
    timeout: float = TIMEOUT,
) -> Any:
    """Call one service, several times if there is no answer: repeating it must do no harm.

    Args:
        service: name of the service in the namespace.
        kind: type of the service.
        request: the request message.
        namespace: namespace of the stack.
        who: the node that offers the service, as messages name it.
        hint: what to do if there is no such node.
        timeout: longest wait for the service, and again for the answer [s, wall].

    Returns:
        The response message.

    Raises:
        SoftshellError: ROS cannot be initialised, there is no such service, or no answer.
    """
    with lone(namespace) as node:
        return node.ask(service, kind, request, who, hint, timeout)
