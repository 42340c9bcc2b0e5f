"""Messages from what a person types, and messages as text."""

from array import array
from typing import Any

import numpy as np
import yaml

from softshell_client.ros.entries import entry
from softshell_common.yaml_loader import loaded


def plain(message: Any) -> Any:
    """A message as mappings, lists, numbers and texts, for YAML."""
    if hasattr(message, 'get_fields_and_field_types'):
        names = message.get_fields_and_field_types()
        return {name: plain(getattr(message, name)) for name in names}
    if isinstance(message, np.ndarray | array):
        return message.tolist()
    if isinstance(message, bytes):  # one, of the type byte
        return message[0]
    if isinstance(message, list | tuple):
        return [plain(one) for one in message]
    return message


def typed(name: str, type_: str, text: str) -> Any:
    """A value as a person types it: in YAML, but a text stands for itself.

    Args:
        name: of the entry, for messages.
        type_: of the entry, e.g. `sequence<geometry_msgs/Pose>`, `double[9]` or `string`.
        text: that was typed.

    Raises:
        UnknownNameError: a message in it has no such entry.
        ProblemsError: it is not of this type, or a text that cannot be sent.
    """
    if type_.startswith(('string', 'wstring')):
        return entry(name, type_, text)
    try:
        value = loaded(text)[1]
    except (yaml.YAMLError, UnicodeEncodeError):  # not UTF-8
        value = text
    return entry(name, type_, value)
