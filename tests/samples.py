"""Runs made by hand, one for each way a question can end, in both languages."""

from __future__ import annotations

import msgspec

from ragheal.types import (
    TRACE_VERSION,
    Answer,
    Channel,
    Check,
    CheckStep,
    Chunk,
    Citation,
    Claim,
    Conflict,
    Draft,
    DraftStep,
    Evidence,
    Exchange,
    Grade,
    Hit,
    JudgeStep,
    Missing,
    Plan,
    PlanStep,
    Query,
    RewriteStep,
    RouteStep,
    Routing,
    SearchStep,
    Step,
    StopStep,
    Trace,
    Verdict,
)


def chunk(source: str, text: str, line: int = 1, headings: tuple[str, ...] = (), page: int = 0) -> Chunk:
    return Chunk(
        id=f"{source}:{line}", source=source, ordinal=0, text=text, headings=headings, kind="paragraph",
        start_line=line, end_line=line + text.count("\n"), start_char=0, end_char=len(text), page=page,
    )  # fmt: skip


def hit(found: Chunk, score: float, dense: int = 0, lexical: int = 0) -> Hit:
    channels = []
    if dense:
        channels.append(Channel("dense", dense, round(0.9 - dense / 50, 3)))
    if lexical:
        channels.append(Channel("lexical", lexical, round(12 - lexical / 2, 3)))
    return Hit(found, score, tuple(channels))


def trace(
    question: str, steps: tuple[Step, ...], answer: Answer, id_: str, exchanges: tuple[Exchange, ...] = ()
) -> Trace:
    return Trace(
        version=TRACE_VERSION, id=id_, created="2026-03-04T05:06:07.123Z", ragheal="0.1.0", question=question,
        index_generation=3, settings={"retrieval": {"top_k": 10}}, models={"search": "generation 3"}, steps=steps,
        exchanges=exchanges, answer=answer, seconds=0.8412,
    )  # fmt: skip


LEAD = chunk(
    "people/teams.md",
    "The payments team is led by Mara Lindqvist.\nIt has nine members.",
    12,
    ("Teams", "Payments"),
)
PHONE = chunk("people/on-call and escalation contacts.csv", "payments | +46 8 123 456 | weekdays", 4)
ROADMAP = chunk(
    "products/2025/roadmap.pdf",
    "Mara Lindqvist's last product, Ledgerline, "
    "settles a transfer in under 900 ms\x1b[31m and \x07needs no batch window.",
    33, ("Roadmap 2025", "Shipped"), page=7,
)  # fmt: skip
CHINESE = chunk(
    "制度/休假与考勤管理办法.md",
    "入职满一年的员工每年享有十五天带薪年假，未休完的年假可以顺延至次年三月三十一日。",
    18, ("休假与考勤管理办法", "年假"),
)  # fmt: skip
CHINESE_OLD = chunk("制度/旧版/休假制度2021.docx", "员工每年享有十天带薪年假。", 5, ("休假制度（2021年版）",))

CHAIN = "What is the core selling point of the last product of the payments team's lead?"


def healed() -> Trace:
    """Two hops: the first finds the lead, the second her product."""
    first = (hit(LEAD, 0.871, 1, 3), hit(PHONE, 0.412, 9, 0))
    second = (hit(ROADMAP, 0.913, 1, 1), hit(LEAD, 0.402, 4, 2))
    quote = "settles a transfer in under 900 ms"
    sentence = f"Mara Lindqvist's last product, Ledgerline, {quote} and needs no batch window."
    citations = (
        Citation(1, ROADMAP.id, ROADMAP.source, ROADMAP.heading, 33, 33, quote, page=7, changed=True),
        Citation(2, LEAD.id, LEAD.source, LEAD.heading, 12, 12, "The payments team is led by Mara Lindqvist."),
    )
    start = sentence.index(quote)
    claims = (
        Claim(sentence, (1,), (start, start + len(quote))),
        Claim("The payments team is led by Mara Lindqvist.", (2,)),
    )
    text = f"{sentence} [1] The payments team is led by Mara Lindqvist. [2]"
    check = Check("accept", "supported", True, 5)
    one = Query("who leads the payments team", "plan", "relation")
    two = Query("Mara Lindqvist last product core selling point", "bridge")
    steps: tuple[Step, ...] = (
        RouteStep(Routing("multi_hop", "a thing of a thing of a thing", "rule", "chain.of_of")),
        PlanStep(Plan((one, Query("core selling point of its last product", "plan", "value")), "chain")),
        SearchStep(1, one, first, 2, 0.021),
        JudgeStep(
            1,
            Verdict(
                False, 0.41, (Grade(LEAD.id, 86), Grade(PHONE.id, 20)),
                (Missing("relation", "last product of Mara Lindqvist", ("Mara Lindqvist", "product")),),
                bridge="Mara Lindqvist",
            ),
            0.11,
        ),
        RewriteStep(1, two, "the first hop found Mara Lindqvist, the question still asks for her product", "mild"),
        SearchStep(2, two, second, 1, 0.019),
        JudgeStep(2, Verdict(True, 0.93, (Grade(ROADMAP.id, 91), Grade(LEAD.id, 66))), 0.09),
        DraftStep(Draft(claims, citations)),
        CheckStep(check),
    )  # fmt: skip
    answer = Answer(
        CHAIN, "answered", text, "en", "multi_hop", claims, citations,
        (Evidence(ROADMAP.source, ROADMAP.id, 0.91, 2), Evidence(LEAD.source, LEAD.id, 0.86, 1)),
        confidence=0.93, check=check, rounds=2,
    )  # fmt: skip
    return trace(CHAIN, steps, answer, "1a2b3c4d5e6")


