package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// anID is a template of an id, by its pieces: literals, `config.X` and `inputs.X`.
func anID(t *rapid.T) string {
	between := rapid.SampledFrom([]string{"/", "-", "--", ".md", ":", "a", "${config.sep}", " "})
	var b strings.Builder
	if rapid.Bool().Draw(t, "prefix") {
		b.WriteString(between.Draw(t, "first"))
	}
	n := rapid.IntRange(1, 4).Draw(t, "variables")
	for i := range n {
		if i > 0 {
			b.WriteString(between.Draw(t, "between"))
		}
		b.WriteString("${inputs." + rapid.SampledFrom([]string{"a", "b", "n", "on", "part"}).Draw(t, "input") + "}")
	}
	if rapid.Bool().Draw(t, "suffix") {
		b.WriteString(between.Draw(t, "last"))
	}
	if b.String() == "${inputs.on}" {
		return "${inputs.a}" // a boolean alone is no id
	}
	return b.String()
}

// TestIDsReadBack is the law of ids: what Check lets through makes an id from
// which an import has it again, whatever the template and the values; and read
// need not give any of it.
func TestIDsReadBack(t *testing.T) {
	t.Parallel()
	refused, read := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		id := anID(rt)
		e := identified(t, id, rapid.SampledFrom([]string{"/", "", "-a-"}).Draw(rt, "sep"))
		text := rapid.OneOf(rapid.StringMatching(`[a-c/:. -]{0,5}`), rapid.String())
		given := map[string]property.Value{
			"a": property.New(text.Draw(rt, "a")), "b": property.New(text.Draw(rt, "b")),
			"n": property.New(float64(rapid.Int64Range(-1<<53, 1<<53).Draw(rt, "n"))), "on": property.New(rapid.Bool().Draw(rt, "on")),
		}
		if rapid.Bool().Draw(rt, "given") {
			given["part"] = property.New(text.Draw(rt, "part")) // else its default
		}
		checked, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: property.NewMap(given)})
		if err != nil {
			rt.Fatal(err)
		}
		if len(checked.Failures) > 0 {
			refused++
			if f := checked.Failures[0]; f.Path != "" && !strings.Contains(id, "inputs."+f.Path) {
				rt.Fatalf("%s: %q is to blame, which is not in it", id, f.Path)
			}
			return
		}
		read++
		made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: checked.Inputs})
		if made.Err != nil {
			rt.Fatal(made.Err)
		}
		back := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: made.State.ID}})
		if back.Err != nil {
			rt.Fatalf("%s makes %q, which cannot be imported: %v", id, made.State.ID, back.Err)
		}
		if back.State.ID != made.State.ID {
			rt.Fatalf("%s: %q became %q", id, made.State.ID, back.State.ID)
		}
		for name := range given {
			if got, ok := back.State.Inputs.GetOk(name); strings.Contains(id, "inputs."+name+"}") && (!ok || !got.Equals(checked.Inputs.Get(name))) {
				rt.Fatalf("%s: %q gives %s as %v, and it was %v", id, made.State.ID, name, got, checked.Inputs.Get(name))
			}
		}
	})
	if refused == 0 || read == 0 {
		t.Errorf("%d were refused, %d read back: both must happen", refused, read)
	}
}

// identified is the engine of a resource with an id that read says nothing of.
func identified(t *testing.T, id, sep string) *engine.Engine {
	t.Helper()
	w := newWorld().on("read", yields())
	var inputs []string
	for name, typ := range map[string]string{"a": "string", "b": "string", "n": "int", "on": "bool", "part": `*"p" | string`} {
		line := name + ": " + typ + " @replace()"
		if !strings.Contains(id, "inputs."+name+"}") {
			line += " @noRead()"
		}
		inputs = append(inputs, line)
	}
	e, _ := w.engineWith(t, fmt.Sprintf(`
config: sep: string
resources: Thing: {
	inputs: {%s}
	id: %q
	create: world: do: what: "make"
	read: {world: look: {what: "read", with: "${id}"}, return: {}}
	delete: world: do: {what: "remove", with: "${id}"}
}`, strings.Join(inputs, ", "), id), object("sep", sep))
	return e
}

