"""How ROS is initialised, with one error if it cannot be."""

from typing import Any

import rclpy
from rclpy.context import Context

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

    Raises:
        SoftshellError: ROS refuses its arguments, or a variable of the environment.
    """
    try:
        rclpy.init(**options)
    except RuntimeError as error:  # RCLError, UnknownROSArgsError
        told = str(error).splitlines()[0].removeprefix('failed to initialize rcl: ')
        text = f'ROS refuses its arguments or variables: {told.partition(", at ")[0]}'
        raise SoftshellError(text) from None
