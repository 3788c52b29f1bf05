package complaints

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// Mechanism: credentials come from the current configuration, never from the state.
func TestComplaint11StaleCredentials(t *testing.T) {
	valid := "old-token"
	f := newFixture(t, "http: auth: bearer: \"${config.token}\"\n"+simple, func(w http.ResponseWriter, c call) {
		if c.Header.Get("Authorization") != "Bearer "+valid {
			respond(w, 401, `{"message":"who are you?"}`)
			return
		}
		respond(w, 200, whole)
	})
	f.restart(values{"token": text("old-token").WithSecret(true)})
	s := f.create(values{"name": text("a")})
	valid = "new-token"
	f.Reconfigure(f, "api", values{"token": text("new-token").WithSecret(true)})
	if err := f.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Error(err)
	}
}

// Mechanism: the backoff of `retry`, and Retry-After.
func TestComplaint19Delay(t *testing.T) {
	count := 0
	f := newFixture(t, strings.Replace(simple, `read: http: path: "/things/${id}"`,
		`read: {http: path: "/things/${id}", retry: {on: [500], attempts: 3, backoff: "200ms", jitter: false}}`, 1), func(w http.ResponseWriter, c call) {
		if count++; c.Method == "GET" && count < 4 {
			respond(w, 500, "{}")
			return
		}
		respond(w, 200, whole)
	})
	s := f.create(values{"name": text("a")})
	f.requests()
	f.refresh(s)
	calls := f.requests()
	if len(calls) != 3 {
		t.Fatalf("%d requests", len(calls))
	}
	for i, least := range []time.Duration{200 * time.Millisecond, 400 * time.Millisecond} {
		if pause := calls[i+1].At.Sub(calls[i].At); pause < least {
			t.Errorf("attempt %d came after %s", i+2, pause)
		}
	}
}

// Mechanism: Retry-After, in seconds and as a date.
func TestComplaint19RetryAfter(t *testing.T) {
	for _, form := range []string{"seconds", "date"} {
		count := 0
		f := newFixture(t, simple, func(w http.ResponseWriter, c call) {
			if count++; count > 1 {
				respond(w, 200, whole)
				return
			}
			w.Header().Set("Retry-After", "1")
			if form == "date" {
				now := time.Now()
				w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
				w.Header().Set("Retry-After", now.Add(time.Second).UTC().Format(http.TimeFormat))
			}
			respond(w, 429, "{}")
		})
		f.create(values{"name": text("a")})
		if calls := f.requests(); len(calls) != 2 || calls[1].At.Sub(calls[0].At) < time.Second {
			t.Errorf("Retry-After as %s: got requests %+v", form, calls)
		}
	}
}

// Mechanism: a POST whose response is lost is not repeated without a key, even if the spec
// has a `retry` and a `find` that was not called before. Package faults has the other cases.
func TestComplaint20RetriedPOST(t *testing.T) {
	const retry = `}
	create: retry: {on: ["connection"], attempts: 3, backoff: "10ms"}`
	for more, want := range map[string]int{
		`}`: 1, retry + `
	find: {http: path: "/named/${inputs.name}", first: false}
	consistency: "0s"`: 1, `, idempotencyKey: true}`: 2,
	} {
		f := newFixture(t, strings.Replace(simple, `json: "${inputs}"}`, `json: "${inputs}"`+more, 1), func(w http.ResponseWriter, c call) {
			if c.Method == "GET" {
				respond(w, 404, "{}")
				return
			}
			panic(http.ErrAbortHandler) // the connection breaks
		})
		if _, err := f.Create(t.Context(), thing, f.check(values{"name": text("a")}), client.Operation{Timeout: 5 * time.Second}); err == nil {
			t.Fatal("the create succeeded")
		}
		calls := slices.DeleteFunc(f.requests(), func(c call) bool { return c.Method != "POST" })
		if want == 1 && len(calls) != want || len(calls) < want {
			t.Errorf("with %q %d requests", more, len(calls))
		}
		for _, c := range calls {
			if c.Header.Get("Idempotency-Key") != calls[0].Header.Get("Idempotency-Key") {
				t.Errorf("the key changes from attempt to attempt")
			}
		}
	}
}

