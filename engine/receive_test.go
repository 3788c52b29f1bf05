package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/expr"
)

// answers is a response with a body.
func answers(body any) actions.Outcome { return yields("body", body) }

func members(kv ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		out[kv[i].(string)] = kv[i+1]
	}
	return out
}

const typedAsk = `
wire: "snake_case"
#Owner: {fullName: string, age?: int}
#Shape: {kind: "round", radius: int} | {kind: "square", side: string}
#Pet: {
	petId: int @wire(id), petName: string, owner?: #Owner, tags: [...string], notes: [string]: string
	shape?: #Shape, alive: *true | bool, chip: null | string, size?: number, any?: _
}
functions: getPet: {
	outputs: {petId: int, petName: string, owner?: #Owner, tags: [...string], notes: [string]: string, shape?: #Shape, alive: bool, chip: null | string, size?: number}
	world: typed: {what: "get", returns: #Pet}
}`

// pet is a response that fits, with other members in place of some.
func pet(kv ...any) map[string]any {
	out := members("id", int64(7), "pet_name", "Rex", "tags", []any{}, "notes", members(), "chip", nil)
	for i := 0; i < len(kv); i += 2 {
		if out[kv[i].(string)] = kv[i+1]; kv[i+1] == absent {
			delete(out, kv[i].(string))
		}
	}
	return out
}

const absent = "no such member"

// A response becomes data of the type that `returns` names: under its declared names,
// with its defaults, and without what it does not declare.
func TestResponsesBecomeTheirType(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, typedAsk)
	for name, tc := range map[string]struct {
		came map[string]any
		want property.Map
	}{
		"plain":             {pet(), object()},
		"nested":            {pet("owner", members("full_name", "Ada", "age", int64(3))), object("owner", object("fullName", "Ada", "age", 3))},
		"optional, null":    {pet("owner", members("full_name", "Ada", "age", nil), "size", nil), object("owner", object("fullName", "Ada"))},
		"extra members":     {pet("owner", members("full_name", "Ada", "more", "x"), "petId", "a stranger", "colour", "red"), object("owner", object("fullName", "Ada"))},
		"given default":     {pet("alive", false), object("alive", false)},
		"null of a default": {pet("alive", nil), object()},
		"digits as string":  {pet("pet_name", int64(12)), object("petName", "12")},
		"whole float":       {pet("id", 7.0, "size", 1.5), object("size", 1.5)},
		"union":             {pet("shape", members("kind", "round", "radius", int64(2), "side", "x")), object("shape", object("kind", "round", "radius", 2))},
		"null in a map":     {pet("notes", members("aKey", "v", "b", nil)), object("notes", object("aKey", "v"))},
		"chip":              {pet("chip", "c"), object("chip", "c")},
		"chip missing":      {pet("chip", absent), object()},
	} {
		t.Run(name, func(t *testing.T) {
			w.on("get", answers(tc.came))
			out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "getPet"})
			if err != nil {
				t.Fatal(err)
			}
			want := object("petId", 7, "petName", "Rex", "tags", []any{}, "notes", object(), "alive", true, "chip", nil)
			for name, v := range tc.want.All {
				want = want.Set(name, v)
			}
			if diff := cmp.Diff(want, out.Return, values); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What does not fit fails the step: the error names the member, its name on the wire,
// what is expected and what came.
func TestResponsesThatDoNotFit(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, typedAsk)
	for name, tc := range map[string]struct {
		came any
		want engine.MisfitError
	}{
		"another kind":       {pet("id", "7"), engine.MisfitError{Path: "body.petId", Wire: "body.id", Expected: "an int", Got: "a string"}},
		"a fraction":         {pet("id", 7.5), engine.MisfitError{Path: "body.petId", Wire: "body.id", Expected: "an int", Got: "a number"}},
		"null":               {pet("pet_name", nil), engine.MisfitError{Path: "body.petName", Wire: "body.pet_name", Expected: "a string", Got: "null"}},
		"missing":            {pet("pet_name", absent), engine.MisfitError{Path: "body.petName", Wire: "body.pet_name", Expected: "a string", Got: "nothing"}},
		"another spelling":   {pet("pet_name", absent, "petName", "Rex"), engine.MisfitError{Path: "body.petName", Wire: "body.pet_name", Expected: "a string", Got: "nothing", Hint: `the response has "petName": write @wire(petName)`}},
		"a quoted spelling":  {pet("pet_name", absent, "pet-name", "Rex"), engine.MisfitError{Path: "body.petName", Wire: "body.pet_name", Expected: "a string", Got: "nothing", Hint: `the response has "pet-name": write @wire("pet-name")`}},
		"nested":             {pet("owner", members("fullName", "Ada")), engine.MisfitError{Path: "body.owner.fullName", Wire: "body.owner.full_name", Expected: "a string", Got: "nothing", Hint: `the response has "fullName": write @wire(fullName)`}},
		"an item":            {pet("tags", []any{"a", nil}), engine.MisfitError{Path: "body.tags[1]", Wire: "body.tags[1]", Expected: "a string", Got: "null"}},
		"no list":            {pet("tags", "a"), engine.MisfitError{Path: "body.tags", Wire: "body.tags", Expected: "a list of string", Got: "a string"}},
		"a value of a map":   {pet("notes", members("a b", true)), engine.MisfitError{Path: `body.notes["a b"]`, Wire: `body.notes["a b"]`, Expected: "a string", Got: "a boolean"}},
		"no variant":         {pet("shape", members("kind", "flat")), engine.MisfitError{Path: "body.shape.kind", Wire: "body.shape.kind", Expected: `one of "round" or "square"`, Got: "another value"}},
		"a variant's member": {pet("shape", members("kind", "round")), engine.MisfitError{Path: "body.shape.radius", Wire: "body.shape.radius", Expected: "an int", Got: "nothing"}},
		"no object":          {[]any{}, engine.MisfitError{Path: "body", Wire: "body", Expected: "Pet", Got: "a list"}},
		"nothing at all":     {nil, engine.MisfitError{Path: "body", Wire: "body", Expected: "Pet", Got: "null"}},
	} {
		t.Run(name, func(t *testing.T) {
			w.on("get", answers(tc.came))
			_, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "getPet"})
			var got *engine.MisfitError
			if !errors.As(err, &got) {
				t.Fatalf("%v", err)
			}
			if diff := cmp.Diff(&tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(err.Error(), tc.want.Path) || !strings.Contains(err.Error(), tc.want.Wire) {
				t.Errorf("it names the member by both names: %v", err)
			}
		})
	}
}

