package engine

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
)

// renameMembers renames the typed members of a response from their wire names to
// their declared names.
func renameMembers(s *plan.Step, result any) any {
	members, ok := result.(map[string]any)
	if !ok || !s.Arrives.Active {
		return result
	}
	members[s.Yield] = s.Arrives.In(members[s.Yield], nil)
	return members
}

// noteETag keeps the ETag of a response about the resource, which `ifMatch: true`
// sends with the next change (RFC 9110, 8.8.3). After an effect whose response
// has none, none is known.
func (r *run) noteETag(s *plan.Step, result any) {
	if r.res == nil || !r.res.Conditional {
		return // nobody asks for it
	}
	members, _ := result.(map[string]any)
	headers, _ := members["headers"].(map[string]any)
	etag, ok := headers["etag"].(string)
	switch {
	case ok && r.verb != plan.List:
		r.etag = etag
	case s.Effect == actions.Write:
		r.etag = ""
	}
}

// markEchoes marks result members that echo a secret argument (Kind.Echoes) as
// secret.
func (r *run) markEchoes(s *plan.Step, result any) {
	members, _ := result.(map[string]any)
	for _, name := range s.Kind.Echoes {
		if v := members[name]; v != nil {
			r.Secrets.Saw(v)
		}
	}
}
