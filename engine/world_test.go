package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/screen"
)

// A world is a family of actions, `world`, whose answers a test decides: what no
// real server does at will. `world: do` has an effect, `world: look` has none.
type world struct {
	mu      sync.Mutex
	journal string // the folder of the journal
	calls   []string
	answers map[string][]actions.Outcome // by the argument `what`, one a call; the last stays
	hooks   map[string]func(ctx context.Context, call *actions.Call) actions.Outcome
}

// everyWorld is the world of specs that many engines share. Each call runs in the world whose engine has the folder of
// the call; see world.engineWith.
var everyWorld = &world{}

// worlds are the worlds of everyWorld, by folder.
var worlds sync.Map

func newWorld() *world {
	return &world{answers: map[string][]actions.Outcome{}, hooks: map[string]func(context.Context, *actions.Call) actions.Outcome{}}
}

// on sets the answers to calls of that name.
func (w *world) on(what string, answers ...actions.Outcome) *world {
	w.answers[what] = answers
	return w
}

// log is what was called, in order, and forgets it.
func (w *world) log() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.calls
	w.calls = nil
	return out
}

func (w *world) run(ctx context.Context, call *actions.Call) actions.Outcome {
	if w == everyWorld {
		dir, err := call.Env.Files.AssetPath(".")
		if err != nil {
			return actions.Fail(err)
		}
		own, _ := worlds.Load(dir)
		return own.(*world).run(ctx, call)
	}
	what, _ := call.Args["what"].(string)
	w.mu.Lock()
	line := what
	if with, ok := call.Args["with"]; ok {
		line += fmt.Sprintf(" %v", with)
	}
	w.calls = append(w.calls, line)
	hook, answers := w.hooks[what], w.answers[what]
	if len(answers) > 1 {
		w.answers[what] = answers[1:]
	}
	w.mu.Unlock()
	switch {
	case hook != nil:
		return hook(ctx, call)
	case len(answers) == 0:
		return actions.Succeed(map[string]any{})
	default:
		return answers[0]
	}
}

func (w *world) family() *actions.Family {
	args := func() []actions.Arg {
		return []actions.Arg{
			{Property: spec.Property{Name: "what", Doc: "Which answer.", Type: &spec.Type{Kind: spec.String}, Required: true}, Exposed: true},
			{Property: spec.Property{Name: "with", Doc: "Anything.", Type: &spec.Type{}}, Locates: true},
		}
	}
	kind := func(name string, effect actions.Effect) *actions.Kind {
		return &actions.Kind{
			Name: name, Summary: name, Args: args(), Run: w.run,
			Analyze: func(actions.Static) actions.Facts { return actions.Facts{Result: &spec.Type{}, Effect: effect} },
		}
	}
	// `world: send` is like http: `with` goes out under the names on the wire,
	// and the answer's body is what it yields.
	with := func(k *actions.Kind, more func(s actions.Static, f *actions.Facts)) {
		before := k.Analyze
		k.Analyze = func(s actions.Static) actions.Facts {
			f := before(s)
			more(s, &f)
			return f
		}
	}
	body := func(_ actions.Static, f *actions.Facts) { f.Yields = "body" }
	send := kind("send", actions.Write)
	send.Args[1].Wire = true
	with(send, body)
	// `world: ask` is like an http GET: what it yields is untyped, what surrounds
	// it is not.
	ask := kind("ask", actions.None)
	with(ask, body)
	status := func(_ actions.Static, f *actions.Facts) {
		f.Result = &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
			{Name: "status", Type: &spec.Type{Kind: spec.Int}, Required: true}, {Name: "body", Type: &spec.Type{}},
		}}
	}
	with(ask, status)
	// `world: answer` is like an http POST: its result has a status, too.
	answer := kind("answer", actions.Write)
	answer.Ambiguous = func(class string) bool { return class == "connection" }
	with(answer, body)
	with(answer, status)
	with(answer, func(_ actions.Static, f *actions.Facts) { f.Certainty = actions.Uncertain })
	// `world: post` may be sent and not answered; with `key` it is done once.
	post := kind("post", actions.Write)
	post.Args = append(post.Args, actions.Arg{Property: spec.Property{Name: "key", Doc: "Once.", Type: &spec.Type{Kind: spec.Bool}}})
	post.Args = append(post.Args, actions.Arg{Property: spec.Property{Name: "by", Doc: "How the key is sent.", Type: &spec.Type{Kind: spec.String}}})
	// with `once` it is done once at most.
	post.Args = append(post.Args, actions.Arg{Property: spec.Property{Name: "once", Doc: "At most once.", Type: &spec.Type{Kind: spec.Bool}}})
	// with `safe` it may be done twice.
	post.Args = append(post.Args, actions.Arg{Property: spec.Property{Name: "safe", Doc: "As often as one likes.", Type: &spec.Type{Kind: spec.Bool}}})
	// with `place` it goes to an address.
	post.Args = append(post.Args, actions.Arg{Property: spec.Property{Name: "place", Doc: "Where it goes.", Type: &spec.Type{Kind: spec.String}}})
	// with `returns` it returns a type.
	post.Args = append(post.Args, actions.Arg{Property: spec.Property{Name: "returns", Doc: "Type.", Type: &spec.Type{}}, Mode: actions.Typed})
	with(post, func(s actions.Static, f *actions.Facts) {
		if s.Given("returns") {
			body(s, f)
			f.Result = &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "body", Type: s.Types["returns"], Required: true}}}
		}
		if s.Given("place") {
			f.Place = s.Nodes["place"].Text
		}
		switch {
		case s.Given("safe"):
			f.Certainty = actions.Safe
		case s.Given("once"):
			f.Certainty = actions.Conditional
		case s.Given("key"):
			f.Certainty, f.KeyedBy = actions.Keyed, "key"
			if by, ok := s.Literals["by"].(string); ok {
				f.KeyedBy = by
			}
		default:
			f.Certainty = actions.Uncertain
		}
	})
	post.Ambiguous = func(class string) bool { return class == "timeout" || class == "connection" }
	// `world: typed` is like an http GET that `returns` a type, `world: make` like a
	// POST that does.
	returning := func(k *actions.Kind) *actions.Kind {
		k.Args[1].Wire = true
		k.Args = append(k.Args, actions.Arg{Property: spec.Property{Name: "returns", Doc: "Type.", Type: &spec.Type{}}, Mode: actions.Typed})
		with(k, body)
		with(k, func(s actions.Static, f *actions.Facts) {
			f.Result = &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "body", Type: s.Types["returns"], Required: true}}}
		})
		return k
	}
	typed, makes := returning(kind("typed", actions.None)), returning(kind("make", actions.Write))
	// `world: marked` recognizes its own work, like the writing of a file.
	marked := kind("marked", actions.Write)
	marked.Marked = true
	return &actions.Family{
		Name: "world", Summary: "The test's.", Declare: func() ([]actions.Arg, []*actions.Kind) {
			return nil, []*actions.Kind{kind("do", actions.Write), kind("look", actions.None), ask, answer, send, post, typed, makes, marked}
		},
		Grants: func(actions.Static) []actions.Grant { return nil },
	}
}