// The rule of a definition holds for its own names, before those of the resource and
// the spec; a property's own name before all.
func TestWireRulesOfReturns(t *testing.T) {
	w := newWorld().on("get", answers(members(
		"pet_name", "Rex", "ownerOf", members("FullName", "Ada", "where-from", members("StreetName", "x")), "x", int64(1),
	)))
	e, _ := w.engine(t, `
wire: "kebab-case"
#Pet: {petName: string, ownerOf: #Owner @wire(ownerOf), petSize: int @wire(x)}
#Owner: {
	fullName: string
	from: {streetName: string} @wire("where-from")
} @wire(PascalCase)
resources: Pet: {
	wire: "snake_case"
	inputs: name: string
	outputs: {petName: string, who: string, street: string}
	id: "${inputs.name}"
	create: world: do: what: "make"
	read: {world: typed: {what: "get", returns: #Pet}, return: {petName: "${result.body.petName}", who: "${result.body.ownerOf.fullName}", street: "${result.body.ownerOf.from.streetName}"}}
	delete: world: do: what: "remove"
}`)
	if got := created(t, e, "Pet", object("name", "a")).Outputs; got.Get("who").AsString() != "Ada" || got.Get("street").AsString() != "x" || got.Get("petName").AsString() != "Rex" {
		t.Errorf("%v", got)
	}
}

const typedMake = `
#Pet: {id: string, size: int}
resources: Pet: {
	inputs: name: string @noRead()
	outputs: size: int
	id: "${steps.made.body.id}"
	create: {
		steps: [
			{as: "made", world: make: {what: "make", returns: #Pet}},
			{world: do: what: "after"},
		]
		return: size: "${steps.made.body.size}"
	}
	read: {world: typed: {what: "get", returns: #Pet}, return: size: "${result.body.size}"}
	update: {world: make: {what: "change", returns: #Pet}, return: size: "${result.body.size}"}
	delete: world: do: what: "remove"
}`

// An effect whose response does not fit has happened: it is not done again.
func TestUnfitEffectsAreDoneOnce(t *testing.T) {
	w := newWorld().on("make", answers(members("id", "7", "size", "large"))).on("get", answers(members("id", "7", "size", int64(3))))
	e, _ := w.engine(t, typedMake)
	inputs := check(t, e, "Pet", object("name", "a"))
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: inputs})
	if out.State == nil || out.State.ID != "7" || out.State.Private.Failed == nil || out.Err == nil || !strings.Contains(out.Err.Error(), "body.size") {
		t.Fatalf("it is kept as failed, and the error names the member: %+v", out)
	}
	if diff := cmp.Diff([]string{"make"}, w.log()); diff != "" {
		t.Errorf("it goes no further (-want +got):\n%s", diff)
	}
	again := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: *out.State, Inputs: inputs})
	if again.Err != nil {
		t.Fatal(again.Err)
	}
	if diff := cmp.Diff([]string{"after", "get"}, w.log()); diff != "" {
		t.Errorf("and goes on behind it (-want +got):\n%s", diff)
	}
	w.on("change", answers(members("id", "7")))
	next := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: *again.State, Inputs: object("name", "b")})
	if next.Err == nil || next.State == nil || next.State.Private.Failed == nil || next.State.Private.Failed.Step != 1 {
		t.Errorf("so it is with an update: %+v", next)
	}
}

