// Package roads checks the ways to bring a provider to its users. A script in testdata is what
// a user types, from an empty home and an empty cache, to the end of a life: up, an empty
// second up, destroy. No process may be left.
package roads

import (
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/declprov/declprov/tests/internal/archives"
	"github.com/declprov/declprov/tests/internal/gitserver"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

var update = flag.Bool("update", false, "update the expected output of the scripts")

func TestRoads(t *testing.T) {
	t.Parallel()
	path := []string{filepath.Dir(provider.Binary(t)), filepath.Dir(tools.Need(t, tools.Pulumi)), filepath.Dir(tools.Need(t, tools.PulumiYAML)), os.Getenv("PATH")}
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := pulumicli.KeyService()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"serve": serve, "edit": edit, "release": unpackRelease, "git": serveGit, "tag": tag},
		Setup: func(env *testscript.Env) error {
			for name, value := range map[string]string{
				"PATH":                       strings.Join(path, string(os.PathListSeparator)),
				"PULUMI_PATH":                strings.Join(path[1:], string(os.PathListSeparator)),
				"HOME":                       env.WorkDir,
				"PLATFORM":                   runtime.GOOS + "-" + runtime.GOARCH,
				"ROOT":                       root,
				"DECLPROV":                   provider.Binary(t),
				"PULUMI_HOME":                filepath.Join(env.WorkDir, ".pulumi"), // the CLI does not read HOME
				"PULUMI_BACKEND_URL":         "file://" + env.WorkDir,
				"PULUMI_CONFIG_PASSPHRASE":   "correct horse",
				"KEY":                        pulumicli.StackKey, // of stacks that are not about keys
				pulumicli.KeyServiceVariable: keys,
				"PULUMI_SKIP_UPDATE_CHECK":   "1",
				"PULUMI_SKIP_CONFIRMATIONS":  "true",
				"NO_COLOR":                   "1",
			} {
				env.Setenv(name, value)
			}
			env.Defer(func() {
				if left := (marks{env.WorkDir}).left(); len(left) > 0 {
					env.T().(testing.TB).Errorf("these processes are left: %v", left)
				}
			})
			return nil
		},
	})
}

// serve serves a folder over HTTPS until the end of the script, and sets URL to its address.
// The protocol is HTTP/2, as of most servers: over HTTP/1.1, Pulumi 3.259 does not hash the
// last bytes of an archive, and refuses every checksum (checksumReader in
// sdk/go/common/workspace/plugins.go).
func serve(ts *testscript.TestScript, _ bool, args []string) {
	server, certificate := archives.Serve(ts.MkAbs(args[0]))
	ts.Defer(server.Close)
	authority := ts.MkAbs("authority.pem")
	ts.Check(os.WriteFile(authority, certificate, 0o644))
	ts.Setenv("SSL_CERT_FILE", authority)
	ts.Setenv("URL", server.URL)
}

// serveGit makes a Git repository of a folder, the second argument, and a bare one that it is pushed
// to. It serves that from the host of package gitserver until the end of the script.
func serveGit(ts *testscript.TestScript, _ bool, args []string) {
	remote, folder := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	ts.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	ts.Check(ts.Exec("git", "init", "--quiet", "--bare", remote))
	ts.Check(ts.Exec("git", "init", "--quiet", folder))
	ts.Check(ts.Exec("git", "-C", folder, "remote", "add", "origin", remote))
	proxy, certificate, closeAll, err := gitserver.Serve(context.Background(), filepath.Dir(filepath.Dir(remote)))
	ts.Check(err)
	ts.Defer(closeAll)
	authority := ts.MkAbs("authority.pem")
	ts.Check(os.WriteFile(authority, certificate, 0o644))
	ts.Setenv("SSL_CERT_FILE", authority)
	ts.Setenv("HTTPS_PROXY", proxy)
}

// tag commits all files of the Git repository in the working directory, with a tag, and pushes both.
func tag(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("git", "add", "."))
	ts.Check(ts.Exec("git", "-c", "user.name=me", "-c", "user.email=me@example.com", "commit", "--quiet", "--message="+args[0]))
	ts.Check(ts.Exec("git", "tag", args[0]))
	ts.Check(ts.Exec("git", "push", "--quiet", "--tags", "origin", "HEAD"))
}

// edit replaces the first argument with the second in files.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args[2:] {
		text := ts.ReadFile(name)
		if !strings.Contains(text, args[0]) {
			ts.Fatalf("%s does not contain %q", name, args[0])
		}
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(strings.ReplaceAll(text, args[0], args[1])), 0o644))
	}
}

// unpackRelease puts a folder on the PATH that contains both binaries, as a release does. Without it,
// scripts use declprov alone.
func unpackRelease(ts *testscript.TestScript, _ bool, _ []string) {
	folder := ts.MkAbs("release")
	root, whole := ts.Getenv("ROOT"), ts.Getenv("DECLPROV")
	ts.Check(os.Mkdir(folder, 0o755))
	ts.Check(release.BuildServer(context.Background(), root, filepath.Join(folder, release.Server)))
	if os.Link(whole, filepath.Join(folder, "declprov")) != nil {
		program, err := os.ReadFile(whole) // on another file system
		ts.Check(err)
		ts.Check(os.WriteFile(filepath.Join(folder, "declprov"), program, 0o755))
	}
	ts.Setenv("PATH", folder+string(os.PathListSeparator)+ts.Getenv("PATH"))
}

// endLimit is how long processes may outlive the CLI that started them.
const endLimit = time.Minute

// marks identify the processes of a road: each has one of the texts in its environment or
// command line, or is a plugin in the home of the CLI.
type marks []string

// processes returns the command lines of the running processes, by process id.
func (m marks) processes() map[int]string {
	found := map[int]string{}
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, dir := range all {
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // a process may have ended
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		exe, _ := os.Readlink(filepath.Join(dir, "exe"))
		all := strings.Join([]string{string(env), string(line), exe}, "\x00")
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && slices.ContainsFunc(m, func(mark string) bool { return strings.Contains(all, mark) }) {
			found[pid] = strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// left returns the processes that still run after endLimit.
func (m marks) left() map[int]string {
	for end := time.Now().Add(endLimit); ; time.Sleep(100 * time.Millisecond) {
		running := m.processes()
		maps.DeleteFunc(running, func(_ int, line string) bool { return line == "" }) // it has ended
		if len(running) == 0 || time.Now().After(end) {
			return running
		}
	}
}
