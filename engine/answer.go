package engine

import (
	"slices"

	"github.com/declprov/declprov/actions"
)

// arrived gives what of an answer is typed its declared names.
func (s *step) arrived(result any) any {
	members, ok := result.(map[string]any)
	if !ok || !s.arrives.active {
		return result
	}
	members[s.yield] = s.arrives.in(members[s.yield], nil)
	return members
}

// tagged keeps the ETag of an answer about the resource: what `ifMatch: true`
// sends with the next change (RFC 9110, 8.8.3).
//
// What an effect leaves without one has another than before, or had none: it is
// to be read.
func (r *run) tagged(s *step, result any) {
	members, _ := result.(map[string]any)
	headers, _ := members["headers"].(map[string]any)
	etag, ok := headers["etag"].(string)
	switch {
	case ok && r.verb != list:
		r.etag = etag
	case s.effect == actions.Write:
		r.etag = ""
	}
}

// conditional reports whether an operation sends the ETag of the last read.
func (o *operation) conditional() bool {
	return o != nil && slices.ContainsFunc(o.steps, func(s *step) bool {
		a, ok := s.args["ifMatch"]
		if !ok || a.value == nil {
			return false
		}
		v, known := a.value.Const()
		return !known || v == true
	})
}

// told notes as secret what of a result gives a secret argument away.
func (r *run) told(s *step, result any) {
	members, _ := result.(map[string]any)
	for _, name := range s.kind.Tells {
		if v := members[name]; v != nil {
			r.secrets.saw(v)
		}
	}
}
