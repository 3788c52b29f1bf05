package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// lost is an attempt of which nobody knows what it did.
func lost() actions.Outcome {
	return actions.Outcome{Status: actions.Unknown, Err: errLost, Again: true}
}

// classed is an outcome with a class that `retry: on` can name.
func classed(o actions.Outcome, class string) actions.Outcome {
	o.Class = class
	return o
}

// TestAttempts: which attempts are followed by another one, what is left of the
// create, and what the journal says of it. Expectations are those of the table in
// the design: refused, failed, unknown.
func TestAttempts(t *testing.T) {
	busy := actions.Outcome{Status: actions.Refused, Err: errLost, Again: true}
	for _, kind := range []struct{ name, step string }{{"keyed", `key: true`}, {"uncertain", ``}} {
		keyed := kind.name == "keyed"
		for _, tc := range []struct {
			name     string
			retry    string
			outcomes []actions.Outcome
			calls    int
			keyed    int // calls where the step is keyed, if other
			kept     bool
			status   journal.Status // "" is no entry
		}{
			{name: "done", outcomes: []actions.Outcome{yields("id", "7")}, calls: 1, kept: true, status: journal.Handed},
			{name: "refused", outcomes: []actions.Outcome{refused("no")}, calls: 1},
			{name: "refused, and asked to come back", outcomes: []actions.Outcome{busy, yields("id", "7")}, calls: 2, kept: true, status: journal.Handed},
			{name: "failed", outcomes: []actions.Outcome{failed("half of it")}, calls: 1, status: journal.Failed},
			{name: "failed, by name", retry: `on: [75]`, outcomes: []actions.Outcome{classed(failed("half"), "75"), yields("id", "7")}, calls: 2, kept: true, status: journal.Handed},
			{name: "failed, not by name", retry: `on: [74]`, outcomes: []actions.Outcome{classed(failed("half"), "75"), yields("id", "7")}, calls: 1, status: journal.Failed},
			{name: "unknown", outcomes: []actions.Outcome{lost(), yields("id", "7")}, calls: 1, keyed: 2, kept: keyed, status: journal.Unknown},
			{name: "unknown, then refused", outcomes: []actions.Outcome{lost(), refused("exists")}, calls: 1, keyed: 2, status: journal.Unknown},
			{name: "unknown, then not found", outcomes: []actions.Outcome{lost(), gone("it")}, calls: 1, keyed: 2, status: journal.Unknown},
			{name: "refused 404 by name", retry: `on: [404]`, outcomes: []actions.Outcome{classed(gone("it"), "404"), yields("id", "7")}, calls: 2, kept: true, status: journal.Handed},
		} {
			t.Run(kind.name+"/"+tc.name, func(t *testing.T) {
				w := newWorld().on("make", tc.outcomes...)
				w.journal = t.TempDir()
				retry := `retry: {if: false, backoff: "1ms"}` // the default, at once
				switch {
				case tc.retry != "":
					retry = fmt.Sprintf(`retry: {%s, backoff: "1ms"}`, tc.retry)
				case !keyed:
					retry = `retry: {on: [429], backoff: "1ms"}`
				}
				e, _ := w.engine(t, fmt.Sprintf(`resources: Thing: {
	inputs: name: string
	id: "${result.id}"
	create: {%s, world: post: {what: "make", %s}}
	delete: world: do: what: "remove"
}`, retry, kind.step))
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
				calls, kept, status := tc.calls, tc.kept, tc.status
				if keyed && tc.keyed != 0 {
					calls = tc.keyed
				}
				if keyed && tc.name == "unknown" {
					status = journal.Handed
				}
				if !keyed && status == journal.Handed {
					status = "" // it is written only once its response is lost
				}
				if n := len(w.log()); n != calls {
					t.Errorf("%d calls, want %d (%v)", n, calls, out.Err)
				}
				if got := out.State != nil; got != kept {
					t.Errorf("kept = %t, want %t: %v", got, kept, out.Err)
				}
				list := intents(t, w.journal)
				if status == "" && len(list) != 0 || status != "" && (len(list) != 1 || list[0].Status != status) {
					t.Errorf("in the journal: %+v, want %q", list, status)
				}
			})
		}
	}
}

