package caddy

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// open starts a Caddy, and a stack whose provider is the example alone.
func open(t *testing.T) (*server, *pulumitest.Stack) {
	t.Helper()
	s := start(t)
	return s, stack(t, s.Base)
}

func stack(t *testing.T, admin string) *pulumitest.Stack {
	t.Helper()
	folder := provider.Folder(t, "caddy", "examples/caddy.cue")
	return pulumitest.New(t, pulumitest.Providers{"caddy": folder}, "CADDY_ADMIN="+admin)
}

func route(properties string) string {
	return "resources:\n  r: {type: caddy:Route, properties: {" + properties + "}}\n"
}

// handle is what the admin API has of a static answer.
func handle(text string) map[string]any {
	return map[string]any{"handler": "static_response", "status_code": "200", "body": text}
}

func TestEachPropertyOfARoute(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	for _, step := range []struct{ properties, ops, path, host, says string }{
		{"name: hello, paths: [/hello, /hi], text: Hello", "create=1", "/hi", "a.example", "200 Hello"},
		{"name: hello, paths: [/hi, /hello], text: Hello", "same=1", "/hello", "a.example", "200 Hello"},
		{"name: hello, paths: [/hi], text: Hello", "update=1", "/hello", "a.example", "200 "},
		{"name: hello, paths: [/hi], text: Bye", "update=1", "/hi", "a.example", "200 Bye"},
		{"name: hello, paths: [/hi], text: Bye, status: 404", "update=1", "/hi", "a.example", "404 Bye"},
		{"name: hello, paths: [/hi], text: Bye, headers: {X-By: Ada}", "update=1", "/hi", "a.example", "200 Bye Ada"},
		{"name: hello, paths: [/hi], text: Bye, hosts: [b.example]", "update=1", "/hi", "a.example", "200 "},
		{"name: hello, paths: [/hi], text: Bye", "update=1", "/hi", "a.example", "200 Bye"},
		{"name: other, paths: [/hi], text: Bye", "create-replacement=1 delete-replaced=1 replace=1", "/hi", "a.example", "200 Bye"},
	} {
		s.Program(route(step.properties))
		s.Up(step.ops)
		if got := server.says(t, step.path, step.host, "X-By"); got != step.says {
			t.Errorf("%s: it says %q, want %q", step.properties, got, step.says)
		}
		s.Up("same=1")
		s.Refresh("same Route r")
	}
	s.Destroy("delete=1")
	if got := server.says(t, "/hi", "a.example", ""); got != "200 " {
		t.Errorf("the route still says %q", got)
	}
}

func TestDriftOfARoute(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	const program = "name: hello, paths: [/hi], text: Hello"
	s.Program(route(program))
	s.Up("create=1")
	server.Must(t, "PATCH", "/id/hello/handle", []any{handle("Defaced")})

	// A change over the top of somebody else's is refused.
	s.Program(route(program + ", status: 201"))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "somebody else changed the route") {
		t.Errorf("the error does not say what is wrong:\n%s", said)
	}
	if got := server.says(t, "/hi", "", ""); got != "200 Defaced" {
		t.Errorf("it says %q", got)
	}
	s.Program(route(program))
	s.Refresh("update Route r")
	s.Up("update=1")
	if got := server.says(t, "/hi", "", ""); got != "200 Hello" {
		t.Errorf("it says %q", got)
	}
	s.Up("same=1")

	server.Must(t, "DELETE", "/id/hello", nil)
	s.Refresh("delete Route r")
	s.Up("create=1")
	server.Must(t, "DELETE", "/id/hello", nil)
	s.Destroy("delete=1")
}

// TestAChangeInBetween has somebody change the route between the provider's look
// and its change: If-Match says no, and nothing of the other's is lost.
func TestAChangeInBetween(t *testing.T) {
	t.Parallel()
	server := start(t)
	at, err := url.Parse(server.Base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(at)
	proxy.Transport = &http.Transport{DisableKeepAlives: true} // Caddy ends connections when its configuration changes
	var once sync.Once
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			once.Do(func() { server.Must(t, "PATCH", "/id/hello/handle", []any{handle("In between")}) })
		}
		r.Host = at.Host // Caddy's admin API checks it
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	s := stack(t, front.URL)
	s.Program(route("name: hello, paths: [/hi], text: Hello"))
	s.Up("create=1")
	s.Program(route("name: hello, paths: [/hi], text: Bye"))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "412 Precondition Failed") || !strings.Contains(said, "did not match") {
		t.Errorf("the error is not the server's:\n%s", said)
	}
	if got := server.says(t, "/hi", "", ""); got != "200 In between" {
		t.Errorf("it says %q", got)
	}
	if got := s.Recorded("r").Outputs["text"]; got != "Hello" {
		t.Errorf("the state says %v", got)
	}
	s.Refresh("update Route r")
	s.Up("update=1")
	s.Up("same=1")
	if got := server.says(t, "/hi", "", ""); got != "200 Bye" {
		t.Errorf("it says %q", got)
	}
}

func TestImportOfARoute(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	server.Must(t, "POST", "/config/apps/http/servers/srv0/routes", map[string]any{
		"@id": "hello", "match": []any{map[string]any{"path": []string{"/hi"}, "host": []string{"b.example"}}},
		"handle": []any{map[string]any{
			"handler": "static_response", "status_code": "203", "body": "Hello", "headers": map[string]any{"X-By": []string{"Ada"}},
		}},
		"terminal": true,
	})
	s.Import("caddy:index:Route", "r", "srv0/hello")
	s.Program(route("name: hello, paths: [/hi], hosts: [b.example], text: Hello, status: 203, headers: {X-By: Ada}"))
	s.Up("same=1")
	s.Program(route("name: hello, paths: [/hi], hosts: [b.example], text: Hello, status: 203"))
	s.Up("update=1")
	if got := server.says(t, "/hi", "b.example", "X-By"); got != "203 Hello" {
		t.Errorf("it says %q", got)
	}
	s.Destroy("delete=1")
}

// TestARouteThatIsThere shows what Caddy itself would not refuse.
func TestARouteThatIsThere(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	server.Must(t, "POST", "/config/apps/http/servers/srv0/routes", map[string]any{"@id": "hello", "handle": []any{handle("First")}})
	s.Program(route("name: hello, paths: [/hi], text: Mine"))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "there is a route of that name already; import it") {
		t.Errorf("the error does not say what is wrong:\n%s", said)
	}
	s.Unrecorded("r")
	if got := server.says(t, "/hi", "", ""); got != "200 First" {
		t.Errorf("it says %q", got)
	}
}

// TestTwoRoutes shows that what moves a route's place in Caddy's list does not
// make it look changed.
func TestTwoRoutes(t *testing.T) {
	t.Parallel()
	server, s := open(t)
	const second = "  q: {type: caddy:Route, options: {dependsOn: [\"${r}\"]}, properties: {name: second, paths: [/two], text: TEXT}}\n"
	s.Program(route("name: first, paths: [/one], text: One") + strings.Replace(second, "TEXT", "Two", 1))
	s.Up("create=2")
	server.Must(t, "DELETE", "/id/first", nil)
	s.Refresh("delete Route r", "same Route q")
	s.Program("resources:\n" + strings.Replace(strings.Replace(second, `options: {dependsOn: ["${r}"]}, `, "", 1), "TEXT", "Zwei", 1))
	s.Up("update=1")
	if got := server.says(t, "/two", "", ""); got != "200 Zwei" {
		t.Errorf("it says %q", got)
	}
}
