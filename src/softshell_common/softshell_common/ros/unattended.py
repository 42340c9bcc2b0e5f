"""Subscriptions that no executor reads; their owner takes the messages itself."""

from rclpy.callback_groups import CallbackGroup


class Unattended(CallbackGroup):
    """A callback group whose subscriptions no executor reads."""

    def can_execute(self, entity: object) -> bool:
        """Returns False: nothing is executed."""
        return False

    def beginning_execution(self, entity: object) -> bool:
        """Returns False: nothing is executed."""
        return False

    def ending_execution(self, entity: object) -> None:
        """Does nothing: nothing was executed."""


def never_called(message: bytes) -> None:
    """The callback of such a subscription, which rclpy asks for and never calls."""
