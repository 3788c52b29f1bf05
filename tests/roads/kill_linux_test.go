package roads

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// sleeper is a provider whose creates last until they are killed: in the kernel's sandbox, if there
// is one, and outside of it. A shell starts two commands, one of them in a session of its own and
// without a parent.
const sleeper = `
name:    "sleeper"
version: "0.1.0"
permissions: {run: ["/bin/sh"]}
_nap: {
	inputs: seconds: string @replace()
	id: "${inputs.seconds}"
	delete: exec: {shell: "true", sandbox: "off"}
}
resources: Nap: _nap & {create: exec: {shell: "(setsid sleep $SECONDS_OF_SLEEP &); sleep $SECONDS_OF_SLEEP; true", env: SECONDS_OF_SLEEP: "${inputs.seconds}", sandbox: "off"}}
resources: ConfinedNap: _nap & {create: exec: {shell: "(setsid sleep $SECONDS_OF_SLEEP &); sleep $SECONDS_OF_SLEEP; true", env: SECONDS_OF_SLEEP: "${inputs.seconds}"}}
`

// naps is a program whose creates last until they are killed.
func naps(seconds string) string {
	return "resources:\n  a:\n    type: sleeper:Nap\n    properties: {seconds: '" + seconds + "'}\n" +
		"  b:\n    type: sleeper:ConfinedNap\n    properties: {seconds: '" + seconds + "'}\n"
}

// way is a way by which a program gets the provider.
type way struct {
	// prepare makes the provider available, and returns what it adds to Pulumi.yaml, and to the
	// environment of the CLI.
	prepare func(t *testing.T, s *pulumitest.Stack) (header string, env []string)
	// attached means that the provider belongs to the user, and outlives the CLI.
	attached bool
	// processes are parts of the command lines of the provider, and of what starts it.
	provider, host string
}

