package plan

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
)

// Response is the result of a call.
type Response struct {
	Result *spec.Type
	// Telling is the type of the result if an argument is secret, or nil if that makes
	// no difference. Hides is true if the result has secret members in either case.
	Telling *spec.Type
	Hides   bool
	// Yield is the member of the result that the step yields, or "" for the whole
	// result. NullIsNothing is a fact about that member; see actions.Facts.
	Yield         string
	NullIsNothing bool
	// ResultNaming maps the wire names of the typed response. Returns is true if the
	// step declares the type, so that responses are checked against it.
	ResultNaming value.Naming
	Returns      bool
	// SecretNames are the wire names of the secret members of a response.
	SecretNames []string
	// Streams is true if the call reads events, of which each may end it; see actions.Facts.
	Streams bool
	// Used are the members of the result to which the spec refers; see MarkUsed.
	// UsedWhole is true if it refers to the whole result.
	Used      map[string]bool
	UsedWhole bool
}

// Received returns the type of the result before the response was converted to its
// declared type: nothing is known about that member.
func (r *Response) Received() *spec.Type {
	t := *r.Result
	t.Fields = slices.Clone(t.Fields)
	for i, p := range t.Fields {
		if p.Name == r.Yield {
			untyped := *p
			untyped.Type = &spec.Type{}
			t.Fields[i] = &untyped
		}
	}
	return &t
}

// WithYield returns a result that yields a value, and has its other members from another result. It
// returns nil if the value is nil.
func (r *Response) WithYield(yield, other any) any {
	if yield == nil || r.Yield == "" {
		return yield
	}
	members, _ := other.(map[string]any)
	out := map[string]any{}
	for _, p := range r.Result.Fields {
		out[p.Name] = members[p.Name]
	}
	out[r.Yield] = yield
	return out
}

// Needs reports whether the spec refers to a member of the result.
func (r *Response) Needs(member string) bool {
	of, _, dotted := strings.Cut(member, ".")
	return r.UsedWhole || r.Used[member] || dotted && r.Used[of+".*"]
}

// MarkUsed marks a member of the result as used. An empty path marks the whole
// result. A path of two names marks a member of the member, or of its elements.
func (r *Response) MarkUsed(path []string) {
	if len(path) == 0 {
		r.UsedWhole = true
		return
	}
	r.Used[path[0]] = true
	inner := slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == "*" })
	if len(inner) > 1 {
		r.Used[inner[0]+"."+inner[1]] = true
	} else {
		r.Used[path[0]+".*"] = true // all of its members
	}
}
