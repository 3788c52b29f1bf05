package sdk

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// drivers run a program through the Automation API, as a process that reads commands: see
// Driver.
//
//go:embed drivers
var drivers embed.FS

// Language is a language of programs.
type Language struct {
	Name string
	// Program is the name of the file of a program.
	Program string
	// Generate writes the SDK of a package schema into a folder.
	Generate func(t testing.TB, schema []byte, dir string)
	// Checkers are the type checkers of a program.
	Checkers []Checker

	// install makes a folder where programs can use the SDK.
	install func(t testing.TB, schema []byte, dir string)
	// build prepares a program to be run, and returns the command line of its driver.
	build func(t testing.TB, dir, program string) []string
}

// Languages returns all languages.
func Languages() []*Language { return []*Language{TypeScript(), Python(), Go()} }

// Workspace is a folder with the SDK of a package, for programs in one language.
type Workspace struct {
	*Language
	Dir string
	// checking serializes Check, which writes a program into the folder.
	checking sync.Mutex
}

// Open makes a folder with the SDK of a package schema.
func (l *Language) Open(t testing.TB, schema []byte, dir string) *Workspace {
	t.Helper()
	l.install(t, schema, dir)
	return &Workspace{Language: l, Dir: dir}
}

// build returns the command line of a process that runs a program through the Automation
// API, in the stack "dev" of the project "test".
func (w *Workspace) build(t testing.TB, program string) []string {
	t.Helper()
	return w.Language.build(t, w.Dir, program)
}

// Finding is a message of a type checker: a line of the program and the code of the message.
type Finding struct {
	Line int
	Code string
}

// Checker is a type checker.
type Checker struct {
	Name string
	// Builds says that a program that this checker refuses is not built either, so that Start
	// includes the check.
	Builds bool
	// command returns the command that checks files of the workspace, each of which is a program.
	command func(t testing.TB, dir string, files ...string) *exec.Cmd
	// single says that a command checks one program. Others check several, since most of their time goes to what the
	// programs import.
	single bool
	// message matches a message; its groups are the file, the line and the code.
	message *regexp.Regexp
}

// Check returns what a type checker finds in programs, in each every finding once, and what it prints.
func (w *Workspace) Check(t testing.TB, c Checker, programs ...string) (found [][]Finding, printed string) {
	t.Helper()
	w.checking.Lock()
	defer w.checking.Unlock()
	var files []string
	for i, program := range programs {
		file := filepath.Join(w.Dir, fmt.Sprintf("%s-%d-%s", c.Name, i, w.Program))
		writeFile(t, file, program)
		files = append(files, file)
	}
	all := make([][]Finding, len(programs))
	group := len(files)
	if c.single {
		group = 1
	}
	for checked := range slices.Chunk(files, group) {
		out, err := c.command(t, w.Dir, checked...).CombinedOutput()
		messages := c.message.FindAllStringSubmatch(string(out), -1)
		for _, m := range messages {
			i := slices.IndexFunc(files, func(file string) bool { return filepath.Base(file) == filepath.Base(m[1]) })
			if i < 0 {
				t.Fatalf("%s: a message about %s:\n%s", c.Name, m[1], out)
			}
			line, _ := strconv.Atoi(m[2]) // the pattern only matches digits
			all[i] = append(all[i], Finding{line, m[3]})
		}
		if (err != nil) != (len(messages) > 0) {
			t.Fatalf("%s: %v\n%s", c.Name, err, out)
		}
		printed += string(out)
	}
	for _, of := range all {
		found = append(found, slices.Compact(of))
	}
	return found, printed
}

// Driver returns the text of a file of the drivers.
func Driver(t testing.TB, name string) string {
	t.Helper()
	text, err := drivers.ReadFile("drivers/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// command returns a command in a folder. Go may not download modules.
func command(t testing.TB, dir string, argv ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off")
	return cmd
}

// run runs a command, which must succeed.
func run(t testing.TB, dir string, argv ...string) {
	t.Helper()
	if out, err := command(t, dir, argv...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
	}
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// root returns the root of the repository.
func root(t testing.TB) string {
	t.Helper()
	dir, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
