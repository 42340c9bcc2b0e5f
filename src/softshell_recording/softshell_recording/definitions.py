"""Definitions of message types, so that bags are readable without our packages; needs no ROS."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore

from softshell_kinematics.errors import SoftshellError

#: The type of a field of a message: its kind, and its description.
Field = tuple[Nodetype, Any]
#: How the type of the feedback of an action ends.
FEEDBACK, MESSAGE = '_Feedback', 'Message'


def installed_shares() -> tuple[Path, ...]:
    """The folders in which packages that are installed keep their definitions."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    return tuple(Path(prefix) / 'share' for prefix in prefixes if prefix)


class Definitions:
    """Definitions by type: those of Jazzy, and those of installed packages.

    Args:
        shares: folders with packages, of which the first one counts; default the installed ones.

    Attributes:
        store: the definitions that were read so far.
    """

    def __init__(self, shares: Iterable[Path] | None = None) -> None:
        self._shares = installed_shares() if shares is None else tuple(shares)
        self.store = get_typestore(Stores.ROS2_JAZZY)

    def of(self, kind: str) -> tuple[str, str]:
        """The whole text of a type, e.g. std_msgs/msg/String, and its hash.

        Raises:
            SoftshellError: it is not installed, or its definition cannot be read.
        """
        # Texts exist for messages only: the feedback of an action is described as one. The hash is
        # that of this text, and not the one that ROS has for the feedback.
        message = kind.replace('/action/', '/msg/')
        try:
            self._learn(message)
            text, _ = self.store.generate_msgdef(message, ros_version=2)
            if kind not in self.store.fielddefs:
                self.store.register({kind: self.store.fielddefs[message]})
            return text, self.store.hash_rihs01(kind)
        except (TypesysError, OSError) as error:
            raise SoftshellError(f'definition of {kind}: {error}') from error

    def _learn(self, kind: str) -> None:
        """Add a type to the store, and all types of its fields."""
        if kind in self.store.fielddefs:
            return
        found = get_types_from_msg(self._text(kind), kind)
        self.store.register(found)
        for _, fields in found.values():
            for _, field in fields:
                name = _message_of(field)
                if name is not None:
                    self._learn(name)

    def _text(self, kind: str) -> str:
        """The text of the installed definition of one type.

        Raises:
            SoftshellError: none is installed.
        """
        package, _, name = kind.split('/')
        path = self._find(f'{package}/msg/{name}.msg')
        if path is not None:
            return path.read_text(encoding='utf-8')
        path = self._find(_action_file(kind))
        if path is None:
            raise SoftshellError(f'no definition of {kind} is installed')
        if name.endswith(MESSAGE):
            return f'unique_identifier_msgs/UUID goal_id\n{name.removesuffix(MESSAGE)} feedback\n'
        return re.split(r'^---\s*$', path.read_text(encoding='utf-8'), flags=re.M)[2]

    def _find(self, path: str) -> Path | None:
        """A file of a package, below its share."""
        return next((share / path for share in self._shares if (share / path).is_file()), None)


def _action_file(kind: str) -> str:
    """The file of the action to which a type of feedback belongs, below a share."""
    package, _, name = kind.split('/')
    return f'{package}/action/{name.removesuffix(MESSAGE).removesuffix(FEEDBACK)}.action'


def _message_of(field: Field) -> str | None:
    """The message type of a field, or of its items; None for plain values."""
    kind, described = field
    if kind is Nodetype.NAME:
        return str(described)
    return None if kind is Nodetype.BASE else _message_of(described[0])