func TestIDsThatDoNotReadBack(t *testing.T) {
	const spec = `
config: region: *"eu" | string
resources: Thing: {
	inputs: {owner: string @replace(), name: string @replace()}
	id: "${config.region}/${inputs.owner}/${inputs.name}.md"
	create: world: do: what: "make"
	delete: world: do: what: "remove"
}`
	e, _ := newWorld().engine(t, spec)
	for _, tc := range []struct {
		owner, name any
		path        string
	}{
		{"o", "n", ""},
		{"o", "n/m", ""},
		{"o", "n.md", ""},
		{"", "n", "owner"},
		{"o", "", "name"},
		{"o/p", "n", "owner"},
		{unknown, "n/m", ""},
		{"o/p", unknown, ""},
	} {
		out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: object("owner", tc.owner, "name", tc.name)})
		var paths []string
		for _, f := range out.Failures {
			paths = append(paths, f.Path)
		}
		if got := strings.Join(paths, ","); err != nil || got != tc.path {
			t.Errorf("%v, %v: the fault is at %q (%v), want %q", tc.owner, tc.name, got, err, tc.path)
		}
	}
}

// TestIdentityTable goes over how an id is made, how users import, and what read
// gives: what an import and a refresh make of it, or that vet refuses the spec.
func TestIdentityTable(t *testing.T) {
	ids := []struct{ name, id, made string }{
		{"inputs", "${inputs.owner}/${inputs.name}", "o/n"},
		{"input and config", "${config.region}:${inputs.name}", "eu:n"},
		{"answer", "${result.id}", "7"},
		{"answer and input", "${inputs.owner}.${result.id}", "o.7"},
		{"computed", "${upper(inputs.name)}", "N"},
	}
	imports := []struct{ name, text string }{
		{"", ""}, {"${id}", ""}, {"${inputs.owner}/${inputs.name}", "o/n"}, {"${config.region}/${inputs.owner}/${id}", ""}, {"${inputs.name}", "n"},
	}
	reads := []struct {
		name  string
		thing map[string]any
	}{
		{"all", map[string]any{"id": "7", "owner": "o", "name": "n"}},
		{"no id", map[string]any{"owner": "o", "name": "n"}},
		{"nothing", map[string]any{}},
	}
	// What cannot work: vet says so, or the read does.
	cannot := func(id, imported, read string) bool {
		hasID := imported == "" || strings.Contains(imported, "${id}")
		gives := func(name string) bool {
			return strings.Contains(imported, name) || hasID && strings.Contains(id, "inputs."+name) && !strings.Contains(id, "result") && !strings.Contains(id, "upper")
		}
		needs := slices.DeleteFunc([]string{"owner", "name"}, func(n string) bool { return gives(n) || read != "nothing" })
		if !hasID {
			for _, name := range needs {
				if strings.Contains(id, "inputs."+name) {
					return true
				}
			}
			return strings.Contains(id, "result") && read != "all"
		}
		return false
	}
	for _, id := range ids {
		for _, imported := range imports {
			for _, read := range reads {
				name := strings.Join([]string{id.name, orElse(imported.name, "default"), read.name}, ", ")
				t.Run(name, func(t *testing.T) {
					importLine := ""
					if imported.name != "" {
						importLine = fmt.Sprintf("import: %q", imported.name)
					}
					w := newWorld().on("make", yields("id", "7")).on("read", actions.Succeed(read.thing))
					spec := fmt.Sprintf(`
config: region: *"eu" | string
resources: Thing: {
	inputs: {owner: string @replace(), name: string @replace(), size?: int}
	id: %q
	%s
	create: world: do: {what: "make", with: "${inputs}"}
	read: world: look: {what: "read", with: "any"}
	update: world: do: {what: "change", with: "${id}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`, id.id, importLine)
					prog, diags := w.compile(t, spec)
					if diags.HasErrors() {
						t.Fatalf("%+v", diags)
					}
					e, err := prog.Configure(t.Context(), property.Map{}, engine.Options{Dir: t.TempDir()})
					if err != nil {
						t.Fatal(err)
					}
					inputs := object("owner", "o", "name", "n")
					made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
					if made.Err != nil || made.State.ID != id.made {
						t.Fatalf("create: %+v", made)
					}
					refreshed := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State})
					if refreshed.Err != nil || refreshed.State.ID != id.made || !refreshed.State.Inputs.Equals(inputs) {
						t.Errorf("a refresh without drift changes something: %+v", refreshed)
					}
					text := imported.text
					switch {
					case imported.name == "" || imported.name == "${id}":
						text = id.made
					case text == "":
						text = "eu/o/" + id.made
					}
					w.log()
					out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: text}})
					if cannot(id.id, imported.name, read.name) {
						if out.Err == nil {
							t.Fatalf("it has the id %q, and nothing can have told that", out.State.ID)
						}
						return
					}
					if out.Err != nil || out.State.ID != id.made || out.State.Private.ID != "" {
						t.Fatalf("import of %q: %+v %v", text, out.State, out.Err)
					}
					if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
						t.Fatal(err)
					}
					if got := w.log(); !slices.Contains(got, "remove "+id.made) {
						t.Errorf("what was imported is not what is deleted: %q", got)
					}
				})
			}
		}
	}
}

