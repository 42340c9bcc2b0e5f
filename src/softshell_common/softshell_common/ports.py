"""Free TCP ports of this machine."""

import socket


def free_port(host: str, port: int) -> int:
    """The number of a TCP port on which no program listens.

    Args:
        host: address of this machine, IPv4 or IPv6.
        port: number of the port to check; 0: the system chooses one.

    Returns:
        The port's number.

    Raises:
        OSError: a program listens on it, or this machine has no such address.
    """
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        probe.listen()
        return int(probe.getsockname()[1])