// ways returns all of them.
func ways() map[string]way {
	return map[string]way{
		"providers path": {provider: "pulumi-resource-sleeper", prepare: func(t *testing.T, s *pulumitest.Stack) (string, []string) {
			run(t, s, provider.Binary(t), "install", "--dir", "plugin", "sleeper.cue")
			return "plugins:\n  providers:\n    - {name: sleeper, path: ./plugin}\n", nil
		}},
		"folder": {provider: "__serve", host: "pulumi-language-declprov", prepare: func(t *testing.T, s *pulumitest.Stack) (string, []string) {
			run(t, s, provider.Binary(t), "install", "--runtime")
			s.Write("sleeper/PulumiPlugin.yaml", "runtime: declprov\n")
			s.Write("sleeper/sleeper.cue", sleeper)
			return "packages:\n  sleeper: ./sleeper\n", nil
		}},
		"parameter": {provider: "pulumi-resource-declprov", prepare: func(t *testing.T, s *pulumitest.Stack) (string, []string) {
			run(t, s, provider.Binary(t), "install", "--base")
			run(t, s, tools.Need(t, tools.Pulumi), "package", "add", "declprov", "./sleeper.cue")
			text, err := os.ReadFile(filepath.Join(s.Dir, "Pulumi.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			_, packages, _ := strings.Cut(string(text), "packages:")
			return "packages:" + packages, nil
		}},
		"installed": {provider: "pulumi-resource-sleeper", prepare: func(t *testing.T, s *pulumitest.Stack) (string, []string) {
			run(t, s, provider.Binary(t), "install", "sleeper.cue")
			return "", nil
		}},
		"archive": {provider: "pulumi-resource-sleeper", prepare: func(t *testing.T, s *pulumitest.Stack) (string, []string) {
			run(t, s, tools.Need(t, tools.Pulumi), "plugin", "install", "resource", "sleeper", "0.1.0", "--file", packaged(t, s))
			return "", nil
		}},
		"attach": {provider: "declprov serve", attached: true, prepare: serveAttached},
	}
}

// archive is the archive of the sleeper. Compressing the binary takes a second, so all endings share it.
var archive struct {
	mu   sync.Mutex
	path string
}

// packaged returns the path of the archive, which the first test packages.
func packaged(t *testing.T, s *pulumitest.Stack) string {
	t.Helper()
	archive.mu.Lock()
	defer archive.mu.Unlock()
	if archive.path == "" {
		folder := filepath.Join(scratch, "dist")
		run(t, s, provider.Binary(t), "package", "-o", folder, "sleeper.cue")
		files, err := filepath.Glob(filepath.Join(folder, "*.tar.gz"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the archives: %v, %v", files, err)
		}
		archive.path = files[0]
	}
	return archive.path
}

// scratch is the folder of what tests share.
var scratch string

func TestMain(m *testing.M) { os.Exit(runIn(m)) }

func runIn(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "declprov-roads-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	return m.Run()
}

// run runs a command in the folder of a program.
func run(t *testing.T, s *pulumitest.Stack, argv ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.Dir, s.Environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
}

// serveAttached starts a provider to which the program attaches, until the test ends.
func serveAttached(t *testing.T, s *pulumitest.Stack) (header string, env []string) {
	t.Helper()
	// A copy, so that its supervisors can be told from those of others.
	binary, err := os.ReadFile(provider.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	s.Write("declprov", string(binary))
	if err := os.Chmod(filepath.Join(s.Dir, "declprov"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(s.Dir, "declprov"), "serve", "sleeper.cue")
	cmd.Dir, cmd.Env, cmd.Stderr = s.Dir, s.Environment(), t.Output()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	port, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "", []string{"PULUMI_DEBUG_PROVIDERS=sleeper:" + strings.TrimSpace(port)}
}

// The processes that an ending signals; host and plugin stand for those of the way.
const (
	cli        = "pulumi up"
	host       = "HOST"
	plugin     = "PLUGIN"
	supervisor = "__supervise"
)

// ending is how a program ends while its commands run.
type ending struct {
	signal  os.Signal
	targets []string
	// ofHost means that the ending requires a language host.
	ofHost bool
}

func endings() map[string]ending {
	return map[string]ending{
		"cancel":                    {signal: os.Interrupt, targets: []string{cli}},
		"kill CLI":                  {signal: os.Kill, targets: []string{cli}},
		"kill provider, supervisor": {signal: os.Kill, targets: []string{plugin, supervisor}},
		"kill host":                 {signal: os.Kill, targets: []string{host}, ofHost: true},
		"kill provider":             {signal: os.Kill, targets: []string{plugin}, ofHost: true},
		"kill host, provider":       {signal: os.Kill, targets: []string{host, plugin}, ofHost: true},
		"kill CLI, host, provider":  {signal: os.Kill, targets: []string{cli, host, plugin}, ofHost: true},
		"kill all but the commands": {signal: os.Kill, targets: []string{cli, host, plugin, supervisor}, ofHost: true},
	}
}

// TestNothingIsLeft ends programs during a create, on each way to a provider and in each manner.
// Nothing may be left: not the language host, not the provider, not the supervisors of its commands,
// and none of these.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	n := 0
	for wayName, w := range ways() {
		for endName, e := range endings() {
			if e.ofHost && w.host == "" {
				continue
			}
			n++
			seconds := fmt.Sprintf("%d.%d", 1000+n, os.Getpid()) // no other process has it
			t.Run(wayName+"/"+endName, func(t *testing.T) {
				t.Parallel()
				s := pulumitest.New(t, nil)
				s.Write("sleeper.cue", sleeper)
				header, env := w.prepare(t, s)
				s.Program(header + naps(seconds))
				w.end(t, s, env, seconds, e)
			})
		}
	}
}

// end runs `pulumi up` until its commands run, ends it, and checks what is left.
func (w way) end(t *testing.T, s *pulumitest.Stack, env []string, seconds string, e ending) {
	t.Helper()
	road := marks{filepath.Dir(s.Home()), seconds} // of the program, its home and its state
	up := exec.Command(tools.Need(t, tools.Pulumi), "up", "--yes", "--skip-preview")
	up.Args[0] = "pulumi"
	up.Dir, up.Env = s.Dir, append(s.Environment(), env...)
	var out strings.Builder
	up.Stdout, up.Stderr = &out, &out
	up.WaitDelay = time.Second // processes that are left hold the pipe
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = up.Wait() // it was killed or interrupted, or its provider was
		close(ended)
	}()
	t.Cleanup(func() {
		_ = up.Process.Kill() // it may have ended
		<-ended
		if t.Failed() {
			t.Log(out.String())
		}
	})
	await(t, func() bool {
		asleep := 0
		for _, line := range road.processes() {
			if line == "sleep "+seconds {
				asleep++
			}
		}
		return asleep == 4
	})
	w.signal(t, road, e)
	select {
	case <-ended:
	case <-time.After(endLimit):
		t.Error("the CLI did not end")
	}
	w.check(t, road, e)
}

// signal sends the signal of an ending.
func (w way) signal(t *testing.T, road marks, e ending) {
	t.Helper()
	var pids []int
	for pid, line := range road.processes() {
		if slices.ContainsFunc(e.targets, func(target string) bool {
			target = strings.NewReplacer(host, w.host, plugin, w.provider).Replace(target)
			return target != "" && strings.Contains(line, target)
		}) {
			pids = append(pids, pid)
		}
	}
	if e.signal == os.Kill {
		// A stopped process cannot end because another one of them was killed.
		if err := provider.Signal(syscall.SIGSTOP, pids...); err != nil {
			t.Errorf("stopping %v: %v", pids, err)
		}
	}
	if err := provider.Signal(e.signal, pids...); err != nil || len(pids) == 0 {
		t.Errorf("signalling %v: %v", pids, err)
	}
}

// check checks that nothing is left, except for what does not belong to the program.
func (w way) check(t *testing.T, road marks, e ending) {
	t.Helper()
	killed := slices.Contains(e.targets, plugin)
	for pid, line := range road.processes() {
		// Pulumi's own language host checks for its engine only every five minutes.
		if strings.Contains(line, "pulumi-language-yaml") {
			if err := provider.Signal(os.Kill, pid); err != nil {
				t.Error(err)
			}
		}
	}
	if w.attached && !killed {
		// The provider waits for other programs. Its commands end; its supervisors may wait for others.
		if left := (marks{road[1]}).left(); len(left) > 0 {
			t.Errorf("these commands are left: %v", left)
		}
		serving := slices.DeleteFunc(slices.Collect(maps.Values(road.processes())), func(line string) bool { return !strings.Contains(line, w.provider) })
		if len(serving) != 1 {
			t.Errorf("the provider that serves is not there: %v", road.processes())
		}
		return
	}
	if left := road.left(); len(left) > 0 {
		t.Errorf("these processes are left: %v", left)
		for pid := range left {
			_ = provider.Signal(os.Kill, pid) // it may have ended
		}
	}
}

// await waits until a condition holds.
func await(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the commands were not started")
		}
	}
}
