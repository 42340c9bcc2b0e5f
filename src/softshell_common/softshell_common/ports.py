"""Ports of this machine that can be listened on."""

import socket


def free_port(host: str, port: int) -> int:
    """A port, if nobody listens on it.

    Args:
        host: address of this machine.
        port: number; 0: any that is free.

    Returns:
        Its number.

    Raises:
        OSError: somebody does, or this machine has no such address.
    """
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        probe.listen()
        return int(probe.getsockname()[1])
