package secrets

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// shape is a way that a secret comes into a value, and through one.
type shape struct {
	name string
	// inputs are CUE, in which @ is where a secret is declared, if it is.
	inputs string
	// given are the inputs of a program; mark marks what the program makes secret.
	given func(mark func(any) property.Value) map[string]property.Value
	// forEach is what a step or child goes over, "" for no loop. each is the secret
	// there, whole is the secret outside of a loop.
	forEach, each, whole string
	// before are steps that come first. typed says that their response's type declares
	// the secret, so that no program has to.
	before string
	typed  bool
	// unseen says that vet cannot follow the secret: only who runs it can.
	unseen bool
	// named says that the children of a component would be named by what is secret where
	// it is declared; keyed that they would where the program says so.
	named, keyed bool
}

// pin is the secret. It has what each encoding changes, and no run of letters and digits
// that is long enough to be masked by itself.
const pin = `Yk7Rw3Jd/+ö"<&> Zx9QmPf2`

func text(s string) property.Value { return property.New(s) }

func members(kv ...any) property.Value {
	m := map[string]property.Value{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1].(property.Value)
	}
	return property.New(m)
}

func items(all ...property.Value) property.Value { return property.New(all) }

// nothing is given where the secret comes from elsewhere.
func nothing(func(any) property.Value) map[string]property.Value { return nil }

// shapes are all of them. Those of a loop have the secret in one of its turns.
func shapes() []shape {
	named := func(name string, v func(func(any) property.Value) property.Value) func(func(any) property.Value) map[string]property.Value {
		return func(mark func(any) property.Value) map[string]property.Value {
			return map[string]property.Value{name: v(mark)}
		}
	}
	one := named("pin", func(mark func(any) property.Value) property.Value { return mark(pin) })
	structs := named("all", func(mark func(any) property.Value) property.Value {
		return items(members("name", text("a"), "pin", mark(pin)))
	})
	all := []shape{
		{name: "an input", inputs: `pin: string @`, given: one, each: `inputs.pin`},
		{name: "an optional input", inputs: `pin?: string @`, given: one, each: `(inputs.pin ?? '')`},
		{
			name: "a loop over a list", inputs: `all: [...string] @`,
			given:   named("all", func(mark func(any) property.Value) property.Value { return items(mark(pin)) }),
			forEach: `"${inputs.all}"`, each: `each.value`, whole: `inputs.all[0]`,
		},
		{
			name: "a loop over structs", inputs: `all: [...{name: string, pin: string @}]`, given: structs,
			forEach: `"${inputs.all}"`, each: `each.value.pin`, whole: `inputs.all[0].pin`,
		},
		{
			name: "a loop over a map", inputs: `all: {[string]: string} @`,
			given:   named("all", func(mark func(any) property.Value) property.Value { return members("a", mark(pin)) }),
			forEach: `"${inputs.all}"`, each: `each.value`, whole: `(inputs.all.a ?? '')`, named: true,
		},
		{
			name: "the keys of a map", inputs: `all: {[string]: string} @`,
			given:   named("all", func(mark func(any) property.Value) property.Value { return mark(members(pin, text("x"))) }),
			forEach: `"${inputs.all}"`, each: `string(each.key)`, whole: `keys(inputs.all)[0]`, named: true, keyed: true,
		},
		{
			name: "a loop over a map of structs", inputs: `all: [string]: {pin: string @}`,
			given: named("all", func(mark func(any) property.Value) property.Value {
				return members("a", members("pin", mark(pin)))
			}),
			forEach: `"${inputs.all}"`, each: `each.value.pin`, whole: `(inputs.all.a?.pin ?? '')`,
		},
		{
			name: "a loop over what map makes", inputs: `all: [...{name: string, pin: string @}]`, given: structs,
			forEach: `"${map(inputs.all, .pin)}"`, each: `each.value`, whole: `map(inputs.all, .pin)[0]`,
		},
		{
			name: "a loop over a selection", inputs: `all: [...{name: string, pin: string @}]`, given: structs,
			forEach: `"${filter(inputs.all, .name != '')}"`, each: `each.value.pin`, whole: `filter(inputs.all, .name != '')[0].pin`,
		},
		{
			name: "a loop over what is written down", inputs: `pin: string @`, given: one,
			forEach: `["${inputs.pin}"]`, each: `each.value`, whole: `[inputs.pin][0]`,
		},
		{
			name: "a loop over structs that are written down", inputs: `pin: string @`, given: one,
			forEach: `[{a: "${inputs.pin}", b: "x"}]`, each: `each.value.a`, whole: `{'a': inputs.pin}.a`,
		},
		{
			name: "a loop over unions", inputs: `all: [...{on: false} | {on: true, pin: string @}]`,
			given: named("all", func(mark func(any) property.Value) property.Value {
				return items(members("on", property.New(true), "pin", mark(pin)))
			}),
			forEach: `"${inputs.all}"`, each: `(each.value.pin ?? '')`, whole: `(inputs.all[0].pin ?? '')`,
		},
		{
			name: "a map of unions", inputs: `all: [string]: {on: false} | {on: true, pin: string @}`,
			given: named("all", func(mark func(any) property.Value) property.Value {
				return members("a", members("on", property.New(true), "pin", mark(pin)))
			}),
			each: `(inputs.all.a?.pin ?? '')`,
		},
		{
			name: "nested", inputs: `deep: {rows: [...{cells: [string]: {pin: string @}}]}`,
			given: named("deep", func(mark func(any) property.Value) property.Value {
				return members("rows", items(members("cells", members("a", members("pin", mark(pin))))))
			}),
			each: `(inputs.deep.rows[0].cells.a?.pin ?? '')`,
		},
		{
			name: "merged", inputs: `one: {pin: string @}`,
			given: named("one", func(mark func(any) property.Value) property.Value { return members("pin", mark(pin)) }),
			each:  `merge(inputs.one, {'a': 'b'}).pin`,
		},
		{name: "a part of a text", inputs: `pin: string @`, given: one, each: `(inputs.pin + '.')`},
		{
			name: "what a step wrote", inputs: `pin: string @`, given: one,
			before: `{as: "seen", file: write: {path: "files/NAME", content: "${inputs.pin}", overwrite: true}},`,
			each:   `steps.seen.content`,
		},
		{
			name: "a response that says so", inputs: `pin: string @`, given: one, typed: true,
			before: `{as: "seen", http: {method: "POST", path: "/mirror", json: pin: "${inputs.pin}", returns: #Seen, idempotent: true}},`,
			each:   `steps.seen.body.pin`,
		},
		{
			name: "a loop over a response that says so", inputs: `pin: string @`, given: one, typed: true,
			before:  `{as: "seen", http: {method: "POST", path: "/mirror", json: pin: "${inputs.pin}", returns: #Seen, idempotent: true}},`,
			forEach: `"${steps.seen.body.all}"`, each: `each.value.pin`, whole: `steps.seen.body.all[0].pin`,
		},
		{
			name: "a loop of responses that say so", inputs: `pin: string @`, given: one, typed: true,
			before: `{as: "seen", forEach: ["${inputs.pin}"], http: {method: "POST", path: "/mirror", json: pin: "${each.value}", returns: #Seen, idempotent: true}},`,
			each:   `steps.seen[0].body.pin`,
		},
		{
			name: "a loop of responses over anything", inputs: `pin: string @`, given: one, typed: true, unseen: true,
			before: `{as: "seen", forEach: "${jsondecode('[1]')}", http: {method: "POST", path: "/mirror", json: pin: "${inputs.pin}", returns: #Seen, idempotent: true}},`,
			each:   `steps.seen[0].body.pin`,
		},
	}
	return append(all, unions()...)
}

