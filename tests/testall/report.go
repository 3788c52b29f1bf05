package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// report turns events into lines for a person, as they come.
type report struct {
	out     io.Writer
	verbose bool
	passed  int
	failed  int
	// broken are the tests and packages that failed, for the end.
	broken []string
	// left is what was left out, by reason.
	left map[string][]string
	// printed is what a test or package that is not finished has printed.
	printed map[string]*strings.Builder
	// ran counts a package's tests.
	ran map[string]int
}

func newReport(out io.Writer, verbose bool) *report {
	return &report{out: out, verbose: verbose, left: map[string][]string{}, printed: map[string]*strings.Builder{}, ran: map[string]int{}}
}

func (r *report) leaveOut(what, reason string) { r.left[reason] = append(r.left[reason], what) }

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil {
				r.add(e)
			} else {
				r.out.Write(line)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the tests' events: %w", err)
		}
	}
}

func (r *report) add(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		if r.verbose {
			fmt.Fprint(r.out, e.Output)
		}
		if r.printed[key] == nil {
			r.printed[key] = &strings.Builder{}
		}
		r.printed[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		r.finish(e, r.printed[key])
		delete(r.printed, key)
	}
}

// finish counts a test that ended, or prints the line of a package that did.
func (r *report) finish(e event, printed *strings.Builder) {
	text := ""
	if printed != nil {
		text = printed.String()
	}
	if e.Test == "" {
		r.finishPackage(e, text)
		return
	}
	r.ran[e.Package]++
	switch e.Action {
	case "pass":
		r.passed++
	case "fail":
		r.failed++
		r.broken = append(r.broken, shortPackage(e.Package)+"."+e.Test)
		if !r.verbose {
			fmt.Fprint(r.out, text)
		}
	case "skip":
		r.leaveOut(shortPackage(e.Package)+"."+e.Test, reason(text))
	}
}

func (r *report) finishPackage(e event, text string) {
	defer delete(r.ran, e.Package) // it may be run once more, in another way
	switch {
	case e.Action == "fail":
		if r.ran[e.Package] == 0 {
			r.failed++
			r.broken = append(r.broken, shortPackage(e.Package)+", which did not build or did not start")
		}
		if !r.verbose {
			fmt.Fprint(r.out, text)
		}
		fmt.Fprintf(r.out, "FAIL  %-60s %6.1fs\n", e.Package, e.Elapsed)
	case r.ran[e.Package] > 0 && !r.verbose:
		fmt.Fprintf(r.out, "ok    %-60s %6.1fs  %4d tests\n", e.Package, e.Elapsed, r.ran[e.Package])
	}
}

// reason is what a skipped test said: the text after the position, as in
// `    need.go:41: strace is missing …`.
func reason(text string) string {
	for line := range strings.Lines(text) {
		if _, said, ok := strings.Cut(line, ".go:"); ok {
			if _, said, ok = strings.Cut(said, ": "); ok {
				return strings.TrimSpace(said)
			}
		}
	}
	return "it gave no reason"
}

func shortPackage(path string) string {
	return strings.TrimPrefix(path, "github.com/declprov/declprov/")
}

func (r *report) summary() {
	fmt.Fprintf(r.out, "\n%d tests passed, %d failed, %d left out\n", r.passed, r.failed, r.leftOut())
	if len(r.broken) > 0 {
		fmt.Fprintf(r.out, "\nFailed:\n  %s\n", strings.Join(r.broken, "\n  "))
	}
	if len(r.left) == 0 {
		return
	}
	fmt.Fprintln(r.out, "\nLeft out on this machine:")
	for _, reason := range slices.Sorted(maps.Keys(r.left)) {
		fmt.Fprintf(r.out, "  %s\n", reason)
		for _, what := range r.left[reason] {
			fmt.Fprintf(r.out, "      %s\n", what)
		}
	}
}

func (r *report) leftOut() int {
	n := 0
	for _, tests := range r.left {
		n += len(tests)
	}
	return n
}
