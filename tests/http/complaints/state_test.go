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

func always(status int, body string) handler {
	return func(w http.ResponseWriter, _ call) { respond(w, status, body) }
}

// Mechanism: members that the spec does not declare are not in the state, and inputs that the
// program did not set are not read (projection by declared names).
func TestComplaint01PerpetualDiff(t *testing.T) {
	f := newFixture(t, simple, always(200, `{"id":"1","name":"a","region":"eu","serial":"s","etag":"x","self":{"href":"/1"},"size":7}`))
	in := values{"name": text("a"), "size": property.New(7.0)}
	s := f.create(in)
	f.unchanged(s, in)
	s = f.refresh(s)
	f.unchanged(s, in)
	if _, ok := s.Inputs.GetOk("region"); ok {
		t.Error("the region that the server chose became an input")
	}
	if got := output(s, "region"); !got.IsString() || got.AsString() != "eu" {
		t.Errorf("the region is %v", got)
	}
	if got := output(s, "etag"); !got.IsNull() {
		t.Errorf("the state has an undeclared etag: %v", got)
	}
	in["region"] = text("eu")
	s = f.create(in)
	delete(in, "region") // the server may keep its own value
	f.unchanged(s, in)
}

// Mechanism: inputs that a read does not return have their defaults.
func TestComplaint01Defaults(t *testing.T) {
	f := newFixture(t, strings.Replace(simple, "name: string,", "name: string, mode: *\"fast\" | string,", 1),
		always(200, `{"id":"1","name":"a","region":"eu","serial":"s"}`))
	in := values{"name": text("a")}
	f.unchanged(f.refresh(f.create(in)), in)
}

// Mechanism: `return` converts a response to the shape of the inputs.
func TestComplaint02WrittenUnlikeRead(t *testing.T) {
	f := newFixture(t, `resources: Thing: {
	inputs: {name: string, size: int}
	outputs: serial: string
	id: "${result.body.data.id}"
	create: http: {method: "POST", path: "/things", json: {thing: {title: "${inputs.name}", dimensions: {size: "${inputs.size}"}}}}
	read: http: path: "/things/${id}"
	return: {name: "${body.data.attributes.title}", size: "${body.data.attributes.size}", serial: "${body.data.serial}"}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`, always(200, `{"data":{"id":"1","serial":"s","attributes":{"title":"a","size":3}}}`))
	in := values{"name": text("a"), "size": property.New(3.0)}
	s := f.create(in)
	if diff := cmp.Diff(`{"thing":{"dimensions":{"size":3},"title":"a"}}`, f.requests()[0].Body); diff != "" {
		t.Error(diff)
	}
	f.unchanged(f.refresh(s), in)
}

// Mechanism: @noRead() for inputs that the server does not return, and @equal() for those
// that it normalizes.
func TestComplaint02NotReadBack(t *testing.T) {
	f := newFixture(t, strings.Replace(simple, "name: string,", "name: string @equal(fold), note?: string @noRead(),", 1),
		always(200, `{"id":"1","name":"A","region":"eu","serial":"s"}`))
	in := values{"name": text("a"), "note": text("n")}
	s := f.create(in)
	f.unchanged(f.refresh(s), in)
	in["name"] = text("B")
	if d := f.diff(s, in); !d.Changed {
		t.Error("another name is no change")
	}
}

// Mechanism: secret marks (by the spec, and by value), and masking in texts. Package secrets
// has the other cases.
func TestComplaint03SecretsInTheOpen(t *testing.T) {
	const token = "correct-horse-battery"
	status, body := 200, `{"id":"1","name":"a","key":"k-1234567","echo":"`+token+`"}`
	f := newFixture(t, `http: auth: bearer: "${config.token}"
resources: Thing: {
	inputs: name: string
	outputs: {key: string @secret(), echo: string}
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: {http: path: "/things/${id}", fail: "${body.refused}"}
}`, func(w http.ResponseWriter, _ call) { respond(w, status, body) })
	f.restart(values{"token": text(token).WithSecret(true)})
	s := f.create(values{"name": text("a")})
	for _, name := range []string{"key", "echo"} {
		if !output(s, name).Secret() {
			t.Errorf("%s is not marked secret", name)
		}
	}
	for status, body = range map[int]string{403: `{"message":"wrong: Bearer ` + token + `"}`, 200: `{"refused":"Bearer ` + token + `"}`} {
		if _, err := f.Read(t.Context(), thing, s, client.Operation{}); err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("the error after %d is %v", status, err)
		}
	}
}

