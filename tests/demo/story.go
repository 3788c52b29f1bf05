package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/declprov/declprov/tests/internal/pulumicli"
)

// tally prints the output of all parts, and counts the statements.
type tally struct {
	out                io.Writer
	told, kept, broken int
}

// story is a part that is running.
type story struct {
	*tally
	root, binary string
	project      *pulumicli.Project
	// text is the text of the spec.
	text string
}

func (t *tally) chapter(title string) {
	t.told++
	fmt.Fprintf(t.out, "\n%2d. %s\n%s\n", t.told, title, strings.Repeat("-", 4+len(title)))
}

func (t *tally) say(format string, args ...any) { fmt.Fprintf(t.out, "    "+format+"\n", args...) }

// claim prints a statement, and whether it is true.
func (t *tally) claim(so bool, format string, args ...any) {
	mark := "✓"
	if so {
		t.kept++
	} else {
		t.broken++
		mark = "✗ NOT TRUE:"
	}
	fmt.Fprintf(t.out, "  %s %s\n", mark, fmt.Sprintf(format, args...))
}

func (t *tally) summary() error {
	fmt.Fprintf(t.out, "\nChecked %d statements, %d are true. All files of the demo have been deleted.\n", t.kept+t.broken, t.kept)
	if t.broken > 0 {
		return fmt.Errorf("%d statements are not true", t.broken)
	}
	fmt.Fprint(t.out, "The specs are examples/files.cue and examples/rest-api.cue; README.md explains how to write one.\n")
	return nil
}

// program prints the resources of Pulumi.yaml and writes them.
func (s *story) program(resources string) error {
	body := "resources:\n" + resources
	s.say("Pulumi.yaml:")
	for line := range strings.Lines(body) {
		s.say("  │ %s", strings.TrimRight(line, "\n"))
	}
	return s.project.SetProgram(body)
}

// pulumi prints the command and the relevant lines of its output.
func (s *story) pulumi(r *pulumicli.Result, err error) (*pulumicli.Result, error) {
	if err != nil {
		return nil, err
	}
	s.say("$ pulumi %s", strings.Join(shown(r.Typed), " "))
	for line := range strings.Lines(r.Stdout + r.Stderr) {
		if interesting(line) {
			s.say("  %s", strings.TrimRight(line, "\n"))
		}
	}
	return r, nil
}

// must is pulumi for a command that must succeed.
func (s *story) must(r *pulumicli.Result, err error) (*pulumicli.Result, error) {
	r, err = s.pulumi(r, err)
	if err == nil {
		err = r.Failure()
	}
	return r, err
}

// shown returns arguments without flags, which only replace the prompts of the CLI.
func shown(args []string) []string {
	var kept []string
	for _, arg := range args {
		if !strings.HasPrefix(arg, "--") {
			kept = append(kept, arg)
		}
	}
	return kept
}

// unfinished matches lines about operations that a later line reports as finished.
var unfinished = regexp.MustCompile(`(creating|updating|deleting|replacing|importing|refreshing)( original| replacement)? (\(|failed)`)

// interesting reports whether a line is about a finished operation on a resource of the
// demo, a count below "Resources:", or an error.
func interesting(line string) bool {
	text := strings.TrimSpace(line)
	switch {
	case strings.Contains(text, ":index:"):
		return !unfinished.MatchString(text)
	case strings.HasPrefix(text, "error:"):
		return !strings.Contains(text, "update failed")
	case text == "" || len(line)-len(strings.TrimLeft(line, " ")) != 4:
		return false
	default:
		return strings.ContainsAny(text[:1], "+-~0123456789")
	}
}

// declprov runs declprov in the repository, and prints the command and its output.
func (s *story) declprov(ctx context.Context, args ...string) (exitCode int, err error) {
	s.say("$ declprov %s", strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, s.binary, args...)
	cmd.Dir = s.root
	printed, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(printed)) {
		s.say("  %s", strings.TrimRight(line, "\n"))
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

// spec prints a spec from a line on, without comments.
func (s *story) spec(name, text, from string) {
	_, part, found := strings.Cut(text, from)
	if !found {
		part = ""
	}
	s.say("%s:", name)
	for line := range strings.Lines(from + part) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			s.say("  │ %s", strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), "\n"))
		}
	}
}

// write changes a file without Pulumi, and prints the equivalent shell command.
func (s *story) write(name, content string) error {
	s.say("$ echo -n %q > %s", content, name)
	return os.WriteFile(s.path(name), []byte(content), 0o644)
}

// show prints a small file.
func (s *story) show(name string) {
	data, err := os.ReadFile(s.path(name))
	if err != nil {
		s.say("$ cat %s\n      %v", name, err)
		return
	}
	s.say("$ cat %s\n      %s", name, data)
}

func (s *story) path(name string) string { return filepath.Join(s.project.Dir, name) }

// holds reports whether a file exists and has exactly this content.
func (s *story) holds(name, content string) bool {
	data, err := os.ReadFile(s.path(name))
	return err == nil && string(data) == content
}

func (s *story) there(name string) bool {
	_, err := os.Lstat(s.path(name))
	return err == nil
}
