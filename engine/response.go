package engine

import (
	"github.com/declprov/declprov/actions"
)

// renameMembers renames the typed members of a response from their wire names to
// their declared names.
func renameMembers(s *step, result any) any {
	members, ok := result.(map[string]any)
	if !ok || !s.arrives.Active {
		return result
	}
	members[s.yield] = s.arrives.In(members[s.yield], nil)
	return members
}

// noteETag keeps the ETag of a response about the resource, which `ifMatch: true`
// sends with the next change (RFC 9110, 8.8.3). After an effect whose response
// has none, none is known.
func (r *run) noteETag(s *step, result any) {
	if r.res == nil || !r.res.conditional {
		return // nobody asks for it
	}
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

// markEchoes marks result members that echo a secret argument (Kind.Tells) as
// secret.
func (r *run) markEchoes(s *step, result any) {
	members, _ := result.(map[string]any)
	for _, name := range s.kind.Tells {
		if v := members[name]; v != nil {
			r.secrets.Saw(v)
		}
	}
}
