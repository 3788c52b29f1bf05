package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestMain makes this program, started as `PROGRAM without CALLS COMMAND…`, a
// wrapper that runs a command as on a kernel that lacks some system calls; started as
// `PROGRAM goroutines FILE`, one that commands run.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "without" {
		runtime.LockOSThread() // the filter is a thread's, until exec
		err := takeAway(strings.Split(os.Args[2], ","))
		if err == nil {
			err = unix.Exec(os.Args[3], os.Args[3:], os.Environ())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(os.Args) == 3 && os.Args[1] == "goroutines" {
		if err := goroutines(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// takeAway answers system calls as a kernel does that does not have them.
func takeAway(names []string) error {
	const load, equal, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	program := []unix.SockFilter{{Code: load}}
	for _, name := range names {
		call := map[string]uint32{"landlock": unix.SYS_LANDLOCK_CREATE_RULESET, "seccomp": unix.SYS_SECCOMP}[name]
		program = append(program,
			unix.SockFilter{Code: equal, K: call, Jf: 1},
			unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)})
	}
	program = append(program, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
}

// without is a folder of a provider on a kernel that lacks the calls.
func without(t *testing.T, calls, spec string) string {
	t.Helper()
	folder := provider.FolderWith(t, "scripts", ".cue", spec)
	if calls == "" {
		return folder
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := provider.WrapProvider(folder, "scripts", ".cue", fmt.Sprintf(`exec %q without %s "$real" "$@"`, self, calls)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestTakenAway: what a kernel or a container takes away of the sandbox is said
// once, where the user sees it; what is demanded all the same is refused.
func TestTakenAway(t *testing.T) {
	need(t)
	// Files are Landlock's to refuse, the limits of other processes the filter's.
	const file, limit = `cat $OUT/secret`, `prlimit --pid $OUTER --nofile=64:64`
	for _, tc := range []struct {
		taken  string
		demand string
		// file and limit are whether the commands are refused; start whether none
		// is started at all.
		file, limit, start bool
	}{
		{"", "", true, true, true},
		{"landlock", "", false, true, true},
		{"seccomp", "", true, false, true},
		{"landlock,seccomp", "", false, false, true},
		{"", "required", true, true, true},
		{"landlock", "required", false, false, false},
		{"seccomp", "required", false, false, false},
		{"landlock,seccomp", "required", false, false, false},
	} {
		t.Run("without "+tc.taken+" demanding "+tc.demand, func(t *testing.T) {
			t.Parallel()
			w := madeWorld(t)
			engine := w.launch(without(t, tc.taken, specOf(granting, "")), "DECLPROV_SANDBOX="+tc.demand)
			for script, refused := range map[string]bool{file: tc.file, limit: tc.limit} {
				got, err := w.try(script)
				switch {
				case (err == nil) != tc.start:
					t.Errorf("%s: starting it gives %v, want that it starts: %v", script, err, tc.start)
				case err == nil && (got.code != 0) != refused:
					t.Errorf("%s: got %+v, want that it is refused: %v", script, got, refused)
				}
			}
			warnings := slices.DeleteFunc(engine.Logs(), func(m client.LogMessage) bool {
				return !strings.Contains(m.Text, "confined") || m.Severity == "DEBUG"
			})
			if want := tc.taken != "" && tc.start; (len(warnings) == 1) != want {
				t.Errorf("got warnings %v, want one: %v", warnings, want)
			}
		})
	}
}

// TestDemanded: who runs a provider has the last word about the sandbox.
func TestDemanded(t *testing.T) {
	need(t)
	for _, tc := range []struct {
		name, permissions, step, demand string
		starts, confined                bool
	}{
		{"nothing, off", granting, `, sandbox: "off"`, "", true, false},
		{"required, off", granting, `, sandbox: "off"`, "required", false, false},
		{"nothing, without permissions", "", "", "", true, false},
		{"required, without permissions", "", "", "required", true, true},
		{"nonsense", granting, "", "yes", false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := madeWorld(t)
			w.launch(provider.FolderWith(t, "scripts", ".cue", specOf(tc.permissions, tc.step)), "DECLPROV_SANDBOX="+tc.demand)
			got, err := w.try(`cat $OUT/secret`)
			if (err == nil) != tc.starts || err == nil && (got.code != 0) != tc.confined {
				t.Errorf("got %+v, %v; want that it starts: %v, confined: %v", got, err, tc.starts, tc.confined)
			}
		})
	}
}

// TestPermissionsSayWhatIsTaken: the listing is about the machine that prints it.
func TestPermissionsSayWhatIsTaken(t *testing.T) {
	need(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "scripts.cue")
	if err := os.WriteFile(path, []byte(specOf(granting, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, taken := range []string{"landlock", "seccomp", "landlock,seccomp"} {
		out, err := exec.Command(self, "without", taken, provider.Binary(t), "permissions", path).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "On this machine, this is not fully enforced") {
			t.Errorf("without %s: %v\n%s", taken, err, out)
		}
	}
	out, err := exec.Command(provider.Binary(t), "permissions", path).CombinedOutput()
	if err != nil || strings.Contains(string(out), "On this machine, this is not fully enforced") {
		t.Errorf("with all: %v\n%s", err, out)
	}
}

// launch starts the provider of a folder with more variables, and gives what keeps
// its messages.
func (w *world) launch(folder string, env ...string) *client.Engine {
	w.Helper()
	engine := provider.Engine(w)
	var err error
	w.Process, err = provider.Launch(folder, "scripts", provider.Options{Dir: w.dir, Env: append(env, "DECLPROV_JOURNAL="+w.TempDir()), Args: []string{engine.Address()}, Stderr: w.Output()})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(w.Process.Stop)
	if err := w.Handshake(w.Context(), engine.Address()); err != nil {
		w.Fatal(err)
	}
	w.Reconfigure(w.T, "scripts", w.config())
	return engine
}
