"""Processes that are really killed while they promote and roll back."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from ragheal.healing import pointer, steps, store
from ragheal.healing.overlay import Entry, Overlay, in_force, write
from ragheal.healing.pointer import Pointer
from ragheal.healing.repairs import Synonym

LOOP = """
import sys, pathlib
from ragheal.healing import pointer, steps
index = pathlib.Path(sys.argv[1])
print("ready", flush=True)
while True:
    with pointer.writing(index):
        steps.recover(index)
        named = pointer.read(index)
        steps.rollback(index, 1 if named.number != 1 else 2)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows knows no SIGKILL")
def test_killed_processes_leave_one_overlay_in_force_and_no_lock(index):
    """A server that loses power in the middle of a promotion must come back with answers."""
    repair = Synonym("rate limiting", "frequency control", "en")
    write(index, Overlay(1, (Entry("p1", repair),)))
    write(index, Overlay(2, (Entry("p1", repair),), parent=1))
    pointer.swap(index, Pointer(2, (1,)))
    chance = random.Random(7)
    for _ in range(6):
        loop = subprocess.Popen(
            [sys.executable, "-c", LOOP, str(index)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert loop.stdout is not None
        assert loop.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0.0, 0.05))
        os.kill(loop.pid, signal.SIGKILL)
        loop.wait()
        found = in_force(index)
        assert found is not None
        assert found.number in {1, 2}
        assert found.notes == ()
        with pointer.writing(index):  # a dead process holds no lock
            steps.recover(index)
        assert store.log(index)[-1].overlay == found.number
