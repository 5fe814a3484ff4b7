"""Short ways to write columns down in tests: types in Spark's words, a `!` behind what is NOT NULL."""

from __future__ import annotations

from lakeport.pipeline.growth import Field, Plan, Schema, plan_growth, type_from_text
from lakeport.pipeline.growth.policy import OnTypeChange, Policy


def columns(**types: str) -> Schema:
    """`columns(id="int!", name="string")`"""
    return tuple(
        Field(name, type_from_text(text.rstrip("!")), required=text.endswith("!"))
        for name, text in types.items()
    )


def planned(target: Schema, source: Schema, on_type_change: OnTypeChange = "widen") -> Plan:
    return plan_growth(target, source, Policy(on_type_change=on_type_change))


def reasons(plan: Plan) -> list[str]:
    return [refusal.reason for refusal in plan.refused]
