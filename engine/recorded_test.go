package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// thing is a resource with these inputs and outputs, whose operations say what
// they see.
func thing(inputs, outputs, more string) string {
	return fmt.Sprintf(`resources: Thing: {
		inputs: {name: string, %s}
		outputs: {rev: int, %s}
		id: "${inputs.name}"
		create: world: do: what: "make"
		return: "${{rev: 1}}"
		read: {world: look: {what: "read", with: "${inputs}"}, return: "${merge(inputs, {rev: 1})}"}
		update: world: do: {what: "change", with: "${changes}"}
		delete: world: do: {what: "remove", with: "${inputs}"}
		%s
	}`, inputs, outputs, more)
}

// A state that an older version of a spec wrote, under the one of now: either
// every call works on what it says, or every call refuses it.
func TestEvolution(t *testing.T) {
	tests := []struct {
		name     string
		old, now string
		recorded property.Map // what the program gave then
		given    property.Map // what it gives now
		changes  []engine.Change
		seen     string // the inputs that read and delete see
		refused  string
	}{
		{
			name: "an optional input comes", old: thing("", "", ""), now: thing("note?: string", "", ""),
			recorded: object("name", "a"), given: object("name", "a", "note", "n"),
			changes: []engine.Change{{Path: "note", Kind: engine.Add}}, seen: "map[name:a]",
		},
		{
			name: "an input with a default comes", old: thing("", "", ""), now: thing(`size: *3 | int`, "", ""),
			recorded: object("name", "a"), given: object("name", "a"),
			changes: []engine.Change{{Path: "size", Kind: engine.Add}}, seen: "map[name:a size:3]",
		},
		{
			name: "one that replaces comes, with a default", old: thing("", "", ""), now: thing(`size: *3 | int @replace()`, "", ""),
			recorded: object("name", "a"), given: object("name", "a"), seen: "map[name:a size:3]",
		},
		{
			name: "and the program gives another value", old: thing("", "", ""), now: thing(`size: *3 | int @replace()`, "", ""),
			recorded: object("name", "a"), given: object("name", "a", "size", 4),
			changes: []engine.Change{{Path: "size", Kind: engine.Update, Replace: true}}, seen: "map[name:a size:3]",
		},
		{
			name: "a default in a nested object comes", old: thing("rule: port: int", "", ""), now: thing(`rule: {port: int, kind: *"tcp" | string}`, "", ""),
			recorded: object("name", "a", "rule", object("port", 1)), given: object("name", "a", "rule", object("port", 1)),
			changes: []engine.Change{{Path: "rule.kind", Kind: engine.Add}}, seen: "map[name:a rule:map[kind:tcp port:1]]",
		},
		{
			name: "an input goes", old: thing("note: string", "", ""), now: thing("", "", ""),
			recorded: object("name", "a", "note", "n"), given: object("name", "a"), seen: "map[name:a]",
		},
		{
			name: "a nested one goes", old: thing("rule: {port: int, kind: string}", "", ""), now: thing("rule: port: int", "", ""),
			recorded: object("name", "a", "rule", object("port", 1, "kind", "tcp")), given: object("name", "a", "rule", object("port", 1)),
			seen: "map[name:a rule:map[port:1]]",
		},
		{
			name: "an output comes and one goes", old: thing("", "etag?: string", ""), now: thing("", "sum?: string", ""),
			recorded: object("name", "a"), given: object("name", "a"), seen: "map[name:a]",
		},
		{
			name: "text becomes a number", old: thing("size: string", "", ""), now: thing("size: int", "", ""),
			recorded: object("name", "a", "size", "7"), given: object("name", "a", "size", 7), seen: "map[name:a size:7]",
		},
		{
			name: "a secret number becomes text", old: thing("size: int @secret()", "", ""), now: thing("size: string @secret()", "", ""),
			recorded: object("name", "a", "size", 70000), given: object("name", "a", "size", "70000"), seen: "map[name:a size:70000]",
		},
		{
			name: "items become truth values", old: thing("on: [...string]", "", ""), now: thing("on: [...bool]", "", ""),
			recorded: object("name", "a", "on", []any{"true", "false"}), given: object("name", "a", "on", []any{true, false}), seen: "map[name:a on:[true false]]",
		},
		{
			name: "bounds grow narrower", old: thing("size: int", "", ""), now: thing("size: int & <5", "", ""),
			recorded: object("name", "a", "size", 7), given: object("name", "a", "size", 4),
			changes: []engine.Change{{Path: "size", Kind: engine.Update}}, seen: "map[name:a size:7]",
		},
		{
			name: "text that is no number", old: thing("size: string", "", ""), now: thing("size: int", "", ""),
			recorded: object("name", "a", "size", "big"), given: object("name", "a", "size", 7),
			refused: "inputs.size: expected an int, got a string",
		},
		{
			name: "text that is no number, deep inside", old: thing("rules: [...{to: [string]: string}]", "", ""), now: thing("rules: [...{to: [string]: int}]", "", ""),
			recorded: object("name", "a", "rules", []any{object("to", object("a.b", "1")), object("to", object("a.b", "big"))}),
			given:    object("name", "a", "rules", []any{object("to", object("a.b", 7))}),
			refused:  `inputs.rules[1].to["a.b"]: expected an int, got a string`,
		},
		{
			name: "text that is a number written otherwise", old: thing("size: string", "", ""), now: thing("size: number", "", ""),
			recorded: object("name", "a", "size", "07"), given: object("name", "a", "size", 7), refused: "raise schemaVersion",
		},
		{
			name: "text becomes a list", old: thing("tag: string", "", ""), now: thing("tag: [...string]", "", ""),
			recorded: object("name", "a", "tag", "t"), given: object("name", "a", "tag", []any{"t"}), refused: "inputs.tag: expected a list",
		},
		{
			name: "one of a union changes its kind", old: thing("v: string | [...int]", "", ""), now: thing("v: bool | [...int]", "", ""),
			recorded: object("name", "a", "v", "t"), given: object("name", "a", "v", true), refused: "inputs.v: expected a bool or ",
		},
		{
			name: "with an upgrade", old: thing("tag: string", "", ""),
			now:      thing("tag: [...string]", "", `schemaVersion: 1, upgrade: "0": "${merge(old, {tag: [old.tag]})}"`),
			recorded: object("name", "a", "tag", "t"), given: object("name", "a", "tag", []any{"t"}), seen: "map[name:a tag:[t]]",
		},
		{
			name: "an upgrade that does not do it", old: thing("tag: string", "", ""),
			now:      thing("tag: [...string]", "", `schemaVersion: 1, upgrade: "0": "${old}"`),
			recorded: object("name", "a", "tag", "t"), given: object("name", "a", "tag", []any{"t"}), refused: "got a string",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old, _ := newWorld().engine(t, tt.old)
			state := created(t, old, "Thing", tt.recorded)
			w := newWorld()
			now, _ := w.engine(t, tt.now)
			if tt.refused != "" {
				refuses(t, now, state, tt.given, tt.refused)
				if diff := cmp.Diff([]string(nil), w.log()); diff != "" {
					t.Errorf("it touched the world: %s", diff)
				}
				return
			}
			given := check(t, now, "Thing", tt.given)
			diff, err := now.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: given})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.changes, diff.Changes); diff != "" {
				t.Errorf("diff (-want +got):\n%s", diff)
			}
			if out := now.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: given}); out.Err != nil {
				t.Errorf("update: %v", out.Err)
			}
			w.log()
			if out := now.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state}); out.Err != nil {
				t.Errorf("read: %v", out.Err)
			}
			if err := now.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
				t.Errorf("delete: %v", err)
			}
			if diff := cmp.Diff([]string{"read " + tt.seen, "remove " + tt.seen}, w.log()); diff != "" {
				t.Errorf("what they see (-want +got):\n%s", diff)
			}
		})
	}
}

