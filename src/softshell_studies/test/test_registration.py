"""The registration of the environments with Gymnasium."""

import warnings

import pytest

from softshell_studies.gym import register


@pytest.mark.needs('studies')
def test_environments_that_are_registered_stay_as_they_are():
    """A second call neither warns nor replaces them."""
    import gymnasium

    before = dict(gymnasium.registry)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        register()
    assert 'softshell/Reach-v0' in before
    assert all(gymnasium.registry[name] is spec for name, spec in before.items())
