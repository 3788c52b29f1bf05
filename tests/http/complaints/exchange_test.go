package complaints

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/provider"
)

const whole = `{"id":"1","name":"a","region":"eu","serial":"s"}`

// Mechanism: `until` polls.
func TestComplaint04Async(t *testing.T) {
	polls := 0
	l := newLab(t, `resources: Thing: {
	inputs: name: string
	outputs: serial: string
	id: "${steps.start.body.thing}"
	create: steps: [
		{as: "start", http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}},
		{http: path: "/operations/${steps.start.body.operation}", until: "${body.done}", every: "10ms", timeout: "10s", fail: "${body.error}"},
		{http: path: "/things/${id}"},
	]
	read: http: path: "/things/${id}"
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`, func(w http.ResponseWriter, c call) {
		switch {
		case c.Method == "POST":
			say(w, 202, `{"operation":"7","thing":"1"}`)
		case c.Path == "/operations/7":
			polls++
			say(w, 200, fmt.Sprintf(`{"done":%v}`, polls == 3))
		default:
			say(w, 200, whole)
		}
	})
	s := l.create(values{"name": text("a")})
	if v := output(s, "serial"); polls != 3 || s.ID != "1" || !v.IsString() {
		t.Errorf("%d polls, %+v", polls, s)
	}
}

// Mechanism: after a create, not found is asked again (`consistency`).
func TestComplaint05ReadAfterCreate(t *testing.T) {
	reads := 0
	l := newLab(t, simple, func(w http.ResponseWriter, c call) {
		if c.Method == "POST" {
			say(w, 201, `{"id":"1"}`)
			return
		}
		if reads++; reads < 3 {
			say(w, 404, `{}`)
			return
		}
		say(w, 200, whole)
	})
	if s := l.create(values{"name": text("a")}); s.ID != "1" || reads != 3 {
		t.Errorf("%d reads, %+v", reads, s)
	}
}

// invoke calls a function, and gives its outputs.
func (l *lab) invoke(name string, args values) property.Map {
	l.Helper()
	sent, err := wire.Encoder{}.Encode(property.NewMap(args))
	if err != nil {
		l.Fatal(err)
	}
	res, err := l.Raw().Invoke(l.Context(), &pulumirpc.InvokeRequest{Tok: "api:index:" + name, Args: sent})
	if err != nil || len(res.GetFailures()) > 0 {
		l.Fatalf("%v, %v", res.GetFailures(), err)
	}
	out, err := wire.Decode(res.GetReturn())
	if err != nil {
		l.Fatal(err)
	}
	return out
}

// Mechanism: `paginate`.
func TestComplaint07AllPages(t *testing.T) {
	l := newLab(t, `functions: all: {
	inputs: {}
	outputs: names: [...string]
	http: {path: "/things", paginate: page: param: "page", items: "${body.items}"}
	return: names: "${map(result.items, #.name)}"
}`, func(w http.ResponseWriter, c call) {
		pages := map[string]string{"page=1": `{"name":"a"},{"name":"b"}`, "page=2": `{"name":"c"}`, "page=3": ``}
		say(w, 200, `{"items":[`+pages[c.Query]+`]}`)
	})
	names, _ := l.invoke("all", nil).GetOk("names")
	if !names.IsArray() || names.AsArray().Len() != 3 {
		t.Errorf("the names are %v", names)
	}
}

// Mechanism: `preview: true` runs what only looks, and nothing else runs.
func TestComplaint09Preview(t *testing.T) {
	l := newLab(t, strings.Replace(simple, `create: http: {method: "POST", path: "/things", json: "${inputs}"}`,
		`create: steps: [
		{http: {path: "/quota", query: name: "${inputs.name}"}, preview: true, fail: "${body.error}"},
		{http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}},
	]`, 1), func(w http.ResponseWriter, c call) {
		if c.Query == "name=bad" {
			say(w, 200, `{"error":"no such quota"}`)
			return
		}
		say(w, 200, whole)
	})
	if _, err := l.Create(t.Context(), thing, l.checked(values{"name": text("a")}), client.Operation{Preview: true}); err != nil {
		t.Error(err)
	}
	_, err := l.Create(t.Context(), thing, l.checked(values{"name": text("bad")}), client.Operation{Preview: true})
	if err == nil || !strings.Contains(err.Error(), "no such quota") {
		t.Errorf("the preview says %v", err)
	}
	if diff := cmp.Diff([]string{"GET /quota", "GET /quota"}, lines(l.requests())); diff != "" {
		t.Error(diff)
	}
}

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
	l.again(values{"token": text("new-token").WithSecret(true)})
	if err := l.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Error(err)
	}
}

