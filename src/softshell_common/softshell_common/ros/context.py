"""How ROS is initialised, with one error if it cannot be."""

import os
from typing import Any

import rclpy
from rclpy.context import Context

from softshell_common.entry import ENVIRONMENT
from softshell_kinematics.errors import SoftshellError


def new_context(domain: int | None = None) -> Context:
    """A context of ROS, initialised without the arguments of the program.

    Those, e.g. distance:=0.5, are not for ROS.

    Args:
        domain: of ROS; None: that of the environment.

    Raises:
        SoftshellError: ROS refuses a variable of the environment.
    """
    context = Context()
    initialise(args=[], context=context, domain_id=domain)
    return context


def initialise(**options: Any) -> None:
    """Initialise ROS with the options of `rclpy.init`.

    Its nodes then talk as those of the stack (`entry.ENVIRONMENT`), unless this process had a node
    before: Fast DDS reads its file once in a process.

    Raises:
        SoftshellError: ROS refuses its arguments, or a variable of the environment.
    """
    for name, value in ENVIRONMENT.items():
        if name.startswith('FAST'):
            os.environ.setdefault(name, value)
    try:
        rclpy.init(**options)
    except RuntimeError as error:  # RCLError, UnknownROSArgsError
        told = str(error).splitlines()[0].removeprefix('failed to initialize rcl: ')
        text = f'ROS refuses its arguments or variables: {told.partition(", at ")[0]}'
        raise SoftshellError(text) from None