// unions are told apart by a tag of each kind, and by none.
func unions() []shape {
	var all []shape
	for _, u := range []struct {
		name, typ string
		tag       property.Value
	}{
		{"a union by a string", `{tag: "open"} | {tag: "shut", pin: string @}`, text("shut")},
		{"a union by a bool", `{tag: false} | {tag: true, pin: string @}`, property.New(true)},
		{"a union by an int", `{tag: 1} | {tag: 2, pin: string @}`, property.New(2.0)},
		{"a union without a tag", `"none" | {pin: string @}`, property.Value{}},
		{"a union with a list", `[...string] | {pin: string @}`, property.Value{}},
	} {
		all = append(all, shape{
			name: u.name, inputs: "one: " + u.typ, each: `(inputs.one.pin ?? '')`,
			given: func(mark func(any) property.Value) map[string]property.Value {
				v := members("pin", mark(pin))
				if !u.tag.IsNull() {
					v = members("pin", mark(pin), "tag", u.tag)
				}
				return map[string]property.Value{"one": v}
			},
		})
	}
	return all
}

// outside is the secret outside of a loop.
func (s shape) outside() string {
	if s.whole != "" {
		return s.whole
	}
	return s.each
}

// declares are the inputs with the secret declared, or not.
func (s shape) declares(declared bool) string {
	const other = "@noRead()"
	if declared {
		return strings.NewReplacer(other, other, "@", "@secret()").Replace(s.inputs)
	}
	return strings.NewReplacer(other, other, "@", "").Replace(s.inputs)
}

// values are what a program gives: with marks of its own where nothing is declared.
func (s shape) values(declared bool) property.Map {
	mark := func(v any) property.Value {
		value, ok := v.(property.Value)
		if !ok {
			value = text(v.(string))
		}
		return value.WithSecret(!declared)
	}
	return property.NewMap(s.given(mark))
}
