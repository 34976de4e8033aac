"""The shapes of the replies (pydantic), and their JSON schemas.

Imported late: pydantic costs start-up time that only a run with a model server should pay. Fields are coerced
before they are checked (`coerce.py`); what a field cannot be coerced to makes the whole reply malformed, except
where a default says otherwise.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from ragheal.answering.model import coerce
from ragheal.answering.model.parse import Malformed, read_object

_INTEGER = WithJsonSchema({"type": "integer"})
_TEXT = WithJsonSchema({"type": "string"})
_TEXTS = WithJsonSchema({"type": "array", "items": {"type": "string"}})

Number = Annotated[int | None, BeforeValidator(coerce.ordinal), _INTEGER]
Line = Annotated[str, BeforeValidator(coerce.words), _TEXT]
Lines = Annotated[tuple[str, ...], BeforeValidator(coerce.texts), _TEXTS]
Measure = Annotated[Any, BeforeValidator(coerce.score), _INTEGER]


def _truth(value: Any) -> bool:
    found = coerce.truth(value)
    if found is None:
        raise ValueError("must be true or false")
    return found


Truth = Annotated[bool, BeforeValidator(_truth), WithJsonSchema({"type": "boolean"})]


def _numbered(value: Any, field: str) -> Any:
    """{"1": 90} or {"1": {…}} as a list of objects with `n`; a list of bare values numbered from 1."""
    if isinstance(value, dict):
        if coerce.ordinal(value.get("n")) is not None:
            return [value]
        return [{"n": key, **(item if isinstance(item, dict) else {field: item})} for key, item in value.items()]
    if isinstance(value, list):
        bare = [not isinstance(item, dict) for item in value]
        if value and all(bare):
            return [{"n": place, field: item} for place, item in enumerate(value, 1)]
        return [item for item in value if isinstance(item, dict)]
    return value


class Shape(BaseModel):
    """Base of the replies. `LIST` names the field that a bare list is taken for."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True, arbitrary_types_allowed=True)
    LIST: ClassVar[str] = ""


class Graded(Shape):
    n: Number = Field(None, validation_alias=AliasChoices("n", "id", "hit", "number", "index"))
    key: Line = ""
    relevance: Measure = Field(None, validation_alias=AliasChoices("relevance", "score", "relevance_score"))
    gap: Line = ""


class Lacking(Shape):
    kind: Annotated[str, BeforeValidator(coerce.words), WithJsonSchema(
        {"type": "string", "enum": ["entity", "relation", "value", "part"]})] = "part"  # fmt: skip
    what: Line = Field("", validation_alias=AliasChoices("what", "label", "name", "description"))
    terms: Lines = ()


class Stated(Shape):
    n: Number = Field(None, validation_alias=AliasChoices("n", "id", "hit"))
    value: Line = ""


def _lacking(value: Any) -> Any:
    items = value if isinstance(value, list) else [value]
    found: list[Any] = []
    for item in items[:8]:
        if isinstance(item, str | int | float) and coerce.words(item):
            found.append({"what": item})
        elif isinstance(item, dict):
            found.append(item)
    return found


def _stated(value: Any) -> Any:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class Judgement(Shape):
    """The judge's reply. `relevance` and `confidence` count from 0 to 100."""

    hits: Annotated[list[Graded], BeforeValidator(lambda value: _numbered(value, "relevance"))]
    sufficient: Truth
    confidence: Measure = None
    missing: Annotated[list[Lacking], BeforeValidator(_lacking)] = []
    conflict: Annotated[list[Stated], BeforeValidator(_stated)] = []
    bridge: Line = ""
    suggestion: Line = ""


class Step(Shape):
    question: Line = Field("", validation_alias=AliasChoices("question", "sub_question", "query", "text"))
    needs: Annotated[tuple[int, ...], BeforeValidator(lambda value: _ordinals(value)), WithJsonSchema(
        {"type": "array", "items": {"type": "integer"}})] = ()  # fmt: skip
    wants: Line = ""