// refuses asserts that every call with the state fails, and says why.
func refuses(t *testing.T, e *engine.Engine, state engine.State, given property.Map, why string) {
	t.Helper()
	given = check(t, e, "Thing", given)
	_, diff := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: given})
	for verb, err := range map[string]error{
		"diff":   diff,
		"update": e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: given}).Err,
		"read":   e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state}).Err,
		"delete": e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}),
	} {
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s says %v, want %q", verb, err, why)
		}
	}
}

// A create that stopped is not gone on with where the spec has other steps now.
func TestStoppedBeforeTheSpecChanged(t *testing.T) {
	steps := func(names ...string) string {
		var list []string
		for _, name := range names {
			list = append(list, fmt.Sprintf(`{as: %q, world: do: what: %q}`, name, name))
		}
		return fmt.Sprintf(`resources: Thing: {
			inputs: name: string
			id: "${inputs.name}"
			create: steps: [%s]
			update: world: do: what: "change"
			delete: world: do: what: "remove"
		}`, strings.Join(list, ", "))
	}
	w := newWorld().on("b", failed("no"))
	before, _ := w.engine(t, steps("a", "b"))
	out := before.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "x")})
	if out.State == nil || out.Err == nil {
		t.Fatalf("the create should stop halfway: %+v", out)
	}
	for _, tt := range []struct {
		steps []string
		want  []string
	}{
		{[]string{"a", "b"}, []string{"b"}},
		{[]string{"a", "c"}, []string{"change"}},
		{[]string{"a", "c", "b"}, []string{"change"}},
	} {
		w := newWorld()
		now, _ := w.engine(t, steps(tt.steps...))
		if out := now.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: object("name", "x")}); out.Err != nil {
			t.Fatal(out.Err)
		}
		if diff := cmp.Diff(tt.want, w.log()); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.steps, diff)
		}
	}
}

