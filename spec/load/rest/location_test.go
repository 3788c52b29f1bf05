package rest

import "testing"

// TestRelativePatterns: the path of an object relative to that of the create.
func TestRelativePatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ create, object, want string }{
		{"/pets", "/pets/${id}", "'pets/*'"},
		{"/pets/", "/pets/${id}/", "'*/'"},
		{"/v1/pets?x=1/2", "/v1/pets/${ id }?full=${inputs.full}", "'pets/*'"},
		{"/stores/${inputs.store}/pets", "/stores/${inputs.store}/pets/${id}", "'pets/*'"},
		{"/projects/${inputs.project}/tasks", "/tasks/${id}", "'../../tasks/*'"},
		{"/pets/new", "/pets/${id}", "'*'"},
		{"/new", "/stores/${inputs.store}/x${config.y}z/${id}/it's*", "'stores/' + urlencode(inputs.store) + '/x' + urlencode(config.y) + 'z/*/it%27s%2A'"},
		{"/${config.version}/pets", "/${config.version}/pets/${id}", "'pets/*'"},
		{"/${inputs.kind}", "/${inputs.kind}/${id}", "urlencode(inputs.kind) + '/*'"},
		{"/${segments(config.prefix)}/pets", "/${segments(config.prefix)}/pets/${id}", "'pets/*'"},
		{"/${segments(config.prefix)}/pets", "/pets/${id}", ""},
		{"/pets", "/${segments(config.prefix)}/${id}", ""},
		{"/pets", "/pets/pet-${id}", ""},
		{"/pets", "/pet?id=${id}", ""},
		{"/pets", "/pets/${id}/of/${id}", ""},
	} {
		got, ok := relativePattern(c.create, c.object)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.create, c.object, got, c.want)
		}
	}
}