def _ordinals(value: Any) -> tuple[int, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(number for item in items if (number := coerce.ordinal(item)) is not None)


def _steps(value: Any) -> Any:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [
            {"question": item} if isinstance(item, str) else item for item in value if isinstance(item, str | dict)
        ]
    return value


class Parts(Shape):
    """The planner's reply."""

    LIST: ClassVar[str] = "parts"
    parts: Annotated[list[Step], BeforeValidator(_steps)] = Field(
        validation_alias=AliasChoices("parts", "steps", "sub_questions", "questions")
    )


def _queries(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        value = [next(iter(item.values()), "") if isinstance(item, dict) else item for item in value]
    return coerce.texts(value, 600)


class Queries(Shape):
    """The rewriter's reply."""

    LIST: ClassVar[str] = "queries"
    queries: Annotated[tuple[str, ...], BeforeValidator(_queries), _TEXTS] = Field(
        validation_alias=AliasChoices("queries", "query", "search_queries")
    )


Support = Literal["supported", "partially supported", "unsupported"]
_SUPPORT: dict[str, Support] = {
    **dict.fromkeys(
        ("supported", "fully supported", "full", "fully", "yes", "true", "support", "支持", "完全支持", "是"),
        "supported",
    ),
    **dict.fromkeys(
        ("partially supported", "partially", "partial", "partly", "partly supported", "部分", "部分支持"),
        "partially supported",
    ),
    **dict.fromkeys(
        ("unsupported", "not supported", "no support", "none", "no", "false", "contradicted", "refuted", "不支持",
         "未支持", "没有支持", "无支持", "否", "矛盾"), "unsupported",
    ),
}  # fmt: skip


def _support(value: Any) -> Support:
    found = _SUPPORT.get(coerce.plain(str(value)) if isinstance(value, str | bool) else "")
    if found is None:
        raise ValueError("must be supported, partially or unsupported")
    return found


class Held(Shape):
    n: Number = Field(None, validation_alias=AliasChoices("n", "id", "claim", "number"))
    verdict: Annotated[Support, BeforeValidator(_support), WithJsonSchema(
        {"type": "string", "enum": ["supported", "partially", "unsupported"]})] = Field(
            validation_alias=AliasChoices("verdict", "support", "supported", "grounded", "label"))  # fmt: skip


class Verification(Shape):
    """The verifier's reply."""

    claims: Annotated[list[Held], BeforeValidator(lambda value: _numbered(value, "verdict"))]
    complete: Truth
    useful: Measure = None


class Chosen(Shape):
    """The classifier's reply."""

    route: Annotated[Literal["standard", "multi_hop", "self_rag", "combined", "generative"], BeforeValidator(
        lambda value: coerce.plain(value).replace(" ", "_") if isinstance(value, str) else value)]  # fmt: skip
    why: Line = ""


S = TypeVar("S", bound=Shape)


def read(text: str, shape: type[S], echo: str = "") -> S:
    """A reply as its shape. Raises Malformed with what is wrong."""
    found = read_object(text, _names(shape), echo=echo, list_key=shape.LIST)
    try:
        return shape.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Malformed(f"`{place}`: {first['msg'].removeprefix('Value error, ')}") from None


def _names(shape: type[Shape]) -> frozenset[str]:
    found = set(shape.model_fields)
    for field in shape.model_fields.values():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            found |= {choice for choice in alias.choices if isinstance(choice, str)}
    return frozenset(found)


@lru_cache(maxsize=16)
def schema(shape: type[Shape]) -> str:
    """The JSON schema of a reply: flat, every field required, none beyond them."""
    tree = shape.model_json_schema(by_alias=False)
    return json.dumps(_flat(tree, tree.get("$defs", {})), ensure_ascii=False, separators=(",", ":"))


def _flat(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_flat(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _flat(definitions[node["$ref"].rpartition("/")[2]], definitions)
    kept = {
        key: _flat(value, definitions)
        for key, value in node.items()
        if key not in {"$defs", "default", "description"}
    }
    if kept.get("type") == "object":
        kept["required"] = list(kept.get("properties", {}))
        kept["additionalProperties"] = False
    if isinstance(kept.get("title"), str):
        del kept["title"]
    return kept
