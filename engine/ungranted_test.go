package engine_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// asking is a spec whose resource asks for what its inputs name.
func asking(create string) string {
	return `
config: {root: *"data" | string, host?: string}
permissions: {read: ["shared/**"], write: ["${config.root}/**", "own/${inputs.owner}/**"], hosts: ["https://api.test", "ssh://m.test"], run: ["tool"]}
resources: Thing: {
	inputs: {
		owner: *"me" | string, path: *"data/x" | string, at: *"https://api.test" | string, program: *"tool" | string
		on: *true | bool, deep?: {path: string}, paths: *[] | [...string], parts?: {[string]: {path: string}}
		argv: *["tool"] | [...string], region: *"api" | string, machine: *"m.test" | string
	}
	id: "it"
	create: ` + create + `
	update: file: write: {path: "elsewhere/${inputs.path}", content: "", overwrite: true}
	delete: file: delete: path: "elsewhere/${inputs.path}"
}`
}

const (
	writes   = `file: write: {path: "${inputs.path}", content: ""}`
	requests = `http: {url: "${inputs.at}/x", effect: "write"}`
	runs     = `exec: command: ["${inputs.program}", "-v"]`
)

// What is known not to be granted is refused by Check, which names the input that
// decides it; nothing is said of what is not known, or would not run.
func TestUngrantedInputs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		create string
		inputs property.Map
		want   []string // the paths of the failures
	}{
		"a path":                    {writes, object("path", "data/a"), nil},
		"a path elsewhere":          {writes, object("path", "other/a"), []string{"path"}},
		"a path out of the folder":  {writes, object("path", "data/../other"), []string{"path"}},
		"an absolute path":          {`file: write: {root: "data", path: "${inputs.path}", content: ""}`, object("path", "/etc/x"), []string{"path"}},
		"a path below a root":       {`file: write: {root: "data", path: "${inputs.path}", content: ""}`, object("path", "x"), nil},
		"a path above a root":       {`file: write: {root: "data", path: "${inputs.path}", content: ""}`, object("path", "../x"), []string{"path"}},
		"a root":                    {`file: write: {root: "${inputs.at}", path: "x", content: ""}`, object("at", "other"), []string{"at"}},
		"a name with wildcards":     {`file: write: {path: "data/a[1]/${inputs.path}", content: ""}`, object("path", "*"), nil},
		"an unknown path":           {writes, object("path", unknown), nil},
		"a path in part unknown":    {`file: write: {path: "${inputs.path}/${inputs.at}", content: ""}`, object("path", "other", "at", unknown), nil},
		"a path that may be read":   {`file: copy: {from: "${inputs.path}", path: "data/x"}`, object("path", "shared/x"), nil},
		"a path that may not be":    {`file: copy: {from: "${inputs.path}", path: "data/x"}`, object("path", "other/x"), []string{"path"}},
		"an archive's folder":       {`file: mkdir: path: "${inputs.path}"`, object("path", "other"), []string{"path"}},
		"a grant chosen":            {writes, object("path", "own/me/x", "owner", "me"), nil},
		"a grant chosen otherwise":  {writes, object("path", "own/you/x", "owner", "me"), []string{"path"}},
		"a grant not known":         {writes, object("path", "own/you/x", "owner", unknown), nil},
		"a nested input":            {`{if: "${inputs.deep != null}", file: write: {path: "${inputs.deep.path}", content: ""}}`, object("deep", object("path", "x")), []string{"deep.path"}},
		"a host":                    {requests, object("at", "https://api.test"), nil},
		"another host":              {requests, object("at", "https://evil.test"), []string{"at"}},
		"another scheme":            {requests, object("at", "http://api.test"), []string{"at"}},
		"no host":                   {requests, object("at", "relative"), nil},
		"an unknown host":           {requests, object("at", unknown), nil},
		"a host before what is not": {`http: {url: "${inputs.at}/${inputs.path}", effect: "write"}`, object("at", "https://evil.test", "path", unknown), []string{"at"}},
		"a host in part unknown":    {`http: {url: "https://${inputs.region}.test/x", effect: "write"}`, object("region", unknown), nil},
		"a part of a host":          {`http: {url: "https://${inputs.region}.test/x", effect: "write"}`, object("region", "eu"), []string{"region"}},
		"a base":                    {`http: {baseURL: "${inputs.at}", path: "/x", effect: "write"}`, object("at", "https://evil.test"), []string{"at"}},
		"a base that is not used": {
			`http: {baseURL: "https://${inputs.region}.test", url: "${inputs.at}/x", effect: "write"}`, object("region", "eu"), nil,
		},
		"a machine":                  {`exec: {command: ["tool"], ssh: {host: "${inputs.machine}", user: "me", password: "x", hostKey: "any"}}`, object("machine", "m.test"), nil},
		"another machine":            {`exec: {command: ["tool"], ssh: {host: "${inputs.machine}", user: "me", password: "x", hostKey: "any"}}`, object("machine", "other.test"), []string{"machine"}},
		"a program":                  {runs, object("program", "tool"), nil},
		"another program":            {runs, object("program", "sh"), []string{"program"}},
		"an unknown program":         {runs, object("program", unknown), nil},
		"another command line":       {`exec: command: "${inputs.argv}"`, object("argv", []any{"sh", "-c", "x"}), []string{"argv"}},
		"a step that does not run":   {`{if: "${inputs.on}", ` + writes + `}`, object("path", "x", "on", false), nil},
		"a step that may run":        {`{if: "${inputs.on}", ` + writes + `}`, object("path", "x", "on", unknown), nil},
		"a step that runs":           {`{if: "${inputs.on}", ` + writes + `}`, object("path", "x"), []string{"path"}},
		"elements of a list":         {`{forEach: "${inputs.paths}", file: write: {path: "${each.value}", content: ""}}`, object("paths", []any{"a", "data/b", unknown, "c"}), []string{"paths[0]", "paths[3]"}},
		"elements of a map":          {`{forEach: "${inputs.parts}", file: write: {path: "${each.value.path}", content: ""}}`, object("parts", object("a", object("path", "x"), "b", object("path", "data/x"))), []string{"parts.a.path"}},
		"keys of a map":              {`{forEach: "${inputs.parts}", file: write: {path: "${each.key}", content: ""}}`, object("parts", object("a.b", object("path", "x"))), []string{`parts["a.b"]`}},
		"what elements are made of":  {`{forEach: "${filter(inputs.paths, # != \"\")}", file: write: {path: "${each.value}", content: ""}}`, object("paths", []any{"a"}), []string{"paths"}},
		"an element that is no part": {`{forEach: "${inputs.paths}", file: write: {path: "${inputs.path}", content: ""}}`, object("paths", []any{"a", "b"}, "path", "x"), []string{"path"}},
		"a later step":               {`{steps: [{` + runs + `}, {` + writes + `}]}`, object("program", "tool", "path", "x"), []string{"path"}},
		"what a step answers":        {`{steps: [{as: "where", file: read: path: "shared/where"}, {file: write: {path: "${steps.where.content}/${inputs.path}", content: ""}}]}`, object("path", "x"), nil},
		"update and delete":          {`file: write: {path: "data/x", content: ""}`, object("path", "x"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := newWorld().engine(t, asking(tc.create))
			out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: tc.inputs})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(name, "a grant ") { // grants that depend on no input say the same
				same, _ := newWorld().engine(t, strings.Replace(asking(tc.create), `, "own/${inputs.owner}/**"`, "", 1))
				other, err := same.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: tc.inputs})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(paths(out.Failures), paths(other.Failures)); diff != "" {
					t.Errorf("with grants that depend on no input, Check refuses (-want +got):\n%s", diff)
				}
			}
			var got []string
			for _, f := range out.Failures {
				got = append(got, f.Path)
				if !strings.Contains(f.Reason, "`permissions: ") || !strings.Contains(f.Reason, "declprov permissions") {
					t.Errorf("%s does not say what grants it: %s", f.Path, f.Reason)
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("Check refuses %q, want %q (%+v)", got, tc.want, out.Failures)
			}
			// A preview agrees, of what Check has let pass, too.
			made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: out.Inputs, Preview: true})
			if refused := made.Err != nil; refused != (tc.want != nil) {
				t.Errorf("the preview fails: %v, want %t", made.Err, tc.want != nil)
			}
			if made.Err != nil && tc.want != nil && !strings.Contains(made.Err.Error(), tc.want[0]+": ") {
				t.Errorf("the preview does not blame %s: %v", tc.want[0], made.Err)
			}
		})
	}
}

