package operation

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// StoppedPlainly is Stopped for a create or delete that is kept where nothing is encrypted. It has no more of the results than
// what is used later. If that contains a secret, which m hides or a type declares, the result has none, and cannot continue.
func StoppedPlainly(r *Run, f *recorded.Failed, m *screen.Mask) *recorded.Failed {
	used := r.Operation.UsedFrom(f.Step)
	if r.Verb == plan.Create {
		used = r.Resource.UsedLater(f.Step, r.ID != "")
	}
	p := &plainly{mask: m, names: r.SecretNames}
	for i, s := range r.Operation.Steps[:min(len(f.Results), len(r.Operation.Steps))] {
		if s.ForEach != nil {
			p.found = p.found || f.Results[i] != nil && scope.LoopsOverSecrets(&r.Scope, s)
			f.Results[i] = p.elements(r.MarkedResult(s, f.Results[i]), used[i])
		} else {
			f.Results[i] = p.part(r.MarkedResult(s, f.Results[i]), used[i])
		}
	}
	if f.Ran() > 0 {
		s := r.Operation.Steps[f.Step]
		p.found = p.found || scope.LoopsOverSecrets(&r.Scope, s)
		f.Elements, _ = p.elements(r.MarkedResult(s, f.Elements), used[f.Step]).(map[string]any)
		for i := range f.Spare {
			f.Spare[i].Result = p.part(f.Spare[i].Result, used[f.Step])
		}
	}
	f.Inputs, f.Secret = "", false // a hash of a short secret can be guessed
	if p.found {
		f.Stuck, f.Results, f.Kept = true, nil, nil
		f.KeepElements(nil, nil)
		f.Error = "it cannot continue, because a later step or output needs a secret of an earlier response, and the journal holds no secrets"
	}
	return f
}

// plainly finds secrets in the parts of values that are kept. found is true if there was one.
type plainly struct {
	mask  *screen.Mask
	names []string
	found bool
}

// elements is part for the results of a loop, which stay where they are.
func (p *plainly) elements(v any, paths [][]string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			p.look(key)
			out[key] = p.part(item, paths)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = p.part(item, paths)
		}
		return out
	default:
		return p.part(v, paths)
	}
}

// part returns the parts of a value at paths, and nil if there are none.
func (p *plainly) part(v any, paths [][]string) any {
	if len(paths) == 0 {
		return nil
	}
	whole := slices.ContainsFunc(paths, func(path []string) bool { return len(path) == 0 })
	switch v := v.(type) {
	case expr.Secret:
		p.found = true
		return nil
	case map[string]any:
		out := map[string]any{}
		for name, item := range v {
			below := [][]string{{}}
			if !whole {
				below = restOf(paths, func(first string) bool { return first == name || first == "*" })
			}
			if below == nil {
				continue
			}
			p.look(name)
			p.found = p.found || item != nil && slices.Contains(p.names, name)
			out[name] = p.part(item, below)
		}
		return out
	case []any:
		below := [][]string{{}}
		if !whole {
			below = restOf(paths, func(string) bool { return true })
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = p.part(item, below)
		}
		return out
	case nil, bool:
		return v
	default:
		p.look(fmt.Sprint(v))
		return v
	}
}

// look looks for secrets in a text.
func (p *plainly) look(text string) { p.found = p.found || p.mask.Holds(text) }

// restOf returns what follows the first names of paths that match.
func restOf(paths [][]string, matches func(first string) bool) (rest [][]string) {
	for _, path := range paths {
		if matches(path[0]) {
			rest = append(rest, path[1:])
		}
	}
	return rest
}
