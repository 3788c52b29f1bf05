# mypy: disable-error-code="untyped-decorator,no-untyped-call"
"""Tests of garden.py without an engine, as the guide writes them: with mocks."""

import importlib.util
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import example_garden as garden
import pulumi
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        if args.typ == "garden:index:Corner":
            return "", args.inputs | {"sha256": "0" * 64}
        return f"{args.name}-id", args.inputs | {"sha256": "f" * 64, "buried": args.inputs.get("gold")}

    def call(self, args: MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        match args.token:
            case "garden:index:slug":
                return {"name": args.args["title"].lower()}, []
        raise AssertionError(args.token)


def thirst(self: garden.Plant, *, days: int) -> "pulumi.Output[garden.Plant.ThirstResult]":
    return pulumi.Output.from_input(garden.Plant.ThirstResult(liters=days * 1.5))


pulumi.runtime.set_mocks(Mocks(), preview=False)
# Pulumi's mocks do not know methods.
mock.patch.object(garden.Plant, "thirst", thirst).start()

spec = importlib.util.spec_from_file_location("program", Path(__file__).with_name("__main__.py"))
assert spec is not None and spec.loader is not None
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)


@pulumi.runtime.test
def test_identity_forms() -> pulumi.Output[None]:
    bed: garden.Bed = program.bed

    def check(identity: list[Any]) -> None:
        bed_id, urn, name = identity
        assert bed_id == "roses-id"
        assert urn.endswith("garden:index:Bed::roses")
        assert name is None  # the provider makes it up

    return pulumi.Output.all(bed.id, bed.urn, bed.name).apply(check)


@pulumi.runtime.test
def test_nested_types() -> pulumi.Output[None]:
    rose: garden.Plant = program.rose

    def check(care: "garden.outputs.Care") -> None:
        assert care.water == 1.5
        assert care.light == garden.CareLight.SHADE
        assert isinstance(care.light, str)

    return rose.care.apply(check)


@pulumi.runtime.test
def test_outputs_are_inputs() -> pulumi.Output[None]:
    rose: garden.Plant = program.rose
    return pulumi.Output.all(rose.bed, rose.name).apply(lambda got: check_equal(got, ["roses-id", "my rose"]))


@pulumi.runtime.test
async def test_secrets() -> None:
    gold: pulumi.Output[str | None] = program.rose.gold
    assert await gold.is_secret()
    assert await gold.future() == "under the rose"


@pulumi.runtime.test
def test_methods() -> pulumi.Output[None]:
    rose: garden.Plant = program.rose
    return rose.thirst(days=2).liters.apply(lambda liters: check_equal(liters, 3.0))


def check_equal(got: object, want: object) -> None:
    assert got == want


class WithUnittest(unittest.TestCase):
    @pulumi.runtime.test
    def test_labels(self) -> pulumi.Output[None]:
        labels: pulumi.Output[dict[str, str] | None] = program.rose.labels
        return labels.apply(lambda got: self.assertEqual(got, {"color": "red"}))

    def test_missing_property(self) -> None:
        with self.assertRaisesRegex(TypeError, "Missing required property 'care'"):
            garden.Plant("a", name="a", bed="b")