// paths are what failures are about.
func paths(list []engine.Failure) []string {
	out := []string{}
	for _, f := range list {
		out = append(out, f.Path)
	}
	return out
}

// What only earlier steps of the preview tell is refused there.
func TestUngrantedAnswer(t *testing.T) {
	t.Parallel()
	for name, granted := range map[string]bool{"data": true, "other": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld().on("where", yields("at", name))
			e, _ := w.engine(t, asking(`steps: [{as: "where", preview: true, world: look: what: "where"}, {file: write: {path: "${steps.where.at}/${inputs.path}", content: ""}}]`))
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("path", "x")), Preview: true})
			if (out.Err == nil) != granted {
				t.Fatalf("the preview: %v, want granted: %t", out.Err, granted)
			}
			if !granted && !strings.Contains(out.Err.Error(), "path: ") {
				t.Errorf("it does not blame the input: %v", out.Err)
			}
		})
	}
}

// An update asks for what its own steps need: a resource that is there is checked
// without regard to create, and previewed with regard to update.
func TestUngrantedUpdate(t *testing.T) {
	t.Parallel()
	e, _ := newWorld().engine(t, asking(`file: write: {path: "data/x", content: ""}`))
	old := created(t, e, "Thing", object("path", "a"))
	news := object("path", "b", "on", true)
	out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: old, Inputs: news, Preview: true})
	if out.Err == nil || !strings.Contains(out.Err.Error(), "path: ") {
		t.Errorf("the preview of the update: %v, want path to be blamed", out.Err)
	}
	strict, _ := newWorld().engine(t, asking(writes))
	got, err := strict.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), Old: old.Inputs, HasOld: true, New: news})
	if err != nil || len(got.Failures) > 0 {
		t.Errorf("a resource that is there: %v, %+v", err, got.Failures)
	}
}

