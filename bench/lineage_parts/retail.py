"""The retailer whose tables the queries ask: seven fact tables of three channels, seventeen dimensions.

Sized as the well-known decision-support suite is (24 tables of 425 columns in all, every column named with its
table's prefix, so that queries name them without a table), because what an analyzer pays for a schema and for
names without a table is a part of what it costs. The names are our own.
"""

from __future__ import annotations

from typing import Any

# Channel: its prefix, the prefix of its returns, where it sells and that table's prefix.
CHANNELS = {
    "shop": ("ss", "sr", "store", "st"),
    "mail": ("ms", "mr", "call_centre", "cc"),
    "online": ("os", "orr", "web_site", "ws"),
}

_SALES = """sold_day_key sold_hour_key item_key customer_key person_key household_key address_key promotion_key
    ticket quantity wholesale_cost list_price sales_price ext_discount ext_sales_price ext_wholesale_cost
    ext_list_price ext_tax coupon net_paid net_paid_tax net_profit"""
_SHIPPED = """ship_day_key ship_customer_key ship_person_key ship_household_key ship_address_key shipping_key
    depot_key page_key ext_ship_cost net_paid_ship net_paid_ship_tax"""
_RETURNS = """returned_day_key returned_hour_key item_key customer_key person_key household_key address_key
    reason_key ticket quantity amount tax amount_tax fee ship_cost refunded_cash reversed_charge credit net_loss"""
_RETURNING = "returning_customer_key returning_person_key returning_household_key returning_address_key page_key"
_PLACE = """key id name manager market_id market_class market_manager company_id company_name division_id
    division_name employees hours square_feet open_day_key closed_day_key from_date to_date tax_percent"""
_ADDRESS = "street_number street_name street_type suite city county state zip country offset_hours"

_TABLES = {
    "shop_sales": ("ss", f"{_SALES} store_key"),
    "shop_returns": ("sr", f"{_RETURNS} store_key"),
    "mail_sales": ("ms", f"{_SALES} {_SHIPPED} call_centre_key"),
    "mail_returns": ("mr", f"{_RETURNS} {_RETURNING} call_centre_key shipping_key depot_key"),
    "online_sales": ("os", f"{_SALES} {_SHIPPED} web_site_key"),
    "online_returns": ("orr", f"{_RETURNS} {_RETURNING}"),
    "stock": ("k", "day_key item_key depot_key on_hand"),
    "store": ("st", f"{_PLACE} {_ADDRESS}"),
    "call_centre": ("cc", f"{_PLACE} {_ADDRESS} class description"),
    "web_site": ("ws", f"{_PLACE} city county state zip country offset_hours class"),
    "web_page": (
        "wp",
        """key id from_date to_date created_day_key accessed_day_key generated customer_key url type
        characters links images most_ads""",
    ),
    "mail_page": (
        "mp",
        "key id start_day_key end_day_key department book_number page_number description type",
    ),
    "customer": (
        "c",
        """key id person_key household_key address_key first_ship_day_key first_sale_day_key salutation first_name
        last_name preferred birth_day birth_month birth_year birth_country login email last_review_day_key""",
    ),
    "address": ("a", f"key id {_ADDRESS} location_type"),
    "person": (
        "p",
        """key gender marital_status education purchase_estimate credit_rating dependants employed_dependants
        college_dependants""",
    ),
    "household": ("h", "key income_band_key buy_potential dependants vehicles"),
    "income_band": ("ib", "key lowest highest"),
    "day": (
        "d",
        """key id date month_seq week_seq quarter_seq year weekday_number month month_day quarter fiscal_year
        fiscal_quarter_seq fiscal_week_seq weekday quarter_name is_holiday is_weekend after_holiday first_of_month
        last_of_month same_day_last_year same_day_last_quarter current_day current_week current_month
        current_quarter current_year""",
    ),
    "hour": ("t", "key id time hour minute second am_pm shift sub_shift meal"),
    "item": (
        "i",
        """key id from_date to_date description current_price wholesale_cost brand_id brand class_id class category_id
        category maker_id maker size formulation colour units container manager_id product_name""",
    ),
    "promotion": (
        "pr",
        """key id start_day_key end_day_key item_key cost response_target name by_mail by_email by_catalog by_tv
        by_radio by_press by_event by_demo details purpose discount_active""",
    ),
    "reason": ("re", "key id description"),
    "shipping": ("sm", "key id type code carrier contract"),
    "depot": ("w", f"key id name square_feet {_ADDRESS}"),
}
_AMOUNTS = (
    "cost",
    "price",
    "paid",
    "paid_tax",
    "paid_ship",
    "paid_ship_tax",
    "profit",
    "loss",
    "discount",
    "tax",
    "coupon",
    "amount",
    "amount_tax",
    "fee",
    "cash",
    "charge",
    "credit",
    "percent",
    "hours",
    "estimate",
)
_COUNTS = (
    "key",
    "seq",
    "year",
    "month",
    "quarter",
    "quantity",
    "ticket",
    "on_hand",
    "dependants",
    "vehicles",
    "number",
    "hour",
    "minute",
    "second",
    "time",
    "month_day",
    "employees",
    "feet",
    "characters",
    "links",
    "images",
    "lowest",
    "highest",
)


def tables() -> dict[str, tuple[str, ...]]:
    """Every table with its columns."""
    return {
        name: tuple(f"{prefix}_{column}" for column in columns.split())
        for name, (prefix, columns) in _TABLES.items()
    }


def column_type(name: str) -> str:
    if name.endswith("_date"):
        return "DATE"
    if name.endswith(tuple(f"_{word}" for word in _AMOUNTS)):
        return "DECIMAL(7,2)"
    return "BIGINT" if name.endswith(tuple(f"_{word}" for word in _COUNTS)) else "STRING"


def schema() -> dict[str, Any]:
    """The tables as a request gives them."""
    return {
        "tables": [
            {"name": table, "columns": [{"name": n, "dataType": column_type(n)} for n in columns]}
            for table, columns in tables().items()
        ]
    }
