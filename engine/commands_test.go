//go:build unix

package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/process/supervisor"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/permissions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
)

// TestMain lets this binary be the supervisor of the commands that it runs.
func TestMain(m *testing.M) {
	if supervisor.Main(os.Args) {
		return
	}
	// Nothing of the user's is written, and no test sees what another one left.
	dir, err := os.MkdirTemp("", "journal")
	if err == nil {
		err = os.Setenv("DECLPROV_JOURNAL", dir)
	}
	if err != nil {
		panic(err)
	}
	flag.Parse()
	if err := takeSample(); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// note is a resource that is a file made by commands.
const note = `
permissions: {run: ["sh", "/bin/cat"], write: ["**"]}
resources: Note: {
	inputs: {name: string @replace(), text: string, key?: string @secret() @noRead()}
	outputs: size: int
	id: "${inputs.name}"
	create: exec: {command: ["sh", "-c", "cat > \"$1\"; echo wrote \"$1\" with key $KEY", "sh", "${inputs.name}"], stdin: "${inputs.text}", env: KEY: "${inputs.key}"}
	read: exec: {
		command: ["sh", "-c", "test -e \"$1\" || exit 44; printf '{\"name\": \"%s\", \"size\": %d, \"text\": \"%s\"}' \"$1\" $(wc -c < \"$1\") \"$(cat \"$1\")\"", "sh", "${id}"]
		stdout: "json", exitCodes: gone: [44], effect: "none"
	}
	update: exec: {command: ["sh", "-c", "cat > \"$1\"", "sh", "${id}"], stdin: "${inputs.text}"}
	delete: exec: command: ["rm", "--", "${id}"]
}`

func TestCommands(t *testing.T) {
	spec := strings.Replace(note, `["sh", "/bin/cat"]`, `["sh", "rm"]`, 1)
	e, dir := newWorld().engine(t, spec)
	state := created(t, e, "Note", object("name", "a b", "text", "hello"))
	if got, err := os.ReadFile(filepath.Join(dir, "a b")); err != nil || string(got) != "hello" {
		t.Fatalf("%q, %v", got, err)
	}
	if diff := cmp.Diff(object("name", "a b", "text", "hello", "size", 5), state.Outputs, values); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "a b"), []byte("drifted"), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Note"), State: state})
	if seen.Err != nil {
		t.Fatal(seen.Err)
	}
	if diff := cmp.Diff(object("name", "a b", "text", "drifted"), seen.State.Inputs, values); diff != "" {
		t.Errorf("inputs after drift (-want +got):\n%s", diff)
	}
	if out := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Note"), State: state}); out != nil {
		t.Fatal(out)
	}
	if seen := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Note"), State: state}); !seen.Gone || seen.Err != nil {
		t.Errorf("after delete: %+v", seen)
	}
}

