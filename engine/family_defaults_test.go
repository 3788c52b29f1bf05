package engine_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

// statusServer responds with one status after the other, the last one for good, and
// records the requests.
type statusServer struct {
	mu       sync.Mutex
	statuses []int
	body     string
	log      []string
}

func (s *statusServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, r.Method+" "+r.URL.RequestURI())
	status := s.statuses[0]
	if len(s.statuses) > 1 {
		s.statuses = s.statuses[1:]
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(s.body))
}

// TestDefaultsOfHTTP shows what steps take from the block of defaults: the query, member
// by member; the type of responses, unless a step has another or none; and a retry,
// which repeats no request whose effect may be unknown.
func TestDefaultsOfHTTP(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		defaults, step string
		statuses       []int
		want           []string
		err            bool
	}{
		"the query":                    {`query: {"api-version": "7"}`, `{path: "/x"}`, []int{200}, []string{"GET /x?api-version=7"}, false},
		"more of a query":              {`query: {"api-version": "7"}`, `{path: "/x", query: a: "b"}`, []int{200}, []string{"GET /x?a=b&api-version=7"}, false},
		"another query":                {`query: {"api-version": "7"}`, `{path: "/x", query: "api-version": "8"}`, []int{200}, []string{"GET /x?api-version=8"}, false},
		"a member of the query less":   {`query: {"api-version": "7", b: "c"}`, `{path: "/x", query: "api-version": null}`, []int{200}, []string{"GET /x?b=c"}, false},
		"no query":                     {`query: {"api-version": "7"}`, `{path: "/x", query: null}`, []int{200}, []string{"GET /x"}, false},
		"a type":                       {`returns: #Answer`, `{path: "/x"}`, []int{200}, []string{"GET /x"}, true},
		"another type":                 {`returns: #Answer`, `{path: "/x", returns: #Other}`, []int{200}, []string{"GET /x"}, false},
		"no type":                      {`returns: #Answer`, `{path: "/x", returns: null}`, []int{200}, []string{"GET /x"}, false},
		"a retry":                      {`retry: {on: [503], backoff: "1ms"}`, `{path: "/x"}`, []int{503, 503, 200}, []string{"GET /x", "GET /x", "GET /x"}, false},
		"a retry that is too short":    {`retry: {on: [503], backoff: "1ms", attempts: 2}`, `{path: "/x"}`, []int{503, 503, 200}, []string{"GET /x", "GET /x"}, true},
		"a retry of what is refused":   {`retry: {on: [409, 503], backoff: "1ms"}`, `{path: "/x", method: "POST"}`, []int{409, 200}, []string{"POST /x", "POST /x"}, false},
		"no retry of what may be done": {`retry: {on: [409, 503], backoff: "1ms"}`, `{path: "/x", method: "POST"}`, []int{503, 200}, []string{"POST /x"}, true},
		"no retry of anything":         {`retry: {backoff: "1ms"}`, `{path: "/x", method: "POST"}`, []int{503, 200}, []string{"POST /x"}, true},
		"a retry of what is keyed":     {`retry: {on: [503], backoff: "1ms"}`, `{path: "/x", method: "POST", idempotencyKey: true}`, []int{503, 200}, []string{"POST /x", "POST /x"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &statusServer{statuses: tc.statuses, body: `{"a": "b"}`}
			listening := httptest.NewServer(server)
			defer listening.Close()
			e, _ := newWorld().engine(t, `package test
name: "test"
version: "1.0.0"
http: {baseURL: "`+listening.URL+`", `+tc.defaults+`}
#Answer: {needed: string}
#Other: {a: string}
resources: Thing: {id: "x", create: {steps: [{http: `+tc.step+`}], return: {}}, delete: http: path: "/x"}
`)
			err := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing")}).Err
			if (err != nil) != tc.err {
				t.Errorf("error: %v", err)
			}
			if diff := cmp.Diff(tc.want, server.log); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDefaultVerdicts shows that the refused, fail and retry of a block of defaults see the body as it
// was received, whatever type the step gives it, and that null in a step removes them.
func TestDefaultVerdicts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		defaults, step, body, err string
		statuses                  []int
		requests                  int
	}{
		"refused, untyped":          {`refused: "${body.error}"`, `http: path: "/x"`, `{"a": "b", "error": "no luck"}`, "no luck", nil, 1},
		"refused, typed":            {`refused: "${body.error}"`, `http: {path: "/x", returns: #Other}`, `{"a": "b", "error": "no luck"}`, "no luck", nil, 1},
		"refused, by the result":    {`refused: "${result.body.error}"`, `http: {path: "/x", returns: #Other}`, `{"error": "no luck"}`, "no luck", nil, 1},
		"refused, a declared name":  {`refused: "${body.wrong}"`, `http: {path: "/x", returns: #Named}`, `{"WRONG": "no luck"}`, "no luck", nil, 1},
		"refused, another type":     {`refused: "${body.error}"`, `http: {path: "/x", returns: #Other}`, `{"error": "no luck"}`, "no luck", nil, 1},
		"not refused":               {`refused: "${body.error}"`, `http: {path: "/x", returns: #Other}`, `{"a": "b"}`, "", nil, 1},
		"no refused":                {`refused: "${body.error}"`, `refused: null, http: {path: "/x", returns: #Other}`, `{"a": "b", "error": "no luck"}`, "", nil, 1},
		"another refused":           {`refused: "${body.error}"`, `refused: "${body.a == \"c\" ? body.a : null}", http: {path: "/x", returns: #Other}`, `{"a": "b", "error": "no luck"}`, "", nil, 1},
		"fail, typed":               {`fail: "${body.error}"`, `http: {path: "/x", returns: #Other}`, `{"a": "b", "error": "half of it"}`, "half of it", nil, 1},
		"no fail":                   {`fail: "${body.error}"`, `fail: null, http: {path: "/x", returns: #Other}`, `{"a": "b", "error": "half of it"}`, "", nil, 1},
		"a retry, typed":            {`retry: {if: "${body.busy}", backoff: "1ms"}`, `http: {path: "/x", returns: #Other}`, `{"a": "b", "busy": true}`, "", []int{503, 200}, 2},
		"no retry":                  {`retry: {on: [503], backoff: "1ms"}`, `retry: null, http: {path: "/x", returns: #Other}`, `{"a": "b"}`, "503", []int{503, 200}, 1},
		"null removes no own retry": {``, `retry: null, http: path: "/x"`, `{"a": "b"}`, "", nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &statusServer{statuses: tc.statuses, body: tc.body}
			if tc.statuses == nil {
				server.statuses = []int{200}
			}
			listening := httptest.NewServer(server)
			defer listening.Close()
			e, _ := newWorld().engine(t, `package test
name: "test"
version: "1.0.0"
http: {baseURL: "`+listening.URL+`", `+tc.defaults+`}
#Other: {a: string}
#Named: {a?: string, wrong?: string @wire(WRONG)}
resources: Thing: {id: "x", create: {steps: [{`+tc.step+`}], return: {}}, delete: http: path: "/x"}
`)
			err := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing")}).Err
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			if len(server.log) != tc.requests {
				t.Errorf("%d requests, want %d", len(server.log), tc.requests)
			}
		})
	}
}

