// Package commands_test lives through examples/command.cue and examples/git.cue by
// the real Pulumi CLI.
package commands_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

func openCommand(t *testing.T, env ...string) *pulumitest.Stack {
	t.Helper()
	return pulumitest.New(t, pulumitest.Providers{"commands": provider.Folder(t, "commands", "examples/command.cue")}, env...)
}

// listed are the intents of a journal, in short.
func listed(t *testing.T, dir string) []string {
	t.Helper()
	book := journal.Open(dir)
	all, err := book.List()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range all {
		out = append(out, fmt.Sprintf("%s of %s: %s", i.Operation, i.Name(), i.Status))
	}
	return out
}

// holds asserts what the files in the program's folder are.
func holds(t *testing.T, s *pulumitest.Stack, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, s.Files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

const greeting = `resources:
  hello:
    type: commands:Command
    properties:
      create: echo "made $NAME" | tee -a log
      update: echo "changed $NAME, after $PULUMI_COMMAND_STDOUT" | tee -a log
      delete: echo "gone, after $PULUMI_COMMAND_STDOUT" >> log
      environment: {NAME: one}
      triggers: [a]
outputs:
  said: ${hello.stdout}
`

func TestALifeOfACommand(t *testing.T) {
	t.Parallel()
	s := openCommand(t)
	s.Program(greeting)
	s.Preview("create=1")
	holds(t, s, map[string]string{})
	r := s.Up("create=1")
	if !strings.Contains(r.Stdout+r.Stderr, "made one") {
		t.Errorf("what the command wrote is not shown:\n%s%s", r.Stdout, r.Stderr)
	}
	if out := s.Recorded("hello").Outputs; out["stdout"] != "made one" || out["stderr"] != "" {
		t.Errorf("outputs %v", out)
	}
	s.Up("same=1")

	two := strings.Replace(greeting, "NAME: one", "NAME: two", 1)
	s.Program(two)
	s.Preview("update=1")
	s.Up("update=1")
	s.Up("same=1")
	holds(t, s, map[string]string{"log": "made one\nchanged two, after made one\n"})

	s.Program(strings.Replace(two, "[a]", "[b]", 1))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	s.Refresh("same Command hello")
	s.Destroy("delete=1")
	// The replacement has the same name, so what it replaces goes first.
	holds(t, s, map[string]string{"log": "made one\nchanged two, after made one\n" +
		"gone, after changed two, after made one\nmade two\ngone, after made two\n"})
}

// TestWhatCommandsAreGiven: input, folder, interpreter, and no update of its own.
func TestWhatCommandsAreGiven(t *testing.T) {
	t.Parallel()
	s := openCommand(t)
	s.Write("work/here", "")
	const program = `resources:
  it:
    type: commands:Command
    properties:
      create: |-
        import os, sys
        open("got", "a").write(sys.stdin.read() + " in " + os.path.basename(os.getcwd()) + "\n")
        print("to stderr", file=sys.stderr)
      interpreter: [python3, -c]
      dir: work
      stdin: input
`
	s.Program(program)
	s.Up("create=1")
	if out := s.Recorded("it").Outputs; out["stdout"] != "" || out["stderr"] != "to stderr" {
		t.Errorf("outputs %v", out)
	}
	s.Program(program + "      rerun: [1]\n")
	s.Up("update=1")
	holds(t, s, map[string]string{"work/here": "", "work/got": "input in work\ninput in work\n"})
	s.Program("resources: {}\n")
	s.Up("delete=1")
}

// TestDriftOfACommand: what read prints is compared with what is expected, and its
// exit code may say that nothing is there.
func TestDriftOfACommand(t *testing.T) {
	t.Parallel()
	s := openCommand(t)
	s.Program(`resources:
  it:
    type: commands:Command
    properties:
      create: echo right > it
      update: echo right > it
      delete: rm -f it
      read: test -e it || exit 44; cat it
      expect: right
`)
	s.Up("create=1")
	s.Refresh("same Command it")
	s.Up("same=1")
	s.Write("it", "wrong\n")
	s.Refresh("update Command it")
	s.Up("update=1")
	holds(t, s, map[string]string{"it": "right\n"})
	s.Refresh("same Command it")
	if err := os.Remove(filepath.Join(s.Dir, "it")); err != nil {
		t.Fatal(err)
	}
	s.Refresh("delete Command it")
	s.Up("create=1")
	s.Destroy("delete=1")
	holds(t, s, map[string]string{})
}

// TestACommandThatFails: a create whose command fails leaves nothing in the state,
// for nothing says that what is there is the resource's own; the journal lists it
// until the next run has made it. An update that fails is gone on with. A secret in
// the environment shows nowhere.
func TestACommandThatFails(t *testing.T) {
	t.Parallel()
	intents := t.TempDir()
	s := openCommand(t, "DECLPROV_JOURNAL="+intents)
	const program = `variables:
  pass: {fn::secret: the-canary-4711}
resources:
  it:
    type: commands:Command
    properties:
      create: echo half >> it; echo "cannot with $PASS" >&2; test -e allowed
      update: echo more >> it; test -e allowed
      environment: {PASS: "${pass}"}
`
	s.Program(program)
	r, err := s.Project.Up(t.Context())
	errors := strings.Join(s.Fails(r, err), "\n")
	if !strings.Contains(errors, "exit code 1: cannot with [secret]") {
		t.Errorf("errors %q", errors)
	}
	if strings.Contains(r.Stdout+r.Stderr, "the-canary-4711") {
		t.Errorf("the secret shows:\n%s%s", r.Stdout, r.Stderr)
	}
	s.Unrecorded("it")
	if diff := cmp.Diff([]string{"create of it: failed"}, listed(t, intents)); diff != "" {
		t.Errorf("in the journal (-want +got):\n%s", diff)
	}
	s.Write("allowed", "")
	s.Up("create=1")
	s.Up("same=1")
	if left := listed(t, intents); left != nil {
		t.Errorf("in the journal once it is made: %v", left)
	}
	holds(t, s, map[string]string{"allowed": "", "it": "half\nhalf\n"})

	if err := os.Remove(filepath.Join(s.Dir, "allowed")); err != nil {
		t.Fatal(err)
	}
	s.Program(program + "      rerun: [again]\n")
	s.Fails(s.Project.Up(t.Context()))
	s.Write("allowed", "")
	s.Up("update=1")
	s.Up("same=1")
	holds(t, s, map[string]string{"allowed": "", "it": "half\nhalf\nmore\nmore\n"})
}

// TestFilesOfCommands: files that scripts make become assets and an archive, also of the function
// that runs a script with the program.
func TestFilesOfCommands(t *testing.T) {
	t.Parallel()
	s := openCommand(t)
	const program = `resources:
  build:
    type: commands:Command
    properties:
      create: mkdir -p out/deep && echo one > out/a.txt && echo two > out/deep/b.txt
      dir: .
      assetPaths: ["out/*.txt"]
      archivePaths: ["out/**"]
variables:
  ran:
    fn::invoke:
      function: commands:run
      arguments: {command: "echo $GREETING; cat", environment: {GREETING: hello}, stdin: all, dir: ., assetPaths: ["out/deep/*"]}
      options: {dependsOn: ["${build}"]}
outputs:
  said: ${ran.stdout}
  found: ${ran.assets}
`
	s.Program(program)
	s.Up("create=1")
	out := s.Recorded("build").Outputs
	assets, _ := out["assets"].(map[string]any)
	if len(assets) != 1 || assets["out/a.txt"] == nil || out["archive"] == nil {
		t.Errorf("outputs %v", out)
	}
	r := s.Up("same=1")
	if !strings.Contains(r.Stdout+r.Stderr, `hello\nall`) && !strings.Contains(r.Stdout+r.Stderr, "hello") {
		t.Errorf("the function printed nothing:\n%s%s", r.Stdout, r.Stderr)
	}
	s.Refresh("same Command build")
	s.Up("same=1")
}
