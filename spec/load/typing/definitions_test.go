package typing_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

// uses are ways in which the type of a property refers to the definition #X, and whether all values of the property are then
// of that definition.
var uses = map[string]bool{
	`#X`: true, `(#X)`: true, `#Y`: true, `#Z`: true, `#D`: true, `#N`: true,
	`*"0" | #X`: true, `null | #X`: true, `*"0" | null | #X`: true, `"auto" | #X`: true, `null | #Y`: true,
	`#X & !="9"`: true, `*"0" | #X & !="9"`: true,
	`[...#X]`: false, `[#X, ...#X]`: false, `null | [...#X]`: false, `*[] | [...#X]`: false, `#L`: false, `[...[...#X]]`: false, `[...null | #X]`: false,
	`{[string]: #X}`: false, `{[=~"^a"]: #X}`: false, `#M`: false, `[...{[string]: #X}]`: false,
	`#X | int`: false, `bool | #X`: false, `#X | {a: string}`: false,
}

const definitions = `
#Y: #X
#Z: #Y
#D: *"0" | #X
#N: null | #X
#L: [...#X]
#M: {[string]: #X}
`

// TestAttributesOfDefinitions checks that an attribute of a definition holds wherever the type of a property refers to it.
// If it would have no effect there, that is an error, but a secret in a list, a map or an alternative makes the whole
// property secret.
func TestAttributesOfDefinitions(t *testing.T) {
	t.Parallel()
	for attribute, test := range map[string]struct {
		holds func(*spec.Property) bool
		parts bool // it also holds for the items of lists, the values of maps and alternatives
	}{
		"@secret()":                  {func(p *spec.Property) bool { return p.Secret }, true},
		"@ephemeral()":               {func(p *spec.Property) bool { return p.Ephemeral }, true},
		"@replace()":                 {func(p *spec.Property) bool { return p.Replace }, false},
		"@noRead()":                  {func(p *spec.Property) bool { return p.NoRead }, false},
		"@equal(fold)":               {func(p *spec.Property) bool { return p.Equal == "fold" }, false},
		`@equal("${old == new}")`:    {func(p *spec.Property) bool { return p.EqualExpr != nil }, false},
		"@wire(x_name)":              {func(p *spec.Property) bool { return p.Wire == "x_name" }, false},
		"@secret() @equal(trim)":     {func(p *spec.Property) bool { return p.Secret && p.Equal == "trim" }, false},
		`@deprecated("use another")`: {func(p *spec.Property) bool { return p.Deprecated != "" }, false},
	} {
		for use, whole := range uses {
			t.Run(attribute+" "+use, func(t *testing.T) {
				t.Parallel()
				src := loadtest.InInputs("a?: "+use) + "\n#X: string " + attribute + definitions
				if !whole && strings.Contains(attribute, "deprecated") {
					loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(src), Format: "cue"}) // it says nothing of the property
					return
				}
				if whole || test.parts {
					p := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(src), Format: "cue"})
					if a := p.Resources[0].Inputs.Field("a"); !test.holds(a) {
						t.Errorf("%s has no effect on %+v", attribute, a)
					}
					return
				}
				loadtest.Mistake(t, "cue", loadtest.InInputs("a?: «"+use+"»")+"\n#X: string "+attribute+definitions, source.CodeMisplacedAttribute)
			})
		}
	}
}

// TestTypesOnTheWireOfDefinitions checks that a type on the wire holds for each scalar of a definition, wherever it is.
func TestTypesOnTheWireOfDefinitions(t *testing.T) {
	t.Parallel()
	for _, use := range []string{`#X`, `*"0" | #X`, `null | #X`, `#D`, `#N`, `[...#X]`, `#L`, `null | [...#X]`, `{[string]: #X}`, `#M`, `[...[...#X]]`, `[...{[string]: #X}]`} {
		t.Run(use, func(t *testing.T) {
			t.Parallel()
			src := loadtest.InInputs("a?: "+use) + "\n#X: string @wire(type=int)" + definitions
			p := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(src), Format: "cue"})
			scalar := p.Types.Resolve(p.Resources[0].Inputs.Field("a").Type)
			for scalar.Elem != nil {
				scalar = p.Types.Resolve(scalar.Elem)
			}
			if scalar.Kind != spec.String || scalar.OnWire != spec.Int {
				t.Errorf("it is %+v", scalar)
			}
		})
	}
}

// TestUsesOfADefinitionAreIndependent checks that what one property adds to a definition, null or a bound, does not change the
// type of another one that refers to it.
func TestUsesOfADefinitionAreIndependent(t *testing.T) {
	t.Parallel()
	for _, of := range []string{`string`, `int`, `bool`, `number & >=1`, `=~"^[0-9]+$"`, `"a" | "b"`, `[...string]`, `{[string]: string}`, `{a: string}`, `[...{a: int}]`, `string | int`, `_`} {
		for _, other := range []string{`null | #X`, `null | #Y`, `[...null | #X]`, `{[string]: null | #X}`, `{b: null | #X}`} {
			for _, order := range []string{"a: #X, z: " + other, "z: " + other + ", a: #X", "zz: #X, z: " + other + ", a: #X"} {
				t.Run(of+" "+other, func(t *testing.T) {
					t.Parallel()
					p := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(loadtest.InInputs(order) + "\n#X: " + of + "\n#Y: #X"), Format: "cue"})
					if a := p.Types.Resolve(p.Resources[0].Inputs.Field("a").Type); a.Nullable {
						t.Errorf("%s is nullable beside %s", of, other)
					}
				})
			}
		}
	}
}