// TestMistakesInDefaults shows that the retry of a block of defaults is checked as that
// of a step.
func TestMistakesInDefaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`retry: {of: [503]}`:                 "unknown-key",
		`retry: 5`:                           "wrong-shape",
		`retry: {on: 503}`:                   "wrong-shape",
		`retry: {attempts: 0}`:               "bad-value",
		`retry: {backoff: "5 minutes"}`:      "bad-value",
		`retry: {if: "${bdy.x}"}`:            "unknown-name",
		`query: {token: "${config.token}"}`:  "secret-exposed",
		`query: {a: "${inputs.a}"}`:          "name-not-here",
		`returns: "Pet"`:                     "wrong-type",
		`retry: {on: ["timeuot"]}`:           "bad-value",
		`query: 5`:                           "type-mismatch",
		`retry: {on: [503], if: "${1 + 1}"}`: "type-mismatch",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, diags := newWorld().compile(t, `package test
name: "test"
version: "1.0.0"
config: token: string @secret()
http: {baseURL: "https://x.example.com", `+text+`}
functions: get: {outputs: a?: string, http: path: "/x", return: {}}
`)
			if codes := everyCode(diags); len(codes) != 1 || codes[0] != want {
				t.Errorf("%q, want %s: %+v", codes, want, diags)
			}
		})
	}
}