// families are the world's and the real ones.
func (w *world) families() []*actions.Family { return append(builtins(), w.family()) }

// builtins returns the real families, which declare themselves once.
func builtins() []*actions.Family { return slices.Clone(declared()) }

var declared = sync.OnceValue(builtin.Families)

func (w *world) familiesOf(*spec.Provider) []*actions.Family { return w.families() }

// compile loads and compiles a spec of which text is the resources, or the whole.
func (w *world) compile(t *testing.T, text string) (*engine.Program, diag.List) {
	t.Helper()
	if !strings.Contains(text, "package ") {
		text = "package test\nname: \"test\"\nversion: \"1.0.0\"\n" + text
	}
	doc, diags := loaded(text)
	if diags.HasErrors() {
		return nil, diags
	}
	prog, more := engine.Compile(doc.Provider, w.families())
	// Most resources here are deleted by the same call, whichever they are.
	more = slices.DeleteFunc(more, func(d diag.Diagnostic) bool { return d.Code == "object-not-named" })
	return prog, slices.Concat(diags, more)
}

// program compiles a spec for all worlds. Many cases of a table have the same one, which is compiled once. A program
// is of one engine alone, because it has the locks: what is compiled never changes.
func program(t *testing.T, text string) (*engine.Program, diag.List) {
	t.Helper()
	type compiled struct {
		plan  *plan.Program
		diags diag.List
	}
	once, _ := programs.LoadOrStore(text, sync.OnceValue(func() compiled {
		prog, diags := everyWorld.compile(t, text)
		if prog == nil {
			return compiled{nil, diags}
		}
		return compiled{prog.Program, diags}
	}))
	found := once.(func() compiled)()
	return &engine.Program{Program: found.plan}, found.diags
}

var programs sync.Map