// Of a loop, what was made of an element is kept, and the next run goes on with the
// others.
func TestUnfitElements(t *testing.T) {
	w := newWorld().on("make", answers(members("id", "1")), answers(members()), answers(members("id", "3")))
	e, _ := w.engine(t, `
#Part: id: string
resources: Pet: {
	inputs: {name: string, parts: [...string]}
	id: "${inputs.name}"
	create: steps: [
		{world: do: what: "first"},
		{forEach: "${inputs.parts}", world: make: {what: "make", with: "${each.value}", returns: #Part}},
	]
	delete: world: do: what: "remove"
}`)
	inputs := check(t, e, "Pet", object("name", "a", "parts", []any{"x", "y", "z"}))
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: inputs})
	if out.State == nil || out.Err == nil || !strings.Contains(out.Err.Error(), "body.id") {
		t.Fatalf("%+v", out)
	}
	out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: *out.State, Inputs: inputs})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if diff := cmp.Diff([]string{"first", "make x", "make y", "make z"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the spec says of a response comes before its type: a refusal in a 200 is one.
func TestVerdictsComeBeforeTypes(t *testing.T) {
	w := newWorld().on("make", answers(members("error", "taken")))
	e, _ := w.engine(t, `
#Pet: {id: string, error?: string}
resources: Pet: {
	inputs: name: string
	id: "${steps.made.body.id}"
	create: {steps: [{as: "made", world: make: {what: "make", returns: #Pet}, refused: "${result.body.error}"}]}
	delete: world: do: what: "remove"
}`)
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: object("name", "a")})
	if out.State != nil || out.Err == nil || !strings.Contains(out.Err.Error(), "taken") {
		t.Errorf("%+v", out)
	}
}

// An open struct is held to what it declares, and keeps the rest.
func TestOpenTypes(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, `
wire: "snake_case"
#Doc: {docId: int, ...}
functions: getDoc: {
	outputs: {docId: int, wasRead?: bool, whole: {docId: int, ...}}
	world: typed: {what: "get", returns: #Doc}
	return: "${merge(result.body, {whole: result.body})}"
}`)
	w.on("get", answers(members("doc_id", int64(1), "was_read", true, "docId", "a stranger")))
	out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "getDoc"})
	want := object("docId", 1, "wasRead", true, "whole", object("docId", 1, "was_read", true))
	if diff := cmp.Diff(want, out.Return, values); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	w.on("get", answers(members("doc_id", "1", "x", true)))
	var misfit *engine.MisfitError
	if _, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "getDoc"}); !errors.As(err, &misfit) || misfit.Path != "body.docId" {
		t.Errorf("%v", err)
	}
}

// session is what configure yields, typed.
func TestSessionIsTyped(t *testing.T) {
	const text = `
#Session: {account: string, region?: string}
configure: world: typed: {what: "whoami", returns: #Session}
resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	create: world: do: {what: "make", with: "${session.account}/${inputs.name}"}
	delete: world: do: what: "remove"
}`
	w := newWorld().on("whoami", answers(members("account", "acme")))
	e, _ := w.engine(t, text)
	created(t, e, "Thing", object("name", "a"))
	if diff := cmp.Diff([]string{"whoami", "make acme/a"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, mistake := range []struct{ from, to, code string }{
		{"session.account", "session.acount", "unknown-member"},
		{"session.account", "session.region", "null-unguarded"},
	} {
		_, diags := w.compile(t, strings.Replace(text, mistake.from, mistake.to, 1))
		if len(diags) != 1 || diags[0].Code != mistake.code {
			t.Errorf("%s: %+v", mistake.to, diags)
		}
	}
}

// What relies on a response that did not fit says so, and asks for no guard: a create
// is made anew, an update says what to do.
func TestWhatAMisfitLacks(t *testing.T) {
	needing := strings.ReplaceAll(typedMake, `{world: do: what: "after"}`, `{world: do: {what: "after", with: "x${steps.made.body.size}"}}`)
	needing = strings.Replace(needing, `update: {world: make: {what: "change", returns: #Pet}, return`,
		`update: {steps: [{as: "c", world: make: {what: "change", returns: #Pet}}, {world: do: {what: "after", with: "x${steps.c.body.size}"}}], return`, 1)
	w := newWorld().on("make", answers(members("id", "7")), answers(members("id", "8", "size", int64(1))))
	w.on("change", answers(members("id", "7")))
	e, _ := w.engine(t, needing)
	inputs := check(t, e, "Pet", object("name", "a"))
	half := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: inputs})
	if half.Err == nil || half.State == nil {
		t.Fatalf("%+v", half)
	}
	lacks := func(out engine.Result) {
		t.Helper()
		if out.Err == nil || errors.As(out.Err, new(*expr.EvalError)) || !strings.Contains(out.Err.Error(), "did not match its `returns`") {
			t.Fatalf("%+v", out)
		}
	}
	out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: *half.State, Inputs: inputs})
	lacks(out)
	d, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Pet"), State: *out.State, New: inputs})
	if err != nil || len(d.Changes) == 0 || !d.Changes[0].Replace {
		t.Errorf("a create that cannot go on is made anew: %+v, %v", d, err)
	}

	made := created(t, e, "Pet", object("name", "a"))
	other := check(t, e, "Pet", object("name", "b"))
	half = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: made, Inputs: other})
	if half.Err == nil || half.State == nil {
		t.Fatalf("%+v", half)
	}
	lacks(e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: *half.State, Inputs: other}))
}
