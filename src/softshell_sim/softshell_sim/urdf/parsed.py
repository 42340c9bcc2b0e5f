"""The text of a URDF, parsed once however often a world asks for it."""

from functools import lru_cache

from softshell_kinematics.model.urdf import Urdf
from softshell_kinematics.model.urdf_reader import parse_urdf

#: Number of texts that are kept.
KEPT = 32


@lru_cache(maxsize=KEPT)
def parsed(text: str) -> Urdf:
    """What `parse_urdf` returns; all who ask share it, and change none of its arrays.

    Raises:
        SoftshellError: as `parse_urdf`.
    """
    return parse_urdf(text)
