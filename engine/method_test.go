package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/declprov/declprov/engine"
)

const methods = `
resources: Thing: {
	inputs: {name: string, token?: string @secret(), once?: string @ephemeral()}
	outputs: {key: string, size?: int}
	id: "${inputs.name}"
	create: world: do: {what: "make", with: "${inputs.name}"}
	read: {world: look: {what: "see"}, return: "${inputs}"}
	delete: world: do: what: "drop"
	schemaVersion: 1
	upgrade: "0": "${merge(old, {key: old.oldKey})}"
	methods: {
		// Looks at it.
		describe: {
			inputs: {loud: *false | bool, part: string}
			outputs: {text: string, size?: int}
			world: look: {what: "ask", with: "${id}/${inputs.part}/${state.key}"}
			return: {text: "${inputs.loud ? upper(result.said) : result.said}", size: "${state.size}"}
		}
		poke: {
			inputs: hard?: int
			outputs: count: int
			steps: [
				{as: "first", world: look: {what: "ask", with: "${resource.name}"}},
				{world: do: {what: "poke", with: "${inputs.hard}"}},
			]
		}
		reveal: {
			outputs: token: string @secret()
			return: token: "${state.token ?? state.key}"
		}
		aim: {inputs: at: string, world: look: what: "${inputs.at}"}
		send: {
			inputs: {petName: string @wire(pet_name)}
			world: send: {what: "send", with: "${inputs}"}
		}
	}
}
`

// aThing is a thing as a host recorded it.
func aThing() engine.State {
	return engine.State{
		ID: "one", Outputs: object("name", "one", "key", "k1", "size", 3, "token", secret("hush")),
		Private: engine.Private{SchemaVersion: 1, ID: "uno"},
	}
}

func aCall(method string, kv ...any) engine.MethodRequest {
	return engine.MethodRequest{
		Ref: engine.Ref{Type: "Thing", Name: "mine", Key: "urn"}, Method: method, State: aThing(), Args: object(kv...),
	}
}