func orElse(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// TestRenamesAreHealed: an update that changes the id, and one that the server
// makes alone.
func TestRenamesAreHealed(t *testing.T) {
	const spec = `resources: Thing: {
	inputs: {name: string, size: int}
	id: "${inputs.name}"
	create: world: do: {what: "make", with: "${inputs.name}"}
	read: world: look: {what: "read", with: "${id}"}
	update: world: do: {what: "rename", with: "${id} to ${inputs.name}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`
	w := newWorld()
	e, _ := w.engine(t, spec)
	made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", 1)})
	changed := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "b", "size", 1)})
	if changed.Err != nil || changed.State.ID != "a" || changed.State.Private.ID != "b" {
		t.Fatalf("%+v", changed)
	}
	w.on("read", yields("name", "b", "size", 1))
	seen := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *changed.State})
	if seen.Err != nil || seen.State.ID != "b" || seen.State.Private.ID != "" || seen.State.Private.Token != made.State.Private.Token {
		t.Fatalf("%+v", seen.State)
	}
	w.on("read", yields("name", "c", "size", 1))
	seen = e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *seen.State})
	if seen.Err != nil || seen.State.ID != "c" {
		t.Fatalf("%+v", seen.State)
	}
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *seen.State}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"make a", "rename a to b", "read b", "read b", "remove c"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSeenIDs: what a read's answer may say of the id, and what it may not.
func TestSeenIDs(t *testing.T) {
	for name, tc := range map[string]struct {
		create, read, id string
		answer           any
		want             string
	}{
		"the answer":                       {`world: ask: {what: "make"}`, `world: ask: {what: "read"}`, "${result.body.id}", map[string]any{"id": "8"}, "8"},
		"by its shorthand":                 {`world: ask: {what: "make"}`, `world: ask: {what: "read"}`, "x-${result.body.id}", map[string]any{"id": "8"}, "x-8"},
		"null":                             {`world: ask: {what: "make"}`, `world: ask: {what: "read"}`, "${result.body.id}", map[string]any{"id": nil}, "7"},
		"missing amid text":                {`world: ask: {what: "make"}`, `world: ask: {what: "read"}`, "x-${result.body.id}", map[string]any{}, "7"},
		"what return makes of it":          {`world: ask: {what: "make"}`, `{world: ask: {what: "read"}, return: "${first(result.body.items)}"}`, "${result.body.id}", map[string]any{"items": []any{map[string]any{"id": "8"}}}, "8"},
		"both, and they differ":            {`world: ask: {what: "make"}`, `{world: ask: {what: "read"}, return: "${first(result.body.items)}"}`, "${result.body.id}", map[string]any{"id": "page", "items": []any{map[string]any{"id": "8"}}}, "7"},
		"a whole answer is another's":      {`world: ask: {what: "make"}`, `{world: ask: {what: "read"}, return: {}}`, "${result.body ?? 'x'}", "8", "7"},
		"the same action's whole answer":   {`world: look: {what: "make"}`, `world: look: {what: "read"}`, "${result.body.id}", map[string]any{"id": "8"}, "7"},
		"a step of that name":              {`{as: "it", world: ask: {what: "make"}}`, `steps: [{as: "it", world: ask: {what: "read"}}, {world: look: what: "more"}]`, "${steps.it.body.id}", map[string]any{"id": "8"}, "8"},
		"no step of that name":             {`{as: "it", world: ask: {what: "make"}}`, `world: ask: {what: "read"}`, "${steps.it.body.id}", map[string]any{"id": "8"}, "7"},
		"the resource's name in a program": {`world: ask: {what: "make"}`, `world: ask: {what: "read"}`, "${resource.name ?? 'x'}", map[string]any{"id": "8"}, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			// `ask` has no effect, and makes something all the same.
			w := newWorld().on("read", yields("status", int64(200), "body", tc.answer))
			e, _ := w.engine(t, fmt.Sprintf(`resources: Thing: {
	inputs: note?: string @noRead()
	id: %q
	create: %s
	read: %s
	delete: world: do: what: "remove"
}`, tc.id, tc.create, tc.read))
			out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7"}})
			if out.Err != nil || out.State.ID != tc.want {
				t.Errorf("the id is %v (%v), want %q", out.State, out.Err, tc.want)
			}
		})
	}
}

