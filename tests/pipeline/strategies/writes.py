"""The write that the golden statements are about: one column left the model, one is new."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lakeport.pipeline.growth import Schema, plan_growth
from lakeport.pipeline.strategies import Relation, Write
from tests.pipeline.growth.words import columns

TABLE = columns(customer_id="bigint", name="string", region="string")
QUERY = columns(Customer_ID="int", name="string", seen="date")


def write(target: Schema = TABLE, source: Schema = QUERY, **others: Any) -> Write:
    made = Write(
        target=Relation(("lake", "shop", "customers")),
        staged=Relation(("staged",)),
        projection=plan_growth(target, source).projection,
    )
    return replace(made, **others)
