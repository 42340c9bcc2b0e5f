"""The slabs: convex, closed, inside the ball, and close under its surface."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from softshell_description.panels import read_panels
from softshell_description.robots import share_directory
from softshell_description.slabs import slabs

PANELS = {panel.name: panel for panel in read_panels(share_directory() / 'urdf/shell/panels.yaml')}


@pytest.mark.parametrize('name', PANELS)
def test_slabs_are_closed_and_as_good_as_convex(name):
    """Each is watertight, faces outwards, and has 98 % of its convex hull's volume or more."""
    for slab in slabs(PANELS[name]):
        edges = Counter(
            (int(face[i]), int(face[i - 2])) for face in slab.triangles for i in range(3)
        )
        assert set(edges.values()) == {1}
        assert all((b, a) in edges for a, b in edges)
        corners = slab.vertices[slab.triangles]
        volume = np.linalg.det(corners).sum() / 6.0
        assert 0.98 <= volume / ConvexHull(slab.vertices).volume <= 1.0 + 1e-9


@pytest.mark.parametrize('name', PANELS)
def test_slabs_make_up_the_panel(name):
    """With the margin PyBullet adds, the hulls reach the sphere but for 1.2 mm, and not beyond.

    How far out they reach is found by rays through the faces of the hulls, all over the patch but
    for twice the margin at its edges.
    """
    panel = PANELS[name]
    edge, (low, high) = 2.0 * panel.slab_margin, panel.elevation
    turn = edge / panel.radius
    within = replace(panel, gap=panel.gap + 2.0 * edge, elevation=(low + turn, high - turn))
    rays = within.directions(90, 60).reshape(-1, 3)
    reach = np.zeros(len(rays))
    for slab in slabs(panel):
        hull = ConvexHull(slab.vertices)
        along, offset = rays @ hull.equations[:, :3].T, -hull.equations[:, 3]
        with np.errstate(divide='ignore'):
            cut = offset / along
        out = np.where(along > 0.0, cut, np.inf).min(axis=1)
        inside = np.where(along < 0.0, cut, -np.inf).max(axis=1)
        reach = np.where(inside < out, np.maximum(reach, out), reach)
    dips = panel.radius - panel.slab_margin - reach
    assert dips.min() > -1e-9
    assert dips.max() < 0.0012


@pytest.mark.parametrize('name', PANELS)
def test_slabs_keep_the_margin(name):
    """They stay the margin inside the panel's edges and below its surface, and are thin."""
    panel = PANELS[name]
    vertices = np.concatenate([slab.vertices for slab in slabs(panel)])
    radii = np.linalg.norm(vertices, axis=1)
    assert radii.max() == pytest.approx(panel.radius - panel.slab_margin)
    assert radii.min() == pytest.approx(panel.radius - panel.thickness + panel.slab_margin)
    for side in (-1.0, 1.0):
        plane = [-np.sin(panel.width / 2), side * np.cos(panel.width / 2), 0.0]
        assert (vertices @ plane).max() < -(panel.gap / 2.0 + panel.slab_margin) * 0.98
    elevation = np.arcsin(vertices[:, 2] / radii)
    assert elevation.min() > panel.elevation[0] + 0.9 * panel.slab_margin / panel.radius
    assert elevation.max() < panel.elevation[1] - 0.9 * panel.slab_margin / panel.radius