// What the user of a `.get` writes is in the shape of now.
func TestGetIsNotUpgraded(t *testing.T) {
	e, _ := newWorld().engine(t, thing("", "", `schemaVersion: 1, upgrade: "0": "${merge(old, {name: old.former + \"!\"})}"`))
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Lookup, State: engine.State{ID: "a", Outputs: object("name", "a")}})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if out.State.Private.SchemaVersion != 1 {
		t.Errorf("it is kept as version %d, want 1", out.State.Private.SchemaVersion)
	}
}

func TestFormerNames(t *testing.T) {
	resources := func(names ...string) string {
		text := ""
		for _, name := range names {
			name, aliases, _ := strings.Cut(name, "<")
			text += fmt.Sprintf(`resources: %s: {inputs: n: string, id: "${inputs.n}", create: world: do: what: "x", delete: world: do: what: "y", aliases: [%s]}`+"\n", name, aliases)
		}
		return text
	}
	prog, diags := newWorld().compile(t, resources(`A<"Old", "other:index:B"`, `C<"test:index:Older"`))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for name, want := range map[string]string{"A": "A", "Old": "A", "Older": "C", "B": "", "": "", "old": ""} {
		if got, ok := prog.CurrentName(name); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %t; want %q", name, got, ok, want)
		}
	}
	for _, bad := range []string{resources(`A<"C"`, "C"), resources(`A<"Old"`, `C<"Old"`), resources(`A<"A"`), resources(`A<"Old", "test:index:Old"`)} {
		_, diags := newWorld().compile(t, bad)
		if len(diags) != 1 || diags[0].Code != "alias-taken" {
			t.Errorf("%s: %+v", bad, diags)
		}
	}
}

// TestARefreshLeavesNewDefaults: an input that the spec has got since the last write, with a default,
// is sent by the next update, also after a refresh whose response does not have it.
func TestARefreshLeavesNewDefaults(t *testing.T) {
	t.Parallel()
	spec := func(inputs string) string {
		return `resources: Thing: {inputs: {name: string, ` + inputs + `}, id: "${inputs.name}"
	create: world: send: {what: "make", with: "${inputs}"}
	read: world: ask: what: "get"
	update: world: send: {what: "patch", with: "${changes}"}
	delete: world: do: what: "remove"}`
	}
	for name, came := range map[string]map[string]any{"absent": members("name", "a"), "null": members("name", "a", "mode", nil)} {
		before, _ := newWorld().engine(t, spec(""))
		state := created(t, before, "Thing", object("name", "a"))
		w := newWorld().on("get", answers(came))
		after, _ := w.engine(t, spec(`mode: *"x" | string`))
		read := after.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
		if read.Err != nil {
			t.Fatal(read.Err)
		}
		w.log()
		inputs := check(t, after, "Thing", object("name", "a"))
		out := after.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *read.State, Inputs: inputs})
		if diff := cmp.Diff("patch map[mode:x]", strings.Join(w.log()[:1], "")); diff != "" || out.Err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, out.Err, diff)
		}
		// From then on, a response without it says nothing new.
		read = after.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *out.State, Reason: engine.Refresh})
		diff, err := after.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *read.State, New: inputs})
		if err != nil || len(diff.Changes) > 0 {
			t.Errorf("%s: %v, changes %v", name, err, diff.Changes)
		}
	}
}
