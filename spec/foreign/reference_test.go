package foreign

import (
	"strings"
	"testing"
)

func TestParseReference(t *testing.T) {
	t.Parallel()
	named := func(name string) string {
		return map[string]string{"User": "User", "user": "User", "users": "User", "octo_user": "User", "Key": "Key", "key": "Key"}[name]
	}
	none := Reference{}
	for path, want := range map[string]Reference{
		"User":                  {"User", 0, "id"},
		"User.id":               {"User", 0, "id"},
		"user.name":             {"User", 0, "name"},
		"users.id":              {"User", 0, "id"},
		"User.bob.id":           {"User", 0, "id"},
		"octo_user.bob.name":    {"User", 0, "name"},
		"octo.User.id":          {"User", 1, "id"},
		"octo.user.id":          none, // a member of anything
		"x.y.User":              none,
		"resource.User.id":      {"User", 1, "id"},
		"resources.user.bob.id": {"User", 1, "id"},
		"data.octo_user.bob.id": {"User", 1, "id"},
		"data.octo.user.id":     {"User", 2, "id"},
		"module.keys.id":        {"", 0, "id"},
		"data.x.y":              {"", 0, "y"},
		"data.x":                none, // the inputs, elsewhere
		"var.x":                 none,
		"var.User":              {"User", 1, "id"},
	} {
		got, ok := ParseReference(strings.Split(path, "."), named)
		if ok != (want != none) || ok && got != want {
			t.Errorf("%s: %+v %v, want %+v", path, got, ok, want)
		}
	}
}
