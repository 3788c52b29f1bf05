package http

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
)

func TestGraphQL(t *testing.T) {
	const (
		partial = `{"data":{"a":null,"b":1},"errors":[{"message":"no a"},{"message":"no a"},{"message":"late"}]}`
		empty   = `{"data":{"a":null},"errors":[{"message":"no a"}]}`
	)
	const query, mutation = "{a b}", "mutation {a b}"
	for _, tc := range []struct {
		name, query string
		status      int
		body        string
		args        args
		want        actions.Status
		err         string
		data        any
		errors      int
	}{
		{name: "data", query: query, status: 200, body: `{"data":{"a":1}}`, want: actions.Done, data: args{"a": int64(1)}},
		{name: "data that is null", query: query, status: 200, body: `{"data":null}`, want: actions.Done},
		{name: "no errors", query: query, status: 200, body: `{"data":{"a":1},"errors":[]}`, want: actions.Done, data: args{"a": int64(1)}},
		{name: "errors", query: query, status: 200, body: `{"errors":[{"message":"no field x"}]}`, want: actions.Refused, err: "POST /q returned 200 OK, but the response reports errors: no field x", errors: 1},
		{name: "errors of a mutation", query: mutation, status: 200, body: empty, want: actions.Failed, err: "no a", data: args{"a": nil}, errors: 1},
		{name: "partial data", query: query, status: 200, body: partial, want: actions.Refused, err: "errors: no a; late", data: args{"a": nil, "b": int64(1)}, errors: 3},
		{name: "partial data of a mutation", query: mutation, status: 200, body: partial, want: actions.Failed, err: "no a", data: args{"a": nil, "b": int64(1)}, errors: 3},
		{name: "expected partial data", query: mutation, status: 200, body: partial, args: args{"expect": []any{"partial"}}, want: actions.Done, data: args{"a": nil, "b": int64(1)}, errors: 3},
		{name: "expected partial data with a status", query: query, status: 200, body: partial, args: args{"expect": []any{int64(200), "partial"}}, want: actions.Done, data: args{"a": nil, "b": int64(1)}, errors: 3},
		{name: "nothing but errors is not partial", query: mutation, status: 200, body: empty, args: args{"expect": []any{"partial"}}, want: actions.Failed, err: "no a", data: args{"a": nil}, errors: 1},
		{name: "the author's message", query: query, status: 200, body: empty, args: args{"error": lateMember("errors")}, want: actions.Refused, err: `errors: [{"message":"no a"}]`, data: args{"a": nil}, errors: 1},
		{name: "refused by status", query: mutation, status: 400, body: `{"errors":[{"message":"syntax"}]}`, want: actions.Refused, err: "POST /q returned 400 Bad Request: syntax", errors: 1},
		{name: "failed by status", query: mutation, status: 500, body: `{"errors":[{"message":"oops"}],"data":null}`, want: actions.Unknown, err: "500 Internal Server Error: oops", errors: 1},
		{name: "no endpoint", query: query, status: 404, body: `not here`, want: actions.Refused, err: "POST /q returned 404 Not Found: not here", data: "not here"},
		{name: "an error of another kind", query: query, status: 401, body: `{"message":"who are you"}`, want: actions.Refused, err: `401 Unauthorized: {"message":"who are you"}`, data: args{"message": "who are you"}},
		{name: "no GraphQL", query: query, status: 200, body: `{"message":"hello"}`, want: actions.Refused, err: "the body is not a response of GraphQL", data: nil},
		{name: "no GraphQL for a mutation", query: mutation, status: 200, body: `[1]`, want: actions.Unknown, err: "the body is not a response of GraphQL"},
		{name: "no JSON", query: query, status: 200, body: `<html>`, want: actions.Refused, err: "cannot be decoded as JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain") // the body is JSON, whatever it says
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			})
			a := args{"graphql": args{"query": tc.query}}
			for name, v := range tc.args {
				a[name] = v
			}
			out := ts.run("/q", a)
			class := map[bool]string{true: "", false: map[int]string{200: "200", 400: "400", 401: "401", 404: "404", 500: "500"}[tc.status]}[tc.want == actions.Done]
			ts.expect(out, tc.want, class, tc.err)
			result, ok := out.Result.(args)
			if !ok {
				return
			}
			if diff := cmp.Diff(tc.data, result["body"]); diff != "" {
				t.Errorf("the body (-want +got):\n%s", diff)
			}
			if got := len(result["errors"].([]any)); got != tc.errors {
				t.Errorf("%d errors, want %d", got, tc.errors)
			}
		})
	}
}