// TestSecretIDsAreNotTaken: an answer that says a secret.
func TestSecretIDsAreNotTaken(t *testing.T) {
	w := newWorld().on("read", yields("body", map[string]any{"id": "hunter2hunter2"}))
	e, _ := w.engineWith(t, `
config: token: string @secret()
resources: Thing: {
	id: "${result.body.id}"
	create: world: ask: what: "make"
	read: world: ask: {what: "read", with: "${config.token}"}
	delete: world: do: what: "remove"
}`, object("token", "hunter2hunter2"))
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7"}})
	if out.Err != nil || out.State.ID != "7" {
		t.Errorf("%+v", out)
	}
}

// TestRefreshOfNothing: that a resource has neither inputs nor outputs does not
// make a refresh an import.
func TestRefreshOfNothing(t *testing.T) {
	e, _ := newWorld().on("read", yields()).engine(t, `resources: Thing: {
	id: "it"
	create: steps: [{world: do: what: "one"}, {world: do: what: "two"}]
	read: {world: look: what: "read", return: {}}
	delete: world: do: what: "remove"
}`)
	failed := &engine.Failed{Op: "create", Step: 1, Results: []any{nil}, Inputs: "x"}
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "it", Private: engine.Private{Failed: failed, Token: "t"}}})
	if out.Err != nil || out.State.Private.Failed == nil || out.State.Private.Token != "t" {
		t.Errorf("%+v", out)
	}
}

// TestLookups: what a program says of a resource that it only looks at.
func TestLookups(t *testing.T) {
	for name, tc := range map[string]struct {
		id   string
		said property.Map
		want string // what read was asked, "" for an error
	}{
		"an import's text":                   {"eu/7", property.Map{}, "eu 7"},
		"and what the user knows":            {"eu/7", object("region", "eu"), "eu 7"},
		"the id, and what the user knows":    {"7", object("region", "eu"), "eu 7"},
		"an id that looks like such a text":  {"us/7", object("region", "eu"), "eu us/7"},
		"an id alone is not enough":          {"7", property.Map{}, ""},
		"and what is said is more than that": {"eu/7", object("note", "n"), "eu 7"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("read", yields())
			e, _ := w.engine(t, `resources: Thing: {
	inputs: {region: string @replace(), note?: string @noRead()}
	id: "${result.id}"
	import: "${inputs.region}/${id}"
	create: world: do: what: "make"
	read: world: look: {what: "read", with: "${inputs.region} ${id}"}
	delete: world: do: what: "remove"
}`)
			out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Lookup, State: engine.State{ID: tc.id, Inputs: tc.said, Outputs: tc.said}})
			if tc.want == "" {
				if out.Err == nil {
					t.Errorf("%+v", out.State)
				}
				return
			}
			if diff := cmp.Diff([]string{"read " + tc.want}, w.log()); diff != "" || out.Err != nil {
				t.Fatalf("%v (-want +got):\n%s", out.Err, diff)
			}
			if out.State.Private.Token != "" {
				t.Error("what is only looked at has a token")
			}
			again := *out.State
			again.Inputs = tc.said // what Pulumi keeps of it
			if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: again}); out.Err != nil {
				t.Error(out.Err)
			}
			if diff := cmp.Diff([]string{"read " + tc.want}, w.log()); diff != "" {
				t.Errorf("a refresh (-want +got):\n%s", diff)
			}
		})
	}
}

// content is a text asset as a program has it, or as a host shows what it
// recorded of it: without the text.
func content(text string, elided bool) property.Value {
	a, err := asset.FromText(text)
	if err != nil {
		panic(err)
	}
	if elided {
		a = &asset.Asset{Sig: a.Sig, Hash: a.Hash}
	}
	return property.New(a)
}