// A secret that is not granted is refused, and not shown; nor is a grant made of one.
func TestUngrantedSecret(t *testing.T) {
	t.Parallel()
	const canary = "canary.example"
	e, _ := newWorld().engineWith(t, `
config: own: string @secret()
permissions: hosts: ["ssh://${config.own}"]
resources: Thing: {
	inputs: host: string
	id: "it"
	create: exec: {command: ["true"], ssh: {host: "${inputs.host}", user: "me", password: "x", hostKey: "any"}}
	delete: world: do: what: "remove"
}`, object("own", "granted-"+canary))
	inputs := object("host", secret(canary))
	out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: inputs})
	if err != nil || len(out.Failures) != 1 || out.Failures[0].Path != "host" ||
		!strings.Contains(out.Failures[0].Reason, "`permissions: hosts`") || strings.Contains(out.Failures[0].Reason, canary) {
		t.Errorf("Check: %v, %+v", err, out.Failures)
	}
	made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs, Preview: true})
	if made.Err == nil || !strings.Contains(made.Err.Error(), "`permissions: hosts`") || strings.Contains(made.Err.Error(), canary) {
		t.Errorf("the preview: %v", made.Err)
	}
}

// A configuration that is not known may grant anything.
func TestUngrantedByUnknownConfiguration(t *testing.T) {
	t.Parallel()
	e, _ := newWorld().engineWith(t, asking(writes), object("root", unknown))
	if out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: object("path", "x")}); err != nil || len(out.Failures) > 0 {
		t.Errorf("%v, %+v", err, out.Failures)
	}
}

// What one resource is granted, another of the same engine may not be: only an answer
// that is everybody's is remembered.
func TestGrantsAreRememberedForAll(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spec             string
		granted, refused property.Map
	}{
		"a request by inputs": {
			`permissions: write: ["data/**"]
resources: Thing: {inputs: path: string, id: "it", create: file: write: {path: "${inputs.path}", content: ""}, delete: file: delete: path: "data/x"}`,
			object("path", "data/x"), object("path", "other/x"),
		},
		"a grant by inputs": {
			`permissions: write: ["own/${inputs.owner}/**"]
resources: Thing: {inputs: owner: string, id: "it", create: file: write: {path: "own/me/x", content: ""}, delete: file: delete: path: "own/me/x"}`,
			object("owner", "me"), object("owner", "you"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := newWorld().engine(t, tc.spec)
			for range 2 {
				for _, c := range []struct {
					inputs property.Map
					fails  bool
				}{{tc.granted, false}, {tc.refused, true}} {
					out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: c.inputs, Preview: true})
					if (out.Err != nil) != c.fails {
						t.Errorf("the preview with %v: %v, want an error: %v", c.inputs, out.Err, c.fails)
					}
				}
			}
		})
	}
}

