package engine_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestListsWithoutIDs checks that items without an id, and a value that is not a list, are errors that
// show what is there.
func TestListsWithoutIDs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rest string
		body any
		want string
	}{
		"another name of the id": {`"/things"`, []any{map[string]any{"uuid": "7", "name": "a"}}, "name, uuid"},
		"an empty id":            {`"/things"`, []any{map[string]any{"id": ""}}, "id"},
		"a null id":              {`"/things"`, []any{map[string]any{"id": nil}}, "id"},
		"items elsewhere":        {`"/things"`, map[string]any{"results": []any{}}, "results"},
		"names":                  {`"/things"`, []any{"red"}, "text"},
		"no list":                {`{path: "/things", items: "page.items"}`, map[string]any{"page": map[string]any{"items": map[string]any{"a": 1}}}, "a"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { respond(w, http.StatusOK, tc.body) }))
		t.Cleanup(server.Close)
		e, _ := newWorld().engine(t, `http: baseURL: "`+server.URL+`"
resources: Thing: {inputs: name: string, rest: `+tc.rest+`}`)
		var failed error
		for one, err := range e.List(t.Context(), engine.ListRequest{Ref: ref("Thing")}) {
			if failed = err; err == nil {
				t.Errorf("%s: listed %+v", name, one)
			}
		}
		if failed == nil || !strings.Contains(failed.Error(), map[bool]string{true: "it is a ", false: "it has: "}[tc.want == "text"]+tc.want) {
			t.Errorf("%s: %v, want the members %s", name, failed, tc.want)
		}
	}
}