func TestProgramsAreGranted(t *testing.T) {
	for name, test := range map[string]struct {
		permissions, command string
		mistakes             []string
		refused              bool
	}{
		"without a block, what a step names":      {"", `["true"]`, nil, false},
		"a path":                                  {"", `["/bin/true"]`, nil, false},
		"a path below the program":                {"", `["tools/true"]`, nil, false},
		"by the configuration":                    {"", `["${config.program}"]`, nil, false},
		"without a block, not what a value names": {"", `["${inputs.name}"]`, []string{"not-permitted"}, false},
		"nor a list of values":                    {"", `"${inputs.words}"`, []string{"not-permitted"}, false},
		"named":                                   {`permissions: run: ["true"]`, `["true"]`, nil, false},
		"another":                                 {`permissions: run: ["true"]`, `["false"]`, []string{"not-permitted"}, false},
		"none":                                    {`permissions: {}`, `["true"]`, []string{"not-permitted"}, false},
		"by a value":                              {`permissions: run: ["true"]`, `["${inputs.name}"]`, nil, true},
		"by the program":                          {`permissions: run: ["${inputs.name}"]`, `["${inputs.name}"]`, nil, false},
		"a path for a name":                       {`permissions: run: ["/usr/bin/true"]`, `["true"]`, nil, false},
		"a name for a path":                       {`permissions: run: ["true"]`, `["/usr/bin/true"]`, nil, false},
		"a name for another path of that last name": {`permissions: run: ["true"]`, `["/tmp/true"]`, nil, true},
		"the interpreter": {`permissions: run: ["true"]`, "", []string{"not-permitted"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			create := `exec: command: ` + test.command
			if test.command == "" {
				create = `exec: shell: "true"`
			}
			spec := test.permissions + `
config: program: *"true" | string
resources: It: {
	inputs: {name: *"uname" | string, words: *["true"] | [...string]}
	id: "it"
	create: ` + create + `
	delete: world: do: what: "remove"
}`
			w := newWorld()
			_, diags := w.compile(t, spec)
			if diff := cmp.Diff(test.mistakes, codesOf(diags)); diff != "" {
				t.Fatalf("mistakes (-want +got):\n%s%+v", diff, diags)
			}
			if diags.HasErrors() {
				return
			}
			e, dir := w.engine(t, spec)
			if err := os.MkdirAll(filepath.Join(dir, "tools"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("/bin/true", filepath.Join(dir, "tools", "true")); err != nil {
				t.Fatal(err)
			}
			// Whatever Check has said, the run refuses it too.
			checked, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("It")})
			if err != nil {
				t.Fatal(err)
			}
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: checked.Inputs})
			if refused := errors.Is(out.Err, fs.ErrPermission); refused != test.refused || !refused && out.Err != nil || refused && out.State != nil {
				t.Errorf("%+v, %v", out.State, out.Err)
			}
		})
	}
}