// Mechanism: a `retry` on lost responses calls `find` before it repeats a POST; vet requires
// the `find`.
func TestComplaint20RetriesAskFind(t *testing.T) {
	const retry = `json: "${inputs}"}
	create: retry: {on: ["connection"], attempts: 3, backoff: "10ms"}`
	for name, tc := range map[string]struct {
		made bool // the request whose response is lost made the object
		want []string
	}{
		"nothing was made":   {false, []string{"GET /named/a", "POST /things", "GET /named/a", "POST /things"}},
		"something was made": {true, []string{"GET /named/a", "POST /things", "GET /named/a", "GET /things/1"}}, // the read checks that it has the sent values
	} {
		t.Run(name, func(t *testing.T) {
			posts := 0
			f := newFixture(t, strings.Replace(simple, `json: "${inputs}"}`, retry+`
	find: http: path: "/named/${inputs.name}"
	consistency: "50ms"`, 1), func(w http.ResponseWriter, c call) {
				switch {
				case c.Method == "POST":
					if posts++; posts == 1 {
						panic(http.ErrAbortHandler)
					}
					respond(w, 201, whole)
				case posts > 0 && tc.made || posts > 1:
					respond(w, 200, whole)
				default:
					respond(w, 404, "{}")
				}
			})
			if s := f.create(values{"name": text("a")}); s.ID != "1" {
				t.Errorf("%+v", s)
			}
			if diff := cmp.Diff(tc.want, slices.Compact(requestLines(f.requests()))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	found, _ := vet(t, fmt.Sprintf(head, "http://127.0.0.1:1")+strings.Replace(simple, `json: "${inputs}"}`, retry, 1))
	if !slices.Contains(found, finding{Code: "unsafe-retry", Severity: "error", Line: 17}) {
		t.Errorf("vet accepts the spec: %+v", found)
	}
}

// Mechanism: the journal keeps the key for the next run.
func TestComplaint20KeyOutlivesTheProcess(t *testing.T) {
	f := newFixture(t, strings.Replace(simple, `json: "${inputs}"}`, `json: "${inputs}", idempotencyKey: true}`, 1), always(500, "{}"))
	var keys []string
	for range 2 {
		if _, err := f.Create(t.Context(), thing, f.check(values{"name": text("a")}), client.Operation{}); err == nil {
			t.Fatal("the create succeeded")
		}
		keys = append(keys, f.requests()[0].Header.Get("Idempotency-Key"))
		f.restart(nil)
	}
	if keys[0] == "" || keys[1] != keys[0] {
		t.Errorf("the next run has another key: %q", keys)
	}
}

// Mechanism: `fail` and `error` define what is a failure, and its message.
func TestComplaint21Failure(t *testing.T) {
	body, status := `{"ok":false,"reason":"quota is used up"}`, 200
	f := newFixture(t, "http: error: \"${body.reason}\"\n"+strings.Replace(simple, `json: "${inputs}"}`, `json: "${inputs}"}
	create: fail: "${body.ok == false ? body.reason : null}"`, 1), func(w http.ResponseWriter, _ call) { respond(w, status, body) })
	for _, status = range []int{200, 409} {
		_, err := f.Create(t.Context(), thing, f.check(values{"name": text("a")}), client.Operation{})
		if err == nil || !strings.Contains(err.Error(), "quota is used up") || strings.Contains(err.Error(), "false") {
			t.Errorf("after %d it says %v", status, err)
		}
	}
	status, body = 200, whole
	f.create(values{"name": text("a")})
}

// Mechanism: `expect` defines which statuses are not an error.
func TestComplaint21Expected(t *testing.T) {
	f := newFixture(t, `functions: strict: {inputs: {}, outputs: {}, http: {path: "/strict", expect: [202]}}
functions: either: {inputs: {}, outputs: code: int, http: {path: "/either", expect: [404]}, return: code: "${status}"}
`, func(w http.ResponseWriter, c call) {
		respond(w, map[string]int{"/strict": 200, "/either": 404}[c.Path], "{}")
	})
	if _, err := f.call("strict", nil); err == nil {
		t.Error("status 200 is accepted, but 202 is expected")
	}
	if out, err := f.call("either", nil); err != nil || out.Get("code").AsNumber() != 404 {
		t.Errorf("an expected 404 gives %v, %v", out, err)
	}
}

// Mechanism: a rejected token is renewed once.
func TestComplaint23TokenExpiry(t *testing.T) {
	logins, valid, hopeless := 0, "", false
	f := newFixture(t, `http: auth: login: {http: {method: "POST", path: "/login", json: {key: "${config.token}"}}, token: "${body.token}"}
`+simple, func(w http.ResponseWriter, c call) {
		switch {
		case c.Path == "/login":
			logins++
			valid = fmt.Sprintf("t%d", logins)
			respond(w, 200, `{"token":"`+valid+`"}`)
		case hopeless || c.Header.Get("Authorization") != "Bearer "+valid:
			respond(w, 401, "{}")
		default:
			respond(w, 200, whole)
		}
	})
	s := f.create(values{"name": text("a")})
	valid = "another"
	f.refresh(s)
	f.refresh(s)
	if logins != 2 {
		t.Errorf("%d logins", logins)
	}
	hopeless = true
	f.requests()
	_, err := f.Read(t.Context(), thing, s, client.Operation{Timeout: time.Second})
	if diff := cmp.Diff([]string{"GET /things/1", "POST /login", "GET /things/1"}, requestLines(f.requests())); diff != "" || err == nil {
		t.Errorf("with a token that is always rejected: %v\n%s", err, diff)
	}
}

// Mechanism: a token with an expiry is renewed before it expires.
func TestComplaint23TokenEnds(t *testing.T) {
	f := newFixture(t, `http: auth: login: {http: {method: "POST", path: "/login", json: {}}, token: "${body.token}", expires: "${body.seconds}"}
`+simple, func(w http.ResponseWriter, c call) {
		if c.Path == "/login" {
			respond(w, 200, `{"token":"t","seconds":0}`)
			return
		}
		respond(w, 200, whole)
	})
	f.refresh(f.create(values{"name": text("a")}))
	if diff := cmp.Diff([]string{"POST /login", "POST /things", "POST /login", "GET /things/1"}, requestLines(f.requests())); diff != "" {
		t.Errorf("an expired token is sent:\n%s", diff)
	}
}

// Mechanism: `timeout` of a request and of a step, and the timeout in the program.
func TestComplaint25Timeouts(t *testing.T) {
	for of, c := range map[string]struct {
		read  string
		given time.Duration
	}{
		"no complete response within 300ms":       {`read: http: {path: "/things/${id}", timeout: "300ms"}`, 0},
		"it took longer than 300ms":               {`read: {http: path: "/things/${id}", timeout: "300ms"}`, 0},
		"longer than the 300ms that it was given": {`read: http: path: "/things/${id}"`, 300 * time.Millisecond},
	} {
		hang := make(chan struct{})
		f := newFixture(t, strings.Replace(simple, `read: http: path: "/things/${id}"`, c.read, 1), func(w http.ResponseWriter, c call) {
			if c.Method == "GET" {
				<-hang
			}
			respond(w, 200, whole)
		})
		s := f.create(values{"name": text("a")})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := f.Read(ctx, thing, s, client.Operation{Timeout: c.given})
		if err == nil || !strings.Contains(err.Error(), of) {
			t.Errorf("expected an error with %q, got %v", of, err)
		}
		cancel()
		close(hang)
	}
}
