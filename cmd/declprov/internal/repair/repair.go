// Package repair applies the edits that findings suggest. It evaluates the spec after each
// change, before anything is written, and keeps a change only if the spec is better with it.
package repair

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/spec/diag"
)

// maxEvaluations is the maximum number of evaluations for one spec.
const maxEvaluations = 60

// Evaluate evaluates the spec with the given contents in place of those on disk.
type Evaluate func(replaced map[string][]byte) (*build.Built, error)

// Result is a repaired spec, which is not yet written.
type Result struct {
	// Built is the result of evaluating the repaired spec.
	Built *build.Built
	// Done are the edits that were applied, in order.
	Done []Change
	// Files are the new contents of the changed files, Before the old ones.
	Files, Before map[string][]byte
}

// Change is one finding whose edits were applied.
type Change struct {
	Finding diag.Diagnostic
	// Old and New are the lines of its first edit before and after the change.
	Old, New []string
}

type repairer struct {
	Result
	evaluate Evaluate
	// current are the contents of all files with the changes so far.
	current diag.Sources
	// refused are the findings whose edits do not help, seen the contents that the spec had: no
	// change may lead back to one.
	refused     map[string]bool
	seen        map[string]bool
	evaluations int
}

// Repair applies the edits of a spec's findings until none is left that helps.
func Repair(evaluate Evaluate) (*Result, error) {
	built, err := evaluate(nil)
	if err != nil {
		return nil, err
	}
	r := &repairer{
		Result:   Result{Built: built, Files: map[string][]byte{}, Before: maps.Clone(built.Sources)},
		evaluate: evaluate, current: maps.Clone(built.Sources),
		refused: map[string]bool{}, seen: map[string]bool{}, evaluations: 1,
	}
	r.seen[r.contents(nil)] = true
	for r.evaluations < maxEvaluations {
		batch := r.choose()
		if len(batch) == 0 {
			break
		}
		if err := r.round(batch); err != nil {
			return nil, err
		}
	}
	return &r.Result, nil
}

// round applies a batch of findings together or, if that does not help, one of them.
func (r *repairer) round(batch diag.List) error {
	if ok, err := r.try(batch); ok || err != nil {
		return err
	}
	for _, d := range batch {
		if len(batch) > 1 {
			if ok, err := r.try(diag.List{d}); ok || err != nil {
				return err
			}
		}
		r.refused[keyOf(d)] = true
		if r.evaluations >= maxEvaluations {
			return nil
		}
	}
	return nil
}

// choose returns findings whose edits do not overlap.
func (r *repairer) choose() diag.List {
	var batch diag.List
	var edits []diag.Edit
	for _, d := range r.Built.Findings {
		if len(d.Edits) == 0 || r.refused[keyOf(d)] {
			continue
		}
		more := slices.Concat(edits, d.Edits)
		if _, err := diag.Apply(r.current, more); err == nil {
			batch, edits = append(batch, d), more
		}
	}
	return batch
}

// try applies the edits of findings, and keeps them if the spec is better then.
func (r *repairer) try(batch diag.List) (bool, error) {
	var edits []diag.Edit
	for _, d := range batch {
		edits = append(edits, d.Edits...)
	}
	edited, err := diag.Apply(r.current, edits)
	contents := r.contents(edited)
	if err != nil || r.seen[contents] {
		return false, nil
	}
	replaced := maps.Clone(r.Files)
	maps.Copy(replaced, edited)
	r.evaluations++
	after, err := r.evaluate(replaced)
	if err != nil || !isBetter(r.Built.Findings, after.Findings, batch) || r.spoils(batch, edited, after.Findings) {
		return false, err
	}
	r.seen[contents] = true
	for _, d := range batch {
		r.Done = append(r.Done, r.change(d))
	}
	r.Files, r.Built = replaced, after
	maps.Copy(r.current, after.Sources)
	maps.Copy(r.current, edited)
	return true, nil
}

// contents returns all contents of the spec with some of them edited, as one text.
func (r *repairer) contents(edited map[string][]byte) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.current)) {
		content, ok := edited[name]
		if !ok {
			content = r.current[name]
		}
		b.WriteString(name + "\x00")
		b.Write(content)
	}
	return b.String()
}

// change returns the lines that the edits of a finding change.
func (r *repairer) change(d diag.Diagnostic) Change {
	c := Change{Finding: d}
	at := d.Edits[0].At
	edited, err := diag.Apply(r.current, d.Edits)
	if err != nil {
		return c
	}
	lines := strings.Count(string(edited[at.File]), "\n") - bytes.Count(r.current[at.File], []byte("\n"))
	last := at.End.Line
	if at.End.Column == 1 && last > at.Start.Line {
		last-- // whole lines
	}
	c.Old = linesOf(r.current[at.File], at.Start.Line, last)
	c.New = linesOf(edited[at.File], at.Start.Line, last+lines)
	return c
}

