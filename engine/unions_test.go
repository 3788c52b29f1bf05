package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// unions are the ways in which a union tells its variants apart: the type, a value
// as the program gives it and with its secrets marked, the same on the wire, and
// what of the value is not right. Wherever a value has a pin, that is a secret.
var unions = []struct {
	name, typ   string
	given, want property.Value
	wire        any
	wrong       any
}{
	{
		"text", `{petKind: "a", num: int} | {petKind: "b", userPin: string @secret()}`,
		value(object("petKind", "b", "userPin", "p1n")), value(object("petKind", "b", "userPin", secret("p1n"))),
		m("pet_kind", "b", "user_pin", "p1n"), m("pet_kind", "b"),
	},
	{
		"bool", `{isOn: false} | {isOn: true, userPin: string @secret(), petName?: string}`,
		value(object("isOn", true, "userPin", "p1n")), value(object("isOn", true, "userPin", secret("p1n"))),
		m("is_on", true, "user_pin", "p1n"), m("is_on", true),
	},
	{
		"int", `{apiVersion: 1} | {apiVersion: 2, userPin: string @secret()}`,
		value(object("apiVersion", 2, "userPin", "p1n")), value(object("apiVersion", 2, "userPin", secret("p1n"))),
		m("api_version", int64(2), "user_pin", "p1n"), m("api_version", int64(3), "user_pin", "p1n"),
	},
	{
		"none", `"none" | {userPin: string @secret()}`,
		value(object("userPin", "p1n")), value(object("userPin", secret("p1n"))),
		m("user_pin", "p1n"), m("other", "p1n"),
	},
	{
		"null", `null | {userPin: string @secret()}`,
		value(object("userPin", "p1n")), value(object("userPin", secret("p1n"))),
		m("user_pin", "p1n"), m("other", "p1n"),
	},
	{
		"list or struct", `[...string] | {userPin: string @secret()}`,
		value(object("userPin", "p1n")), value(object("userPin", secret("p1n"))),
		m("user_pin", "p1n"), "neither",
	},
	{
		"list of structs or texts", `[...string] | [...{userPin: string @secret()}]`,
		value([]any{value(object("userPin", "p1n"))}), value([]any{value(object("userPin", secret("p1n")))}),
		[]any{m("user_pin", "p1n")},
		[]any{true},
	},
	{
		"text or a map", `string | {[string]: {userPin: string @secret()}}`,
		value(object("aB", object("userPin", "p1n"))), value(object("aB", object("userPin", secret("p1n")))),
		m("aB", m("user_pin", "p1n")), true,
	},
	{
		"nested", `#Two | {petKind: "c"}`,
		value(object("petKind", "b", "userPin", "p1n")), value(object("petKind", "b", "userPin", secret("p1n"))),
		m("pet_kind", "b", "user_pin", "p1n"), m("pet_kind", "z", "user_pin", "p1n"),
	},
	{
		"list of unions", `[...(#Two | "none")]`,
		value([]any{"none", value(object("petKind", "b", "userPin", "p1n"))}), value([]any{"none", value(object("petKind", "b", "userPin", secret("p1n")))}),
		[]any{"none", m("pet_kind", "b", "user_pin", "p1n")},
		[]any{true},
	},
	{
		"map of unions", `[string]: #Two`,
		value(object("kA", object("petKind", "b", "userPin", "p1n"))), value(object("kA", object("petKind", "b", "userPin", secret("p1n")))),
		m("kA", m("pet_kind", "b", "user_pin", "p1n")), m("kA", m("pet_kind", "a")),
	},
	{
		"union in a struct in a union", `"none" | {inner: {isOn: false} | {isOn: true, userPin: string @secret()}}`,
		value(object("inner", object("isOn", true, "userPin", "p1n"))), value(object("inner", object("isOn", true, "userPin", secret("p1n")))),
		m("inner", m("is_on", true, "user_pin", "p1n")), m("inner", m("is_on", true)),
	},
}

