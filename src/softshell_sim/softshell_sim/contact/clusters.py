"""Few contacts that stand for many, for reports; what an engine solves stays as it is."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import Contact

#: Contacts that are reported of a pair of links, at most.
MOST = 20
#: A turn of the normal by 1 rad counts as this distance [m]. Source: the defaults of Klamp't.
NORMAL = 0.1
#: Iterations of k-means at most.
ROUNDS = 50


def cluster(contacts: Sequence[Contact], most: int = MOST) -> list[Contact]:
    """Replace contacts by at most `most`, with the same total wrench and the same deepest point.

    Contacts are clustered by k-means on point, normal and depth. Each cluster becomes one contact
    with the sum of its forces; its couple is the rest of the cluster's wrench. The first contact
    is at the deepest point of all, with the wrench of its cluster. Each other one is where the
    wrench of its cluster has the least couple, if that is among the cluster's points, else at
    their mean, weighted by force.

    Args:
        contacts: between one link and another.
        most: number of contacts at most.

    Returns:
        The new contacts, or the given ones if they are few enough.

    Raises:
        SoftshellError: `most` is below 1, or the contacts are of several pairs of links.
    """
    if most < 1:
        raise SoftshellError(f'most contacts of a pair is {most}; expected 1 or more')
    pairs = {(contact.link, contact.other.name, contact.other_link) for contact in contacts}
    if len(pairs) > 1:
        raise SoftshellError(
            f'contacts of {len(pairs)} pairs of links cannot be clustered together; '
            'expected those of one pair'
        )
    if len(contacts) <= most:
        return list(contacts)
    depth = np.array([contact.depth for contact in contacts])
    deepest = int(np.argmax(depth))
    features = np.column_stack(
        [
            np.array([contact.point for contact in contacts]),
            NORMAL * np.array([contact.normal for contact in contacts]),
            depth,
        ]
    )
    labels = _means(features, most, deepest)
    groups = [np.flatnonzero(labels == label).tolist() for label in range(most)]
    return [
        _stand_in([contacts[k] for k in group], contacts[deepest] if deepest in group else None)
        for group in sorted(filter(None, groups), key=lambda group: deepest not in group)
    ]


def _means(features: Array, count: int, first: int) -> NDArray[np.int64]:
    """(points,) cluster of each point, by Lloyd's k-means.

    The first centre is the point of number `first`, each further one the point that is farthest
    from all centres before it.
    """
    centres = [features[first]]
    distance = np.full(len(features), np.inf)
    for _ in range(count):
        distance = np.minimum(distance, ((features - centres[-1]) ** 2).sum(axis=1))
        centres.append(features[int(np.argmax(distance))])
    middle = np.array(centres[:count])
    labels = np.full(len(features), -1)
    for _ in range(ROUNDS):
        new = ((features[:, None] - middle) ** 2).sum(axis=2).argmin(axis=1)
        if (new == labels).all():
            break
        labels = new
        for label in np.unique(labels):
            middle[label] = features[labels == label].mean(axis=0)
    return labels


def _stand_in(group: Sequence[Contact], deepest: Contact | None) -> Contact:
    """One contact with the wrench of several, at `deepest`, if that is one of them."""
    points = np.array([contact.point for contact in group])
    forces = np.array([contact.force for contact in group])
    force = forces.sum(axis=0)
    if deepest is not None:
        like, point = deepest, deepest.point.copy()
    else:
        depth, normal = _mean_shape(group)
        like, point = replace(group[0], depth=depth, normal=normal), _centre(points, forces)
    couple = np.cross(points - point, forces).sum(axis=0)
    couple += np.sum([contact.couple for contact in group], axis=0)
    return replace(like, point=point, force=force, couple=couple)


def _mean_shape(group: Sequence[Contact]) -> tuple[float, Array]:
    """Mean depth [m] and (3,) mean unit normal of contacts."""
    normal = np.sum([contact.normal for contact in group], axis=0)
    length = float(np.linalg.norm(normal))
    unit = normal / length if length > 1e-6 else group[0].normal
    depths = [contact.depth for contact in group]
    # Rounding can make the mean of equal numbers larger than they are.
    return min(float(np.mean(depths)), max(depths)), unit


def _centre(points: Array, forces: Array) -> Array:
    """(3,) point at which the sum of forces leaves the least couple, if it is among the points.

    It is on the axis of the wrench, at F × M / F² from a point about which the moment is M. If
    that is farther away than the points, it is the mean of the points, weighted by force.
    """
    weight = np.linalg.norm(forces, axis=1)
    if not weight.any():
        return np.asarray(points.mean(axis=0))
    centre = weight @ points / weight.sum()
    force, arms = forces.sum(axis=0), points - centre
    moment = np.cross(arms, forces).sum(axis=0)
    way, square = np.cross(force, moment), float(force @ force)
    reach = float(np.linalg.norm(arms, axis=1).max())
    if float(np.linalg.norm(way)) <= reach * square and square > 0.0:
        centre = centre + way / square
    return np.asarray(centre)
