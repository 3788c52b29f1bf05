package complaints

import (
	"net/http"
	"slices"
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
	if got := output(s, "etag"); !got.IsNull() {
		t.Errorf("the state has an etag that nobody declared: %v", got)
	}
	in["region"] = text("eu")
	s = l.create(in)
	delete(in, "region") // the server has it still, and may
	l.unchanged(s, in)
}

// Mechanism: what the world does not give back stands at its default.
func TestComplaint01Defaults(t *testing.T) {
	l := newLab(t, strings.Replace(simple, "name: string,", "name: string, mode: *\"fast\" | string,", 1),
		always(200, `{"id":"1","name":"a","region":"eu","serial":"s"}`))
	in := values{"name": text("a")}
	l.unchanged(l.refresh(l.create(in)), in)
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

// Mechanism: @noRead() for what the server keeps to itself, @equal() for what it
// writes in its own way.
func TestComplaint02NotReadBack(t *testing.T) {
	l := newLab(t, strings.Replace(simple, "name: string,", "name: string @equal(fold), note?: string @noRead(),", 1),
		always(200, `{"id":"1","name":"A","region":"eu","serial":"s"}`))
	in := values{"name": text("a"), "note": text("n")}
	s := l.create(in)
	l.unchanged(l.refresh(s), in)
	in["name"] = text("B")
	if d := l.diff(s, in); !d.Changed {
		t.Error("another name is no change")
	}
}

// Mechanism: marks of secrets (of the spec, and by value), and the mask of texts.
// Package secrets has the rest.
func TestComplaint03SecretsInTheOpen(t *testing.T) {
	const token = "correct-horse-battery"
	status, body := 200, `{"id":"1","name":"a","key":"k-1234567","echo":"`+token+`"}`
	l := newLab(t, `http: auth: bearer: "${config.token}"
resources: Thing: {
	inputs: name: string
	outputs: {key: string @secret(), echo: string}
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: {http: path: "/things/${id}", fail: "${body.refused}"}
}`, func(w http.ResponseWriter, _ call) { say(w, status, body) })
	l.again(values{"token": text(token).WithSecret(true)})
	s := l.create(values{"name": text("a")})
	for _, name := range []string{"key", "echo"} {
		if !output(s, name).Secret() {
			t.Errorf("%s is in the open", name)
		}
	}
	for status, body = range map[int]string{403: `{"message":"wrong: Bearer ` + token + `"}`, 200: `{"refused":"Bearer ` + token + `"}`} {
		if _, err := l.Read(t.Context(), thing, s, client.Operation{}); err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("the error after %d is %v", status, err)
		}
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
	calls := l.requests()
	if diff := cmp.Diff([]string{"GET /things/1", "PATCH /things/1"}, lines(calls)); diff != "" {
		t.Errorf("it does not look whether it was done, or does not send it again (-want +got):\n%s", diff)
	}
	if !strings.Contains(calls[len(calls)-1].Body, `"name":"b"`) {
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
	if region, _ := s.Inputs.GetOk("region"); !region.IsString() || region.AsString() != "eu" {
		t.Errorf("what the server chose before the import is no input: %v", s.Inputs)
	}
	d, err := l.Diff(t.Context(), thing, s, s.Inputs)
	if err != nil || d.Changed {
		t.Errorf("after the import %+v would change: %v", d.Details, err)
	}
}

// Mechanism: `import` says how the id that a user types is put together.
func TestComplaint08ImportOfMore(t *testing.T) {
	l := newLab(t, `resources: Thing: {
	inputs: {region: string, name: string}
	outputs: {}
	id: "${result.body.id}"
	import: "${inputs.region}/${id}"
	create: http: {method: "POST", path: "/${inputs.region}/things", json: "${inputs}"}
	read: http: path: "/${inputs.region}/things/${id}"
	delete: http: {method: "DELETE", path: "/${inputs.region}/things/${id}"}
}`, always(200, `{"id":"1","name":"a","region":"eu"}`))
	s, err := l.Read(t.Context(), thing, client.State{ID: "eu/1"}, client.Operation{})
	if diff := cmp.Diff([]string{"GET /eu/things/1"}, lines(l.requests())); diff != "" || err != nil || s.ID != "1" {
		t.Errorf("the import asks for, and gives, something else: %q, %v\n%s", s.ID, err, diff)
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
	if d := l.diff(s, values{"name": text("b")}); !slices.Contains(d.Stables, "serial") {
		t.Errorf("the diff does not say that the serial number stays: %v", d.Stables)
	}
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

// Mechanism: only what a read asks for first is the thing itself.
func TestComplaint17PartIsNotThere(t *testing.T) {
	l := newLab(t, strings.Replace(simple, `read: http: path: "/things/${id}"`,
		`read: steps: [{as: "thing", http: path: "/things/${id}"}, {http: path: "/things/${id}/parts"}]
	return: "${result.body}"`, 1), func(w http.ResponseWriter, c call) {
		if strings.HasSuffix(c.Path, "/parts") {
			say(w, 404, "{}")
			return
		}
		say(w, 200, whole)
	})
	s := l.create(values{"name": text("a")})
	if now, err := l.Read(t.Context(), thing, s, client.Operation{}); err == nil {
		t.Errorf("a part is not there, and so the thing is gone: %+v", now)
	}
}