// TestNamedPrograms: what a spec without a block may run is shown to who reviews
// it.
func TestNamedPrograms(t *testing.T) {
	prog, diags := newWorld().compile(t, `
config: git: *"git" | string
exec: interpreter: ["/bin/bash", "-c"]
resources: It: {
	inputs: {}
	id: "it"
	create: steps: [{exec: shell: "true", onFailure: [{exec: command: ["rm", "it"]}]}]
	read: {exec: {command: ["${config.git}", "status"], effect: "none"}, return: {}}
	delete: exec: command: ["rm", "it"]
}`)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	grants, err := permissions.List(prog.Program)
	if err != nil {
		t.Fatal(err)
	}
	want := []permissions.Grant{
		{
			Access: "run", Pattern: "${config.git}", Implied: true, Confined: plan.Unconfined,
			Settings: []permissions.Setting{{Name: "config.git", Default: `"git"`}},
		},
		{Access: "run", Pattern: "/bin/bash", Implied: true, Confined: plan.Unconfined},
		{Access: "run", Pattern: "rm", Implied: true, Confined: plan.Unconfined},
	}
	if diff := cmp.Diff(want, grants); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

// TestConfinement: who reviews a spec is told what its grants bind.
func TestConfinement(t *testing.T) {
	for name, test := range map[string]struct {
		block, first, second string
		want                 plan.Confinement
	}{
		"no block":                  {"", "", "", plan.Unconfined},
		"a block":                   {`permissions: run: ["true"]`, "", "", plan.Attempted},
		"a block, and required":     {`permissions: run: ["true"]`, `, sandbox: "required"`, `, sandbox: "required"`, plan.Enforced},
		"a block, required once":    {`permissions: run: ["true"]`, `, sandbox: "required"`, `, sandbox: "auto"`, plan.Attempted},
		"a block, and off once":     {`permissions: run: ["true"]`, "", `, sandbox: "off"`, plan.Mixed},
		"a block, and off":          {`permissions: run: ["true"]`, `, sandbox: "off"`, `, sandbox: "off"`, plan.Unconfined},
		"no block, required once":   {"", "", `, sandbox: "required"`, plan.Mixed},
		"required for all commands": {`exec: sandbox: "required"`, "", "", plan.Enforced},
	} {
		prog, diags := newWorld().compile(t, fmt.Sprintf(`%s
resources: It: {
	inputs: {}
	id: "it"
	create: exec: {command: ["true"]%s}
	delete: exec: {command: ["true"]%s}
}`, test.block, test.first, test.second))
		if diags.HasErrors() {
			t.Fatal(name, diags)
		}
		grants, err := permissions.List(prog.Program)
		if err != nil || len(grants) != 1 {
			t.Fatal(name, grants, err)
		}
		if got := grants[0].Confined; got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestArgumentsOfACommand: what values may be in a command line, and what not.
func TestArgumentsOfACommand(t *testing.T) {
	for name, test := range map[string]struct {
		command string
		inputs  property.Map
		want    []string // lines
		fails   string
	}{
		"words":                      {`["printf", "%s\\n", "a b", "$(id)", "'"]`, object(), []string{"a b", "$(id)", "'"}, ""},
		"scalars":                    {`["printf", "%s\\n", "${inputs.n}", "${inputs.b}", 7]`, object("n", 3), []string{"3", "true", "7"}, ""},
		"a list among them":          {`["printf", "%s\\n", "${inputs.list}", "z"]`, object("list", []any{"x", "y"}), []string{"x", "y", "z"}, ""},
		"an empty list":              {`["printf", "%s\\n", "${inputs.list}", "z"]`, object("list", []any{}), []string{"z"}, ""},
		"what is absent":             {`["printf", "%s\\n", "${inputs.s}", "z"]`, object(), []string{"z"}, ""},
		"the whole":                  {`"${inputs.list ?? []}"`, object("list", []any{"printf", "x"}), []string{"x"}, ""},
		"the author's dash":          {`["printf", "%s\\n", "-x"]`, object(), []string{"-x"}, ""},
		"a dash of a value":          {`["printf", "%s\\n", "${inputs.s}"]`, object("s", "-x"), nil, "begins with"},
		"in a list":                  {`["printf", "%s\\n", "${inputs.list}"]`, object("list", []any{"a", "-x"}), nil, "begins with"},
		"by two values":              {`["printf", "%s\\n", "${inputs.s ?? \"\"}${inputs.n ?? 0}"]`, object("s", "-", "n", 1), nil, "begins with"},
		"a negative number":          {`["printf", "%s\\n", "${inputs.n}"]`, object("n", -1), nil, "begins with"},
		"behind the author's text":   {`["printf", "%s\\n", "x=${inputs.s ?? \"\"}"]`, object("s", "-x"), []string{"x=-x"}, ""},
		"after --":                   {`["printf", "--", "%s\\n", "${inputs.s}"]`, object("s", "-x"), []string{"-x"}, ""},
		"after a value that says --": {`["printf", "%s\\n", "${inputs.list}"]`, object("list", []any{"--", "-x"}), nil, "begins with"},
		"a NUL":                      {`["printf", "%s\\n", "${inputs.s}"]`, object("s", "a\x00b"), nil, "NUL"},
		"an object":                  {`["printf", "%s\\n", "${inputs.any}"]`, object("any", property.New(object("a", 1))), nil, "command[2]: expected a string, number or boolean, got an object"},
		"a secret that Check missed": {`["printf", "%s\\n", "${inputs.any}"]`, object("any", secret("hidden")), nil, "secret"},
		"too long":                   {`["printf", "%s\\n", "${inputs.s}"]`, object("s", strings.Repeat("x", 3<<20)), nil, "stdin"},
	} {
		t.Run(name, func(t *testing.T) {
			e, dir := newWorld().engine(t, `permissions: {run: ["printf"], read: ["**"]}
resources: It: {
	inputs: {s?: string, n?: int, b: *true | bool, list?: [...string], any?: _}
	outputs: lines: [...string]
	id: "it"
	create: {
		exec: {command: `+test.command+`, stdout: "lines"}
		return: lines: "${result.stdout}"
	}
	delete: world: do: what: "remove"
}`)
			_ = dir
			inputs := check(t, e, "It", test.inputs.Delete("any"))
			if v, ok := test.inputs.GetOk("any"); ok {
				inputs = inputs.Set("any", v)
			}
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: inputs})
			if test.fails != "" {
				if out.Err == nil || !strings.Contains(out.Err.Error(), test.fails) || out.State != nil {
					t.Fatalf("%+v, %v", out.State, out.Err)
				}
				return
			}
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			var got []string
			for _, v := range out.State.Outputs.Get("lines").AsArray().All {
				got = append(got, v.AsString())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCommandMistakes are what vet says of commands.
func TestCommandMistakes(t *testing.T) {
	for name, test := range map[string]struct{ create, want string }{
		"a template in a script":      {`exec: {shell: "echo ${inputs.name}"}`, "no-templates"},
		"a script of text and values": {`exec: {command: ["sh", "-c", "echo ${inputs.name}"]}`, "bad-call"},
		"after other options":         {`exec: {command: ["/bin/bash", "-eu", "-o", "pipefail", "-xc", "--", "echo ${inputs.name}"]}`, "bad-call"},
		"a script of a value":         {`exec: {command: ["sh", "-c", "--", "${inputs.name}"]}`, ""},
		"a script and values":         {`exec: {command: ["sh", "-c", "echo $1", "sh", "a ${inputs.name}"]}`, ""},
		"a secret argument":           {`exec: {command: ["echo", "${inputs.key}"]}`, "secret-exposed"},
		"a secret within":             {`exec: {command: ["echo", "--key=${inputs.key ?? \"\"}"]}`, "secret-exposed"},
		"a secret folder":             {`exec: {command: ["pwd"], dir: "${inputs.key}"}`, "secret-exposed"},
		"a secret variable":           {`exec: {command: ["env"], env: KEY: "${inputs.key}", stdin: "${inputs.key}"}`, ""},
		"both":                        {`exec: {command: ["env"], shell: "env"}`, "conflicting-arguments"},
		"neither":                     {`exec: {stdin: "x"}`, "missing-argument"},
		"no program":                  {`exec: {command: []}`, "bad-call"},
		"a struct in a command":       {`exec: {command: ["echo", {a: 1}]}`, "type-mismatch"},
		"text for a command":          {`exec: {command: "echo hello"}`, "type-mismatch"},
		"a variable's name":           {`exec: {command: ["env"], env: "A=B": "x"}`, "bad-call"},
		"returns of text":             {`exec: {command: ["env"], returns: #Pet}`, "bad-call"},
		"a time":                      {`exec: {command: ["env"], timeout: "soon"}`, "bad-call"},
		"an exit code":                {`exec: {command: ["env"], exitCodes: ok: [256]}`, "value-not-allowed"},
		"other exit codes":            {`exec: {command: ["env"], exitCodes: {refused: "others", gone: [4]}}`, ""},
		"others twice":                {`exec: {command: ["env"], exitCodes: {refused: "others", gone: "others"}}`, "bad-call"},
		"no such exit codes":          {`exec: {command: ["env"], exitCodes: refused: "rest"}`, "value-not-allowed"},
		"two meanings":                {`exec: {command: ["env"], exitCodes: {refused: [4], gone: [4]}}`, "bad-call"},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, `#Pet: {name: string}
permissions: run: ["sh", "/bin/bash", "echo", "pwd", "env", "/bin/sh"]
resources: It: {
	inputs: {name: string, key?: string @secret()}
	id: "it"
	create: `+test.create+`
	delete: world: do: what: "remove"
}`)
			if got := strings.Join(slices.Compact(codesOf(diags)), " "); got != test.want {
				t.Errorf("codes %q, want %q: %+v", got, test.want, diags)
			}
		})
	}
}

// TestSecretsOfACommand: what a command writes shows no secret, on no way.
func TestSecretsOfACommand(t *testing.T) {
	e, _ := newWorld().engine(t, `
resources: It: {
	inputs: {key: string @secret(), code: int}
	outputs: {stdout: string, stderr: string}
	id: "it"
	create: exec: {
		// In pieces, over several writes.
		shell: """
			cat > key; printf 'out '; head -c 10 key; sleep 0.1; tail -c +11 key; echo; base64 key >&2; cat key >&2; printf 'and half: '; head -c 12 key >&2; exit $CODE
			"""
		env: {CODE: "${inputs.code}", KEY: "${inputs.key}"}
		stdin: "${inputs.key}"
		log:   "both"
	}
	delete: world: do: what: "remove"
}`)
	const key = "canary-4f1c\nsecond-line-of-it-9b2d"
	for _, code := range []int{0, 9} {
		var log recorder
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: object("key", secret(key), "code", code), Log: &log})
		if (out.Err != nil) != (code != 0) {
			t.Fatal(out.Err)
		}
		shown := strings.Join(append(log.messages, log.status...), "\n")
		if out.Err != nil {
			shown += out.Err.Error()
		}
		if !strings.Contains(shown, "out [secret]") {
			t.Errorf("what was written is not shown: %q", shown)
		}
		for _, hint := range []string{"canary-4f1c", "second-line-of", "Y2FuYXJ5"} {
			if strings.Contains(shown, hint) {
				t.Errorf("%q is shown: %q", hint, shown)
			}
		}
		if code == 0 {
			for name, v := range out.State.Outputs.All {
				if name != "code" && !v.Secret() {
					t.Errorf("output %s is not secret: %v", name, v)
				}
			}
		}
	}
}

// TestCommandFails: what a command leaves that failed, and what of it is repeated.
func TestCommandFails(t *testing.T) {
	for name, test := range map[string]struct {
		step  string
		fails string
		kept  bool
		runs  int
	}{
		"an exit code":         {`exec: {shell: "echo run >> runs; echo no good >&2; exit 3"}`, "exit code 3: no good", false, 1},
		"said on stdout":       {`exec: {shell: "echo run >> runs; echo no good; exit 3"}`, "exit code 3: no good", false, 1},
		"said in JSON":         {`exec: {shell: "echo run >> runs; echo '{\"why\": \"no good\"}'; exit 3", stdout: "json", error: "${stdout.why}"}`, "exit code 3: no good", false, 1},
		"ok":                   {`exec: {shell: "echo run >> runs; exit 3", exitCodes: ok: [0, 3]}`, "", true, 1},
		"a signal":             {`exec: {shell: "echo run >> runs; kill -9 $$"}`, "SIGKILL", false, 1},
		"its own time":         {`exec: {shell: "echo run >> runs; echo so far >&2; sleep 1000", timeout: "10s"}`, "longer than its timeout of 10s, and was ended: so far", false, 1},
		"the step's time":      {`{exec: {shell: "echo run >> runs; sleep 1000"}, timeout: "10s"}`, "it took longer than 10s", false, 1},
		"repeated by code":     {`{exec: {shell: "echo run >> runs; exit 75"}, retry: {on: [75], attempts: 3, backoff: "1ms"}}`, "exit code 75", false, 3},
		"not by another":       {`{exec: {shell: "echo run >> runs; exit 3"}, retry: {on: [75], attempts: 3, backoff: "1ms"}}`, "exit code 3", false, 1},
		"repeated by time":     {`{exec: {shell: "echo run >> runs; sleep 1000", timeout: "10s", idempotent: true}, retry: {on: ["timeout"], attempts: 2, backoff: "1ms"}}`, "timeout", false, 2},
		"until it works":       {`{exec: {shell: "echo run >> runs; test $(wc -l < runs) = 3", idempotent: true}, retry: {attempts: 5, backoff: "1ms"}}`, "", true, 3},
		"refused":              {`exec: {shell: "echo run >> runs; exit 9", exitCodes: refused: [9]}`, "exit code 9", false, 1},
		"what did not start":   {`exec: {command: ["./none"]}`, "does not exist, or the interpreter", false, 0},
		"in no folder":         {`exec: {command: ["true"], dir: "none"}`, "no such file", false, 0},
		"no program":           {`exec: {command: ["no-such-program-here"]}`, "was not found in PATH", false, 0},
		"no JSON":              {`{exec: {shell: "echo run >> runs; echo x", stdout: "json"}, fail: "${result.stdout == 1 ? \"one\" : null}"}`, "cannot be read as JSON", false, 1},
		"a judgement":          {`{exec: {shell: "echo run >> runs; echo bad"}, fail: "${result.stdout == \"bad\" ? \"it is bad\" : null}"}`, "it is bad", false, 1},
		"it only looks":        {`{exec: {shell: "echo run >> runs; exit 1", effect: "none"}}`, "exit code 1", false, 1},
		"more than is allowed": {`{exec: {shell: "echo run >> runs; echo 1234567890", maxBytes: 5}, fail: "${result.stdout == \"\" ? \"x\" : null}"}`, "exceeds maxBytes (5 bytes)", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // some wait for a timeout that a busy machine meets
			e, dir := newWorld().engine(t, `
resources: It: {
	inputs: {}
	id: "it"
	create: `+test.step+`
	delete: world: do: what: "remove"
}`)
			began := time.Now()
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: object()})
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			switch {
			case test.fails == "" && out.Err != nil:
				t.Error(out.Err)
			case test.fails != "" && (out.Err == nil || !strings.Contains(out.Err.Error(), test.fails)):
				t.Errorf("error is %v, want one of %q", out.Err, test.fails)
			}
			if kept := out.State != nil; kept != test.kept {
				t.Errorf("kept: %t, want %t", kept, test.kept)
			}
			runs, _ := os.ReadFile(filepath.Join(dir, "runs")) // none is none
			if n := strings.Count(string(runs), "run\n"); n != test.runs {
				t.Errorf("it ran %d times, want %d", n, test.runs)
			}
		})
	}
}

