"""`ragheal memory`: what is remembered, looked at and let go."""

import numpy as np
import pytest

from ragheal.memory import PlanMemory


@pytest.fixture
def remembered(history, samples):
    """A plan of the healed sample; gives its id."""
    vector = np.zeros(8, dtype=np.float32)
    vector[0] = 1.0
    trace = samples.healed()
    hashes = {citation.source: "aa" for citation in trace.answer.citations}
    return PlanMemory(history, embedder="e").remember(trace, vector, "en", hashes)


def test_list(run, remembered, samples):
    """One line a plan; for scripts tab-separated, and whole as JSON."""
    result = run("memory", "list")
    assert result.code == 0
    fields = result.out.rstrip("\n").split("\t")
    assert (fields[0], fields[2], fields[3], fields[5]) == (remembered, "multi_hop", "1.00", samples.CHAIN)
    envelope = run("memory", "list", "--json").json
    assert envelope["count"] == 1
    (plan,) = envelope["plans"]
    assert plan["question"] == samples.CHAIN
    assert [query["text"] for query in plan["plan"]["queries"]] == [
        "Mara Lindqvist last product core selling point"
    ]
    assert run("memory", "list", "--limit", "0").code == 2


def test_show(run, remembered, samples):
    """Its queries and documents are what a user wants to judge it by."""
    result = run("memory", "show", remembered[-5:])
    assert result.code == 0
    assert samples.CHAIN in result.out
    assert "Mara Lindqvist last product core selling point" in result.out
    assert "products/2025/roadmap.pdf" in result.out
    assert "1 answered, 0 failed" in result.out
    assert run("memory", "show", remembered, "--json").json["plan"]["id"] == remembered
    missing = run("memory", "show", "zzz")
    assert missing.code == 2
    assert "no remembered plan `zzz`" in missing.err


def test_forget(run, remembered):
    """One by its id, or all; never all by mistake."""
    assert run("memory", "forget").code == 2
    assert run("memory", "forget", remembered, "--all").code == 2
    assert run("memory", "forget", "zzz").code == 2
    assert "forgot 1 plan" in run("memory", "forget", remembered).err
    assert run("memory", "forget", "--all", "--json").json["forgotten"] == 0


def test_nothing_yet(run, history):
    """An empty memory is no error."""
    result = run("memory", "list")
    assert (result.code, result.out) == (0, "")
    assert "no plans are remembered yet" in result.err
    assert run("memory", "list", "--json").json["plans"] == []
    assert not (history / "memory.db").exists()


def test_a_damaged_memory(run, history):
    """Looking at it is an error that says which file; forgetting all puts it right."""
    (history / "memory.db").write_bytes(b"no database" * 500)
    result = run("memory", "list")
    assert result.code == 1
    assert "memory.db" in result.err
    assert run("memory", "forget", "--all").code == 0
    assert run("memory", "list").code == 0


@pytest.mark.parametrize("options", [(), ("--json",), ("--quiet",)])
def test_a_rebuild_that_cannot_write(run, project, options):
    """Who rebuilds for a reason must learn that it did not work."""
    run("ask", "How many days of paid leave do employees get a year?", "--quiet")
    (project / ".ragheal" / "memory.db").unlink()
    (project / ".ragheal" / "memory.db").mkdir()
    (project / ".ragheal" / "memory.db" / "x").touch()
    result = run("memory", "rebuild", *options)
    assert result.code == 1
    assert "remembered" not in result.out + result.err
    assert "memory.db" in result.out + result.err


def test_rebuild_heeds_what_was_said(run, project):
    """A disliked plan comes back weak."""
    run("ask", "How many days of paid leave do employees get a year?", "--quiet")
    run("feedback", "last", "thumbs_down")
    run("memory", "forget", "--all")
    assert run("memory", "rebuild").code == 0
    assert run("memory", "list", "--json").json["plans"][0]["strength"] == 0.5


def test_rebuild(run, project):
    """What the traces know can be learnt again."""
    run("ask", "How many days of paid leave do employees get a year?", "--quiet")
    run("memory", "forget", "--all")
    result = run("memory", "rebuild", "--json")
    assert result.code == 0
    assert result.json["count"] == 1
    assert run("memory", "list", "--json").json["plans"][0]["documents"].keys() == {"leave.md"}
