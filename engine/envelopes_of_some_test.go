package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
)

// someEnveloped is an API with one object, which is in an envelope in the responses to some methods.
type someEnveloped struct {
	enveloped []string
	object    map[string]any
}

func (a *someEnveloped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	verb := r.Method
	switch {
	case r.Method == http.MethodDelete:
		a.object = nil
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method == http.MethodPost:
		a.object = map[string]any{"id": "7"}
		fallthrough
	case r.Method == http.MethodPatch:
		sent := map[string]any{}
		_ = json.NewDecoder(r.Body).Decode(&sent)
		for name, v := range sent {
			a.object[name] = v
		}
	case r.URL.Path == "/pets":
		list := []any{}
		if a.object != nil {
			list = append(list, a.object)
		}
		a.respond(w, "LIST", list)
		return
	}
	if a.object == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	a.respond(w, verb, a.object)
}

func (a *someEnveloped) respond(w http.ResponseWriter, verb string, body any) {
	if slices.Contains(a.enveloped, verb) {
		body = map[string]any{"data": body}
	}
	respond(w, http.StatusOK, body)
}

// TestUnwrapIfThere lives the life of an object whose responses have an envelope by their method, in every combination: with
// the question mark, none matters.
func TestUnwrapIfThere(t *testing.T) {
	t.Parallel()
	verbs := []string{"POST", "GET", "PATCH", "LIST"}
	for mask := range 1 << len(verbs) {
		var enveloped []string
		for i, verb := range verbs {
			if mask&(1<<i) != 0 {
				enveloped = append(enveloped, verb)
			}
		}
		for _, pet := range []string{
			`rest: {path: "/pets", unwrap: "data?", unique: "name"}`,
			`rest: {path: "/pets", unwrap: "data?", list: "none", idempotencyKey: true}`,
			`rest: {path: "/pets", unwrap: "data?", unique: "name", wait: until: "${body.name != null || body.data.name != null}"}`,
			`rest: {path: "/pets", unwrap: "data?", unique: "name"}, id: "${result.body.id ?? result.body.data.id}", import: "${id}"`,
		} {
			t.Run(fmt.Sprint(enveloped, pet), func(t *testing.T) {
				t.Parallel()
				api := &someEnveloped{enveloped: enveloped}
				e := petEngine(t, api, strings.ReplaceAll(pet, ", id:", "\n\tid:"))
				made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: object("name", "a")})
				if made.Err != nil || made.State == nil || made.State.ID != "7" {
					t.Fatalf("create: %+v", made)
				}
				read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: *made.State, Reason: engine.Refresh})
				if read.Err != nil || read.State == nil || read.State.Inputs.Get("name").AsString() != "a" {
					t.Fatalf("read: %+v", read)
				}
				if strings.Contains(pet, "unique") {
					for one, err := range e.List(t.Context(), engine.ListRequest{Ref: ref("Pet")}) {
						if err != nil || one.ID != "7" {
							t.Errorf("list: %+v, %v", one, err)
						}
					}
				}
				if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Pet"), State: *read.State}); err != nil || api.object != nil {
					t.Errorf("delete: %v, left %v", err, api.object)
				}
			})
		}
	}
}

// TestIDsInOtherEnvelopes: the error of a create whose response has the id, but not where rest or the author looks for it, says what to
// write. What it says makes the create succeed.
func TestIDsInOtherEnvelopes(t *testing.T) {
	t.Parallel()
	const rest, own = `rest: {path: "/pets", list: "none", idempotencyKey: true}`, `create: http: {method: "POST", path: "/pets", json: "${inputs}", idempotencyKey: true}, read: http: path: "/pets/7", delete: http: {method: "DELETE", path: "/pets/7"}, id: "${body.id}"`
	for _, tc := range []struct{ enveloped, pet, write string }{
		{"", strings.Replace(rest, "list:", `unwrap: "data", list:`, 1), "unwrap: \"data?\""},
		{"POST", rest, "unwrap: \"data?\""},
		{"POST", own, "id: \"${body.data.id}\""},
		{"", strings.Replace(own, "body.id", "body.data.id", 1), "id: \"${body.id}\""},
	} {
		pet := strings.NewReplacer(", read:", "\n\tread:", ", delete:", "\n\tdelete:", ", id:", "\n\tid:").Replace(tc.pet)
		create := func(pet string) error {
			api := &someEnveloped{enveloped: []string{tc.enveloped}}
			return petEngine(t, api, pet).Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: object("name", "a")}).Err
		}
		if err := create(pet); err == nil || !strings.Contains(err.Error(), tc.write) {
			t.Errorf("%s: %v, want %s", pet, err, tc.write)
		}
		mended := strings.NewReplacer(`unwrap: "data"`, tc.write, `idempotencyKey: true}`, `idempotencyKey: true, `+tc.write+`}`).Replace(pet)
		if strings.HasPrefix(tc.write, "id") {
			mended = pet[:strings.LastIndex(pet, "id:")] + tc.write
		} else if strings.Contains(pet, "unwrap") {
			mended = strings.Replace(pet, `unwrap: "data"`, tc.write, 1)
		}
		if err := create(mended); err != nil {
			t.Errorf("%s: %v", mended, err)
		}
	}
}