// TestAssetsGoOn: a create with assets among the inputs that stopped goes on,
// though the recorded ones have lost what they hold.
func TestAssetsGoOn(t *testing.T) {
	holds := func(v property.Value, elided bool) property.Value { return content(v.AsString(), elided) }
	shapes := map[string]func(property.Value, bool) property.Map{
		"an asset": func(v property.Value, elided bool) property.Map {
			return property.NewMap(map[string]property.Value{"file": holds(v, elided)})
		},
		"in a list": func(v property.Value, elided bool) property.Map {
			return property.NewMap(map[string]property.Value{"file": content("x", elided), "more": property.New([]property.Value{holds(v, elided)})})
		},
		"in a map": func(v property.Value, elided bool) property.Map {
			return property.NewMap(map[string]property.Value{"file": content("x", elided), "named": property.New(map[string]property.Value{"a": holds(v, elided)})})
		},
	}
	for name, with := range shapes {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("two", failed("no"), actions.Succeed(map[string]any{}))
			e, _ := w.engine(t, `package test
import "declprov.dev/spec"
name: "test"
version: "1.0.0"
resources: Thing: {
	inputs: {file: spec.#Asset @noRead(), more?: [...spec.#Asset] @noRead(), named?: {[string]: spec.#Asset} @noRead()}
	id: "it"
	create: steps: [{world: do: what: "one"}, {world: do: what: "two"}]
	delete: world: do: what: "remove"
}`)
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: with(property.New("hello"), false)})
			if out.State == nil || out.State.Private.Failed == nil {
				t.Fatalf("%+v", out)
			}
			kept := *out.State
			kept.Inputs, kept.Outputs = with(property.New("hello"), true), with(property.New("hello"), true)
			diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: kept, New: with(property.New("hello"), true)})
			if err != nil || len(diff.Changes) > 0 || !diff.Force {
				t.Fatalf("%+v %v", diff, err)
			}
			w.log()
			on := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: kept, Inputs: with(property.New("hello"), false)})
			if on.Err != nil || on.State.Private.Token != kept.Private.Token {
				t.Fatalf("%+v", on)
			}
			if diff := cmp.Diff([]string{"two"}, w.log()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			diff, err = e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: kept, New: with(property.New("other"), true)})
			if err != nil || len(diff.Changes) != 1 {
				t.Errorf("another content: %+v %v", diff, err)
			}
		})
	}
}

const numbered = `resources: Thing: {
	inputs: {repo: string @replace(), text: string @replace()}
	id: "${result.id}"
	import: "${inputs.repo}/${id}"
	create: world: do: {what: "make", with: "${inputs.repo}"}
	read: world: look: {what: "read", with: "${inputs.repo}/${id}"}
	delete: world: do: {what: "remove", with: "${inputs.repo}/${id}"}
}`