// Mechanism: the bodies `form`, `text`, `xml`, `multipart` and `bytes`.
func TestComplaint12Bodies(t *testing.T) {
	functions := ""
	for name, body := range map[string]string{
		"form": `form: {name: "${inputs.v}", list: ["x", "y"]}`, "text": `text: "<${inputs.v}>"`, "xml": `xml: {thing: {"@id": 7, name: "${inputs.v}"}}`,
		"multipart": `multipart: [{name: "name", value: "${inputs.v}"}]`, "bytes": `bytes: "${base64encode(inputs.v)}"`,
	} {
		functions += fmt.Sprintf("functions: %s: {inputs: v: string, outputs: {}, http: {method: \"POST\", effect: \"none\", path: \"/\", %s}}\n", name, body)
	}
	l := newLab(t, functions, always(200, "{}"))
	for name, want := range map[string][2]string{
		"form": {"application/x-www-form-urlencoded", "list=x&list=y&name=a%20b"}, "text": {"text/plain", "<a b>"},
		"xml": {"application/xml", `<thing id="7"><name>a b</name></thing>`}, "multipart": {"multipart/form-data", "a b\r\n--"},
		"bytes": {"application/octet-stream", "a b"},
	} {
		l.invoke(name, values{"v": text("a b")})
		got := l.requests()[0]
		if !strings.HasPrefix(got.Header.Get("Content-Type"), want[0]) || !strings.Contains(got.Body, want[1]) {
			t.Errorf("%s: %q, %q", name, got.Header.Get("Content-Type"), got.Body)
		}
	}
}

// Mechanism: each operation has its own body; `changes` holds what differs.
func TestComplaint15Payloads(t *testing.T) {
	l := newLab(t, strings.Replace(simple, `delete: http: {method: "DELETE", path: "/things/${id}"}`,
		`delete: http: {method: "DELETE", path: "/things/${id}", json: {force: true, serial: "${state.serial}"}}`, 1), always(200, whole))
	s := l.create(values{"name": text("a"), "size": property.New(1.0)})
	s, err := l.Update(t.Context(), thing, s, l.checked(values{"name": text("b")}), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Fatal(err)
	}
	var bodies []string
	for _, c := range l.requests() {
		if c.Method != "GET" {
			bodies = append(bodies, c.Method+" "+c.Body)
		}
	}
	want := []string{`POST {"name":"a","size":1}`, `PATCH {"name":"b","size":null}`, `DELETE {"force":true,"serial":"s"}`}
	if diff := cmp.Diff(want, bodies); diff != "" {
		t.Error(diff)
	}
}

// Mechanism: what is not there needs no deleting; a step after it waits until it
// is gone.
func TestComplaint18Delete(t *testing.T) {
	gone, looks := false, 0
	l := newLab(t, strings.Replace(simple, `delete: http: {method: "DELETE", path: "/things/${id}"}`,
		`delete: steps: [
		{http: {method: "DELETE", path: "/things/${id}"}},
		{http: {path: "/things/${id}", expect: [404]}, until: "${status == 404}", every: "10ms", timeout: "10s"},
	]`, 1), func(w http.ResponseWriter, c call) {
		switch {
		case gone:
			say(w, 404, "{}")
		case c.Method == "DELETE":
			say(w, 202, "{}")
		case c.Method == "GET":
			looks++
			gone = looks == 3
			say(w, 200, whole)
		default:
			say(w, 200, whole)
		}
	})
	s := l.create(values{"name": text("a")})
	if err := l.Delete(t.Context(), thing, s, client.Operation{}); err != nil || looks != 3 {
		t.Errorf("%d looks, %v", looks, err)
	}
	if err := l.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Errorf("again: %v", err)
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

// Mechanism: a POST whose answer is lost is not sent again without a key.
// Package faults has the rest.
func TestComplaint20RetriedPOST(t *testing.T) {
	for key, want := range map[string]int{"": 1, ", idempotencyKey: true": 2} {
		l := newLab(t, strings.Replace(simple, `json: "${inputs}"}`, `json: "${inputs}"`+key+`}`, 1), func(w http.ResponseWriter, c call) {
			panic(http.ErrAbortHandler) // the connection breaks
		})
		if _, err := l.Create(t.Context(), thing, l.checked(values{"name": text("a")}), client.Operation{Timeout: 900 * time.Millisecond}); err == nil {
			t.Fatal("it worked")
		}
		calls := l.requests()
		if key == "" && len(calls) != want || key != "" && len(calls) < want {
			t.Errorf("with %q %d requests", key, len(calls))
		}
		for _, c := range calls {
			if c.Header.Get("Idempotency-Key") != calls[0].Header.Get("Idempotency-Key") {
				t.Errorf("the key changes from attempt to attempt")
			}
		}
	}
}

// Mechanism: `fail` and `error` say what is a failure, in the server's words.
func TestComplaint21Failure(t *testing.T) {
	body, status := `{"ok":false,"reason":"quota is used up"}`, 200
	l := newLab(t, "http: error: \"${body.reason}\"\n"+strings.Replace(simple, `json: "${inputs}"}`, `json: "${inputs}"}
	create: fail: "${body.ok == false ? body.reason : null}"`, 1), func(w http.ResponseWriter, _ call) { say(w, status, body) })
	for _, status = range []int{200, 409} {
		_, err := l.Create(t.Context(), thing, l.checked(values{"name": text("a")}), client.Operation{})
		if err == nil || !strings.Contains(err.Error(), "quota is used up") {
			t.Errorf("%d: %v", status, err)
		}
	}
	status, body = 200, whole
	l.create(values{"name": text("a")})
}

// Mechanism: a body is any JSON value, or none.
func TestComplaint22Shapes(t *testing.T) {
	body := `"1"`
	l := newLab(t, `resources: Thing: {
	inputs: name: string
	outputs: {}
	id: "${result.body ?? ''}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
functions: list: {inputs: {}, outputs: count: int, http: path: "/things", return: count: "${len(result.body ?? [])}"}
`, func(w http.ResponseWriter, c call) {
		if body == "" {
			w.WriteHeader(204)
			return
		}
		say(w, 200, body)
	})
	s := l.create(values{"name": text("a")})
	if s.ID != "1" {
		t.Errorf("the id is %q", s.ID)
	}
	for text, want := range map[string]float64{"": 0, "null": 0, "[]": 0, `[1,2]`: 2, `{"a":1}`: 1} {
		body = text
		if n, _ := l.invoke("list", nil).GetOk("count"); !n.IsNumber() || n.AsNumber() != want {
			t.Errorf("%q: %v", text, n)
		}
	}
	body = ""
	if err := l.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Error(err)
	}
}

