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

// desk is where a user sits: a stack with the canaries in its configuration, and
// all that can be read there.
type desk struct {
	*scene
	stack  *pulumitest.Stack
	folder string   // of the provider
	dirs   []string // that anything is written to
	// flags are how much the user wants to read.
	flags []string

	mu     sync.Mutex
	looked time.Time
	looks  int
}

// audible lets the provider say all that it can: to Pulumi, or where the folder
// has a file "apart", to a file beside it, so that nothing of it is mistaken for
// Pulumi's own.
const audible = `export DECLPROV_LOG=debug
if [ -e "$dir/apart" ]; then exec 2>>"$dir/stderr"; fi
` + provider.Noted

func newDesk(t *testing.T, flags ...string) *desk {
	d := &desk{scene: newScene(t, hostile.Start(t)), flags: flags}
	d.folder = provider.Behind(t, "secretive", "tests/http/secrets/testdata/secrets.cue", audible)
	cache := t.TempDir()
	d.stack = pulumitest.New(t, pulumitest.Providers{"secretive": d.folder}, "DECLPROV_CACHE="+cache)
	d.dirs = []string{filepath.Dir(d.stack.Home()), d.folder, cache}
	if d.verbose() {
		if err := os.WriteFile(filepath.Join(d.folder, "apart"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.stack.Program("config: {pass: {type: string, secret: true}}\n")
	set := []string{"config", "set-all", "--plaintext", "secretive:endpoint=" + d.server.URL, "--secret", "pass=" + d.canaries["body"]}
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
		d.look()
		return 0
	}
	return d
}

func (d *desk) verbose() bool { return slices.Contains(d.flags, "-v=9") }

// thing is a resource of the program.
type thing struct{ kind, name string }

// program writes one with these things, and with more below them.
func (d *desk) program(size int, things []thing, more string) {
	var text strings.Builder
	text.WriteString("config: {pass: {type: string, secret: true}}\nresources:\n")
	for _, th := range things {
		fmt.Fprintf(&text, "  %s: {type: secretive:%s, properties: {name: %[1]s, size: %[3]d, pass: \"${pass}\"}}\n", th.name, th.kind, size)
	}
	d.stack.Program(text.String() + more)
}

// runs runs a command as loudly as the user wants, and searches all that it
// says.
func (d *desk) runs(name string, args ...string) *pulumicli.Result {
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
	d.secret("the output of "+what, r.Stdout)
	d.secret("the errors of "+what, d.beside(r.Stderr))
	for _, e := range r.Events {
		if e.DiagnosticEvent != nil {
			d.secret("a message of "+what, e.DiagnosticEvent.Message)
		}
	}
	return r
}

// own are the lines in which Pulumi's processes trace, at -v=9, every property
// that they send or get, whatever it is: TestPulumiTellsSecretsAtV9.
var own = regexp.MustCompile(`"msg":"(Marshaling|Unmarshaling) property for RPC\[`)

// beside is what is left of the CLI's standard error without Pulumi's own trace
// of properties, where the user asked for it.
func (d *desk) beside(stderr string) string {
	if !d.verbose() {
		return stderr
	}
	var out strings.Builder
	for line := range strings.Lines(stderr) {
		if !own.MatchString(line) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// look looks at the processes while one waits for an answer: at the arguments of
// all, and at the environment of what the provider has started. The provider's
// own has the whole configuration in PULUMI_CONFIG, where Pulumi puts it.
func (d *desk) look() {
	if !d.mu.TryLock() {
		return // somebody else looks, and nobody waits for it
	}
	defer d.mu.Unlock()
	if time.Since(d.looked) < 100*time.Millisecond {
		return
	}
	d.looked = time.Now()
	d.arguments()
	for _, pid := range provider.Running(d.folder) {
		d.looks++
		d.environment(pid, "PULUMI_CONFIG=")
		for _, child := range provider.Children(pid) {
			d.environment(child)
		}
	}
}

func (d *desk) environment(pid int, but ...string) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return // it has ended
	}
	for _, kv := range strings.Split(string(text), "\x00") {
		if !slices.ContainsFunc(but, func(prefix string) bool { return strings.HasPrefix(kv, prefix) }) {
			d.secret(fmt.Sprintf("the environment of process %d", pid), kv)
		}
	}
}

// leaves searches all files that were written.
func (d *desk) leaves() {
	d.Helper()
	d.files(d.dirs...)
	if d.looks == 0 {
		d.Error("nobody looked at a provider at work")
	}
}
