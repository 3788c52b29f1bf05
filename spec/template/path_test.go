package template

import "testing"

func TestNamedPath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, read, want string }{
		{"/users", "/users/${id}", "/users/${id}"},
		{"/users/", "/users/${id}", "/users/${id}"},
		{"/users", "/users/${id}/", "/users/${id}/"},
		{"/files/local", "/files/local/${segments(id)}", "/files/local/${segments(id)}"},
		{"/users", "/users/${inputs.name}?full=1", "/users/${inputs.name}"},
		{"/access/users/apikey", "/access/users/${id}", "/access/users/${id}/apikey"},
		{"/users/keys", "/users/${inputs.user}/keys/${id}", "/users/${inputs.user}/keys/${id}"},
		{"/users", "/users/${inputs.user}/keys/${id}", "/users/${inputs.user}/keys/${id}"},
		{"/users/keys/renew", "/users/${inputs.user}/keys/${id}", "/users/${inputs.user}/keys/${id}/renew"},
		{"/users", "/users/${id}/details", "/users/${id}"},
		{"/users/password", "/users/${id}/details", "/users/${id}/password"},
		{"/users/details", "/users/${id}/details", "/users/${id}/details"},
		{"/user", "/users/${segments(id)}", "/user/${segments(id)}"},
		{"/user", "/user?id=${id}", "/user?id=${id}"},
		{"/users", "/user?id=${id}", "/users/${id}"},
		{"/users", "/users/${inputs.name ?? id}?full=1", "/users/${inputs.name ?? id}"},
		{"/users", "", "/users/${id}"},
		{"/users", "/settings", "/users/${id}"},
		{"/f", "/f/${inputs.parent + '/' + inputs.name}", "/f/${inputs.parent + '/' + inputs.name}"},
		{"/${config.org}/users", "/${config.org}/users/u-${id}", "/${config.org}/users/u-${id}"},
		{"/users", "/users/${", "/users/${id}"},
	} {
		if got := NamedPath(test.path, test.read); got != test.want {
			t.Errorf("%s, as %s: %s, want %s", test.path, test.read, got, test.want)
		}
	}
}