// Whoever skips the preview is refused before the first step and the first turn, in
// whatever operation: nothing is half done, and the input is named.
func TestUngrantedIsRefusedBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	const spec = `
permissions: {read: ["data/**"], write: ["data/**"]}
resources: Thing: {
	inputs: {path: *"data/x" | string, paths: *[] | [...string]}
	id: "it"
	create: CHANGE
	update: CHANGE
	delete: CHANGE
}
functions: go: {inputs: {path: *"data/x" | string, paths: *[] | [...string]}, outputs: {}, LOOK, return: {}}`
	for name, tc := range map[string]struct {
		change, look, property string
		inputs                 property.Map
	}{
		"a later step": {
			`steps: [{world: do: what: "first"}, {file: write: {path: "${inputs.path}", content: "", overwrite: true}}]`,
			`steps: [{world: look: what: "first"}, {file: read: path: "${inputs.path}"}]`, "path", object("path", "other/x"),
		},
		"a later turn": {
			`{forEach: "${inputs.paths}", file: write: {path: "${each.value}", content: ""}}`,
			`forEach: "${inputs.paths}", file: read: path: "${each.value}"`, "paths[1]", object("paths", []any{"data/a", "other/b"}),
		},
		"the only step": {
			`file: write: {path: "${inputs.path}", content: "", overwrite: true}`, `file: read: path: "${inputs.path}"`, "path", object("path", "other/x"),
		},
	} {
		for verb, call := range map[string]func(e *engine.Engine, old engine.State) error{
			"create": func(e *engine.Engine, _ engine.State) error {
				return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: tc.inputs}).Err
			},
			"update": func(e *engine.Engine, old engine.State) error {
				return e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: old, Inputs: tc.inputs}).Err
			},
			"delete": func(e *engine.Engine, old engine.State) error {
				old.Inputs = tc.inputs
				return e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: old})
			},
			"function": func(e *engine.Engine, _ engine.State) error {
				_, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "go", Args: tc.inputs})
				return err
			},
		} {
			t.Run(name+"/"+verb, func(t *testing.T) {
				t.Parallel()
				w := newWorld()
				e, dir := w.engine(t, strings.NewReplacer("CHANGE", tc.change, "LOOK", tc.look).Replace(spec))
				was := object("path", "data/x", "paths", []any{})
				err := call(e, engine.State{ID: "it", Inputs: was, Outputs: was})
				if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), tc.property+": ") {
					t.Errorf("%v, want %s to be blamed", err, tc.property)
				}
				if calls := w.log(); len(calls) > 0 {
					t.Errorf("it was done before: %q", calls)
				}
				if _, err := os.Lstat(filepath.Join(dir, "data")); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("a file was written before: %v", err)
				}
			})
		}
	}
}

// A create that goes on and is refused keeps what it had done.
func TestUngrantedKeepsWhatWasDone(t *testing.T) {
	t.Parallel()
	const spec = `
config: root: string
permissions: write: ["${config.root}/**"]
resources: Thing: {
	inputs: path: string
	id: "${inputs.path}"
	create: steps: [
		{world: do: what: "first"}, {world: do: what: "second"}, {file: write: {path: "${inputs.path}", content: "", overwrite: true}},
	]
}`
	w := newWorld().on("second", failed("not yet"), actions.Succeed(nil))
	before, _ := w.engineWith(t, spec, object("root", "data"))
	made := before.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("path", "data/x")})
	if made.Err == nil || made.State == nil {
		t.Fatalf("%+v", made)
	}
	narrow, _ := w.engineWith(t, spec, object("root", "other"))
	refused := narrow.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("path", "data/x")})
	if !errors.Is(refused.Err, fs.ErrPermission) || refused.State == nil {
		t.Fatalf("%+v", refused)
	}
	after := before.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *refused.State, Inputs: object("path", "data/x")})
	if after.Err != nil {
		t.Fatal(after.Err)
	}
	if diff := cmp.Diff([]string{"first", "second", "second"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
