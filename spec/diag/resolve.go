package diag

import (
	"fmt"
	"slices"
)

// Resolve sets the exact places of all edits. It drops the edits of a diagnostic if the text
// of one of them is not in the sources exactly once, as behind an escape sequence, and
// those for which keep returns false. keep usually parses a whole file, so it is asked about many edits at once.
func (l List) Resolve(sources Sources, keep func(file string, edited []byte) bool) {
	files := map[string]*content{}
	for file, text := range sources {
		files[file] = newContent(text)
	}
	r := resolver{l, sources, keep, map[string][]int{}}
	var first []int // diagnostics with edits that no earlier one has
	for i := range l {
		edits, ok := resolved(l[i].Edits, files)
		if l[i].Edits = edits; !ok || len(edits) == 0 {
			l[i].Edits = nil
			continue
		}
		key := fmt.Sprintf("%q", edits)
		if r.same[key] = append(r.same[key], i); len(r.same[key]) == 1 {
			first = append(first, i)
		}
	}
	r.check(first)
}

// resolved returns edits with their exact places, and reports whether all have one.
func resolved(edits []Edit, files map[string]*content) ([]Edit, bool) {
	edits = slices.Clone(edits)
	for j := range edits {
		if !edits[j].resolve(files[edits[j].At.File]) {
			return nil, false
		}
	}
	return edits, true
}

// resolver decides which edits to keep.
type resolver struct {
	List
	sources Sources
	keep    func(file string, edited []byte) bool
	// same are the diagnostics with the same edits.
	same map[string][]int
}

// check drops the edits that are not to be kept, of some diagnostics and of those with the same edits. If all of them can be
// applied together, and the result is good, so is each. Otherwise it checks one half after the other.
func (r *resolver) check(some []int) {
	switch {
	case len(some) == 0 || r.areGood(some):
	case len(some) == 1:
		for _, i := range r.same[fmt.Sprintf("%q", r.List[some[0]].Edits)] {
			r.List[i].Edits = nil
		}
	default:
		r.check(some[:len(some)/2])
		r.check(some[len(some)/2:])
	}
}

// areGood reports whether the edits of some diagnostics can be applied together, and are to be kept.
func (r *resolver) areGood(some []int) bool {
	var edits []Edit
	for _, i := range some {
		edits = append(edits, r.List[i].Edits...)
	}
	edited, err := Apply(r.sources, edits)
	if err != nil {
		return false
	}
	for file, content := range edited {
		if !r.keep(file, content) {
			return false
		}
	}
	return true
}

// resolve sets the exact place of the edit in its file, and reports whether there is one.
func (e *Edit) resolve(file *content) bool {
	if file == nil {
		return false
	}
	from, to, ok := file.offsets(e.At)
	if !ok || e.Old == "" {
		return ok
	}
	at := wholeWord(file.text[from:to], e.Old)
	if at < 0 {
		return false
	}
	from += at
	e.At.Start = file.position(from)
	e.At.End = file.position(from + len(e.Old))
	e.Old = ""
	return true
}
