package complaints

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// conditional is a server that changes an object only if If-Match has its ETag, and returns
// the ETag only for reads.
type conditional struct {
	version int
	name    string
	silent  bool // returns no ETag
}

func (s *conditional) serve(w http.ResponseWriter, c call) {
	etag := fmt.Sprintf(`"v%d"`, s.version)
	body := fmt.Sprintf(`{"id": "1", "name": %q}`, s.name)
	if c.Method == "GET" {
		if !s.silent {
			w.Header().Set("ETag", etag)
		}
		respond(w, 200, body)
		return
	}
	if got := c.Header.Get("If-Match"); c.Method != "POST" && got != etag {
		respond(w, 412, fmt.Sprintf(`{"message": "it is %s, not %s"}`, strings.Trim(etag, `"`), strings.Trim(got, `"`)))
		return
	}
	s.version++
	s.name = c.Body
	respond(w, 200, fmt.Sprintf(`{"id": "1", "name": %q}`, s.name))
}

const conditionalThing = `
resources: Thing: {
	inputs: name: string
	id: "${body.id}"
	create: http: {method: "POST", path: "/things", text: "${inputs.name}", idempotencyKey: true}
	read: http: path: "/things/${id}"
	update: http: {method: "PUT", path: "/things/${id}", text: "${inputs.name}", ifMatch: IF}
	delete: http: {method: "DELETE", path: "/things/${id}", ifMatch: true}
}
`

// TestAChangeUnderAnETag checks that a change is sent with the ETag of the last read, without
// a refresh in between, although neither create nor update returns one, and that it does not
// overwrite another user's change.
func TestAChangeUnderAnETag(t *testing.T) {
	server := &conditional{}
	f := newFixture(t, strings.Replace(conditionalThing, "IF", "true", 1), server.serve)
	s := f.create(values{"name": text("a")})
	for _, name := range []string{"b", "c"} {
		var err error
		if s, err = f.Update(t.Context(), thing, s, f.check(values{"name": text(name)}), client.Operation{}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"POST /things", "GET /things/1", "PUT /things/1", "GET /things/1", "PUT /things/1", "GET /things/1"}
	if diff := cmp.Diff(want, requestLines(f.requests())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	server.version, server.name = 9, "theirs"
	if _, err := f.Update(t.Context(), thing, s, f.check(values{"name": text("d")}), client.Operation{}); err == nil || !strings.Contains(err.Error(), "412") || server.name != "theirs" {
		t.Errorf("got %v; the server has the name %q", err, server.name)
	}
	s = f.refresh(s)
	if err := f.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Error(err)
	}
}

// TestAChangeWithoutItsETag checks that a change is not sent if its condition has no value.
func TestAChangeWithoutItsETag(t *testing.T) {
	for _, tc := range []struct{ name, condition, want string }{
		{"no recorded ETag", "true", "none is recorded"},
		{"null", `"${state.etag}"`, `argument "ifMatch": must not be null`},
		{"empty", `"${state.etag ?? ''}"`, "ifMatch is empty"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := &conditional{silent: true}
			spec := strings.Replace(conditionalThing, "IF", tc.condition, 1)
			spec = strings.Replace(spec, "inputs: name: string", "inputs: name: string\n\toutputs: etag?: string", 1)
			f := newFixture(t, spec, server.serve)
			s := f.create(values{"name": text("a")})
			f.requests()
			_, err := f.Update(t.Context(), thing, s, f.check(values{"name": text("b")}), client.Operation{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v", err)
			}
			if sent := requestLines(f.requests()); sent != nil {
				t.Errorf("the change was sent: %v", sent)
			}
		})
	}
}

// TestACreateThatOverwritesNothing checks a create that must not overwrite: it is sent with
// the condition, does not change an existing object, and is not sent if the condition has no
// value.
func TestACreateThatOverwritesNothing(t *testing.T) {
	const named = `
resources: Thing: {
	inputs: {name: string @replace(), tag?: string}
	id: "${inputs.name}"
	create: http: {method: "PUT", path: "/things/${inputs.name}", text: "ours", ifNoneMatch: IF}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
`
	for _, tc := range []struct {
		name, condition, there, want string
		sent                         []string
	}{
		{"a new object", "true", "", "", []string{"PUT /things/a If-None-Match: *"}},
		{"an existing object", "true", "theirs", "412", []string{"PUT /things/a If-None-Match: *"}},
		{"null", `"${inputs.tag}"`, "theirs", `argument "ifNoneMatch": must not be null`, nil},
		{"empty", `"${inputs.tag ?? ''}"`, "theirs", "empty string", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			content := tc.there
			f := newFixture(t, strings.Replace(named, "IF", tc.condition, 1), func(w http.ResponseWriter, c call) {
				if content != "" && c.Header.Get("If-None-Match") == "*" {
					respond(w, 412, "{}")
					return
				}
				content = c.Body
				respond(w, 201, "{}")
			})
			s, err := f.Create(t.Context(), thing, f.check(values{"name": text("a")}), client.Operation{})
			switch {
			case tc.want == "" && (err != nil || s.ID != "a" || content != "ours"):
				t.Errorf("got %v, %+v; the server has %q", err, s, content)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || content != tc.there):
				t.Errorf("got %v; the server has %q", err, content)
			}
			var sent []string
			for _, c := range f.requests() {
				sent = append(sent, c.Method+" "+c.Path+" If-None-Match: "+c.Header.Get("If-None-Match"))
			}
			if diff := cmp.Diff(tc.sent, sent); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}