// TestDefaultRetryWithFind shows that a default retry does not repeat a request whose effect may be
// unknown, even if `find` could tell what it did: only the retry of the step decides that.
func TestDefaultRetryWithFind(t *testing.T) {
	t.Parallel()
	for step, posts := range map[string]int{"": 1, `retry: {on: [503], backoff: "1ms"}, `: 2} {
		var sent int
		listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodGet:
				http.Error(w, "{}", http.StatusNotFound)
			case sent < 1:
				sent++
				http.Error(w, "{}", http.StatusServiceUnavailable)
			default:
				sent++
				respond(w, http.StatusCreated, map[string]any{"id": "7"})
			}
		}))
		defer listening.Close()
		e, _ := newWorld().engine(t, `http: {baseURL: "`+listening.URL+`", retry: {on: [503], backoff: "1ms"}}
resources: Thing: {
	inputs: name: string
	id: "${body.id}"
	consistency: "1ms"
	find: http: path: "/things/${inputs.name}"
	create: {`+step+`http: {method: "POST", path: "/things", json: "${inputs}"}}
	delete: http: path: "/x"
}`)
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
		if (out.Err == nil) != (posts == 2) || sent != posts {
			t.Errorf("%d requests were sent, want %d: %v", sent, posts, out.Err)
		}
	}
}

// TestDefaultRetryOfRefusals combines requests with places for `retry` and `refused`: what certainly
// had no effect is sent again, and what may have had one only if that is safe.
func TestDefaultRetryOfRefusals(t *testing.T) {
	t.Parallel()
	const retry, refused = `retry: {on: [503], backoff: "1ms"}, `, `refused: "${status == 503 ? 'busy' : null}", `
	for request, safe := range map[string]bool{
		`method: "PUT", path: "/x", json: {}`: true, `method: "DELETE", path: "/x"`: true,
		`method: "POST", path: "/x", json: {}, idempotent: true`: true,
		`method: "POST", path: "/x", json: {}`:                   false, `method: "PATCH", path: "/x", json: {}`: false,
	} {
		for _, says := range []struct{ defaults, step string }{{}, {defaults: refused}, {step: refused}} {
			for _, again := range []struct{ defaults, step string }{{}, {defaults: retry}, {step: retry}} {
				asked, isRefused := again.defaults+again.step != "", says.defaults+says.step != ""
				if again.step != "" && !safe {
					continue // which vet refuses
				}
				server := &statusServer{statuses: []int{503, 200}, body: `{}`}
				listening := httptest.NewServer(server)
				t.Cleanup(listening.Close)
				text := `http: {baseURL: "` + listening.URL + `", ` + again.defaults + says.defaults + `}
resources: Thing: {id: "x", create: {steps: [{` + again.step + says.step + `http: {` + request + `}}], return: {}}, delete: http: path: "/x"}`
				e, _ := newWorld().engine(t, text)
				err := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing")}).Err
				if want := asked && (safe || isRefused); (err == nil) != want || len(server.log) != map[bool]int{true: 2, false: 1}[want] {
					t.Errorf("%d requests, want a second one: %v\n%v\n%s", len(server.log), want, err, text)
				}
			}
		}
	}
}
