"""Customers by their part of all revenue: those who bring the first half are `A`, the next 40 % `B`, the rest `C`.

A running total over sorted rows is easier to follow in Python than in SQL.
"""

from itertools import accumulate

import pyarrow as pa

SETTINGS = {
    "materialized": "table",
    "depends_on": ["marts.customer_value"],
    "audits": [
        {"unique": "customer_id"},
        {"accepted_values": "segment", "values": ["A", "B", "C"]},
    ],
}


def model(context):
    value = context.table("marts.customer_value").select("customer_id", "revenue").toArrow()
    value = value.sort_by([("revenue", "descending"), ("customer_id", "ascending")])
    revenue = [float(amount) for amount in value["revenue"].to_pylist()]
    total = sum(revenue) or 1.0
    before = [upto - own for upto, own in zip(accumulate(revenue), revenue, strict=True)]
    segment = ["A" if b < total * 0.5 else "B" if b < total * 0.9 else "C" for b in before]
    return pa.table({"customer_id": value["customer_id"], "segment": segment})