// linesOf returns the lines from one number to another, counted from 1.
func linesOf(content []byte, from, to int) []string {
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	from, to = max(from, 1), min(to, len(lines))
	if from > to {
		return nil
	}
	return lines[from-1 : to]
}

// keyOf identifies a finding independently of its line, which changes may move. A parser stops at
// the first mistake: the next one of the same kind is further down.
func keyOf(d diag.Diagnostic) string {
	if d.Code == syntax {
		return fmt.Sprintf("%s\x00%s\x00%d\x00%s", d.Code, d.Summary, d.Subject.Start.Line, d.Subject.File)
	}
	return d.Code + "\x00" + d.Summary + "\x00" + d.Path + "\x00" + d.Subject.File
}

// isBetter reports whether a spec is better with the edits of some of its findings: they are
// gone, and there are no more mistakes than before, except for those that the edited mistakes
// hid.
func isBetter(before, after, edited diag.List) bool {
	had, has := map[string]bool{}, map[string]bool{}
	for _, d := range before {
		had[keyOf(d)] = true
	}
	for _, d := range after {
		has[keyOf(d)] = true
	}
	for _, d := range edited {
		if has[keyOf(d)] {
			return false
		}
	}
	if !parsed(before) && parsed(after) {
		return true
	}
	var fresh, freshErrors int
	for _, d := range after {
		switch {
		case had[keyOf(d)]:
			continue
		case slices.Contains(clashes, d.Code):
			return false
		case wasHidden(d, edited):
			continue
		}
		fresh++
		if d.Severity == diag.Error {
			freshErrors++
		}
	}
	var errors int
	for _, d := range edited {
		if d.Severity == diag.Error {
			errors++
		}
	}
	if len(edited) > 1 {
		return fresh == 0
	}
	return freshErrors <= errors && fresh <= len(edited)
}

// spoils reports whether a mistake that was not there before is where the edits of findings have
// written: then the edit is wrong. It is not if the edits renamed the key of a value that was not
// looked at before. A mistake in the syntax hides all others: then one that has no edit itself
// must not be on the lines that the edits have written.
func (r *repairer) spoils(batch diag.List, edited map[string][]byte, after diag.List) bool {
	before := r.Built.Findings
	hid := !parsed(before)
	var written []diag.Range
	for file, content := range edited {
		var edits []diag.Edit
		for _, d := range batch {
			for _, e := range d.Edits {
				if e.At.File == file {
					edits = append(edits, e)
				}
			}
		}
		written = append(written, diag.Written(r.current[file], content, edits)...)
	}
	had := map[string]bool{}
	for _, d := range before {
		had[keyOf(d)] = true
	}
	return slices.ContainsFunc(after, func(d diag.Diagnostic) bool {
		if d.Severity != diag.Error || had[keyOf(d)] || wasHidden(d, batch) || hid && len(d.Edits) > 0 {
			return false
		}
		return slices.ContainsFunc(written, func(w diag.Range) bool { return overlap(w, d.Subject) || hid && shareLine(w, d.Subject) })
	})
}

// overlap reports whether two ranges have a character in common.
func overlap(a, b diag.Range) bool {
	return a.File == b.File && a.Start.Compare(b.End) < 0 && b.Start.Compare(a.End) < 0
}

// shareLine reports whether one range is on the lines of another one.
func shareLine(a, b diag.Range) bool {
	return a.File == b.File && b.Start.Line >= a.Start.Line && b.End.Line <= a.End.Line
}

// clashes are the codes of mistakes that arise if a name is changed to one that is taken.
var clashes = []string{"conflict", "duplicate-key", "duplicate-name", "field-not-allowed"}

// syntax is the code of mistakes in the syntax.
const syntax = "syntax"

// parsed reports whether the syntax is valid: else, CUE stops, and finds nothing else.
func parsed(list diag.List) bool {
	return !slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Code == syntax })
}

// wasHidden reports whether a finding is below a key that one of the edits renamed.
func wasHidden(d diag.Diagnostic, edited diag.List) bool {
	return slices.ContainsFunc(edited, func(e diag.Diagnostic) bool {
		parent := e.Path[:strings.LastIndexByte(e.Path, '.')+1]
		renamed := parent + cmp.Or(e.Edits[0].Text, "\x00")
		return d.Path == renamed || strings.HasPrefix(d.Path, renamed+".") || strings.HasPrefix(d.Path, renamed+"[")
	})
}
