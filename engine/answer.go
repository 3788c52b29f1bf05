package engine

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
func (r *run) tagged(result any) {
	members, _ := result.(map[string]any)
	headers, _ := members["headers"].(map[string]any)
	if etag, ok := headers["etag"].(string); ok && r.verb != list {
		r.etag = etag
	}
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
