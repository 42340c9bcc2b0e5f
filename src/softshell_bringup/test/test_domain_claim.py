"""A ROS domain of this machine belongs to one stack at a time."""

import os
import signal
import subprocess
import sys

import pytest

import softshell_bringup.domain
from softshell_bringup.domain import (
    UNKNOWN,
    DomainBusyError,
    claim,
    current_domain,
    free_domain,
    holder,
    stacks,
)
from softshell_common.namespace import LONGEST, is_namespace
from softshell_kinematics.errors import SoftshellError

HOLD = """
import sys, time
from softshell_bringup.domain import claim
kept = claim(int(sys.argv[1]))
print('claimed', flush=True)
time.sleep(60)
"""


def test_a_claimed_domain_is_refused_with_its_holder_and_the_way_out():
    """The second claim names the process that holds the domain, and ROS_DOMAIN_ID."""
    domain = free_domain()
    with claim(domain), pytest.raises(DomainBusyError) as caught:
        claim(domain)
    assert caught.value.holder == os.getpid()
    assert f'process {os.getpid()}' in str(caught.value)
    assert 'export ROS_DOMAIN_ID=' in str(caught.value)


def test_namespaces_of_one_domain_do_not_meet():
    """Two stacks may share a domain in namespaces of their own; tests then leave it alone."""
    domain = free_domain()
    with claim(domain, 'one'), claim(domain, 'two'):
        assert holder(domain, 'one') == os.getpid()
        assert holder(domain) is None
        with pytest.raises(DomainBusyError, match=f'ROS domain {domain} in namespace one'):
            claim(domain, 'one')
        assert domain not in {free_domain() for _ in range(500)}


def test_the_longest_namespace_can_be_claimed():
    """What cannot be for another reason than another stack is not told to be in use."""
    domain = free_domain()
    longest = 'a' * LONGEST
    assert is_namespace(longest)
    assert not is_namespace(longest + 'a')
    with claim(domain, longest):
        assert stacks(domain) == {longest: os.getpid()}
    with pytest.raises(SoftshellError, match='cannot be claimed: AF_UNIX path too long') as caught:
        claim(domain, 'a' * 200)
    assert not isinstance(caught.value, DomainBusyError)


def test_a_stack_is_never_taken_for_none(monkeypatch):
    """However often it was asked for: nobody takes the questions, and their number is bounded."""
    monkeypatch.setattr(softshell_bringup.domain, 'QUESTIONS', 1)
    domain = free_domain()
    with claim(domain):
        asked = [holder(domain) for _ in range(9)]
        assert asked[0] == os.getpid()
        assert {*asked} == {os.getpid(), UNKNOWN}
        assert stacks(domain) == {'': UNKNOWN}
        text = f'already runs on ROS domain {domain}; stop it'
        with pytest.raises(DomainBusyError, match=text) as caught:
            claim(domain)
        assert caught.value.holder is None
    assert holder(domain) is None
    assert stacks(domain) == {}


def test_a_claim_can_be_asked_for_hundreds_of_times():
    """By a doctor that looks again and again; each time it sees the process."""
    domain = free_domain()
    with claim(domain):
        assert {holder(domain) for _ in range(500)} == {os.getpid()}


def test_two_processes_that_look_for_a_domain_find_two():
    """Also before either has claimed the one that it found."""
    program = 'from softshell_bringup.domain import *; print(*(free_domain() for _ in range(6)))'
    program += '; import sys; sys.stdout.flush(); sys.stdin.read()'
    seekers = [
        subprocess.Popen(
            [sys.executable, '-c', program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    found = [seeker.stdout.readline().split() for seeker in seekers]
    for seeker in seekers:
        seeker.communicate()
    assert len({*found[0], *found[1]}) == 12


def test_the_stacks_of_a_domain_are_found_in_every_namespace():
    """Each claim of this domain is listed with its process; those of other domains are not."""
    domain = free_domain()
    assert stacks(domain) == {}
    with claim(domain, 'one'), claim(domain, 'one/two'), claim(free_domain(), 'elsewhere'):
        assert stacks(domain) == {'one': os.getpid(), 'one/two': os.getpid()}
        with claim(domain):
            assert list(stacks(domain)) == ['', 'one', 'one/two']
    assert stacks(domain) == {}


def test_a_claim_ends_with_the_process_that_holds_it():
    """A domain is free again as soon as its holder is killed."""
    domain = free_domain()
    process = subprocess.Popen(
        [sys.executable, '-c', HOLD, str(domain)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == 'claimed\n'
    assert holder(domain) == process.pid
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert holder(domain) is None
    claim(domain).close()


@pytest.mark.parametrize('text', ['-1', '233', 'one'])
def test_what_is_no_domain_is_refused(monkeypatch, text):
    """ROS_DOMAIN_ID outside its range is an error that names it."""
    monkeypatch.setenv('ROS_DOMAIN_ID', text)
    with pytest.raises(SoftshellError, match=text):
        current_domain()


def test_no_domain_means_domain_zero(monkeypatch):
    """An absent or empty ROS_DOMAIN_ID is domain 0, as in ROS."""
    monkeypatch.delenv('ROS_DOMAIN_ID', raising=False)
    assert current_domain() == 0
    monkeypatch.setenv('ROS_DOMAIN_ID', '')
    assert current_domain() == 0