// TestExitCodes checks what exit codes mean: to a create, whose journal lists it unless it was
// refused, and to a read.
func TestExitCodes(t *testing.T) {
	for name, test := range map[string]struct {
		codes string
		code  int
		want  actions.Status
	}{
		"0":                   {"{}", 0, actions.Done},
		"another":             {"{}", 3, actions.Failed},
		"listed":              {"refused: [3]", 3, actions.Refused},
		"not listed":          {"refused: [3]", 4, actions.Failed},
		"others are refused":  {`refused: "others"`, 4, actions.Refused},
		"but 0 is not":        {`refused: "others"`, 0, actions.Done},
		"others but listed":   {`{refused: "others", ok: [0, 4]}`, 4, actions.Done},
		"others but gone":     {`{refused: "others", gone: [4]}`, 4, actions.Gone},
		"others are gone":     {`gone: "others"`, 7, actions.Gone},
		"others are success":  {`{ok: "others", refused: [9]}`, 7, actions.Done},
		"listed beside them":  {`{ok: "others", refused: [9]}`, 9, actions.Refused},
		"0, if others are ok": {`{ok: "others", refused: [0]}`, 0, actions.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newWorld().engine(t, fmt.Sprintf(`
resources: It: {
	inputs: {}
	id: "it"
	create: exec: {shell: "exit %d", exitCodes: %s}
	delete: world: do: what: "remove"
}`, test.code, test.codes))
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: object()})
			var failed *operation.StepError
			got := actions.Done
			if errors.As(out.Err, &failed) {
				got = failed.Status
			}
			if got != test.want {
				t.Errorf("%v, want %v (%v)", got, test.want, out.Err)
			}
		})
	}
}