// loaded loads a spec in CUE. Many cases of a table have the same one, which is loaded once:
// compiling changes nothing of it.
func loaded(text string) (*load.Document, diag.List) {
	once, _ := loads.LoadOrStore(text, sync.OnceValues(func() (*load.Document, diag.List) {
		return load.Load(context.Background(), load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
	}))
	return once.(func() (*load.Document, diag.List))()
}

var loads sync.Map

// engine is a spec's engine, configured with nothing, in a folder of its own.
func (w *world) engine(t *testing.T, text string) (*engine.Engine, string) {
	t.Helper()
	return w.engineWith(t, text, property.Map{})
}

func (w *world) engineWith(t *testing.T, text string, config property.Map) (*engine.Engine, string) {
	t.Helper()
	prog, diags := program(t, text)
	if diags.HasErrors() {
		t.Fatalf("the spec has mistakes: %+v", diags)
	}
	dir := t.TempDir()
	worlds.Store(dir, w)
	t.Cleanup(func() { worlds.Delete(dir) })
	book := w.journal
	if book == "" {
		book = t.TempDir()
	}
	e, err := prog.Configure(t.Context(), config, engine.Options{Dir: dir, Journal: book})
	if err != nil {
		t.Fatal(err)
	}
	return e, dir
}

// example is the engine of a spec of the examples folder.
func example(t *testing.T, file string) (*engine.Engine, string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "examples", file))
	if err != nil {
		t.Fatal(err)
	}
	return newWorld().engine(t, string(text))
}

// object is a property map of plain values.
func object(kv ...any) property.Map {
	m := map[string]property.Value{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = value(kv[i+1])
	}
	return property.NewMap(m)
}

func value(v any) property.Value {
	switch v := v.(type) {
	case int:
		return property.New(float64(v))
	case []any:
		items := make([]property.Value, len(v))
		for i, item := range v {
			items[i] = value(item)
		}
		return property.New(items)
	case map[string]any:
		members := map[string]property.Value{}
		for name, member := range v {
			members[name] = value(member)
		}
		return property.New(members)
	case property.Value:
		return v
	default:
		out, err := property.Any(v)
		if err != nil {
			panic(err) // a test's own mistake
		}
		return out
	}
}

func secret(v any) property.Value { return value(v).WithSecret(true) }

// values lets cmp see into the values of properties.
var values = cmp.Options{
	cmp.Transformer("map", func(m property.Map) map[string]property.Value {
		out := m.AsMap()
		if out == nil {
			out = map[string]property.Value{}
		}
		return out
	}),
	cmp.Transformer("value", func(v property.Value) any { return shown(v) }),
}

// shown is a value as a test reads it: its secrecy beside what it is.
func shown(v property.Value) any {
	var is any = "unknown"
	switch {
	case v.IsNull():
		is = nil
	case v.IsBool():
		is = v.AsBool()
	case v.IsNumber():
		is = v.AsNumber()
	case v.IsString():
		is = "text " + v.AsString()
	case v.IsMap():
		m := map[string]any{}
		for name, item := range v.AsMap().All {
			m[name] = shown(item)
		}
		is = m
	case v.IsArray():
		list := []any{}
		for _, item := range v.AsArray().All {
			list = append(list, shown(item))
		}
		is = list
	}
	if v.Secret() {
		return map[string]any{"secret": is}
	}
	return is
}

var unknown = property.New(property.Computed)

// check is Check for inputs that are right.
func check(t *testing.T, e *engine.Engine, typ string, inputs property.Map) property.Map {
	t.Helper()
	out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref(typ), New: inputs})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Failures) > 0 {
		t.Fatalf("check failed: %+v", out.Failures)
	}
	return out.Inputs
}

func ref(typ string) engine.Ref { return engine.Ref{Type: typ, Name: "it", Key: "urn:it"} }

// created is the state of a resource that could be created.
func created(t *testing.T, e *engine.Engine, typ string, inputs property.Map) engine.State {
	t.Helper()
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref(typ), Inputs: check(t, e, typ, inputs)})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	return *out.State
}

func gone(what string) actions.Outcome   { return actions.Missing(errors.New(what + " is not there")) }
func failed(what string) actions.Outcome { return actions.Fail(errors.New(what)) }
func refused(what string) actions.Outcome {
	return actions.Refuse(errors.New(what))
}

func yields(kv ...any) actions.Outcome {
	m := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	return actions.Succeed(m)
}

// recorder keeps what a call had to say.
type recorder struct {
	mu               sync.Mutex
	messages, status []string
	warnings         int // among the messages
}

func (r *recorder) Message(severity engine.Severity, text screen.Text) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if severity == engine.Warning {
		r.warnings++
	}
	r.messages = append(r.messages, text.String())
}

func (r *recorder) Status(text screen.Text) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = append(r.status, text.String())
}

type ctxT = context.Context

var errLost = errors.New("no answer")
