"""`ragheal feedback`: what a user says of an answer."""


def test_marks_a_trace(run, history):
    """In words on standard error, nothing on standard output."""
    result = run("feedback", "last", "thumbs_down", "--note", "that is the old quota")
    assert result.code == 0
    assert result.out == ""
    assert "thumbs_down: trace 5e6f7g8h9j0" in result.err
    again = run("feedback", "5e6f", "thumbs-down")
    assert again.code == 0
    assert "was there already" in again.err
    assert "in place of thumbs_down" in run("feedback", "last", "thumbs_up").err
    assert run("feedback", "last", "thumbs_up", "--quiet").err == ""


def test_as_json(run, history):
    """Every field, so that a chat window can show what it did."""
    fields = run("feedback", "2b3c", "follow_up_correction", "--note", "十天", "--json").json
    assert fields["command"] == "feedback"
    assert (fields["trace_id"], fields["signal"], fields["note"]) == (
        "2b3c4d5e6f7",
        "follow_up_correction",
        "十天",
    )
    assert (fields["existed"], fields["replaced"], fields["weight"]) == (False, "", -0.9)
    assert run("feedback", "2b3c", "follow_up_correction", "--json").json["existed"] is True


def test_what_is_wrong_is_told(run, history):
    """A misspelt signal names the nearest; an unknown trace says where to look. Both are usage errors."""
    result = run("feedback", "last", "thumbs_dwn")
    assert (result.code, result.out) == (2, "")
    assert "did you mean `thumbs_down`?" in result.err
    result = run("feedback", "zzz", "thumbs_up")
    assert result.code == 2
    assert "no trace `zzz`" in result.err
    error = run("feedback", "zzz", "thumbs_up", "--json").json["error"]
    assert (error["kind"], error["exit_code"]) == ("TraceError", 2)
    assert run("feedback", "last", "thumbs_up", "--note", "x" * 3000).code == 2
    assert run("feedback", "last").code == 2