// TestFindPrintsNull checks that a find whose command prints null has found nothing.
func TestFindPrintsNull(t *testing.T) {
	for name, find := range map[string]string{
		"untyped":           `exec: {shell: "cat found", stdout: "json", effect: "none"}`,
		"typed":             `exec: {shell: "cat found", stdout: "json", returns: #It, effect: "none"}`,
		"typed, and return": `{exec: {shell: "cat found", stdout: "json", returns: #It, effect: "none"}, return: "${result.stdout}"}`,
		"return":            `{exec: {shell: "cat found", stdout: "json", effect: "none"}, return: "${result.stdout}"}`,
	} {
		for found, want := range map[string]bool{"null": true, `{"name": "it"}`: false} {
			t.Run(name+" "+found, func(t *testing.T) {
				e, dir := newWorld().engine(t, `
#It: {name: string}
resources: It: {
	inputs: {}
	id: "it"
	create: world: do: what: "make"
	find: `+find+`
	delete: world: do: what: "remove"
}`)
				if err := os.WriteFile(filepath.Join(dir, "found"), []byte(found), 0o600); err != nil {
					t.Fatal(err)
				}
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: object()})
				if made := out.State != nil; made != want {
					t.Errorf("created: %t, want %t (%v)", made, want, out.Err)
				}
			})
		}
	}
}