func TestMethods(t *testing.T) {
	for name, tc := range map[string]struct {
		call engine.MethodRequest
		want engine.InvokeResponse
		log  []string
	}{
		"with defaults, the current id and the state": {
			aCall("describe", "part", "top"),
			engine.InvokeResponse{Return: object("text", "hi", "size", 3)},
			[]string{"ask uno/top/k1"},
		},
		"that acts, of several steps": {
			aCall("poke", "hard", 2), engine.InvokeResponse{Return: object("count", 7)}, []string{"ask mine", "poke 2"},
		},
		"without an action": {
			aCall("reveal"), engine.InvokeResponse{Return: object("token", secret("hush"))}, nil,
		},
		"under the names on the wire": {
			aCall("send", "petName", "rex"), engine.InvokeResponse{Return: object()}, []string{"send map[pet_name:rex]"},
		},
		"with a secret where others can read it": {
			aCall("aim", "at", secret("x")), engine.InvokeResponse{Failures: []engine.Failure{{Path: "at"}}}, nil,
		},
		"with wrong arguments": {
			aCall("describe", "loud", 1), engine.InvokeResponse{Failures: []engine.Failure{
				{Path: "loud"}, {Path: "part"},
			}}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("ask", yields("said", "hi")).on("poke", yields("count", int64(7)))
			e, _ := w.engine(t, methods)
			got, err := e.CallMethod(t.Context(), tc.call)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, values, cmpopts.IgnoreFields(engine.Failure{}, "Reason")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.log, w.log()); diff != "" {
				t.Errorf("what was done (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMethodsInPreviews: what looks runs as soon as all is known, what acts does
// not, and nothing that is to change is looked at.
func TestMethodsInPreviews(t *testing.T) {
	asked := object("text", "hi", "size", 3)
	notKnown := object("text", unknown, "size", unknown)
	for name, tc := range map[string]struct {
		edit func(*engine.MethodRequest)
		want any
		log  []string
	}{
		"looks":            {func(*engine.MethodRequest) {}, asked, []string{"ask uno/top/k1"}},
		"unknown argument": {func(r *engine.MethodRequest) { r.Args = object("part", unknown) }, notKnown, nil},
		"unknown state":    {func(r *engine.MethodRequest) { r.State.Outputs = r.State.Outputs.Set("size", unknown) }, notKnown, nil},
		"still to change":  {func(r *engine.MethodRequest) { r.Pending = true }, notKnown, nil},
		"acts":             {func(r *engine.MethodRequest) { r.Method, r.Args = "poke", object() }, object("count", unknown), nil},
		"a secret still to be known": {func(r *engine.MethodRequest) {
			r.Method, r.Args, r.Pending = "reveal", object(), true
		}, object("token", unknown.WithSecret(true)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("ask", yields("said", "hi"))
			e, _ := w.engine(t, methods)
			req := aCall("describe", "part", "top")
			req.Preview = true
			tc.edit(&req)
			got, err := e.CallMethod(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, any(got.Return), values); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.log, w.log()); diff != "" {
				t.Errorf("what was done (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMethodErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*engine.MethodRequest)
		says []string
		not  string
	}{
		"another resource":     {func(r *engine.MethodRequest) { r.Type = "Thin" }, []string{`"Thing"`}, ""},
		"another method":       {func(r *engine.MethodRequest) { r.Method = "descrive" }, []string{`"describe"`}, ""},
		"unknown when it runs": {func(r *engine.MethodRequest) { r.Args = object("part", unknown) }, []string{"not known"}, ""},
		"no id":                {func(r *engine.MethodRequest) { r.State.ID = "" }, []string{"no id"}, ""},
		"a newer state":        {func(r *engine.MethodRequest) { r.State.Private.SchemaVersion = 9 }, []string{"newer spec"}, ""},
		"a step that fails":    {func(r *engine.MethodRequest) { r.Method, r.Args = "poke", object() }, []string{"method poke failed at step 2, world.do", "no more"}, "hush"},
		"an output that is not given": {func(r *engine.MethodRequest) {
			r.State.Outputs = r.State.Outputs.Set("key", value(nil)).Delete("token")
			r.Method, r.Args = "reveal", object()
		}, []string{"method reveal", "no key"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("ask", yields("said", "hi")).on("poke", refused("no more hush"))
			e, _ := w.engine(t, methods)
			req := aCall("describe", "part", "top")
			tc.edit(&req)
			_, err := e.CallMethod(t.Context(), req)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
			if tc.not != "" && strings.Contains(err.Error(), tc.not) {
				t.Errorf("error %q says %q", err, tc.not)
			}
		})
	}
}

// TestMethodOfOldState: a state of an older schemaVersion is upgraded first, as
// by every other call.
func TestMethodOfOldState(t *testing.T) {
	w := newWorld().on("ask", yields("said", "hi"))
	e, _ := w.engine(t, methods)
	req := aCall("describe", "part", "top")
	req.State = engine.State{ID: "one", Outputs: object("name", "one", "oldKey", "k0")}
	if _, err := e.CallMethod(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ask one/top/k0"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMethodPermissions: a method may touch what its resource may, and no
// argument widens that.
func TestMethodPermissions(t *testing.T) {
	e, dir := newWorld().engine(t, `
permissions: write: ["${inputs.path}"]
resources: Note: {
	inputs: path: string
	id: "${inputs.path}"
	create: file: write: {path: "${inputs.path}", content: "x"}
	delete: file: delete: path: "${id}"
	methods: {
		text: {outputs: content: string, file: read: path: "${id}"}
		other: {inputs: path: string, outputs: content: string, file: read: path: "${inputs.path}"}
	}
}`)
	for name, text := range map[string]string{"mine": "here", "yours": "there"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call := func(method string, args ...any) (engine.InvokeResponse, error) {
		return e.CallMethod(t.Context(), engine.MethodRequest{
			Ref: engine.Ref{Type: "Note"}, Method: method, Args: object(args...),
			State: engine.State{ID: "mine", Outputs: object("path", "mine")},
		})
	}
	got, err := call("text")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(object("content", "here"), got.Return, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := call("other", "path", "yours"); err == nil {
		t.Errorf("an argument opened a file: %+v", got)
	}
}

func TestMethodMistakes(t *testing.T) {
	for name, tc := range map[string]struct{ code, from, to string }{
		"an output is not given": {"output-not-given", `text: "${inputs.loud ? upper(result.said) : result.said}", `, ""},
		"a misspelt output":      {"unknown-property", `size: "${state.size}"`, `sise: "${state.size}"`},
		"a secret in the open":   {"secret-exposed", "outputs: token: string @secret()", "outputs: token: string"},
		"a broken action":        {"unknown-action", "world: look: {what: \"ask\", with: \"${id}", "world: loook: {what: \"ask\", with: \"${id}"},
		"an input":               {"unknown-member", "inputs.loud ?", "inputs.lod ?"},
		"the state":              {"unknown-member", "state.size}", "state.seize}"},
		"an ephemeral input":     {"unknown-member", "state.size}", "state.once}"},
		"changes":                {"name-not-here", "${state.size}", "${changes.name}"},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, strings.Replace(methods, tc.from, tc.to, 1))
			var got []string
			for _, d := range diags {
				if strings.HasPrefix(d.Context, `resource "Thing", method`) {
					got = append(got, d.Code)
				}
			}
			if diff := cmp.Diff([]string{tc.code}, got); diff != "" {
				t.Errorf("codes (-want +got):\n%s\n%+v", diff, diags)
			}
		})
	}
}