// TestMapsInPlaceOfLists: the error of a list that is a map of objects says so, with an expression for them. An object in an envelope is
// no map of objects.
func TestMapsInPlaceOfLists(t *testing.T) {
	t.Parallel()
	const one = `{"id": "7", "name": "a"}`
	for body, want := range map[string]string{ // "" if the values are not the objects
		`{"items": {"7": ` + one + `, "8": ` + one + `}}`: "values(body.items)",
		`{"items": {"7": ` + one + `}}`:                   "values(body.items)",
		`{"items": {}}`:                                   "values(body.items)",
		`{"the items": {"7": ` + one + `}}`:               `values(body["the items"])`,
		`{"7": ` + one + `, "8": ` + one + `}`:            "values(body)",
		`{"7": ` + one + `}`:                              "values(body)",
		`{"data": {"items": [], "total": 0}}`:             "",
		`{"items": [], "total": 0}`:                       "",
		`{"data": ` + one + `}`:                           "",
		`{}`:                                              "",
	} {
		for _, pet := range []string{`rest: {path: "/pets", unique: "name", items: "things"}`, `rest: {path: "/pets", unique: "name"}`, `rest: {path: "/pets", read: "list", unique: "name"}`} {
			if strings.Contains(pet, "things") {
				pet = strings.Replace(pet, `"things"`, `"items"`, 1)
				if !strings.HasPrefix(want, "values(body.items)") {
					continue // another error
				}
			}
			api := &fixedAPI{body: body}
			_, _, _, errs := api.lives(t, pet)
			got := ""
			if errs[0] != nil {
				got = errs[0].Error()
			}
			if got == "" || strings.Contains(got, "values(body") != (want != "") || !strings.Contains(got, want) {
				t.Errorf("%s, %s: %v, want %s", pet, body, errs[0], want)
			}
		}
	}
	e := (&fixedAPI{body: `{"items": {"7": ` + one + `}}`}).engine(t, `rest: {path: "/pets", unique: "name", items: "items"}`)
	for _, err := range e.List(t.Context(), engine.ListRequest{Ref: ref("Pet")}) {
		if err == nil || !strings.Contains(err.Error(), "values(") {
			t.Errorf("list: %v", err)
		}
	}
}

// TestWhyAnObjectIsGone: an object that a response of status 200 says is gone is forgotten with a message that names the part of the spec that
// says so, and what the response has. After a create, the error has it.
func TestWhyAnObjectIsGone(t *testing.T) {
	t.Parallel()
	const own = `create: http: {method: "POST", path: "/pets", json: "${inputs}", idempotencyKey: true}
	delete: http: {method: "DELETE", path: "/pets/${id}"}
	id: "${body.id}"
	`
	for read, part := range map[string]string{
		`read: http: path: "/pets/${id}", read: return: "${body.nmae == null ? null : {name: body.nmae}}"`: "`return` is null",
		`read: http: path: "/pets/${id}", read: return: "${body?.pte}"`:                                    "`return` is null",
		`read: http: path: "/pets/${id}", read: return: "${get(body, 'pte')}"`:                             "`return` is null",
		`read: http: path: "/pets", read: return: "${find(body, .uid == id)}"`:                             "`return` is null",
		`read: http: path: "/pets/${id}", read: gone: "${body.nmae == null}"`:                              "`gone` is true",
	} {
		e := petEngine(t, &someEnveloped{object: map[string]any{"id": "7", "name": "a"}}, own+strings.ReplaceAll(read, ", read:", "\n\tread:"))
		var log messages
		state := engine.State{ID: "7", Inputs: object("name", "a"), Outputs: object("name", "a")}
		out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: state, Reason: engine.Refresh, Log: &log})
		if said := fmt.Sprint(log); !out.Gone || !strings.Contains(said, part) || !strings.Contains(said, "/pets") || !strings.Contains(said, "status 200") ||
			!strings.Contains(said, "read finds that it is gone: ") || strings.Contains(said, "failed") {
			t.Errorf("%s: %+v, %s", read, out, said)
		}
	}
}
