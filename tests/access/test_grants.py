"""Abilities, grants and what an identity may do."""

from __future__ import annotations

import pytest

from lakeport.access import EVERYONE, Ability, Grant, Identity, grants_for, parse_abilities
from lakeport.core.errors import InvalidRequestError, PermissionDeniedError

READER = Identity("ann", grants_for([Ability.READ], ["sales.*", "hr.people"]))


def test_abilities_are_read_in_any_order_and_case() -> None:
    assert parse_abilities("WRITE, read,read") == (Ability.READ, Ability.WRITE)


def test_an_unknown_ability_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(InvalidRequestError) as refused:
        parse_abilities("reed")
    assert "`read`" in (refused.value.hint or "")
    with pytest.raises(InvalidRequestError):
        parse_abilities(" , ")


def test_a_grant_holds_for_its_tables_alone() -> None:
    assert READER.may(Ability.READ, "lake", "Sales", "orders")
    assert READER.may(Ability.READ, "lake", "hr", "PEOPLE")
    assert not READER.may(Ability.READ, "lake", "hr", "salaries")
    assert not READER.may(Ability.WRITE, "lake", "sales", "orders")


def test_a_whole_namespace_needs_a_grant_on_all_of_it() -> None:
    assert READER.may(Ability.READ, "lake", "sales")
    assert not READER.may(Ability.READ, "lake", "hr")
    assert not READER.may(Ability.READ, "lake")


def test_abilities_do_not_imply_each_other_except_admin() -> None:
    for given in (Ability.READ, Ability.WRITE, Ability.DDL):
        identity = Identity("x", grants_for([given]))
        assert [one for one in Ability if identity.may(one, "lake", "s", "t")] == [given]
    admin = Identity("x", grants_for([Ability.ADMIN], ["s.*"]))
    assert all(admin.may(one, "lake", "s", "t") for one in Ability)
    assert not any(admin.may(one, "lake", "other", "t") for one in Ability)


def test_only_an_admin_of_everything_is_the_servers_admin() -> None:
    assert EVERYONE.is_admin
    assert not Identity("x", grants_for([Ability.ADMIN], ["s.*"])).is_admin
    assert not Identity("x", grants_for([Ability.ADMIN], catalogs=["lake"])).is_admin
    assert not Identity("x", grants_for([Ability.READ, Ability.WRITE, Ability.DDL])).is_admin


def test_a_grant_may_be_of_one_catalog() -> None:
    identity = Identity("x", grants_for([Ability.READ], catalogs=["eu_*"]))
    assert identity.may(Ability.READ, "EU_lake", "s", "t")
    assert identity.sees("eu_lake")
    assert not identity.may(Ability.READ, "us_lake", "s", "t")
    assert not identity.sees("us_lake")


def test_a_namespace_of_a_catalogs_name_is_not_that_catalog() -> None:
    identity = Identity("x", grants_for([Ability.READ], ["lake.*"]))
    assert not identity.may(Ability.READ, "lake", "sales", "orders")


def test_what_may_hold_something_to_read_is_seen() -> None:
    assert READER.sees("lake")
    assert READER.sees("lake", "hr")
    assert not READER.sees("lake", "secret")


def test_who_may_only_write_enters_a_catalog_and_sees_nothing_in_it() -> None:
    writer = Identity("w", grants_for([Ability.WRITE], catalogs=["lake"]))
    assert writer.sees("lake")
    assert not writer.sees("lake", "sales")
    assert not writer.sees("other")


def test_equal_grants_are_one_key_whoever_holds_them() -> None:
    same = Identity("bob", grants_for([Ability.READ], ["hr.people", "sales"]))
    assert {READER.grants: 1}[same.grants] == 1
    assert READER.grants != grants_for([Ability.READ])


def test_a_refusal_names_the_ability_and_what_was_asked_for() -> None:
    with pytest.raises(PermissionDeniedError) as refused:
        READER.require(Ability.READ, "lake", "hr", "salaries")
    assert refused.value.message == "`ann` has no grant `read` on table `hr.salaries`"
    with pytest.raises(PermissionDeniedError, match="namespace `secret`"):
        READER.require_sight("lake", "secret")
    with pytest.raises(PermissionDeniedError, match="catalog `lake`"):
        READER.require(Ability.ADMIN, "lake")
    READER.require(Ability.READ, "lake", "sales", "anything")


def test_a_grant_reads_like_a_sentence() -> None:
    assert str(Grant(Ability.READ, "sales.*")) == "read on sales.*"
    assert str(Grant(Ability.DDL, "*", "eu")) == "ddl on * in eu"
