package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/tests/model/specgen"
)

// Report counts what many histories came to.
type Report struct {
	mu    sync.Mutex
	cells map[specgen.Cell]int
	// waiting are the cells that need a language key which this version does not
	// have, by key; refused those of which vet says no, by code.
	waiting, refused map[string]int
	counts           map[string]int
	violations       map[string]int
	played           int
	// Failed are the first histories that broke a promise, by promise.
	Failed []*Played
}

func newReport() *Report {
	return &Report{cells: map[specgen.Cell]int{}, waiting: map[string]int{}, refused: map[string]int{}, counts: map[string]int{}, violations: map[string]int{}}
}

// add counts a history.
func (r *Report) add(p *Played) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cells[p.History.Spec.Cell]++
	r.played++
	for what, n := range p.Counts {
		r.counts[what] += n
	}
	if len(p.Violations) > 0 {
		r.violations[p.Violations[0].Kind]++
		r.Failed = append(r.Failed, p)
	}
}

// unplayed counts a history whose spec is not one to run.
func (r *Report) unplayed(h *History) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cells[h.Spec.Cell]++
	for _, what := range h.Spec.Missing {
		r.waiting[what]++
	}
	for _, d := range h.Spec.Errors {
		r.refused[d.Code]++
	}
}

// broke counts a history that broke a promise before it was played.
func (r *Report) broke(h *History, v Violation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cells[h.Spec.Cell]++
	r.violations[v.Kind]++
	r.Failed = append(r.Failed, &Played{History: h, Violations: []Violation{v}})
}

// Empty are the cells that no history was of.
func (r *Report) Empty() []specgen.Cell {
	return slices.DeleteFunc(specgen.Cells(), func(c specgen.Cell) bool { return r.cells[c] > 0 })
}

// Summary is the report without the matrix.
func (r *Report) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d histories were played.\n", r.played)
	list := func(title string, m map[string]int) {
		for _, what := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(&b, "%s: %s: %d\n", title, what, m[what])
		}
	}
	list("counted apart", r.counts)
	list("refused by vet", r.refused)
	list("waiting for the language", r.waiting)
	list("BROKEN", r.violations)
	return b.String()
}

// Matrix is the number of histories of each cell.
func (r *Report) Matrix() string {
	var b strings.Builder
	var columns []string
	rows := map[string][]string{}
	var order []string
	for _, c := range specgen.Cells() {
		row := fmt.Sprintf("%-8s %-16s %-7s %-10s", c.Method, c.Way, c.Idempotent, c.Retry)
		column := fmt.Sprintf("%s/%d", c.Undo, c.Steps)
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		if rows[row] == nil {
			order = append(order, row)
		}
		rows[row] = append(rows[row], fmt.Sprintf("%7d", r.cells[c]))
	}
	fmt.Fprintf(&b, "%-44s", "histories by cell: undo/steps")
	for _, column := range columns {
		fmt.Fprintf(&b, "%7s", column)
	}
	b.WriteString("\n")
	for _, row := range order {
		fmt.Fprintf(&b, "%-44s%s\n", row, strings.Join(rows[row], ""))
	}
	return b.String()
}

// String is a history that broke a promise: what it broke, the command that plays
// it again, the spec, and what happened.
func (p *Played) String() string {
	var b strings.Builder
	h := p.History
	for _, v := range p.Violations {
		fmt.Fprintf(&b, "%s: %s\n", strings.ToUpper(v.Kind), v.Text)
	}
	fmt.Fprintf(&b, "\nhistory %d of seed %d: %s\n%+v\n", h.Number, h.Seed, h.Spec.Cell, h.Spec.Flavour)
	which := "history"
	if h.CLI {
		which = "typed"
	}
	if h.Test != "" {
		fmt.Fprintf(&b, "play it again: cd tests && go test ./model -run '%s'\n\n", h.Test)
	} else {
		fmt.Fprintf(&b, "play it again: make model MODELFLAGS=\"-seed %d -%s %d\"\n\n", h.Seed, which, h.Number)
	}
	fmt.Fprintf(&b, "%s\n\n%s\n", h.Spec.Text, strings.Join(p.Account, "\n"))
	return b.String()
}
