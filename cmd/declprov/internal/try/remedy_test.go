package try

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
)

// TestExplain checks the code and the remedy of each way in which read may differ from the
// program.
func TestExplain(t *testing.T) {
	text := func(s string) property.Value { return property.New(s) }
	list := func(items ...property.Value) property.Value { return property.New(items) }
	item := func(name string, n float64) property.Value {
		return property.New(map[string]property.Value{"a": property.New("same"), "name": text(name), "n": property.New(n)})
	}
	step := func(kind string, n float64) property.Value {
		return property.New(map[string]property.Value{"interface": text(kind), "n": property.New(n)})
	}
	m := func(namesAndTexts ...string) property.Value {
		members := map[string]property.Value{}
		for i := 0; i < len(namesAndTexts); i += 2 {
			members[namesAndTexts[i]] = text(namesAndTexts[i+1])
		}
		return property.New(members)
	}
	outer := func(v property.Value) property.Value {
		return property.New(map[string]property.Value{"in": v, "x": text("y")})
	}
	none := property.New(property.Null)
	tests := map[string]struct {
		program, read, before property.Value
		updated, normalised   bool
		fallback              any
		code, remedy          string
	}{
		"not returned":            {program: text("a"), code: codeNotRead, remedy: "@noRead()"},
		"a secret, not returned":  {program: text("a").WithSecret(true), code: codeNotRead, remedy: "@noRead()"},
		"filled in":               {read: text("a"), code: codeFilledIn, remedy: `outputs: p: …`},
		"filled in, a scalar":     {read: property.New(7.0), code: codeFilledIn, remedy: "*7 | …"},
		"spaces":                  {program: text(" a\n"), read: text("a"), code: codeReadDiffers, remedy: "@equal(trim)"},
		"case":                    {program: text("Eins"), read: text("eins"), code: codeReadDiffers, remedy: "@equal(fold)"},
		"a path":                  {program: text("/a//b/"), read: text("/a/b"), code: codeReadDiffers, remedy: "@equal(path)"},
		"JSON":                    {program: text(`{"a": 1, "b": 2}`), read: text(`{"b":2,"a":1}`), code: codeReadDiffers, remedy: "@equal(json)"},
		"a placeholder":           {program: text("hunter2"), read: text("******"), code: codeReadDiffers, remedy: "@noRead()"},
		"the default":             {program: text("Shop"), read: text(""), fallback: "", code: codeReadDiffers, remedy: "the response may not have it at all"},
		"another than default":    {program: text("Shop"), read: text("******"), fallback: "", code: codeReadDiffers, remedy: "The API returns a placeholder"},
		"redacted":                {program: text("hunter2"), read: text("[REDACTED]"), code: codeReadDiffers, remedy: "@noRead()"},
		"another text":            {program: text("a"), read: text("b"), code: codeReadDiffers, remedy: "@normalised()"},
		"normalised already":      {program: text("a"), read: text("b"), normalised: true, code: codeReadDiffers, remedy: "create or update returned"},
		"another order":           {program: list(text("b"), text("a")), read: list(text("a"), text("b")), code: codeReadDiffers, remedy: "@set()"},
		"objects in other order":  {program: list(item("b", 1), item("a", 2)), read: list(item("a", 2), item("b", 1)), code: codeReadDiffers, remedy: "@key(name)"},
		"objects without a name":  {program: list(step("deploy", 1), step("bios", 2)), read: list(step("bios", 2), step("deploy", 1)), code: codeReadDiffers, remedy: "@set()"},
		"objects with one name":   {program: list(item("a", 1), item("a", 2)), read: list(item("a", 2), item("a", 1)), code: codeReadDiffers, remedy: "@set()"},
		"repeated items":          {program: list(text("a"), text("a"), text("b")), read: list(text("a"), text("b"), text("b")), code: codeReadDiffers, remedy: "@equal("},
		"an update that is lost":  {program: text("b"), read: text("a"), before: text("a"), updated: true, code: codeNotApplied, remedy: "@replace()"},
		"a removal that is lost":  {read: text("a"), before: text("a"), updated: true, code: codeNotApplied, remedy: "null"},
		"a removal in it is lost": {program: m("a", "1"), read: m("a", "1", "b", "2"), before: m("a", "1", "b", "2"), updated: true, code: codeNotApplied, remedy: `patch: "merge"`},
		"a change and a removal":  {program: m("a", "3"), read: m("a", "3", "b", "2"), before: m("a", "1", "b", "2"), updated: true, code: codeNotApplied, remedy: `patch: "merge"`},
		"a removal deep within": {
			program: outer(m("a", "3")), read: outer(m("a", "3", "b", "2")), before: outer(m("a", "1", "b", "2")), updated: true, code: codeNotApplied, remedy: `patch: "merge"`,
		},
		"all members are removed": {program: m(), read: m("b", "2"), before: m("b", "2"), updated: true, code: codeNotApplied, remedy: `patch: "merge"`},
		"a member that none had":  {program: m("a", "1"), read: m("a", "1", "c", "2"), before: m("a", "1", "b", "2"), updated: true, code: codeReadDiffers, remedy: "@normalised()"},
		"a member of another":     {program: m("a", "1"), read: m("a", "2", "b", "2"), before: m("a", "1", "b", "2"), updated: true, code: codeReadDiffers, remedy: "@normalised()"},
		"a member is missing":     {program: m("a", "1"), read: m("b", "2"), before: m("b", "2"), updated: true, code: codeNotApplied, remedy: "Send it in update"},
		"an addition is lost":     {program: text("a"), updated: true, code: codeNotApplied, remedy: "Send it in update"},
		"an update of another":    {program: text("Eins"), read: text("zwei"), before: text("Eins"), updated: true, code: codeSideEffect, remedy: "merge(changes, pick(inputs, 'p'))"},
		"another, not returned":   {program: text("a"), before: text("a"), updated: true, code: codeNotRead, remedy: "@noRead()"},
		"another, then filled in": {read: text("x"), updated: true, code: codeFilledIn, remedy: "outputs"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, v := range []*property.Value{&test.program, &test.read, &test.before} {
				if v.IsNull() {
					*v = none
				}
			}
			d := difference{
				name: "p", property: &spec.Property{Name: "p", Normalised: test.normalised, Default: test.fallback},
				program: test.program, read: test.read, before: test.before, updated: test.updated,
			}
			code := d.code()
			text, remedy := d.explain()
			if code != test.code || !strings.Contains(remedy, test.remedy) {
				t.Errorf("got %s and %q, want %s and %q", code, remedy, test.code, test.remedy)
			}
			if test.program.Secret() && strings.Contains(text, `"a"`) {
				t.Errorf("%q shows the secret", text)
			}
		})
	}
}
