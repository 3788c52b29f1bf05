package model

import "slices"

// shrink drops ops and strikes of a history one by one, as long as it still breaks
// the same promise, and gives the smallest that it found.
func shrink(p *Played, again func(*History) *Played) *Played {
	kind := p.Violations[0].Kind
	fails := func(h *History) *Played {
		got := again(h)
		if got == nil || !slices.ContainsFunc(got.Violations, func(v Violation) bool { return v.Kind == kind }) {
			return nil
		}
		return got
	}
	for smaller := true; smaller; {
		smaller = false
		for i := len(p.History.Ops) - 1; i >= 0; i-- {
			h := *p.History
			h.Ops = slices.Delete(slices.Clone(h.Ops), i, i+1)
			if got := fails(&h); got != nil {
				p, smaller = got, true
			}
		}
		for i := range p.History.Ops {
			for j := len(p.History.Ops[i].Strikes) - 1; j >= 0; j-- {
				h := *p.History
				h.Ops = slices.Clone(h.Ops)
				h.Ops[i].Strikes = slices.Delete(slices.Clone(h.Ops[i].Strikes), j, j+1)
				if got := fails(&h); got != nil {
					p, smaller = got, true
				}
			}
		}
	}
	return p
}
