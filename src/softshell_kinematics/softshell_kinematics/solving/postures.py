"""The postures of several chains as callers give them, in the kernel's form."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.kernels.bundles import Tables
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.configurations import Configuration, configuration_rows


def posture_rows(
    chains: Sequence[SerialChain],
    tables: Tables,
    postures: Sequence[Configuration | None] | Array,
    points: int,
) -> Array:
    """Postures by point, NaN for variables without one.

    Args:
        chains, tables: of the limbs.
        postures: as of `Limbs.solve`; or (limbs, most variables).
        points: of each limb.

    Returns:
        (1 or points, limbs, most variables)

    Raises:
        OutOfRangeError: a posture is larger than `limits` allow.
        NonFiniteError: a posture is NaN or infinite.
        UnknownNameError: a name is not one of the chain's variables.
        SoftshellError: a shape is wrong.
    """
    shape = tables.lower.shape
    padded = isinstance(postures, np.ndarray) and postures.shape == shape
    result = np.full((1, *shape), np.nan)
    for limb, (chain, each) in enumerate(
        zip(chains, one_each(postures, chains, 'postures'), strict=True)
    ):
        if each is None:
            continue
        n = len(chain)
        own = each[:n] if padded else each
        subject = f'posture of {chain.name!r}'
        rows = configuration_rows(own, chain.variables, np.full(n, np.nan), subject)
        if len(rows) not in (1, points):
            expected = f'one or {points}' if points != 1 else 'one'
            raise SoftshellError(f'{subject} has {len(rows)} points; expected {expected}')
        for name in chain.variables if not isinstance(own, Mapping) else own:
            i = chain.index(name)
            wrong = ~(np.abs(rows[:, i]) <= tables.largest[limb, i])
            if wrong.any():
                raise chain.beyond(subject, i, float(rows[wrong, i][0]))
        if len(rows) > len(result):
            result = np.repeat(result, points, axis=0)
        result[:, limb, :n] = rows
    return result


def one_each(values: Sequence[Any] | Array, chains: Sequence[SerialChain], what: str) -> Any:
    """The values, if there is one for each chain.

    Args:
        values: for the chains.
        chains: as many as there should be values.
        what: the message calls them.

    Raises:
        SoftshellError: there are more or fewer.
    """
    if len(values) != len(chains):
        raise SoftshellError(f'{what} of {len(values)} chains; expected {len(chains)}')
    return values
