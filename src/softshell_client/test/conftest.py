"""A stack that only answers, and a client of it, that the tests share."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # fake_stack


@pytest.fixture(scope='session')
def namespace():
    return f'/client_test_{os.getpid()}'


@pytest.fixture(scope='module')
def stack(namespace):
    from fake_stack import FakeStack

    stack = FakeStack(namespace)
    yield stack
    stack.close()


@pytest.fixture(scope='module')
def robot(stack, namespace):
    from fake_stack import PATIENCE

    from softshell_client import Shell

    with Shell(namespace, PATIENCE) as robot:
        yield robot