def conflict() -> Trace:
    """Two documents that disagree, in Chinese."""
    question = "员工每年有多少天带薪年假？"
    hits = (hit(CHINESE, 0.902, 1, 1), hit(CHINESE_OLD, 0.874, 2, 2))
    clash = Conflict(("十五天", "十天"), (CHINESE.id, CHINESE_OLD.id), 0, "较新的文件")
    claims = (Claim(CHINESE.text, (1,), (11, 14)), Claim(CHINESE_OLD.text, (2,), (6, 8)))
    citations = (
        Citation(1, CHINESE.id, CHINESE.source, CHINESE.heading, 18, 18, "十五天带薪年假"),
        Citation(2, CHINESE_OLD.id, CHINESE_OLD.source, CHINESE_OLD.heading, 5, 5, "十天带薪年假", changed=True),
    )
    text = f"资料说法不一：{CHINESE.text}[1] {CHINESE_OLD.text}[2]"
    check = Check("accept", "supported", True, 4)
    query = Query(question, wants="value")
    steps: tuple[Step, ...] = (
        RouteStep(Routing("standard", "a single fact", "default")),
        PlanStep(Plan((query,))),
        SearchStep(1, query, hits, 2, 0.02),
        JudgeStep(1, Verdict(True, 0.81, (Grade(CHINESE.id, 95), Grade(CHINESE_OLD.id, 92)), conflict=clash), 0.1),
        DraftStep(Draft(claims, citations, lang="zh")),
        CheckStep(check),
    )
    answer = Answer(
        question, "conflict", text, "zh", "standard", claims, citations,
        (Evidence(CHINESE.source, CHINESE.id, 0.95), Evidence(CHINESE_OLD.source, CHINESE_OLD.id, 0.92)),
        confidence=0.81, check=check, conflict=clash, rounds=1, degraded=("trace not saved: the disk is full",),
    )  # fmt: skip
    return trace(question, steps, answer, "2b3c4d5e6f7")


def abstained() -> Trace:
    """Nothing in the corpus."""
    question = "What does the cafeteria on Mars charge for lunch?"
    query = Query(question)
    again = Query("cafeteria lunch price", "rewrite")
    steps: tuple[Step, ...] = (
        RouteStep(Routing("standard", "a single fact", "default")),
        PlanStep(Plan((query,))),
        SearchStep(1, query, (hit(PHONE, 0.203, 1, 0),), 1, 0.02),
        JudgeStep(1, Verdict(False, 0.06, (Grade(PHONE.id, 8),), (Missing("entity", "cafeteria on Mars"),)), 0.1),
        RewriteStep(1, again, "searching for what is missing: cafeteria on Mars", "critical"),
        SearchStep(2, again, (), 0, 0.02),
        StopStep(2, "no new evidence"),
    )  # fmt: skip
    answer = Answer(
        question, "abstained", "The documents do not say.", "en", "standard", confidence=0.06,
        missing=("cafeteria on Mars",), nearest=("people/on-call and escalation contacts.csv:4",), rounds=2,
    )  # fmt: skip
    return trace(question, steps, answer, "3c4d5e6f7g8")


def direct() -> Trace:
    """No retrieval at all."""
    steps: tuple[Step, ...] = (RouteStep(Routing("direct", "arithmetic", "rule", "direct.arithmetic")),)
    return trace("what is 17*3", steps, Answer("what is 17*3", "direct", "51", "en", "direct"), "4d5e6f7g8h9")


def many_hits() -> Trace:
    """Ten hits with long names, for the table."""
    question = "retention of audit logs"
    query = Query(question)
    hits = tuple(
        hit(
            chunk(f"handbook/operations/logging/part {n}/retention-policy-{n:02}.md",
                  f"Audit logs ([{n}] of the list) are kept for 400 days. 审计日志保存四百天，之后自动删除。",
                  n * 11),
            round(0.9 - n / 20, 3), n, (n * 3) % 11,
        )
        for n in range(1, 11)
    )  # fmt: skip
    steps: tuple[Step, ...] = (SearchStep(1, query, hits, 10, 0.03),)
    return trace(question, steps, msgspec.structs.replace(direct().answer, question=question), "5e6f7g8h9j0")


ALL = {"healed": healed, "conflict": conflict, "abstained": abstained, "direct": direct, "many_hits": many_hits}
