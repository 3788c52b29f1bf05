package complaints

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

const whole = `{"id":"1","name":"a","region":"eu","serial":"s"}`

// Mechanism: `until` polls.
func TestComplaint04Async(t *testing.T) {
	polls := 0
	f := newFixture(t, `resources: Thing: {
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
			respond(w, 202, `{"operation":"7","thing":"1"}`)
		case c.Path == "/operations/7":
			polls++
			respond(w, 200, fmt.Sprintf(`{"done":%v}`, polls == 3))
		default:
			respond(w, 200, whole)
		}
	})
	s := f.create(values{"name": text("a")})
	if v := output(s, "serial"); polls != 3 || s.ID != "1" || !v.IsString() {
		t.Errorf("%d polls, %+v", polls, s)
	}
}

// Mechanism: after a create, *not found* is retried (`consistency`).
func TestComplaint05ReadAfterCreate(t *testing.T) {
	reads := 0
	f := newFixture(t, simple, func(w http.ResponseWriter, c call) {
		if c.Method == "POST" {
			respond(w, 201, `{"id":"1"}`)
			return
		}
		if reads++; reads < 3 {
			respond(w, 404, `{}`)
			return
		}
		respond(w, 200, whole)
	})
	if s := f.create(values{"name": text("a")}); s.ID != "1" || reads != 3 {
		t.Errorf("%d reads, %+v", reads, s)
	}
}

// call calls a function, and returns its outputs or an error.
func (f *fixture) call(name string, args values) (property.Map, error) {
	f.Helper()
	sent, err := wire.Encoder{}.Encode(property.NewMap(args))
	if err != nil {
		f.Fatal(err)
	}
	res, err := f.Raw().Invoke(f.Context(), &pulumirpc.InvokeRequest{Tok: "api:index:" + name, Args: sent})
	if err != nil {
		return property.Map{}, err
	}
	if len(res.GetFailures()) > 0 {
		f.Fatal(res.GetFailures())
	}
	return wire.Decode(res.GetReturn())
}

// invoke calls a function that must succeed.
func (f *fixture) invoke(name string, args values) property.Map {
	f.Helper()
	out, err := f.call(name, args)
	if err != nil {
		f.Fatalf("%s: %v", name, err)
	}
	return out
}

// pagesOf serves a page of a list of three, for each of the four kinds of pagination.
func pagesOf(w http.ResponseWriter, c call) {
	pages := map[string]string{
		"/page?n=1": "ab", "/page?n=2": "c", "/offset?from=0": "ab", "/offset?from=2": "c",
		"/cursor?": "ab", "/cursor?after=x": "c", "/link?": "ab", "/link?next": "c",
	}
	page := pages[c.Path+"?"+c.Query]
	next := "null"
	if c.Query == "" {
		next = `"x"`
		w.Header().Set("Link", `</link?next>; rel="next"`)
	}
	items := "[]"
	if page != "" {
		items = `["` + strings.Join(strings.Split(page, ""), `","`) + `"]`
	}
	respond(w, 200, `{"items":`+items+`,"next":`+next+`}`)
}

// Mechanism: `paginate`, in each of its kinds.
func TestComplaint07AllPages(t *testing.T) {
	functions := ""
	kinds := map[string]string{
		"page": `page: param: "n"`, "offset": `offset: param: "from"`, "cursor": `cursor: {param: "after", next: "${body.next}"}`, "link": `link: true`,
	}
	for name, kind := range kinds {
		functions += fmt.Sprintf(`functions: %[1]s: {
	inputs: {}
	outputs: names: [...string]
	http: {path: "/%[1]s", paginate: %[2]s, items: "${body.items}"}
	return: names: "${result.items}"
}
`, name, kind)
	}
	f := newFixture(t, functions, pagesOf)
	for name := range kinds {
		names, _ := f.invoke(name, nil).GetOk("names")
		want := property.New([]property.Value{text("a"), text("b"), text("c")})
		if !names.Equals(want) {
			t.Errorf("by %s there are %v", name, names)
		}
	}
}

// Mechanism: `preview: true` runs reads in previews; nothing else runs.
func TestComplaint09Preview(t *testing.T) {
	f := newFixture(t, strings.Replace(simple, `create: http: {method: "POST", path: "/things", json: "${inputs}"}`,
		`create: steps: [
		{http: {path: "/quota", query: name: "${inputs.name}"}, preview: true, fail: "${body.error}"},
		{http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}},
	]`, 1), func(w http.ResponseWriter, c call) {
		if c.Query == "name=bad" {
			respond(w, 200, `{"error":"no such quota"}`)
			return
		}
		respond(w, 200, whole)
	})
	if _, err := f.Create(t.Context(), thing, f.check(values{"name": text("a")}), client.Operation{Preview: true}); err != nil {
		t.Error(err)
	}
	_, err := f.Create(t.Context(), thing, f.check(values{"name": text("bad")}), client.Operation{Preview: true})
	if err == nil || !strings.Contains(err.Error(), "no such quota") {
		t.Errorf("the preview says %v", err)
	}
	if diff := cmp.Diff([]string{"GET /quota", "GET /quota"}, requestLines(f.requests())); diff != "" {
		t.Error(diff)
	}
}

// Mechanism: the bodies `form`, `text`, `xml`, `multipart`, `graphql` and `bytes`.
func TestComplaint12Bodies(t *testing.T) {
	functions := ""
	for name, body := range map[string]string{
		"form": `form: {name: "${inputs.v}", list: ["x", "y"]}`, "text": `text: "<${inputs.v}>"`, "xml": `xml: {thing: {"@id": 7, name: "${inputs.v}"}}`,
		"multipart": `multipart: [{name: "name", value: "${inputs.v}"}]`, "bytes": `bytes: "${base64encode(inputs.v)}"`,
		"graphql": `graphql: {query: "query($v: String) {things(name: $v) {id}}", variables: v: "${inputs.v}"}`,
	} {
		functions += fmt.Sprintf("functions: %s: {inputs: v: string, outputs: {}, http: {method: \"POST\", effect: \"none\", path: \"/\", %s}}\n", name, body)
	}
	f := newFixture(t, functions, always(200, `{"data": {}}`))
	for name, want := range map[string][2]string{
		"form": {"application/x-www-form-urlencoded", "list=x&list=y&name=a%20b"}, "text": {"text/plain", "<a b>"},
		"xml": {"application/xml", `<thing id="7"><name>a b</name></thing>`}, "multipart": {"multipart/form-data", "a b\r\n--"},
		"bytes": {"application/octet-stream", "a b"}, "graphql": {"application/json", `"variables":{"v":"a b"}`},
	} {
		f.invoke(name, values{"v": text("a b")})
		got := f.requests()[0]
		if !strings.HasPrefix(got.Header.Get("Content-Type"), want[0]) || !strings.Contains(got.Body, want[1]) {
			t.Errorf("%s: %q, %q", name, got.Header.Get("Content-Type"), got.Body)
		}
	}
}

// Mechanism: each operation has its own body; `changes` contains the differences.
func TestComplaint15Payloads(t *testing.T) {
	f := newFixture(t, strings.Replace(simple, `delete: http: {method: "DELETE", path: "/things/${id}"}`,
		`delete: http: {method: "DELETE", path: "/things/${id}", json: {force: true, serial: "${state.serial}"}}`, 1), always(200, whole))
	s := f.create(values{"name": text("a"), "size": property.New(1.0)})
	s, err := f.Update(t.Context(), thing, s, f.check(values{"name": text("b")}), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Fatal(err)
	}
	var bodies []string
	for _, c := range f.requests() {
		if c.Method != "GET" {
			bodies = append(bodies, c.Method+" "+c.Body)
		}
	}
	want := []string{`POST {"name":"a","size":1}`, `PATCH {"name":"b","size":null}`, `DELETE {"force":true,"serial":"s"}`}
	if diff := cmp.Diff(want, bodies); diff != "" {
		t.Error(diff)
	}
}

// Mechanism: deleting a missing object succeeds; a following step waits until it is gone.
func TestComplaint18Delete(t *testing.T) {
	gone, looks := false, 0
	f := newFixture(t, strings.Replace(simple, `delete: http: {method: "DELETE", path: "/things/${id}"}`,
		`delete: steps: [
		{http: {method: "DELETE", path: "/things/${id}"}},
		{http: {path: "/things/${id}", expect: [404]}, until: "${status == 404}", every: "10ms", timeout: "10s"},
	]`, 1), func(w http.ResponseWriter, c call) {
		switch {
		case gone:
			respond(w, 404, "{}")
		case c.Method == "DELETE":
			respond(w, 202, "{}")
		case c.Method == "GET":
			looks++
			gone = looks == 3
			respond(w, 200, whole)
		default:
			respond(w, 200, whole)
		}
	})
	s := f.create(values{"name": text("a")})
	if err := f.Delete(t.Context(), thing, s, client.Operation{}); err != nil || looks != 3 {
		t.Errorf("%d looks, %v", looks, err)
	}
	if err := f.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Errorf("again: %v", err)
	}
}

// Mechanism: a body is any JSON value, or none.
func TestComplaint22Shapes(t *testing.T) {
	body := `"1"`
	f := newFixture(t, `resources: Thing: {
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
		respond(w, 200, body)
	})
	s := f.create(values{"name": text("a")})
	if s.ID != "1" {
		t.Errorf("the id is %q", s.ID)
	}
	for text, want := range map[string]float64{"": 0, "null": 0, "[]": 0, `[1,2]`: 2, `{"a":1}`: 1} {
		body = text
		if n, _ := f.invoke("list", nil).GetOk("count"); !n.IsNumber() || n.AsNumber() != want {
			t.Errorf("%q: %v", text, n)
		}
	}
	body = ""
	if err := f.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Error(err)
	}
}

// Mechanism: one template language, in every argument.
func TestComplaint24Templates(t *testing.T) {
	const value = `${upper(inputs.name)}-${inputs.size ?? 0}`
	f := newFixture(t, fmt.Sprintf(`functions: f: {
	inputs: {name: string, size?: int}
	outputs: {}
	http: {method: "POST", effect: "none", path: "/%[1]s", query: q: "%[1]s", headers: "X-H": "%[1]s", json: j: "%[1]s"}
}`, value), always(200, "{}"))
	f.invoke("f", values{"name": text("a"), "size": property.New(3.0)})
	c := f.requests()[0]
	got := []string{c.Path, c.Query, c.Header.Get("X-H"), c.Body}
	if diff := cmp.Diff([]string{"/A-3", "q=A-3", "A-3", `{"j":"A-3"}`}, got); diff != "" {
		t.Error(diff)
	}
}