// TestReplacementsOfOneID: the original of a replacement that got the same id is
// not deleted, by whichever way the engine learns of the replacement.
func TestReplacementsOfOneID(t *testing.T) {
	made := func(t *testing.T, e *engine.Engine, repo, text string) engine.State {
		t.Helper()
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("repo", repo, "text", text)})
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		return *out.State
	}
	remove := func(t *testing.T, e *engine.Engine, s engine.State) {
		t.Helper()
		if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: s}); err != nil {
			t.Fatal(err)
		}
	}
	imported := func(t *testing.T, e *engine.Engine) engine.State {
		t.Helper()
		out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: "r/7"}})
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		return *out.State
	}
	diff := func(t *testing.T, e *engine.Engine, s engine.State) {
		t.Helper()
		if _, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: s, New: s.Inputs}); err != nil {
			t.Fatal(err)
		}
	}
	old := func(s engine.State) engine.State { s.Private.Token = ""; return s }
	// Each story starts with a resource, and says what is removed in the world.
	for name, tc := range map[string]struct {
		story func(t *testing.T, e, next *engine.Engine)
		want  []string
	}{
		"create, then delete": {func(t *testing.T, e, _ *engine.Engine) {
			a := made(t, e, "r", "a")
			made(t, e, "r", "b")
			remove(t, e, a)
		}, nil},
		"delete, then create": {func(t *testing.T, e, _ *engine.Engine) {
			a := made(t, e, "r", "a")
			diff(t, e, a)
			remove(t, e, a)
			made(t, e, "r", "b")
		}, []string{"remove r/7"}},
		"interrupted, and the next up": {func(t *testing.T, e, next *engine.Engine) {
			a := made(t, e, "r", "a")
			b := made(t, e, "r", "b")
			diff(t, next, b)
			remove(t, next, a)
		}, nil},
		"interrupted, and a refresh": {func(t *testing.T, e, next *engine.Engine) {
			a := made(t, e, "r", "a")
			b := made(t, e, "r", "b")
			for _, s := range []engine.State{b, a} {
				if out := next.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: s}); out.Err != nil {
					t.Fatal(out.Err)
				}
			}
			remove(t, next, a)
		}, nil},
		"interrupted, and destroyed": {func(t *testing.T, e, next *engine.Engine) {
			a := made(t, e, "r", "a")
			b := made(t, e, "r", "b")
			remove(t, next, a)
			remove(t, next, b)
		}, []string{"remove r/7", "remove r/7"}},
		"updated and then replaced": {func(t *testing.T, e, next *engine.Engine) {
			a := made(t, e, "r", "a")
			b := made(t, e, "r", "b")
			next.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: b, Inputs: b.Inputs})
			remove(t, next, a)
		}, nil},
		"imported and then replaced": {func(t *testing.T, e, _ *engine.Engine) {
			a := imported(t, e)
			made(t, e, "r", "b")
			remove(t, e, a)
		}, nil},
		"of an older version, replaced": {func(t *testing.T, e, _ *engine.Engine) {
			a := old(made(t, e, "r", "a"))
			made(t, e, "r", "b")
			remove(t, e, a)
		}, nil},
		"of an older version, deleted": {func(t *testing.T, e, next *engine.Engine) {
			a := old(made(t, e, "r", "a"))
			diff(t, next, a)
			remove(t, next, a)
		}, []string{"remove r/7"}},
		"of an older version, updated and deleted": {func(t *testing.T, e, next *engine.Engine) {
			a := old(made(t, e, "r", "a"))
			out := next.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: a, Inputs: a.Inputs})
			if out.Err != nil || out.State.Private.Token == "" {
				t.Fatalf("%+v", out)
			}
			remove(t, next, *out.State)
		}, []string{"remove r/7"}},
		"the replacement goes, too": {func(t *testing.T, e, _ *engine.Engine) {
			a := made(t, e, "r", "a")
			b := made(t, e, "r", "b")
			remove(t, e, a)
			remove(t, e, b)
		}, []string{"remove r/7"}},
		"number 7 of another repository is another thing": {func(t *testing.T, e, _ *engine.Engine) {
			a := made(t, e, "r", "a")
			b := made(t, e, "s", "a")
			diff(t, e, b)
			remove(t, e, a)
			remove(t, e, b)
		}, []string{"remove r/7", "remove s/7"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "7")).on("read", yields("repo", "r", "text", "a"))
			e, _ := w.engine(t, numbered)
			next, _ := w.engine(t, numbered)
			tc.story(t, e, next)
			got := slices.DeleteFunc(w.log(), func(s string) bool { return !strings.HasPrefix(s, "remove") })
			if diff := cmp.Diff(tc.want, got); diff != "" && len(got)+len(tc.want) > 0 {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestTokensAreConcurrent, ordered and remembered for thousands.
func TestTokensAreConcurrent(t *testing.T) {
	w := newWorld()
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		return actions.Succeed(map[string]any{"id": fmt.Sprint(call.Args["with"])})
	}
	e, _ := w.engine(t, `resources: Thing: {
	inputs: {name: string @replace()}
	id: "${result.id}"
	create: world: do: {what: "make", with: "${inputs.name}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`)
	const many = 2000
	var all sync.WaitGroup
	states := make([][2]engine.State, many)
	for i := range states {
		all.Go(func() {
			for j := range 2 {
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", fmt.Sprint(i))})
				if out.Err != nil {
					t.Error(out.Err)
					return
				}
				states[i][j] = *out.State
			}
			if states[i][0].Private.Token >= states[i][1].Private.Token {
				t.Errorf("%q is not before %q", states[i][0].Private.Token, states[i][1].Private.Token)
			}
		})
	}
	all.Wait()
	w.log()
	for _, s := range states {
		all.Go(func() {
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: s[0]}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := w.log(); len(got) != 0 {
		t.Errorf("%d of %d replacements were deleted", len(got), many)
	}
}
