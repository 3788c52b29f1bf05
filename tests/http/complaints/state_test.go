package complaints

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// simple is a resource with a create, a read, an update and a delete.
const simple = `resources: Thing: {
	inputs: {name: string, size?: int, region?: string}
	outputs: {region: string, serial: string @stable()}
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: http: path: "/things/${id}"
	update: http: {method: "PATCH", path: "/things/${id}", json: "${changes}"}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
`

func always(status int, body string) answer {
	return func(w http.ResponseWriter, _ call) { say(w, status, body) }
}

// Mechanism: what the spec does not declare is no part of the state, and an
// input that the program did not set is not read (projection by declared names).
func TestComplaint01PerpetualDiff(t *testing.T) {
	l := newLab(t, simple, always(200, `{"id":"1","name":"a","region":"eu","serial":"s","etag":"x","self":{"href":"/1"},"size":7}`))
	in := values{"name": text("a"), "size": property.New(7.0)}
	s := l.create(in)
	l.unchanged(s, in)
	s = l.refresh(s)
	l.unchanged(s, in)
	if _, ok := s.Inputs.GetOk("region"); ok {
		t.Error("the region that the server chose became an input")
	}
	if got := output(s, "region"); !got.IsString() || got.AsString() != "eu" {
		t.Errorf("the region is %v", got)
	}
}

// Mechanism: `return` projects what is read onto what was written.
func TestComplaint02WrittenUnlikeRead(t *testing.T) {
	l := newLab(t, `resources: Thing: {
	inputs: {name: string, size: int}
	outputs: serial: string
	id: "${result.body.data.id}"
	create: http: {method: "POST", path: "/things", json: {thing: {title: "${inputs.name}", dimensions: {size: "${inputs.size}"}}}}
	read: http: path: "/things/${id}"
	return: {name: "${body.data.attributes.title}", size: "${body.data.attributes.size}", serial: "${body.data.serial}"}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`, always(200, `{"data":{"id":"1","serial":"s","attributes":{"title":"a","size":3}}}`))
	in := values{"name": text("a"), "size": property.New(3.0)}
	s := l.create(in)
	if diff := cmp.Diff(`{"thing":{"dimensions":{"size":3},"title":"a"}}`, l.requests()[0].Body); diff != "" {
		t.Error(diff)
	}
	l.unchanged(l.refresh(s), in)
}

// Mechanism: marks of secrets (of the spec, and by value), and the mask of texts.
// Package secrets has the rest.
func TestComplaint03SecretsInTheOpen(t *testing.T) {
	const token = "correct-horse-battery"
	fail := false
	l := newLab(t, `http: auth: bearer: "${config.token}"
resources: Thing: {
	inputs: name: string
	outputs: {key: string @secret(), echo: string @secret()}
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: http: path: "/things/${id}"
}`, func(w http.ResponseWriter, c call) {
		if fail {
			say(w, 403, `{"message":"wrong: `+c.Header.Get("Authorization")+`"}`)
			return
		}
		say(w, 200, `{"id":"1","name":"a","key":"k-1234567","echo":"`+token+`"}`)
	})
	l.again(values{"token": text(token).WithSecret(true)})
	s := l.create(values{"name": text("a")})
	for _, name := range []string{"key", "echo"} {
		if !output(s, name).Secret() {
			t.Errorf("%s is in the open", name)
		}
	}
	fail = true
	if _, err := l.Read(t.Context(), thing, s, client.Operation{}); err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("the error is %v", err)
	}
}

// Mechanism: a failed update comes with a state that keeps the old inputs, and that
// forces the next update whatever these are (Private.Failed): going back to them
// has to be sent, too.
func TestComplaint06StateAfterFailedUpdate(t *testing.T) {
	fail := true
	l := newLab(t, simple, func(w http.ResponseWriter, c call) {
		if c.Method == "PATCH" && fail {
			say(w, 500, `{"message":"no"}`)
			return
		}
		say(w, 200, `{"id":"1","name":"a","region":"eu","serial":"s"}`)
	})
	s := l.create(values{"name": text("a")})
	news := values{"name": text("b")}
	_, err := l.Update(t.Context(), thing, s, l.checked(news), client.Operation{})
	s = l.kept(err)
	if d := l.diff(s, news); !d.Changed {
		t.Error("the next run would do nothing")
	}
	if d := l.diff(s, values{"name": text("a")}); !d.Changed {
		t.Error("a run that takes it back would do nothing")
	}
	fail = false
	l.requests()
	if s, err = l.Update(t.Context(), thing, s, l.checked(news), client.Operation{}); err != nil {
		t.Fatal(err)
	}
	if calls := l.requests(); len(calls) == 0 || !strings.Contains(calls[0].Body, `"name":"b"`) {
		t.Errorf("what was not changed is not sent again: %+v", calls)
	}
	l.unchanged(s, news)
}

