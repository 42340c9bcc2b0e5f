"""Definitions of a finger and of a star, as data, and changes of them."""

import json

import numpy as np

LINK = {'shape': 'stadium', 'dimensions': [0.023, 0.017, 0.01], 'mass': 0.003}
GRASP = {
    'axis': [1.0, 0.0, 0.0],
    'stiffness': 0.2,
    'damping': 0.004,
    'neutral_axis': [0, 0.006, 0],
}
SIDE = {'axis': [0.0, 1.0, 0.0], 'stiffness': 1.0, 'friction': 0.001}
FINGER = {
    'name': 'finger',
    'base': {'shape': 'box', 'dimensions': [0.03, 0.03, 0.01], 'mass': 0.02},
    'actuators': [
        {'length': 0.1, 'n_segments': 10, 'link': LINK, 'joints': [GRASP, SIDE]},
        {
            'length': 0.03, 'n_segments': 3, 'link': LINK, 'joints': [GRASP, SIDE],
            'arrangement': 'together',
        },
        {
            'length': 0.02, 'n_segments': 2, 'link': LINK, 'joints': [SIDE, GRASP],
            'arrangement': 'listed',
        },
    ],
    'tips': [{'shape': 'sphere', 'dimensions': [0.007], 'mass': 0.001}],
}  # fmt: skip
STAR = {
    'name': 'star',
    'members': [
        {'name': 'body', 'link': {'shape': 'cylinder', 'dimensions': [0.02, 0.04], 'mass': 0.1}},
        *(
            {
                'name': f'arm_{k}', 'manipulator': FINGER, 'parent': 'body',
                'pose': [0.04 * np.cos(k), 0.04 * np.sin(k), -0.01, 0.0, 1.5, float(k)],
            }
            for k in range(5)
        ),
    ],
}  # fmt: skip


def changed(data, path, value):
    """Data with another entry; `...` as the value leaves it out."""
    copy = json.loads(json.dumps(data))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return copy