// plain is a value as an action yields it.
func plain(v property.Value) any {
	switch {
	case v.IsMap():
		out := map[string]any{}
		for name, item := range v.AsMap().All {
			out[name] = plain(item)
		}
		return out
	case v.IsArray():
		var out []any
		for _, item := range v.AsArray().All {
			out = append(out, plain(item))
		}
		return out
	case v.IsNumber():
		return v.AsNumber()
	case v.IsBool():
		return v.AsBool()
	default:
		return v.AsString()
	}
}

func m(kv ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		out[kv[i].(string)] = kv[i+1]
	}
	return out
}

const unionSpec = `
#Two: {petKind: "a", num: int} | {petKind: "b", userPin: string @secret()}
resources: Thing: {
	wire: "snake_case"
	inputs: {it: %[1]s}
	outputs: {got: %[1]s}
	id: "x"
	create: world: send: {what: "make", with: "${inputs}"}
	update: world: send: {what: "patch", with: "${changes}"}
	methods: tell: {
		inputs: {}
		outputs: {got: %[1]s}
		world: ask: what: "make"
	}
}
functions: ask: {
	inputs: {it: %[1]s}
	outputs: {got: %[1]s}
	world: ask: what: "tell"
}`

// Whichever variant of a union a value is, it is that everywhere: its secrets are
// marked, its names on the wire are its own, and what it requires is there.
func TestUnions(t *testing.T) {
	for _, c := range unions {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld().on("make", yields("body", m("got", c.wire))).on("tell", yields("body", m("got", plain(c.given))))
			e, _ := w.engine(t, fmt.Sprintf(unionSpec, c.typ))
			inputs := check(t, e, "Thing", object("it", c.given))
			if diff := cmp.Diff(object("it", c.want), inputs, values); diff != "" {
				t.Fatalf("checked inputs (-want +got):\n%s", diff)
			}
			state := created(t, e, "Thing", object("it", c.given))
			if diff := cmp.Diff([]string{fmt.Sprintf("make %v", m("it", c.wire))}, w.log()); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(object("it", c.want, "got", c.want), state.Outputs, values); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
			said, err := e.CallMethod(t.Context(), engine.MethodRequest{Ref: ref("Thing"), Method: "tell", State: state})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(object("got", c.want), said.Return, values); diff != "" {
				t.Errorf("of a method (-want +got):\n%s", diff)
			}
			asked, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "ask", Args: object("it", c.given)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(object("got", c.want), asked.Return, values); diff != "" {
				t.Errorf("of a function (-want +got):\n%s", diff)
			}
		})
		t.Run(c.name+", wrong", func(t *testing.T) {
			w := newWorld().on("make", yields("body", m("got", c.wrong)))
			e, _ := w.engine(t, fmt.Sprintf(unionSpec, c.typ))
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("it", c.given))})
			if out.Err == nil || !strings.Contains(out.Err.Error(), "got") {
				t.Errorf("what is no variant is an error that names the member: %v", out.Err)
			}
		})
	}
}

// While it is not known which variant a value is, it is secret wherever it could be.
func TestUndecidedUnionIsSecret(t *testing.T) {
	e, _ := newWorld().engine(t, fmt.Sprintf(unionSpec, unions[0].typ))
	undecided := object("petKind", unknown, "userPin", "p1n")
	inputs := check(t, e, "Thing", object("it", undecided))
	if diff := cmp.Diff(object("it", secret(undecided)), inputs, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What can be told apart by nothing is refused.
func TestUnionsThatNothingTellsApart(t *testing.T) {
	for name, typ := range map[string]string{
		"structs":                 `{a: string} | {b: string}`,
		"a union beside a struct": `#Two | {other: string}`,
		"lists of structs":        `[...{a: string}] | [...{a: string, pin: string @secret()}]`,
		"maps beside structs":     `{[string]: string} | {a: int}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, fmt.Sprintf(unionSpec, typ))
			if len(diags) == 0 || diags[0].Code != "untagged-union" {
				t.Errorf("findings: %+v", diags)
			}
		})
	}
}
