package typing_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/names"
)

func TestMistakesInTypes(t *testing.T) {
	cases := []struct{ name, code, src string }{
		{"contradiction", source.CodeConflict, `a: «int» & "x"`},
		{"contradicting bounds", source.CodeConflict, `a?: «>10» & <5`},
		{"contradicting lengths", source.CodeConflict, `a: =~"a" & =~"b", b: («string» & !="") & int`},
		{"comprehension on a value", source.CodeConditionalType, "k: \"a\" | \"b\"\nif «k» == \"a\" {x: int}"},
		{"comprehension on a default", source.CodeConditionalType, "k: *\"a\" | \"b\"\nif «k» == \"a\" {x: int}"},
		{"interpolation", source.CodeInterpolatedType, "k: string\na: *«\"\\(k)-x\"» | string"},
		{"shadowed type", source.CodeShadowedType, "«string»: string"},
		{"cross-field bound", source.CodeCrossField, "min: int\nmax: int & >=«min»"},
		{"sibling's type", source.CodeCrossField, "a: *\"x\" | string\nb: «a»"},
		{"bytes", source.CodeBytesType, "a: «bytes»"},
		{"tuple", source.CodeTupleType, "a: «[int, string]»"},
		{"other first item", source.CodeTupleType, "a: «[int, ...string]»"},
		{"bounded first item", source.CodeTupleType, "a: «[>5, ...int]»"},
		{"list literal", source.CodeTupleType, "a: «[\"x\"]»"},
		{"union without tag", source.CodeUntaggedUnion, "a: «{x: int} | {y: int}»"},
		{"default outside the pattern", source.CodeDefaultViolates, "a: *«\"x\"» | =~\"^a\""},
		{"default outside the bound", source.CodeDefaultViolates, "a: *«1» | (int & >5)"},
		{"default lost to a bound", source.CodeDefaultViolates, "a: (*«1» | int) & >5"},
		{"default of null", source.CodeDefaultNull, "a: «*null» | string"},
		{"default of null in an optional one", source.CodeDefaultNull, "a?: «*null» | string"},
		{"default of null at the end", source.CodeDefaultNull, "a: string | «*null»"},
		{"default of null, which is all", source.CodeDefaultNull, "a: null | «*null»"},
		{"default of null in brackets", source.CodeDefaultNull, "a: («*null» | string) | int"},
		{"default of null in brackets of its own", source.CodeDefaultNull, "a: «*(null)» | string"},
		{"default of null that is allowed anyway", source.CodeDefaultNull, "a: «*null» | null | string"},
		{"default of null in an enum", source.CodeDefaultNull, "a: «*null» | \"x\" | \"y\""},
		{"default of null for a struct", source.CodeDefaultNull, "a: «*null» | {b: int}"},
		{"default of null for a list", source.CodeDefaultNull, "a: «*null» | [...string]"},
		{"default of null for a map", source.CodeDefaultNull, "a: «*null» | {[string]: string}"},
		{"default of null for anything", source.CodeDefaultNull, "a: «*null» | _"},
		{"default of null of a member", source.CodeDefaultNull, "a: {b: «*null» | int}"},
		{"default of null of an item", source.CodeDefaultNull, "a: [...(«*null» | string)]"},
		{"default of null of an entry", source.CodeDefaultNull, "a: [string]: «*null» | string"},
		{"default of null of a secret", source.CodeDefaultNull, "a: «*null» | string @secret()"},
		{"default of null elsewhere", source.CodeDefaultNull, "a: «_t»\nlet _t = *null | string"},
		{"default of a type", source.CodeDefaultNotConcrete, "a: *«string» | int"},
		{"regular expression", source.CodeBadRegexp, "a: «=~\"(\"»"},
		{"unknown function", source.CodeUnsupportedType, "import «x»"},
		{"bad property name", names.CodeName, "«\"a-b\"»: string"},
		{"reserved id", names.CodeReserved, "«id»: string"},
		{"reserved underscores", names.CodeReserved, "«\"__x\"»: string"},
		{"open inputs", source.CodeOpenObject, "..."},
		{"an undefined name", source.CodeUnknownReference, "a: «_nowhere»"},
		{"unknown attribute", source.CodeUnknownAttribute, "a: string «@secert()»"},
		{"one wire name twice", source.CodeDuplicateName, "a: string @wire(b)\n«b»: string"},
		{"env on an input", source.CodeMisplacedAttribute, "a: string «@env(X)»"},
		{"stable on an input", source.CodeMisplacedAttribute, "a: string «@stable()»"},
		{"set on a string", source.CodeBadAttribute, "a: string «@set()»"},
		{"key on a string", source.CodeBadAttribute, "a: string «@key(x)»"},
		{"key of no field", source.CodeBadAttribute, "a: [...{name: string}] «@key(nmae)»"},
		{"autoname on an int", source.CodeBadAttribute, "a: int «@autoname()»"},
		{"autoname argument", source.CodeBadAttribute, "a: string «@autoname(maxx=3)»"},
		{"autoname inside a struct", source.CodeMisplacedAttribute, "a: {b: string «@autoname()»}"},
		{"normalised and not read", source.CodeBadAttribute, "a: «string» @normalised() @noRead()"},
		{"normalised inside a struct", source.CodeMisplacedAttribute, "a: {b: string «@normalised()»}"},
		{"noRead inside a struct", source.CodeMisplacedAttribute, "a: {«b»: string @noRead()}"},
		{"noRead in a list", source.CodeMisplacedAttribute, "a: [...{«b»: string @noRead()}]"},
		{"noRead in a map in a union", source.CodeMisplacedAttribute, "a: {kind: \"x\"} | {kind: \"y\", m: {[string]: {«b»?: string @noRead()}}}"},
		{"noRead deep inside a struct", source.CodeMisplacedAttribute, "a: {b: {«c»: string @noRead()}}"},
		{"normalised asset", source.CodeBadAttribute, "a: spec.#Asset «@normalised()»"},
		{"equal rule", source.CodeBadAttribute, "a: string «@equal(fodl)»"},
		{"equal on an int", source.CodeBadAttribute, "a: int «@equal(fold)»"},
		{"secret with an argument", source.CodeBadAttribute, "a: string «@secret(true)»"},
		{"default without expression", source.CodeBadAttribute, "a: string «@default(x)»"},
		{"wire without name", source.CodeBadAttribute, "a: string «@wire()»"},
		{"name for an unknown SDK", source.CodeBadAttribute, "a: string «@name(pyton=\"x\")»"},
		{"deprecated without text", source.CodeBadAttribute, "a: string «@deprecated()»"},
		{"attribute of the values of a map, next to fields", source.CodeMisplacedAttribute, "a: {b: string, [string]: string «@secret()»}"},
		{"attribute of the values of a map, behind a default", source.CodeMisplacedAttribute, "a: *{} | {[string]: string «@secret()»}"},
		{"attribute of the values of a map in a list", source.CodeMisplacedAttribute, "a: [...{[string]: string «@secret()»}]"},
		{"unknown attribute of the values of a map", source.CodeUnknownAttribute, "a?: {[string]: string «@bogus()»}"},
		{"unknown attribute of a map in a map", source.CodeUnknownAttribute, "a?: [string]: [string]: string «@bogus()»"},
		{"package that is not imported", source.CodeUnknownReference, "a: [...string] & «list.MinItems(2)»"},
		{"default that is too short", source.CodeDefaultViolates, "a: *«[\"x\"]» | [...string] & list.MinItems(2)"},
		{"default with too few entries", source.CodeDefaultViolates, "a: *«{}» | {[string]: string} & struct.MinFields(1)"},
		{"attribute of the block", source.CodeMisplacedAttribute, "«@secret()»"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := loadtest.InInputs(c.src)
			switch c.name {
			case "unknown function":
				src = "import \"net\"\n" + loadtest.InInputs("a: «net.IPv4»")
			case "default that is too short", "default with too few entries":
				src = "import (\n\t\"list\"\n\t\"struct\"\n)\n" + loadtest.InInputs(c.src)
				src = strings.Replace(src, map[bool]string{true: "\t\"struct\"\n", false: "\t\"list\"\n"}[strings.Contains(c.src, "list.")], "", 1)
			case "normalised asset":
				src = "import \"declprov.dev/spec\"\n" + loadtest.InInputs(c.src)
			case "open inputs":
				src = loadtest.Head + "resources: A: {id: \"x\", create: file: write: path: \"x\", inputs: «{a: int, ...}»}"
			}
			loadtest.Mistake(t, "cue", src, c.code)
		})
	}
}
