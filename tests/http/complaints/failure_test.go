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

// Mechanism: credentials are the configuration's at the time, never the state's.
func TestComplaint11StaleCredentials(t *testing.T) {
	valid := "old-token"
	l := newLab(t, "http: auth: bearer: \"${config.token}\"\n"+simple, func(w http.ResponseWriter, c call) {
		if c.Header.Get("Authorization") != "Bearer "+valid {
			say(w, 401, `{"message":"who are you?"}`)
			return
		}
		say(w, 200, whole)
	})
	l.again(values{"token": text("old-token").WithSecret(true)})
	s := l.create(values{"name": text("a")})
	valid = "new-token"
	l.Reconfigure(l, "api", values{"token": text("new-token").WithSecret(true)})
	if err := l.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Error(err)
	}
}

// Mechanism: the backoff of `retry`, and Retry-After.
func TestComplaint19Delay(t *testing.T) {
	count := 0
	l := newLab(t, strings.Replace(simple, `read: http: path: "/things/${id}"`,
		`read: {http: path: "/things/${id}", retry: {on: [500], attempts: 3, backoff: "200ms", jitter: false}}`, 1), func(w http.ResponseWriter, c call) {
		if count++; c.Method == "GET" && count < 4 {
			say(w, 500, "{}")
			return
		}
		say(w, 200, whole)
	})
	s := l.create(values{"name": text("a")})
	l.requests()
	l.refresh(s)
	calls := l.requests()
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
		l := newLab(t, simple, func(w http.ResponseWriter, c call) {
			if count++; count > 1 {
				say(w, 200, whole)
				return
			}
			w.Header().Set("Retry-After", "1")
			if form == "date" {
				now := time.Now()
				w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
				w.Header().Set("Retry-After", now.Add(time.Second).UTC().Format(http.TimeFormat))
			}
			say(w, 429, "{}")
		})
		l.create(values{"name": text("a")})
		if calls := l.requests(); len(calls) != 2 || calls[1].At.Sub(calls[0].At) < time.Second {
			t.Errorf("asked to come back by a %s, it came %+v", form, calls)
		}
	}
}

