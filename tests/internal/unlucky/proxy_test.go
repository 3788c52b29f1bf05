package unlucky

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMisfortunes checks what the server and the client receive for each fault.
func TestMisfortunes(t *testing.T) {
	for _, c := range []struct {
		misfortune Misfortune
		forwarded  int
		response   string // "" is none
	}{
		{Misfortune{Name: ""}, 1, "201 done"},
		{ServerErrorBefore(), 0, "500 <html>"},
		{ServerErrorAfter(), 1, "500 <html>"},
		{DroppedBefore(), 0, ""},
		{DroppedAfter(), 1, ""},
		{BusyAfter(), 1, "503 1 <html>"},
		{TimedOutAfter(), 1, "408 <html>"},
		{Late(10 * time.Millisecond), 1, "201 done"},
		{Twice(), 2, "201 done"},
	} {
		t.Run(c.misfortune.Name, func(t *testing.T) {
			seen := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || string(body) != "text" || r.URL.EscapedPath() != "/a%2Fb" || r.Header.Get("X-Own") != "mine" {
					t.Errorf("the server got %s %s %q %v", r.Method, r.URL, body, r.Header)
				}
				seen++
				w.WriteHeader(http.StatusCreated)
				_, _ = io.WriteString(w, "done")
			}))
			t.Cleanup(server.Close)
			proxy := Start(t, server.URL)
			proxy.Arm(c.misfortune, 1, func(r Request) bool { return r.Method == "POST" && r.URI == "/a%2Fb?c=d" && r.Body == "text" })
			if got := post(t, proxy.URL); got != c.response {
				t.Errorf("the client got %q, want %q", got, c.response)
			}
			if seen != c.forwarded {
				t.Errorf("the server got %d requests, want %d", seen, c.forwarded)
			}
			status := 0
			if seen > 0 {
				status = http.StatusCreated
			}
			want := []Exchange{{Misfortune: c.misfortune.Name, Forwarded: c.forwarded, Status: status}}
			got := proxy.Exchanges()
			for i := range got {
				got[i].Request = Request{}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the record (-want +got):\n%s", diff)
			}
			if got := post(t, proxy.URL); got != "201 done" || seen != c.forwarded+1 {
				t.Errorf("the next request got %q", got)
			}
			if left := proxy.Disarm(); len(left) > 0 {
				t.Errorf("still armed: %v", left)
			}
		})
	}
}

func TestDisarm(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	proxy := Start(t, server.URL)
	proxy.Arm(DroppedAfter(), 2, func(Request) bool { return true })
	post(t, proxy.URL)
	if diff := cmp.Diff([]string{"dropped after"}, proxy.Disarm()); diff != "" {
		t.Error(diff)
	}
	if got := post(t, proxy.URL); !strings.HasPrefix(got, "404 ") {
		t.Errorf("after Disarm: %q", got)
	}
}

// post returns the status, Retry-After and the first line's first word of the
// response.
func post(t *testing.T, base string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", base+"/a%2Fb?c=d", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Own", "mine")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	got, err := client.Do(req)
	if err != nil {
		return ""
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(body), ">")
	if strings.HasPrefix(first, "<") {
		first += ">"
	}
	return strings.Join(strings.Fields(got.Status[:3]+" "+got.Header.Get("Retry-After")+" "+first), " ")
}
