"""A real stack, with a client."""

import contextlib
from collections.abc import Iterator

import rclpy
from rclpy.context import Context

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell


@contextlib.contextmanager
def robot_in_mujoco(**arguments: str) -> Iterator[tuple[Shell, Context]]:
    """A client of a simulation that runs until the end, and its context; the pose is known."""
    given = {'bridge': 'sim', 'engine': 'mujoco', **arguments}
    with Stack(given, domain=free_domain()) as stack:
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context, domain_id=stack.domain)
        try:
            with Shell(context=context) as shell:
                shell.wait_for_odometry()
                yield shell, context
        finally:
            context.try_shutdown()
