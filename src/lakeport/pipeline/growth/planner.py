"""The one door to a plan: a table's columns and a query's columns in, what will happen out."""

from __future__ import annotations

from lakeport.pipeline.growth.fit import fit_fields
from lakeport.pipeline.growth.model import Schema
from lakeport.pipeline.growth.plan import Plan, Refused
from lakeport.pipeline.growth.policy import Policy
from lakeport.pipeline.growth.storing import unwritable


def plan_growth(target: Schema, source: Schema, policy: Policy | None = None) -> Plan:
    """How `target` grows to take the rows of `source`. A new table is an empty target."""
    closed = tuple(refusal for field in target for refusal in unwritable((field.name,), field.type))
    grown = fit_fields((), target, source, policy or Policy())
    findings = (*closed, *grown.findings)
    if any(isinstance(finding, Refused) for finding in findings):
        return Plan(target, target, (), findings)
    return Plan(target, grown.fields, grown.projection, findings)
