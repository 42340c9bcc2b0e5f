"""Definitions of message types, for files that whoever has none of ours can read; needs no ROS."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore

from softshell_kinematics.errors import SoftshellError

#: What a field of a message is: a kind, and what it is described by.
Field = tuple[Nodetype, Any]
#: How the type of what an action feeds back ends.
FEEDBACK, MESSAGE = '_Feedback', 'Message'


def installed_shares() -> tuple[Path, ...]:
    """The folders in which packages that are installed keep their definitions."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    return tuple(Path(prefix) / 'share' for prefix in prefixes if prefix)


class Definitions:
    """Definitions by type, those of Jazzy and of packages that are installed.

    Args:
        shares: where packages are, the first counts; default those that are installed.

    Attributes:
        store: what is known so far.
    """

    def __init__(self, shares: Iterable[Path] | None = None) -> None:
        self._shares = installed_shares() if shares is None else tuple(shares)
        self.store = get_typestore(Stores.ROS2_JAZZY)

    def of(self, kind: str) -> tuple[str, str]:
        """The whole text of a type, e.g. std_msgs/msg/String, and its hash.

        Raises:
            SoftshellError: it is not installed, or its definition cannot be read.
        """
        # A text is made of messages: what an action feeds back is made of one. By the text goes
        # the hash, which is another than ROS has for it.
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
        """Have the store know a type, and all that it is made of."""
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
        """The definition itself, as it is installed.

        Raises:
            SoftshellError: it is not.
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
    """Where the action is defined whose feedback a type is."""
    package, _, name = kind.split('/')
    return f'{package}/action/{name.removesuffix(MESSAGE).removesuffix(FEEDBACK)}.action'


def _message_of(field: Field) -> str | None:
    """The type of message that a field or its items are, if they are any."""
    kind, described = field
    if kind is Nodetype.NAME:
        return str(described)
    return None if kind is Nodetype.BASE else _message_of(described[0])
