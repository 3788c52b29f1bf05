package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// report prints events as readable lines while they arrive. It is safe for concurrent
// use.
type report struct {
	mu      sync.Mutex
	out     io.Writer
	verbose bool
	passed  int
	failed  int
	// broken are the tests and packages that failed, for the summary.
	broken []string
	// left are the tests that were left out, by reason.
	left map[string][]string
	// costs are the times of packages. Several packages run at once.
	costs []cost
}

// cost is the time that one run of a package's tests took.
type cost struct {
	what    string
	seconds float64
	// slowest is the top-level test that took longest.
	slowest string
	longest float64
}

func newReport(out io.Writer, verbose bool) *report {
	return &report{out: out, verbose: verbose, left: map[string][]string{}}
}

// stream processes the events of one `go test`. Another one may run the same package with
// other flags.
type stream struct {
	*report
	// printed is the output of unfinished tests and packages.
	printed map[string]*strings.Builder
	// ran is the number of tests of each package, slowest its slowest test.
	ran     map[string]int
	slowest map[string]event
	// how is appended to the names of packages: the flags of this stream.
	how string
}

func (r *report) leaveOut(what, reason string) { r.left[reason] = append(r.left[reason], what) }

// read reports all events of one `go test`. how is appended to the names of packages in
// the list of costs.
func (r *report) read(in io.Reader, how string) error {
	s := &stream{report: r, printed: map[string]*strings.Builder{}, ran: map[string]int{}, slowest: map[string]event{}, how: how}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			s.addLine(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the events of the tests: %w", err)
		}
	}
}

func (s *stream) addLine(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var e event
	if json.Unmarshal(line, &e) == nil {
		s.add(e)
	} else {
		s.out.Write(line)
	}
}

func (s *stream) add(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "output":
		if s.verbose {
			fmt.Fprint(s.out, e.Output)
		}
		if s.printed[key] == nil {
			s.printed[key] = &strings.Builder{}
		}
		s.printed[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		s.finish(e, s.printed[key])
		delete(s.printed, key)
	}
}

// finish counts a finished test, or prints the line of a finished package.
func (s *stream) finish(e event, printed *strings.Builder) {
	text := ""
	if printed != nil {
		text = printed.String()
	}
	if e.Test == "" {
		s.finishPackage(e, text)
		return
	}
	s.ran[e.Package]++
	if !strings.Contains(e.Test, "/") && e.Elapsed > s.slowest[e.Package].Elapsed {
		s.slowest[e.Package] = e
	}
	switch e.Action {
	case "pass":
		s.passed++
	case "fail":
		s.failed++
		s.broken = append(s.broken, shortPackage(e.Package)+"."+e.Test)
		if !s.verbose {
			fmt.Fprint(s.out, text)
		}
	case "skip":
		s.leaveOut(shortPackage(e.Package)+"."+e.Test, reason(text))
	}
}

func (s *stream) finishPackage(e event, text string) {
	defer delete(s.ran, e.Package)
	if e.Elapsed > 0 {
		longest := s.slowest[e.Package]
		s.costs = append(s.costs, cost{shortPackage(e.Package) + s.how, e.Elapsed, longest.Test, longest.Elapsed})
	}
	switch {
	case e.Action == "fail":
		if s.ran[e.Package] == 0 {
			s.failed++
			s.broken = append(s.broken, shortPackage(e.Package)+" (did not build or did not start)")
		}
		if !s.verbose {
			fmt.Fprint(s.out, text)
		}
		fmt.Fprintf(s.out, "FAIL  %-60s %6.1fs\n", e.Package, e.Elapsed)
	case s.ran[e.Package] > 0 && !s.verbose:
		fmt.Fprintf(s.out, "ok    %-60s %6.1fs  %4d tests\n", e.Package, e.Elapsed, s.ran[e.Package])
	}
}

// reason returns the message of a skipped test: the text after the position, as in
// `    need.go:41: strace is missing …`.
func reason(text string) string {
	for line := range strings.Lines(text) {
		if _, said, ok := strings.Cut(line, ".go:"); ok {
			if _, said, ok = strings.Cut(said, ": "); ok {
				return strings.TrimSpace(said)
			}
		}
	}
	return "no reason given"
}

func shortPackage(path string) string {
	return strings.TrimPrefix(path, "github.com/declprov/declprov/")
}

// maxCosts is the number of costs that the summary lists.
const maxCosts = 20

// listCosts lists the packages that took longest. Several packages run at once, so the sum
// exceeds the elapsed time.
func (r *report) listCosts() {
	if len(r.costs) == 0 {
		return
	}
	slices.SortStableFunc(r.costs, func(a, b cost) int { return cmp.Compare(b.seconds, a.seconds) })
	listed := r.costs[:min(maxCosts, len(r.costs))]
	fmt.Fprintf(r.out, "\nThe slowest of %d packages:\n", len(r.costs))
	for _, c := range listed {
		line := fmt.Sprintf("  %6.1fs  %-40s", c.seconds, c.what)
		if c.slowest != "" {
			line += fmt.Sprintf("  %s %.1fs", c.slowest, c.longest)
		}
		fmt.Fprintln(r.out, strings.TrimRight(line, " "))
	}
}

func (r *report) summary() {
	r.listCosts()
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
