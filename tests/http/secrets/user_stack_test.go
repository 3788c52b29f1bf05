package secrets

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// userStack is a stack with the canaries in its configuration, and searches everything that
// its user can read.
type userStack struct {
	*canaryServer
	stack  *pulumitest.Stack
	folder string   // the provider's folder
	dirs   []string // all folders that are written to
	// flags are the verbosity flags of the CLI.
	flags []string

	mu     sync.Mutex
	looked time.Time
	looks  int
}

// verboseScript makes the provider log everything: to Pulumi, or, if the folder has a file
// "apart", to a separate file, to tell its output from that of Pulumi.
const verboseScript = `export DECLPROV_LOG=debug
if [ -e "$dir/apart" ]; then exec 2>>"$dir/stderr"; fi
` + provider.NotePID

func newUserStack(t *testing.T, flags ...string) *userStack {
	d := &userStack{canaryServer: newCanaryServer(t, hostile.Start(t)), flags: flags}
	d.folder = provider.FolderWithScript(t, "secretive", "tests/http/secrets/testdata/secrets.cue", verboseScript)
	cache := t.TempDir()
	d.stack = pulumitest.New(t, pulumitest.Providers{"secretive": d.folder}, "DECLPROV_CACHE="+cache)
	d.dirs = []string{filepath.Dir(d.stack.Home()), d.folder, cache}
	if d.verbose() {
		if err := os.WriteFile(filepath.Join(d.folder, "apart"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.stack.Program("config: {pass: {type: string, secret: true}}\n")
	set := []string{
		"config", "set-all", "--plaintext", "secretive:endpoint=" + d.server.URL,
		"--plaintext", "secretive:clientCert=" + certificateOf(d.canaries["clientKey"]), "--secret", "pass=" + d.canaries["body"],
	}
	for _, name := range settings() {
		set = append(set, "--secret", "secretive:"+name+"="+d.canaries[name])
	}
	r, err := d.stack.Run(t.Context(), set...)
	if err == nil {
		err = r.Failure()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.server.Delay = func() time.Duration {
		d.inspectProcesses()
		return 0
	}
	return d
}

func (d *userStack) verbose() bool { return slices.Contains(d.flags, "-v=9") }

// thing is a resource of the program.
type thing struct{ kind, name string }

// program writes a program with these resources, followed by more.
func (d *userStack) program(size int, things []thing, more string) {
	var text strings.Builder
	text.WriteString("config: {pass: {type: string, secret: true}}\nresources:\n")
	for _, th := range things {
		fmt.Fprintf(&text, "  %s: {type: secretive:%s, properties: {name: %[1]s, size: %[3]d, pass: \"${pass}\"}}\n", th.name, th.kind, size)
	}
	d.stack.Program(text.String() + more)
}

// run runs a command with the flags, and searches its output.
func (d *userStack) run(name string, args ...string) *pulumicli.Result {
	d.Helper()
	do := map[string]func() (*pulumicli.Result, error){
		"preview": func() (*pulumicli.Result, error) { return d.stack.Project.Preview(d.Context(), args...) },
		"up":      func() (*pulumicli.Result, error) { return d.stack.Project.Up(d.Context(), args...) },
		"refresh": func() (*pulumicli.Result, error) { return d.stack.Project.Refresh(d.Context(), args...) },
		"destroy": func() (*pulumicli.Result, error) { return d.stack.Project.Destroy(d.Context(), args...) },
	}[name]
	if do == nil {
		do = func() (*pulumicli.Result, error) { return d.stack.Run(d.Context(), append([]string{name}, args...)...) }
	} else {
		args = append(args, d.flags...)
	}
	r, err := do()
	if err != nil {
		d.Fatal(err)
	}
	what := "pulumi " + name + " " + strings.Join(args, " ")
	d.checkText("the output of "+what, r.Stdout)
	d.checkText("the errors of "+what, d.withoutPulumiTrace(r.Stderr))
	for _, e := range r.Events {
		if e.DiagnosticEvent != nil {
			d.checkText("a message of "+what, e.DiagnosticEvent.Message)
		}
	}
	return r
}

// pulumiTrace matches the lines in which Pulumi's processes trace, at -v=9, every property
// that they send or receive: see TestPulumiTellsSecretsAtV9.
var pulumiTrace = regexp.MustCompile(`"msg":"(Marshaling|Unmarshaling) property for RPC\[`)

// withoutPulumiTrace returns the standard error of the CLI without Pulumi's own trace of
// properties.
func (d *userStack) withoutPulumiTrace(stderr string) string {
	if !d.verbose() {
		return stderr
	}
	var out strings.Builder
	for line := range strings.Lines(stderr) {
		if !pulumiTrace.MatchString(line) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// inspectProcesses searches the arguments of all processes, and the environment of the
// processes that the provider has started. The environment of the provider itself contains
// the configuration in PULUMI_CONFIG, which Pulumi sets.
func (d *userStack) inspectProcesses() {
	if !d.mu.TryLock() {
		return // another call is inspecting
	}
	defer d.mu.Unlock()
	if time.Since(d.looked) < 100*time.Millisecond {
		return
	}
	d.looked = time.Now()
	d.searchArguments()
	for _, pid := range provider.RunningPIDs(d.folder) {
		d.looks++
		d.inspectEnvironment(pid, "PULUMI_CONFIG=")
		for _, child := range provider.ChildPIDs(pid) {
			d.inspectEnvironment(child)
		}
	}
}

func (d *userStack) inspectEnvironment(pid int, but ...string) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return // the process has ended
	}
	for _, kv := range strings.Split(string(text), "\x00") {
		if !slices.ContainsFunc(but, func(prefix string) bool { return strings.HasPrefix(kv, prefix) }) {
			d.checkText(fmt.Sprintf("the environment of process %d", pid), kv)
		}
	}
}

// searchFolders searches all files that were written.
func (d *userStack) searchFolders() {
	d.Helper()
	d.searchFiles(d.dirs...)
	if d.looks == 0 {
		d.Error("no provider was inspected while it was running")
	}
}