// Mechanism: a POST whose response is lost is not sent again without a key, also
// where the spec has a `retry` and a `find` that was not asked before. Package
// faults has the rest.
func TestComplaint20RetriedPOST(t *testing.T) {
	const retry = `}
	create: retry: {on: ["connection"], attempts: 3, backoff: "10ms"}`
	for more, want := range map[string]int{
		`}`: 1, retry + `
	find: {http: path: "/named/${inputs.name}", first: false}
	consistency: "0s"`: 1, `, idempotencyKey: true}`: 2,
	} {
		l := newLab(t, strings.Replace(simple, `json: "${inputs}"}`, `json: "${inputs}"`+more, 1), func(w http.ResponseWriter, c call) {
			if c.Method == "GET" {
				say(w, 404, "{}")
				return
			}
			panic(http.ErrAbortHandler) // the connection breaks
		})
		if _, err := l.Create(t.Context(), thing, l.checked(values{"name": text("a")}), client.Operation{Timeout: 900 * time.Millisecond}); err == nil {
			t.Fatal("it worked")
		}
		calls := slices.DeleteFunc(l.requests(), func(c call) bool { return c.Method != "POST" })
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

// Mechanism: a `retry` about lost responses asks `find` before it sends a POST
// again; without one the spec is refused.
func TestComplaint20RetriesAskFind(t *testing.T) {
	const retry = `json: "${inputs}"}
	create: retry: {on: ["connection"], attempts: 3, backoff: "10ms"}`
	for name, tc := range map[string]struct {
		made bool // by the request whose response is lost
		want []string
	}{
		"nothing was made":   {false, []string{"GET /named/a", "POST /things", "GET /named/a", "POST /things"}},
		"something was made": {true, []string{"GET /named/a", "POST /things", "GET /named/a", "GET /things/1"}}, // read, too: it must hold what was sent
	} {
		t.Run(name, func(t *testing.T) {
			posts := 0
			l := newLab(t, strings.Replace(simple, `json: "${inputs}"}`, retry+`
	find: http: path: "/named/${inputs.name}"
	consistency: "50ms"`, 1), func(w http.ResponseWriter, c call) {
				switch {
				case c.Method == "POST":
					if posts++; posts == 1 {
						panic(http.ErrAbortHandler)
					}
					say(w, 201, whole)
				case posts > 0 && tc.made || posts > 1:
					say(w, 200, whole)
				default:
					say(w, 404, "{}")
				}
			})
			if s := l.create(values{"name": text("a")}); s.ID != "1" {
				t.Errorf("%+v", s)
			}
			if diff := cmp.Diff(tc.want, slices.Compact(lines(l.requests()))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	found, _ := vetted(t, fmt.Sprintf(head, "http://127.0.0.1:1")+strings.Replace(simple, `json: "${inputs}"}`, retry, 1))
	if !slices.Contains(found, finding{Code: "unsafe-retry", Severity: "error", Line: 17}) {
		t.Errorf("vet lets it pass: %+v", found)
	}
}

// Mechanism: the journal keeps the key for the next run.
func TestComplaint20KeyOutlivesTheProcess(t *testing.T) {
	l := newLab(t, strings.Replace(simple, `json: "${inputs}"}`, `json: "${inputs}", idempotencyKey: true}`, 1), always(500, "{}"))
	var keys []string
	for range 2 {
		if _, err := l.Create(t.Context(), thing, l.checked(values{"name": text("a")}), client.Operation{}); err == nil {
			t.Fatal("it worked")
		}
		keys = append(keys, l.requests()[0].Header.Get("Idempotency-Key"))
		l.again(nil)
	}
	if keys[0] == "" || keys[1] != keys[0] {
		t.Errorf("the next run has another key: %q", keys)
	}
}

// Mechanism: `fail` and `error` say what is a failure, in the server's words.
func TestComplaint21Failure(t *testing.T) {
	body, status := `{"ok":false,"reason":"quota is used up"}`, 200
	l := newLab(t, "http: error: \"${body.reason}\"\n"+strings.Replace(simple, `json: "${inputs}"}`, `json: "${inputs}"}
	create: fail: "${body.ok == false ? body.reason : null}"`, 1), func(w http.ResponseWriter, _ call) { say(w, status, body) })
	for _, status = range []int{200, 409} {
		_, err := l.Create(t.Context(), thing, l.checked(values{"name": text("a")}), client.Operation{})
		if err == nil || !strings.Contains(err.Error(), "quota is used up") || strings.Contains(err.Error(), "false") {
			t.Errorf("after %d it says %v", status, err)
		}
	}
	status, body = 200, whole
	l.create(values{"name": text("a")})
}

// Mechanism: `expect` says which statuses are no error.
func TestComplaint21Expected(t *testing.T) {
	l := newLab(t, `functions: strict: {inputs: {}, outputs: {}, http: {path: "/strict", expect: [202]}}
functions: either: {inputs: {}, outputs: code: int, http: {path: "/either", expect: [404]}, return: code: "${status}"}
`, func(w http.ResponseWriter, c call) {
		say(w, map[string]int{"/strict": 200, "/either": 404}[c.Path], "{}")
	})
	if _, err := l.ask("strict", nil); err == nil {
		t.Error("200 is taken for 202")
	}
	if out, err := l.ask("either", nil); err != nil || out.Get("code").AsNumber() != 404 {
		t.Errorf("an expected 404 gives %v, %v", out, err)
	}
}

// Mechanism: a token that is refused is renewed, once.
func TestComplaint23TokenExpiry(t *testing.T) {
	logins, valid, hopeless := 0, "", false
	l := newLab(t, `http: auth: login: {http: {method: "POST", path: "/login", json: {key: "${config.token}"}}, token: "${body.token}"}
`+simple, func(w http.ResponseWriter, c call) {
		switch {
		case c.Path == "/login":
			logins++
			valid = fmt.Sprintf("t%d", logins)
			say(w, 200, `{"token":"`+valid+`"}`)
		case hopeless || c.Header.Get("Authorization") != "Bearer "+valid:
			say(w, 401, "{}")
		default:
			say(w, 200, whole)
		}
	})
	s := l.create(values{"name": text("a")})
	valid = "another"
	l.refresh(s)
	l.refresh(s)
	if logins != 2 {
		t.Errorf("%d logins", logins)
	}
	hopeless = true
	l.requests()
	_, err := l.Read(t.Context(), thing, s, client.Operation{Timeout: time.Second})
	if diff := cmp.Diff([]string{"GET /things/1", "POST /login", "GET /things/1"}, lines(l.requests())); diff != "" || err == nil {
		t.Errorf("where no token will do: %v\n%s", err, diff)
	}
}

// Mechanism: a token that says when it ends is renewed before that.
func TestComplaint23TokenEnds(t *testing.T) {
	l := newLab(t, `http: auth: login: {http: {method: "POST", path: "/login", json: {}}, token: "${body.token}", expires: "${body.seconds}"}
`+simple, func(w http.ResponseWriter, c call) {
		if c.Path == "/login" {
			say(w, 200, `{"token":"t","seconds":0}`)
			return
		}
		say(w, 200, whole)
	})
	l.refresh(l.create(values{"name": text("a")}))
	if diff := cmp.Diff([]string{"POST /login", "POST /things", "POST /login", "GET /things/1"}, lines(l.requests())); diff != "" {
		t.Errorf("a token that is over is sent:\n%s", diff)
	}
}

// Mechanism: `timeout`, of an attempt and of a step, and the program's own.
func TestComplaint25Timeouts(t *testing.T) {
	for of, c := range map[string]struct {
		read  string
		given time.Duration
	}{
		"no whole answer within 300ms":            {`read: http: {path: "/things/${id}", timeout: "300ms"}`, 0},
		"it took longer than 300ms":               {`read: {http: path: "/things/${id}", timeout: "300ms"}`, 0},
		"longer than the 300ms that it was given": {`read: http: path: "/things/${id}"`, 300 * time.Millisecond},
	} {
		hang := make(chan struct{})
		l := newLab(t, strings.Replace(simple, `read: http: path: "/things/${id}"`, c.read, 1), func(w http.ResponseWriter, c call) {
			if c.Method == "GET" {
				<-hang
			}
			say(w, 200, whole)
		})
		s := l.create(values{"name": text("a")})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		_, err := l.Read(ctx, thing, s, client.Operation{Timeout: c.given})
		if err == nil || !strings.Contains(err.Error(), of) {
			t.Errorf("it does not say %q: %v", of, err)
		}
		cancel()
		close(hang)
	}
}
