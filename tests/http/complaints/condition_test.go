package complaints

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// conditional is a server that changes a thing only for those who know its ETag,
// and tells it only to those who read.
type conditional struct {
	version int
	name    string
	silent  bool // gives no ETag
}

func (s *conditional) answer(w http.ResponseWriter, c call) {
	etag := fmt.Sprintf(`"v%d"`, s.version)
	body := fmt.Sprintf(`{"id": "1", "name": %q}`, s.name)
	if c.Method == "GET" {
		if !s.silent {
			w.Header().Set("ETag", etag)
		}
		say(w, 200, body)
		return
	}
	if got := c.Header.Get("If-Match"); c.Method != "POST" && got != etag {
		say(w, 412, fmt.Sprintf(`{"message": "it is %s, not %s"}`, strings.Trim(etag, `"`), strings.Trim(got, `"`)))
		return
	}
	s.version++
	s.name = c.Body
	say(w, 200, fmt.Sprintf(`{"id": "1", "name": %q}`, s.name))
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

// A change is sent with the ETag of what was last seen: without a refresh in
// between, although neither create nor update answer with one, and not over
// somebody else's change.
func TestAChangeUnderAnETag(t *testing.T) {
	server := &conditional{}
	l := newLab(t, strings.Replace(conditionalThing, "IF", "true", 1), server.answer)
	s := l.create(values{"name": text("a")})
	for _, name := range []string{"b", "c"} {
		var err error
		if s, err = l.Update(t.Context(), thing, s, l.checked(values{"name": text(name)}), client.Operation{}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"POST /things", "GET /things/1", "PUT /things/1", "GET /things/1", "PUT /things/1", "GET /things/1"}
	if diff := cmp.Diff(want, lines(l.requests())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	server.version, server.name = 9, "theirs"
	if _, err := l.Update(t.Context(), thing, s, l.checked(values{"name": text("d")}), client.Operation{}); err == nil || !strings.Contains(err.Error(), "412") || server.name != "theirs" {
		t.Errorf("%v, and it is %q", err, server.name)
	}
	s = l.refresh(s)
	if err := l.Delete(t.Context(), thing, s, client.Operation{}); err != nil {
		t.Error(err)
	}
}

// A condition that cannot be made is no unconditional change.
func TestAChangeWithoutItsETag(t *testing.T) {
	for _, tc := range []struct{ name, condition, want string }{
		{"of the last read", "true", "no record of one"},
		{"null", `"${state.etag}"`, `argument "ifMatch": is null`},
		{"empty", `"${state.etag ?? ''}"`, "empty text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := &conditional{silent: true}
			spec := strings.Replace(conditionalThing, "IF", tc.condition, 1)
			spec = strings.Replace(spec, "inputs: name: string", "inputs: name: string\n\toutputs: etag?: string", 1)
			l := newLab(t, spec, server.answer)
			s := l.create(values{"name": text("a")})
			l.requests()
			_, err := l.Update(t.Context(), thing, s, l.checked(values{"name": text("b")}), client.Operation{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v", err)
			}
			if sent := lines(l.requests()); sent != nil {
				t.Errorf("it was sent: %v", sent)
			}
		})
	}
}

// A create that may only make what is not there yet: it is sent with the
// condition, does not touch what somebody else made, and is not sent at all where
// the condition cannot be made.
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
		{"nothing is there", "true", "", "", []string{"PUT /things/a If-None-Match: *"}},
		{"something is there", "true", "theirs", "412", []string{"PUT /things/a If-None-Match: *"}},
		{"null", `"${inputs.tag}"`, "theirs", `argument "ifNoneMatch": is null`, nil},
		{"empty", `"${inputs.tag ?? ''}"`, "theirs", "empty string", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			content := tc.there
			l := newLab(t, strings.Replace(named, "IF", tc.condition, 1), func(w http.ResponseWriter, c call) {
				if content != "" && c.Header.Get("If-None-Match") == "*" {
					say(w, 412, "{}")
					return
				}
				content = c.Body
				say(w, 201, "{}")
			})
			s, err := l.Create(t.Context(), thing, l.checked(values{"name": text("a")}), client.Operation{})
			switch {
			case tc.want == "" && (err != nil || s.ID != "a" || content != "ours"):
				t.Errorf("%v, %+v, and there is %q", err, s, content)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || content != tc.there):
				t.Errorf("%v, and there is %q", err, content)
			}
			var sent []string
			for _, c := range l.requests() {
				sent = append(sent, c.Method+" "+c.Path+" If-None-Match: "+c.Header.Get("If-None-Match"))
			}
			if diff := cmp.Diff(tc.sent, sent); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}
