package http

import (
	"net/http"
	"testing"

	"github.com/declprov/declprov/actions"
)

// TestPagesOfProxies: a page with the status 200 is not a success, whatever the request was: the API may not
// have received it.
func TestPagesOfProxies(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Sign in</title>"))
	})
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		if out := ts.run("/x", args{"method": method}); out.Status == actions.Done || out.Status == actions.Gone || out.Err == nil {
			t.Errorf("%s: %v, %v", method, out.Status, out.Err)
		}
	}
}