// Mechanism: the state of a failed update keeps the old inputs, and forces the next update
// for any inputs (Private.Failed): reverting them must be sent, too.
func TestComplaint06StateAfterFailedUpdate(t *testing.T) {
	fail := true
	f := newFixture(t, simple, func(w http.ResponseWriter, c call) {
		if c.Method == "PATCH" && fail {
			respond(w, 500, `{"message":"no"}`)
			return
		}
		respond(w, 200, `{"id":"1","name":"a","region":"eu","serial":"s"}`)
	})
	s := f.create(values{"name": text("a")})
	news := values{"name": text("b")}
	_, err := f.Update(t.Context(), thing, s, f.check(news), client.Operation{})
	s = f.stateFrom(err)
	if d := f.diff(s, news); !d.Changed {
		t.Error("the next run would do nothing")
	}
	if d := f.diff(s, values{"name": text("a")}); !d.Changed {
		t.Error("a run that reverts the change would do nothing")
	}
	fail = false
	f.requests()
	if s, err = f.Update(t.Context(), thing, s, f.check(news), client.Operation{}); err != nil {
		t.Fatal(err)
	}
	calls := f.requests()
	if diff := cmp.Diff([]string{"GET /things/1", "PATCH /things/1"}, requestLines(calls)); diff != "" {
		t.Errorf("it does not read whether the update took effect, or does not repeat it (-want +got):\n%s", diff)
	}
	if !strings.Contains(calls[len(calls)-1].Body, `"name":"b"`) {
		t.Errorf("what was not changed is not sent again: %+v", calls)
	}
	f.unchanged(s, news)
}

// Mechanism: import reads by the id, and takes the inputs from the result of `read`.
func TestComplaint08Import(t *testing.T) {
	f := newFixture(t, simple, always(200, `{"id":"1","name":"a","region":"eu","serial":"s","size":7}`))
	s := f.refresh(client.State{ID: "1"})
	if name, _ := s.Inputs.GetOk("name"); !name.IsString() || name.AsString() != "a" {
		t.Errorf("the inputs are %v", s.Inputs)
	}
	if region, _ := s.Inputs.GetOk("region"); !region.IsString() || region.AsString() != "eu" {
		t.Errorf("a value that the server chose before the import is not an input: %v", s.Inputs)
	}
	d, err := f.Diff(t.Context(), thing, s, s.Inputs)
	if err != nil || d.Changed {
		t.Errorf("after the import %+v would change: %v", d.Details, err)
	}
}

// Mechanism: `import` defines the parts of the id that a user types.
func TestComplaint08ImportOfMore(t *testing.T) {
	f := newFixture(t, `resources: Thing: {
	inputs: {region: string, name: string}
	outputs: {}
	id: "${result.body.id}"
	import: "${inputs.region}/${id}"
	create: http: {method: "POST", path: "/${inputs.region}/things", json: "${inputs}"}
	read: http: path: "/${inputs.region}/things/${id}"
	delete: http: {method: "DELETE", path: "/${inputs.region}/things/${id}"}
}`, always(200, `{"id":"1","name":"a","region":"eu"}`))
	s, err := f.Read(t.Context(), thing, client.State{ID: "eu/1"}, client.Operation{})
	if diff := cmp.Diff([]string{"GET /eu/things/1"}, requestLines(f.requests())); diff != "" || err != nil || s.ID != "1" {
		t.Errorf("the import sends another request, or returns another id: %q, %v\n%s", s.ID, err, diff)
	}
}

// Mechanism: only @replace() replaces.
func TestComplaint10UpdateInPlace(t *testing.T) {
	f := newFixture(t, strings.Replace(simple, "name: string,", "name: string, kind: *\"x\" | string @replace(),", 1),
		always(200, `{"id":"1","name":"a","kind":"x","region":"eu","serial":"s"}`))
	s := f.create(values{"name": text("a")})
	if d := f.diff(s, values{"name": text("b")}); !d.Changed || d.Replace() {
		t.Errorf("expected a change of the name in place, got: %+v", d)
	}
	if d := f.diff(s, values{"name": text("a"), "kind": text("y")}); !d.Replace() {
		t.Errorf("expected a replacement for a change of the kind, got: %+v", d)
	}
}

