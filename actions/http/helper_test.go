package http

import (
	"net/http"
	"testing"

	"github.com/declprov/declprov/actions"
)

// TestHelper gets tokens from a command.
func TestHelper(t *testing.T) {
	admitted := "Bearer one two"
	for name, tc := range map[string]struct {
		login args
		late  map[string]actions.LateExpr
		want  actions.Status
		err   string
	}{
		"the whole output":  {login: args{"exec": args{"command": []any{"echo", "one", "two"}}}, want: actions.Done},
		"a part of it":      {login: args{"exec": args{"command": []any{"echo", "x"}}}, late: map[string]actions.LateExpr{"token": late("one two"), "expires": late(int64(60))}, want: actions.Done},
		"another token":     {login: args{"exec": args{"command": []any{"echo", "one"}}}, want: actions.Refused, err: "401"},
		"nothing":           {login: args{"exec": args{"command": []any{"echo"}}}, want: actions.Refused, err: "printed no token"},
		"no command":        {login: args{"exec": args{"command": []any{}}}, want: actions.Refused, err: "command is missing"},
		"a failure":         {login: args{"exec": args{"command": []any{"helper"}, "stdin": "x"}}, want: actions.Refused, err: "auth: login.exec: helper ended with exit code 1"},
		"one that expired":  {login: args{"exec": args{"command": []any{"echo", "x"}}}, late: map[string]actions.LateExpr{"expires": late("2020-01-01T00:00:00Z")}, want: actions.Refused, err: "has expired"},
		"a request, too":    {login: args{"exec": args{"command": []any{"echo", "x"}}, "http": args{}}, want: actions.Refused, err: "remove one of them"},
		"no valid header":   {login: args{"exec": args{"command": []any{"echo", "a\nb"}}}, want: actions.Refused, err: "not valid in a header"},
		"an unclear expiry": {login: args{"exec": args{"command": []any{"echo", "x"}}}, late: map[string]actions.LateExpr{"expires": late(true)}, want: actions.Refused, err: "invalid expiry"},
	} {
		t.Run(name, func(t *testing.T) {
			ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != admitted {
					w.WriteHeader(401)
				}
			})
			c := ts.call("/x", args{"auth": args{"login": tc.login}})
			for name, e := range tc.late {
				c.Late["auth.login."+name] = e
			}
			class := ""
			if tc.err == "401" {
				class = "401"
			}
			ts.expect(ts.kind.Run(t.Context(), c), tc.want, class, tc.err)
		})
	}
}