// Mechanism: a token that is refused is renewed, once.
func TestComplaint23TokenExpiry(t *testing.T) {
	logins, valid := 0, ""
	l := newLab(t, `http: auth: login: {http: {method: "POST", path: "/login", json: {key: "${config.token}"}}, token: "${body.token}"}
`+simple, func(w http.ResponseWriter, c call) {
		switch {
		case c.Path == "/login":
			logins++
			valid = fmt.Sprintf("t%d", logins)
			say(w, 200, `{"token":"`+valid+`"}`)
		case c.Header.Get("Authorization") != "Bearer "+valid:
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
	valid = "" // nothing will do: it does not go on for ever
	l.requests()
}

// Mechanism: one template language, in every argument.
func TestComplaint24Templates(t *testing.T) {
	const value = `${upper(inputs.name)}-${inputs.size ?? 0}`
	l := newLab(t, fmt.Sprintf(`functions: f: {
	inputs: {name: string, size?: int}
	outputs: {}
	http: {method: "POST", effect: "none", path: "/%[1]s", query: q: "%[1]s", headers: "X-H": "%[1]s", json: j: "%[1]s"}
}`, value), always(200, "{}"))
	l.invoke("f", values{"name": text("a"), "size": property.New(3.0)})
	c := l.requests()[0]
	got := []string{c.Path, c.Query, c.Header.Get("X-H"), c.Body}
	if diff := cmp.Diff([]string{"/A-3", "q=A-3", "A-3", `{"j":"A-3"}`}, got); diff != "" {
		t.Error(diff)
	}
}

// Mechanism: `timeout`, of an attempt and of a step.
func TestComplaint25Timeouts(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	l := newLab(t, strings.Replace(simple, `read: http: path: "/things/${id}"`, `read: http: {path: "/things/${id}", timeout: "300ms"}`, 1),
		func(w http.ResponseWriter, c call) {
			if c.Method == "GET" {
				<-hang
			}
			say(w, 200, whole)
		})
	s := l.create(values{"name": text("a")})
	began := time.Now()
	_, err := l.Read(t.Context(), thing, s, client.Operation{})
	if took := time.Since(began); err == nil || took > 3*time.Second || !strings.Contains(err.Error(), "300ms") {
		t.Errorf("%v after %s", err, took)
	}
}

// finding is a mistake that vet reports.
type finding struct {
	Code, Severity string
	Line           int
}

// Mechanism: vet types the whole spec.
func TestComplaint30MistakesBeforeRunning(t *testing.T) {
	l := newLab(t, simple, always(200, whole))
	for mistake, code := range map[string]string{
		"inputs.nmae":         "unknown-member",
		"config.tokn":         "unknown-member",
		"inputs.name + 1":     "type-mismatch",
		"inputs.name ++":      "template-syntax",
		"unknwn(inputs.name)": "unknown-function",
	} {
		spec := strings.Replace(fmt.Sprintf(head, l.url)+simple, `json: "${inputs}"`, `json: x: "${`+mistake+`}"`, 1)
		cmd := exec.Command(provider.Binary(t), "vet", "--format", "json", "-")
		cmd.Stdin = strings.NewReader(spec)
		out, err := cmd.Output()
		var found []finding
		if malformed := json.Unmarshal(out, &found); malformed != nil {
			t.Fatal(malformed)
		}
		const line = 16 // of the create
		if !slices.ContainsFunc(found, func(d finding) bool {
			return d == finding{Code: code, Severity: "error", Line: line}
		}) || err == nil {
			t.Errorf("%s: %v, %+v", mistake, err, found)
		}
	}
}