// Mechanism: @set() compares without order, @key() by a field.
func TestComplaint13ArrayOrder(t *testing.T) {
	f := newFixture(t, `resources: Thing: {
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
	s := f.refresh(f.create(in))
	f.unchanged(s, in)
	in["rules"] = property.New(property.NewArray([]property.Value{rule("x", 1), rule("y", 3)}))
	if d := f.diff(s, in); len(d.Details) != 1 {
		t.Errorf("one port differs: %+v", d.Details)
	}
}

// Mechanism: @stable() outputs, and outputs that were read as recorded, stay known in the
// preview of an update.
func TestComplaint14KnownOutputs(t *testing.T) {
	f := newFixture(t, simple, always(200, `{"id":"1","name":"a","region":"eu","serial":"s"}`))
	s := f.create(values{"name": text("a")})
	f.requests()
	if d := f.diff(s, values{"name": text("b")}); !slices.Contains(d.Stables, "serial") {
		t.Errorf("the diff does not say that the serial number stays: %v", d.Stables)
	}
	planned, err := f.Update(t.Context(), thing, s, f.check(values{"name": text("b")}), client.Operation{Preview: true})
	if err != nil {
		t.Fatal(err)
	}
	if v := output(planned, "serial"); !v.IsString() || v.AsString() != "s" {
		t.Errorf("the serial number is %v", v)
	}
	if v := output(planned, "name"); !v.IsString() || v.AsString() != "b" {
		t.Errorf("the name is %v", v)
	}
	if calls := f.requests(); len(calls) > 0 {
		t.Errorf("a preview sent %v", requestLines(calls))
	}
}

// Mechanism: the id is that of the spec, with all its digits.
func TestComplaint16ID(t *testing.T) {
	f := newFixture(t, strings.ReplaceAll(simple, "result.body.id", "result.body.meta.number"),
		always(200, `{"id":"wrong","meta":{"number":9007199254740993},"name":"a","region":"eu","serial":"s"}`))
	s := f.create(values{"name": text("a")})
	if s.ID != "9007199254740993" {
		t.Errorf("the id is %q", s.ID)
	}
	f.requests()
	f.refresh(s)
	if diff := cmp.Diff([]string{"GET /things/9007199254740993"}, requestLines(f.requests())); diff != "" {
		t.Error(diff)
	}
}

// Mechanism: only 404 and 410, or what the spec calls gone, means that the object is gone.
func TestComplaint17Gone(t *testing.T) {
	status, body := 200, `{"id":"1","name":"a","region":"eu","serial":"s"}`
	f := newFixture(t, simple, func(w http.ResponseWriter, _ call) { respond(w, status, body) })
	s := f.create(values{"name": text("a")})
	for _, c := range []struct {
		status int
		body   string
		gone   bool
	}{
		{200, "", false},
		{200, "{}", false},
		{200, `{"id":"1","name":"a","region":"eu"}`, false}, // without the output
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
		now, err := f.Read(t.Context(), thing, s, client.Operation{})
		if gone := err == nil && now.ID == ""; gone != c.gone || !gone && err == nil {
			t.Errorf("%d %q: gone is %v, error %v", c.status, c.body, gone, err)
		}
	}
}

// Mechanism: only the first request of a read decides whether the object exists.
func TestComplaint17PartIsNotThere(t *testing.T) {
	f := newFixture(t, strings.Replace(simple, `read: http: path: "/things/${id}"`,
		`read: steps: [{as: "thing", http: path: "/things/${id}"}, {http: path: "/things/${id}/parts"}]
	return: "${result.body}"`, 1), func(w http.ResponseWriter, c call) {
		if strings.HasSuffix(c.Path, "/parts") {
			respond(w, 404, "{}")
			return
		}
		respond(w, 200, whole)
	})
	s := f.create(values{"name": text("a")})
	if now, err := f.Read(t.Context(), thing, s, client.Operation{}); err == nil {
		t.Errorf("a missing part means that the resource is gone: %+v", now)
	}
}