// TestFindComesFirst: what exists before a create is somebody else's, whatever the
// create could do; and what find finds after a loss is adopted only if there was
// nothing before.
func TestFindComesFirst(t *testing.T) {
	w := newWorld().on("find", yields("id", "theirs"))
	w.journal = t.TempDir()
	e, _ := w.engine(t, findable)
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	if out.State != nil || out.Err == nil || !strings.Contains(out.Err.Error(), `"theirs"`) || !strings.Contains(out.Err.Error(), "import") {
		t.Errorf("%+v", out)
	}
	if diff := cmp.Diff([]string{"find a"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list := intents(t, w.journal); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// TestFindNotFirst: without a look before the create, nothing proves that what is
// found later is ours.
func TestFindNotFirst(t *testing.T) {
	w := newWorld().on("make", lost()).on("find", yields("id", "whose"))
	w.journal = t.TempDir()
	e, _ := w.engine(t, strings.Replace(findable, "find: world: look: ", "consistency: \"0s\"\n find: first: false\n find: world: look: ", 1))
	for range 2 {
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
		if out.State != nil || out.Err == nil {
			t.Fatalf("it was adopted: %+v", out)
		}
	}
	if calls := w.log(); calls[0] != "make a" || slices.Contains(calls[1:], "make a") {
		t.Errorf("calls: %v", calls)
	}
	if list := intents(t, w.journal); len(list) != 1 || !list[0].Open() {
		t.Errorf("in the journal: %+v", list)
	}
}

// TestFailedGivesNoRight: a create that the server failed leaves no right to what
// is there later.
func TestFailedGivesNoRight(t *testing.T) {
	w := newWorld().on("make", failed("exists")).on("find", gone("it"), yields("id", "theirs"))
	w.journal = t.TempDir()
	e, _ := w.engine(t, findable)
	create := func() engine.Result {
		return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	}
	create()
	if out := create(); out.State != nil || out.Err == nil || !strings.Contains(out.Err.Error(), "exists already") {
		t.Errorf("%+v", out)
	}
	if diff := cmp.Diff([]string{"find a", "make a", "find a"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRefusedInside: `refused` of a step or of its family says that nothing was
// done, whatever the status.
func TestRefusedInside(t *testing.T) {
	for name, spec := range map[string]string{
		"of the step":   `refused: "${result.error}", world: post: {what: "make"}`,
		"of the family": `world: post: {what: "make"}`,
	} {
		for _, o := range []actions.Outcome{
			yields("error", "exists", "id", "theirs"),
			{Status: actions.Unknown, Err: errLost, Result: map[string]any{"error": "exists"}},
			{Status: actions.Failed, Err: errLost, Result: map[string]any{"error": "exists"}},
		} {
			t.Run(fmt.Sprint(name, " ", o.Status), func(t *testing.T) {
				w := newWorld().on("make", o)
				w.journal = t.TempDir()
				defaults := ""
				if name == "of the family" {
					defaults = `world: refused: "${result.error}"` + "\n"
				}
				e, _ := w.engine(t, defaults+`resources: Thing: {
	inputs: name: string
	id: "${result.id}"
	create: {`+spec+`}
	delete: world: do: what: "remove"
}`)
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
				if out.State != nil || out.Err == nil || !strings.Contains(out.Err.Error(), "exists") {
					t.Errorf("%+v", out)
				}
				if list := intents(t, w.journal); len(list) != 0 {
					t.Errorf("in the journal: %+v", list)
				}
			})
		}
	}
}

// TestOtherInputs: a create with other inputs than an open one first records what
// that one made; the next run then brings it to the inputs of now.
func TestOtherInputs(t *testing.T) {
	for name, tc := range map[string]struct {
		spec  string
		calls []string
	}{
		"found": {findable, []string{"find a", "make a", "find a", "find a"}},
		"keyed": {keyed, []string{"make", "make"}},
	} {
		t.Run(name, func(t *testing.T) {
			second := yields("id", "7")
			w := newWorld().on("make", actions.Outcome{Status: actions.Unknown, Err: errLost}, second).
				on("find", gone("it"), gone("it"), yields("id", "7"))
			w.journal = t.TempDir()
			e, _ := w.engine(t, tc.spec)
			if out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")}); out.State != nil {
				t.Fatalf("%+v", out)
			}
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "b")})
			if out.Err == nil || out.State == nil || out.State.ID != "7" {
				t.Fatalf("%+v", out)
			}
			if diff := cmp.Diff(tc.calls, w.log()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// The host records the inputs of now, and asks what they mean.
			state := *out.State
			state.Inputs = object("name", "b")
			d, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: object("name", "b")})
			if err != nil || len(d.Changes) != 1 || d.Changes[0].Path != "name" || !d.Force {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}

// TestElements: what a forEach has done for some elements is not done again when
// the create goes on.
func TestElements(t *testing.T) {
	w := newWorld()
	w.journal = t.TempDir()
	broken := true
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if call.Args["with"] == "b" && broken {
			return refused("no")
		}
		return yields("id", call.Args["with"])
	}
	e, _ := w.engine(t, `resources: Thing: {
	inputs: names: [...string]
	outputs: made: string
	id: "${steps.base.id}"
	create: steps: [
		{as: "base", world: post: what: "base"},
		{as: "each", forEach: "${inputs.names}", world: post: {what: "make", with: "${each.value}"}},
	]
	delete: world: do: what: "remove"
	return: made: "${join(map(steps.each, #.id), ' ')}"
}`)
	w.on("base", yields("id", "7"))
	inputs := object("names", []any{"a", "b", "c"})
	half := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	if half.State == nil || half.Err == nil {
		t.Fatalf("%+v", half)
	}
	broken = false
	whole := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: inputs})
	if whole.Err != nil || whole.State.Outputs.Get("made").AsString() != "a b c" {
		t.Fatalf("%+v", whole)
	}
	if diff := cmp.Diff([]string{"base", "make a", "make b", "make b", "make c"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGroupRetry: a retry beside steps runs them all again, on a refusal only.
func TestGroupRetry(t *testing.T) {
	const text = `resources: Thing: {
	inputs: {name: string, size: int}
	id: "${result.id}"
	create: world: post: {what: "make", key: true}
	update: {retry: {on: [409], attempts: 3, backoff: "1ms"}, steps: [
		{as: "now", world: look: what: "look"},
		{world: post: {what: "put", with: "${steps.now.etag}"}},
	]}
	delete: world: do: what: "remove"
}`
	conflict := classed(refused("changed meanwhile"), "409")
	for name, tc := range map[string]struct {
		put   []actions.Outcome
		calls []string
		fails bool
	}{
		"the second time it works": {[]actions.Outcome{conflict, yields("id", "7")}, []string{"look", "put 1", "look", "put 2"}, false},
		"never":                    {[]actions.Outcome{conflict}, []string{"look", "put 1", "look", "put 2", "look", "put 2"}, true},
		"another refusal":          {[]actions.Outcome{classed(refused("no"), "403")}, []string{"look", "put 1"}, true},
		"unknown":                  {[]actions.Outcome{classed(lost(), "409")}, []string{"look", "put 1"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "7")).on("look", yields("etag", "1"), yields("etag", "2")).on("put", tc.put...)
			w.journal = t.TempDir()
			e, _ := w.engine(t, text)
			state := created(t, e, "Thing", object("name", "a", "size", 1))
			w.log()
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object("name", "a", "size", 2)})
			if (out.Err != nil) != tc.fails {
				t.Errorf("%+v", out)
			}
			if diff := cmp.Diff(tc.calls, w.log()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRestart: a run that stopped at a step with restart goes on at the earlier one.
func TestRestart(t *testing.T) {
	w := newWorld().on("base", yields("id", "7")).on("session", yields("url", "one"), yields("url", "two")).on("send", refused("used up"), yields())
	w.journal = t.TempDir()
	e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string
	id: "${steps.base.id}"
	create: steps: [
		{as: "base", world: do: what: "base"},
		{as: "session", world: do: what: "session"},
		{restart: "session", world: do: {what: "send", with: "${steps.session.url}"}},
	]
	delete: world: do: what: "remove"
}`)
	inputs := object("name", "a")
	half := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	if half.State == nil {
		t.Fatalf("%+v", half)
	}
	if out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: inputs}); out.Err != nil {
		t.Fatal(out.Err)
	}
	if diff := cmp.Diff([]string{"base", "session", "send one", "session", "send two"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUnsafeRetry: vet refuses what would repeat a step of which nobody knows what
// it did.
func TestUnsafeRetry(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"bare":                 {`create: {retry: attempts: 3, world: post: what: "make"}`, []string{"at-least-once", "unsafe-retry"}},
		"about doubt":          {`create: {retry: on: ["timeout"], world: post: what: "make"}`, []string{"at-least-once", "unsafe-retry"}},
		"keyed":                {`create: {retry: attempts: 3, world: post: {what: "make", key: true}}`, nil},
		"found":                {`create: {retry: attempts: 3, world: post: what: "make"}` + "\nfind: world: look: what: \"find ${inputs.name}\"", nil},
		"until":                {`create: {until: "${result.ok}", world: post: {what: "make"}}` + "\nfind: world: look: what: \"find ${inputs.name}\"", []string{"unsafe-retry"}},
		"an update":            {`create: world: post: {what: "make", key: true}` + "\nupdate: {retry: attempts: 2, world: post: what: \"change\"}", []string{"at-least-once", "unsafe-retry"}},
		"a group":              {`create: {retry: on: [409], steps: [{world: post: what: "make"}, {world: look: what: "see"}]}` + "\nfind: world: look: what: \"find ${inputs.name}\"", []string{"unsafe-retry"}},
		"a group, effect last": {`create: {retry: on: [409], steps: [{world: look: what: "see"}, {world: post: what: "make"}]}` + "\nfind: world: look: what: \"find ${inputs.name}\"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, `resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	delete: world: do: what: "remove"
	`+tc.body+`
}`)
			got := slices.DeleteFunc(everyCode(diags), func(code string) bool { return strings.HasPrefix(code, "id-") })
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%+v", diff, diags)
			}
		})
	}
}

// TestVerdictsNarrow: what gone, fail, refused and until have said of null is known
// in what follows, by every name of the response.
func TestVerdictsNarrow(t *testing.T) {
	for _, says := range []string{
		`gone: "${body.pet == null}"`,
		`fail: "${body.pet == null ? \"nothing\" : null}"`,
		`refused: "${result.body.pet != null ? null : \"nothing\"}"`,
		`until: "${body.pet != null}"`,
		``,
	} {
		for _, uses := range []string{"${body.pet.id}", "${result.body.pet.id}", "${steps.look.body.pet.id}"} {
			_, diags := newWorld().compile(t, `#Answer: pet: null | {id: string}
http: baseURL: "http://localhost"
resources: Thing: {
	inputs: name: string @replace()
	outputs: pet: string
	id: "${inputs.name}"
	create: {
		steps: [
			{world: do: what: "make"},
			{as: "look", http: {path: "/x", returns: #Answer}, `+says+`},
		]
		return: pet: "`+uses+`"
	}
	delete: world: do: what: "remove"
}`)
			var want []string
			if says == "" {
				want = []string{"null-unguarded"}
			}
			if diff := cmp.Diff(want, everyCode(diags)); diff != "" {
				t.Errorf("%s, then %s (-want +got):\n%s%+v", says, uses, diff, diags)
			}
		}
	}
}

// TestOtherInputsBesideSecrets loses the responses to a keyed create with a secret, which the journal does
// not hold, and then changes the program. If the secret is still the same, the first create is repeated
// under its key, and else nothing is sent: there is one object.
func TestOtherInputsBesideSecrets(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{true, false} {
		for _, pin := range []string{"a", "b"} {
			for _, size := range []float64{1, 2} {
				t.Run(fmt.Sprintf("done %v, then pin %s, size %v", done, pin, size), func(t *testing.T) {
					t.Parallel()
					objects, loses := map[string]bool{}, true
					w := newWorld()
					w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
						if !loses || done {
							objects[call.Key] = true
						}
						if loses {
							return lost()
						}
						return yields("id", "7")
					}
					s := newScene(t, w, `inputs: {size: int, pin: string @secret() @noRead()}
	id: "${result.id}"
	create: {retry: attempts: 1, world: post: {what: "make", with: "${inputs}", key: true}}
	update: world: do: {what: "change", with: "${changes}"}
	delete: world: do: {what: "remove", with: "${id}"}`)
					inputs := func(pin string, size float64) property.Map {
						return property.NewMap(map[string]property.Value{"pin": property.New(pin).WithSecret(true), "size": property.New(size)})
					}
					if out := s.e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs("a", 1)}); out.Err == nil {
						t.Fatal("the response was not lost")
					}
					loses = false
					out := s.e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs(pin, size)})
					if refused := pin == "b"; refused != (out.State == nil) || (out.Err != nil) != (pin != "a" || size != 1) {
						t.Errorf("%+v", out)
					}
					if len(objects) > 1 || pin == "a" && len(objects) != 1 || pin == "b" && len(s.statuses()) == 0 {
						t.Errorf("%d objects, journal %v", len(objects), s.statuses())
					}
				})
			}
		}
	}
}

// TestAdviceAboutAnObjectInTheWay creates a resource whose object exists already. An import is the advice
// only if this program has no resource that it belongs to.
func TestAdviceAboutAnObjectInTheWay(t *testing.T) {
	t.Parallel()
	for id, given := range map[string]string{"a response": "${result.id}", "the inputs": "${inputs.name}"} {
		for _, replaces := range []bool{false, true} {
			t.Run(fmt.Sprintf("the id is from %s, replaces %v", id, replaces), func(t *testing.T) {
				t.Parallel()
				w := newWorld().on("find", gone("it"), yields("id", "x", "name", "x")).on("make", yields("id", "x", "name", "x"))
				s := newScene(t, w, `inputs: name: string @replace()
	id: "`+given+`"
	create: world: post: {what: "make", with: "${inputs}"}
	find: world: look: what: "find"
	delete: world: do: what: "remove"`)
				if replaces {
					made := s.create("name", "x")
					if made.Err != nil {
						t.Fatal(made.Err)
					}
					diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *made.State, New: object("name", "y")})
					if err != nil || len(diff.Changes) != 1 || !diff.Changes[0].Replace {
						t.Fatalf("%+v, %v", diff, err)
					}
				} else {
					w.on("find", yields("id", "x", "name", "x"))
				}
				out := s.create("name", "x")
				if out.Err == nil || out.State != nil || strings.Contains(out.Err.Error(), "this resource replaces") != replaces {
					t.Errorf("%+v", out)
				}
			})
		}
	}
}
