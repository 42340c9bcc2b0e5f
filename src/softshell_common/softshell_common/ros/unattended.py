"""Subscriptions that no executor reads, but somebody by hand."""

from rclpy.callback_groups import CallbackGroup


class Unattended(CallbackGroup):
    """A group whose subscriptions no executor reads."""

    def can_execute(self, entity: object) -> bool:
        """Never."""
        return False

    def beginning_execution(self, entity: object) -> bool:
        """Never."""
        return False

    def ending_execution(self, entity: object) -> None:
        """Nothing has been begun."""


def never_called(message: bytes) -> None:
    """The callback of such a subscription."""
