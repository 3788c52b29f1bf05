package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestTypesOnTheWire sends each scalar with a type on the wire, in each place and by each expression, and
// reads it from an echo.
func TestTypesOnTheWire(t *testing.T) {
	t.Parallel()
	scalars := []struct {
		declared, onWire string
		given, sent      any
	}{
		{"string", "int", "7", int64(7)},
		{"string", "int", "-12", int64(-12)},
		{"string", "int", "0", int64(0)},
		{"string", "int", "9007199254740993", int64(9007199254740993)},
		{"string", "int", "12345678901234567890", json.Number("12345678901234567890")},
		{`"1" | "2"`, "int", "2", int64(2)},
		{"bool", "int", true, int64(1)},
		{"bool", "int", false, int64(0)},
		{"bool", "string", true, "true"},
		{"bool", "string", false, "false"},
		{"int", "string", 70, "70"},
		{"int", "string", -1, "-1"},
		{"number", "string", 1.5, "1.5"},
	}
	type shape struct {
		decl  string // %s: the type, and the type on the wire
		given func(any) any
		sent  func(any) any
	}
	same := func(v any) any { return v }
	shapes := map[string]shape{
		"alone":    {`v: %s @wire(type=%s)`, same, same},
		"optional": {`v?: %s @wire(type=%s)`, same, same},
		"null":     {`v: null | %s @wire(type=%s)`, same, same},
		"list":     {`v: [...%s] @wire(type=%s)`, func(v any) any { return []any{v, v} }, func(v any) any { return []any{v, v} }},
		"map":      {`v: {[string]: %s} @wire(type=%s)`, func(v any) any { return object("k", v) }, func(v any) any { return members("k", v) }},
		"struct":   {`v: {w: %s @wire(type=%s)}`, func(v any) any { return object("w", v) }, func(v any) any { return members("w", v) }},
		"structs":  {`v: [...{w: %s @wire(x, type=%s)}]`, func(v any) any { return []any{object("w", v)} }, func(v any) any { return []any{members("x", v)} }},
		"variant": {
			`v: {k: "a", a: %s @wire(type=%s)} | {k: "b", a: [...string]}`,
			func(v any) any { return object("k", "a", "a", v) }, func(v any) any { return members("k", "a", "a", v) },
		},
		"tagged": {
			`v: {k: "1" @wire(type=int), a: %s @wire(type=%s)} | {k: "2" @wire(type=int), a: [...string]}`,
			func(v any) any { return object("k", "1", "a", v) }, func(v any) any { return members("k", int64(1), "a", v) },
		},
		"defined": {`v: #Scalar /* %s %s */`, same, same},
	}
	ways := map[string]string{
		"whole": `with: "${inputs}"`, "member": `with: v: "${inputs.v}"`, "merged": `with: "${merge({more: 1}, inputs)}"`, "picked": `with: "${pick(inputs, 'v')}"`,
		"mapped": `with: v: "${map([inputs.v], #)[0]}"`, "chosen": `with: v: "${1 == 1 ? inputs.v : inputs.v}"`, "found": `with: v: "${let x = inputs.v; x}"`,
	}
	for _, sc := range scalars {
		for name, sh := range shapes {
			for way, with := range ways {
				for _, secret := range []string{"", " @secret()"} {
					runCase(t, fmt.Sprintf("%s as %s %v, %s, %s%s", sc.declared, sc.onWire, sc.given, name, way, secret), func(t *testing.T) {
						t.Parallel()
						decl := fmt.Sprintf(sh.decl, "("+sc.declared+")", sc.onWire)
						if name == "defined" {
							decl = "v: #Scalar"
						}
						var sent any
						w := newWorld()
						w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
							sent = call.Args["with"]
							return yields()
						}
						w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome { return answers(sent) }
						w.journal = t.TempDir()
						e, _ := w.engine(t, fmt.Sprintf("#Scalar: (%s) @wire(type=%s)\nresources: Thing: {\ninputs: {%s%s}\n", sc.declared, sc.onWire, decl, secret)+`
	id: "x"
	create: world: send: {what: "make", `+with+`}
	read: world: ask: what: "get"
	delete: world: do: what: "remove"
}`)
						inputs := object("v", sh.given(sc.given))
						state := created(t, e, "Thing", check(t, e, "Thing", inputs))
						got, _ := sent.(map[string]any)
						if diff := cmp.Diff(sh.sent(sc.sent), got["v"]); diff != "" {
							t.Fatalf("sent (-want +got):\n%s", diff)
						}
						read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state})
						if read.Err != nil {
							t.Fatal(read.Err)
						}
						diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *read.State, New: check(t, e, "Thing", inputs)})
						if err != nil || len(diff.Changes) > 0 {
							t.Errorf("%v, changes %v of %v", err, diff.Changes, read.State.Inputs)
						}
					})
				}
			}
		}
	}
}