// Mechanism: import reads by the id, and takes the inputs from what read gives.
func TestComplaint08Import(t *testing.T) {
	l := newLab(t, simple, always(200, `{"id":"1","name":"a","region":"eu","serial":"s","size":7}`))
	s := l.refresh(client.State{ID: "1"})
	if name, _ := s.Inputs.GetOk("name"); !name.IsString() || name.AsString() != "a" {
		t.Errorf("the inputs are %v", s.Inputs)
	}
	d, err := l.Diff(t.Context(), thing, s, s.Inputs)
	if err != nil || d.Changed {
		t.Errorf("after the import %+v would change: %v", d.Details, err)
	}
}

// Mechanism: only @replace() replaces.
func TestComplaint10UpdateInPlace(t *testing.T) {
	l := newLab(t, strings.Replace(simple, "name: string,", "name: string, kind: *\"x\" | string @replace(),", 1),
		always(200, `{"id":"1","name":"a","kind":"x","region":"eu","serial":"s"}`))
	s := l.create(values{"name": text("a")})
	if d := l.diff(s, values{"name": text("b")}); !d.Changed || d.Replace() {
		t.Errorf("a name is changed in place: %+v", d)
	}
	if d := l.diff(s, values{"name": text("a"), "kind": text("y")}); !d.Replace() {
		t.Errorf("a kind is replaced: %+v", d)
	}
}

// Mechanism: @set() compares without order, @key() by the field.
func TestComplaint13ArrayOrder(t *testing.T) {
	l := newLab(t, `resources: Thing: {
	inputs: {
		tags: [...string] @set()
		rules: [...{name: string, port: int}] @key(name)
	}
	outputs: {}
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: http: path: "/things/${id}"
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`, always(200, `{"id":"1","tags":["c","a","b"],"rules":[{"name":"y","port":2},{"name":"x","port":1}]}`))
	rule := func(name string, port float64) property.Value {
		return property.New(property.NewMap(values{"name": text(name), "port": property.New(port)}))
	}
	in := values{
		"tags":  property.New(property.NewArray([]property.Value{text("a"), text("b"), text("c")})),
		"rules": property.New(property.NewArray([]property.Value{rule("x", 1), rule("y", 2)})),
	}
	s := l.refresh(l.create(in))
	l.unchanged(s, in)
	in["rules"] = property.New(property.NewArray([]property.Value{rule("x", 1), rule("y", 3)}))
	if d := l.diff(s, in); len(d.Details) != 1 {
		t.Errorf("one port differs: %+v", d.Details)
	}
}

// Mechanism: @stable() outputs, and those that read as recorded, stay known in
// the preview of an update.
func TestComplaint14KnownOutputs(t *testing.T) {
	l := newLab(t, simple, always(200, `{"id":"1","name":"a","region":"eu","serial":"s"}`))
	s := l.create(values{"name": text("a")})
	l.requests()
	planned, err := l.Update(t.Context(), thing, s, l.checked(values{"name": text("b")}), client.Operation{Preview: true})
	if err != nil {
		t.Fatal(err)
	}
	if v := output(planned, "serial"); !v.IsString() || v.AsString() != "s" {
		t.Errorf("the serial number is %v", v)
	}
	if v := output(planned, "name"); !v.IsString() || v.AsString() != "b" {
		t.Errorf("the name is %v", v)
	}
	if calls := l.requests(); len(calls) > 0 {
		t.Errorf("a preview sent %v", lines(calls))
	}
}

// Mechanism: the id is what the spec says, with all its digits.
func TestComplaint16ID(t *testing.T) {
	l := newLab(t, strings.ReplaceAll(simple, "result.body.id", "result.body.meta.number"),
		always(200, `{"id":"wrong","meta":{"number":9007199254740993},"name":"a","region":"eu","serial":"s"}`))
	s := l.create(values{"name": text("a")})
	if s.ID != "9007199254740993" {
		t.Errorf("the id is %q", s.ID)
	}
	l.requests()
	l.refresh(s)
	if diff := cmp.Diff([]string{"GET /things/9007199254740993"}, lines(l.requests())); diff != "" {
		t.Error(diff)
	}
}

// Mechanism: only 404 and 410, or what the spec calls gone, is gone.
func TestComplaint17Gone(t *testing.T) {
	status, body := 200, `{"id":"1","name":"a","region":"eu","serial":"s"}`
	l := newLab(t, simple, func(w http.ResponseWriter, _ call) { say(w, status, body) })
	s := l.create(values{"name": text("a")})
	for _, c := range []struct {
		status int
		body   string
		gone   bool
	}{
		{200, "", false},
		{200, "{}", false},
		{200, "[]", false},
		{200, "null", false},
		{204, "", false},
		{401, "", false},
		{403, "", false},
		{500, "", false},
		{503, "", false},
		{404, "", true},
		{410, "", true},
	} {
		status, body = c.status, c.body
		now, err := l.Read(t.Context(), thing, s, client.Operation{})
		if gone := err == nil && now.ID == ""; gone != c.gone || !gone && err == nil {
			t.Errorf("%d %q: gone is %v, error %v", c.status, c.body, gone, err)
		}
	}
}
