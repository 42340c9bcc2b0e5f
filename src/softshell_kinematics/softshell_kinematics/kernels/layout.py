"""The tables of all chains in two arrays: a call from Python costs some 0.1 µs for each array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.kernels.bundles import Chain, Floats, Form, Integers, Settings, Tables
from softshell_kinematics.kernels.compiled import compiled, maker
from softshell_kinematics.kernels.form import FORM_SIZE


def pack(tables: Tables) -> tuple[Floats, Integers]:
    """All floats; and all integers, after the numbers of rows, limbs and most variables."""
    shape = np.array([len(tables.numbers), *tables.lower.shape], dtype=np.int64)
    floats = [
        tables.numbers, tables.lower, tables.upper, tables.seed_lower, tables.seed_upper,
        tables.length, tables.forms, tables.farthest, tables.largest,
    ]  # fmt: skip
    integers = [shape, tables.codes, tables.chains]
    return _flat(floats), _flat(integers)


def _flat(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([np.ravel(each) for each in arrays])


@maker
def unpack(floats: Floats, integers: Integers) -> Tables:
    """The tables that were packed; they are views."""
    rows, limbs, most = integers[0], integers[1], integers[2]
    codes = 3 + 2 * rows
    limits = 14 * rows
    block = limbs * most
    forms = limits + 4 * block + limbs
    farthest = forms + FORM_SIZE * limbs
    largest = farthest + 6 * limbs
    return Tables(
        floats[:limits].reshape((rows, 14)),
        integers[3:codes].reshape((rows, 2)),
        integers[codes:].reshape((limbs, 6)),
        floats[limits : limits + block].reshape((limbs, most)),
        floats[limits + block : limits + 2 * block].reshape((limbs, most)),
        floats[limits + 2 * block : limits + 3 * block].reshape((limbs, most)),
        floats[limits + 3 * block : limits + 4 * block].reshape((limbs, most)),
        floats[limits + 4 * block : forms],
        floats[forms:farthest].reshape((limbs, FORM_SIZE)),
        floats[farthest:largest].reshape((limbs, 6)),
        floats[largest:].reshape((limbs, most)),
    )


@maker
def chain_at(tables: Tables, limb: int) -> tuple[Chain, Form]:
    """One of the chains, and its closed form."""
    row = tables.chains[limb]
    chain = Chain(tables.numbers, tables.codes, row[0], row[1], row[2])
    return chain, Form(tables.forms[limb], row[3], row[4] != 0, row[5])


@compiled
def read_settings(values: Floats) -> Settings:
    """Settings that are given as numbers."""
    return Settings(
        values[0],
        values[1],
        values[2],
        int(values[3]),
        int(values[4]),
        values[5] != 0.0,
        values[6],
        values[7] != 0.0,
    )