// TestWhoLeftSomething checks that an error speaks of earlier attempts only if there are any.
func TestWhoLeftSomething(t *testing.T) {
	e, _ := newWorld().engine(t, `
resources: It: {
	inputs: {}
	id: "it"
	create: exec: {shell: "exit 3"}
	delete: world: do: what: "remove"
}`)
	for attempt, want := range []bool{false, true} {
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: object()})
		if out.Err == nil || strings.Contains(out.Err.Error(), "an earlier attempt") != want || !strings.Contains(out.Err.Error(), "may have left something") {
			t.Errorf("attempt %d: %v", attempt+1, out.Err)
		}
	}
}

// TestNothingRunsInAPreview but what says so and changes nothing.
func TestCommandsInAPreview(t *testing.T) {
	e, dir := newWorld().engine(t, `
resources: It: {
	inputs: name: string
	outputs: {plan: string, made: string}
	id: "it"
	create: {
		steps: [
			{as: "plan", exec: {command: ["echo", "will make", "${inputs.name}"], effect: "none"}, preview: true},
			{as: "make", exec: {command: ["touch", "--", "${inputs.name}"], stdout: "text"}},
		]
		return: {plan: "${steps.plan.stdout}", made: "${steps.make.stdout}"}
	}
	delete: world: do: what: "remove"
}`)
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: object("name", "x"), Preview: true})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if diff := cmp.Diff(object("name", "x", "plan", unknown, "made", unknown), out.State.Outputs, values); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
	out = e.Create(t.Context(), engine.CreateRequest{Ref: ref("It"), Inputs: object("name", unknown), Preview: true})
	if diff := cmp.Diff(object("name", unknown, "plan", unknown, "made", unknown), out.State.Outputs, values); diff != "" || out.Err != nil {
		t.Errorf("%v, outputs (-want +got):\n%s", out.Err, diff)
	}
}

// TestOneMistakeIsReportedOnce checks that a permission that several steps lack is one mistake, and
// that an expression of find that cannot be compiled is not taken for one without inputs.
func TestOneMistakeIsReportedOnce(t *testing.T) {
	w := newWorld()
	_, diags := w.compile(t, `permissions: run: ["true"]
_it: {
	inputs: name: string
	id: "${result.stdout}"
	find: {exec: {command: ["true"], effect: "none"}, return: "${nputs.name}"}
	create: exec: {command: ["false"], idempotent: true}
	delete: exec: command: ["false", "x"]
}
resources: {It: _it, Other: _it & {delete: exec: env: A: "b"}}
functions: a: exec: command: ["uname"]`)
	var got []string
	for _, code := range codesOf(diags) {
		if code == "not-permitted" || code == "find-any" {
			got = append(got, code)
		}
	}
	if diff := cmp.Diff([]string{"not-permitted", "not-permitted"}, got); diff != "" {
		t.Errorf("false and uname (-want +got):\n%s%+v", diff, diags)
	}
}
