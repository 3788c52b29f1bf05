package engine_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/engine"
)

// fixedAPI responds to all requests but those to create as its fields say, and records the others.
type fixedAPI struct {
	mu      sync.Mutex
	status  int
	header  map[string]string
	body    string
	changes []string
	shown   bool // whether what was created is found
}

func (a *fixedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, "/search") {
		a.changes, a.shown = append(a.changes, "POST"), true
		respond(w, http.StatusCreated, map[string]any{"id": "7", "name": "a"})
		return
	}
	if a.shown {
		respond(w, http.StatusOK, map[string]any{"id": "7", "name": "a"})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for name, v := range a.header {
		w.Header().Set(name, v)
	}
	w.WriteHeader(cmp.Or(a.status, http.StatusOK))
	_, _ = w.Write([]byte(a.body))
}

// engine returns an engine with the resource Pet, whose text is a part of a spec.
func (a *fixedAPI) engine(t *testing.T, pet string) *engine.Engine {
	t.Helper()
	return petEngine(t, a, pet)
}

// petEngine returns an engine with the resource Pet, whose text is a part of a spec, and a server that api handles.
func petEngine(t *testing.T, api http.Handler, pet string) *engine.Engine {
	t.Helper()
	return petEngineWith(t, api, pet, t.TempDir())
}

// petEngineWith is petEngine with the folder of the journal.
func petEngineWith(t *testing.T, api http.Handler, pet, book string) *engine.Engine {
	t.Helper()
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	text := `package pets
name: "pets"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
#Pet: {id: string, name: string}
resources: Pet: {
	inputs: name: string @replace()
	consistency: "0s"
	` + pet + `
}`
	if _, diags := loaded(text); len(diags) > 0 {
		t.Fatalf("%s\n%+v", pet, diags)
	}
	program, diags := program(t, text)
	if diags.HasErrors() {
		t.Fatalf("%s\n%+v", pet, diags)
	}
	e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: book})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// lives returns what becomes of a pet in three situations: a create of a new one ("made" or "refused"), a refresh
// ("gone", "there" or "error") and a delete ("done" or "error"). errs has the errors.
func (a *fixedAPI) lives(t *testing.T, pet string) (create, refresh, remove string, errs []error) {
	t.Helper()
	e := a.engine(t, pet)
	state := engine.State{ID: "7", Inputs: object("name", "a"), Outputs: object("name", "a")}
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: object("name", "a")})
	a.shown = false // nor later
	create = "refused"
	if slices.Contains(a.changes, "POST") {
		create = "made"
	}
	read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: state, Reason: engine.Refresh})
	refresh = "there"
	if read.Err != nil {
		refresh = "error"
	} else if read.Gone {
		refresh = "gone"
	}
	err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Pet"), State: state})
	remove = "done"
	if err != nil {
		remove = "error"
	}
	return create, refresh, remove, []error{out.Err, read.Err, err}
}

// TestPagesAreNoAbsence: a 404 that is a page neither lets a refresh forget an object, nor a create make another one, nor
// a delete count as done; unless the author says that the API responds so.
func TestPagesAreNoAbsence(t *testing.T) {
	const own = `id: "${result.body.id}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}"}
	`
	for _, tc := range []struct{ pet, page, json string }{
		{`rest: {path: "/pets", find: "GET /pets/named/${inputs.name}"}`, "refused error error", "made gone done"},
		{`rest: {path: "/pets", find: "GET /pets/named/${inputs.name}", gone: "${status == 404}"}`, "made gone done", "made gone done"},
		{`rest: {path: "/pets", id: "${inputs.name}"}`, "refused error error", "made gone done"},
		{`rest: {path: "/pets", id: "${inputs.name}", gone: "${status == 404}"}`, "made gone done", "made gone done"},
		{own + `find: http: path: "/pets/${inputs.name}"
	read: http: path: "/pets/${id}"
	delete: http: {method: "DELETE", path: "/pets/${id}"}`, "refused error error", "made gone done"},
		{own + `find: {http: path: "/pets/${inputs.name}", gone: "${status == 404}"}
	read: {http: path: "/pets/${id}", gone: "${status == 404}"}
	delete: {http: {method: "DELETE", path: "/pets/${id}"}, gone: "${status == 404}"}`, "made gone done", "made gone done"},
		{own + `find: http: {path: "/pets/${inputs.name}", response: "text"}
	read: http: {path: "/pets/${id}", response: "text"}
	delete: http: {method: "DELETE", path: "/pets/${id}", response: "text"}`, "made gone done", "made gone done"},
		{own + `find: {http: {path: "/pets/${inputs.name}", expect: [404]}, return: "${status == 404 ? null : body}"}
	read: {http: {path: "/pets/${id}", expect: [404]}, return: "${status == 404 ? null : body}"}
	delete: http: {method: "DELETE", path: "/pets/${id}", expect: [404]}`, "refused error error", "made gone done"},
	} {
		for kind, want := range map[string]string{"text/html": tc.page, "application/json": tc.json} {
			body := `{"error": "no such pet"}`
			if kind == "text/html" {
				body = "<!doctype html><title>404 of a proxy</title>"
			}
			api := &fixedAPI{status: 404, header: map[string]string{"Content-Type": kind}, body: body}
			create, refresh, remove, errs := api.lives(t, tc.pet)
			if got := fmt.Sprint(create, " ", refresh, " ", remove); got != want {
				t.Errorf("%s, %s: %s, want %s (%v)", tc.pet, kind, got, want, errs)
			}
			for _, err := range errs {
				if err != nil && !strings.Contains(err.Error(), "404 of a proxy; this is an HTML page") {
					t.Error(err)
				}
			}
		}
	}
}

// incomplete are responses with a list without the pet a (its id would be 7), and whether they prove that it does not exist.
var incomplete = []struct {
	name   string
	status int
	header map[string]string
	body   string
	proves bool
	// lacks is the member that an item does not show.
	lacks string
}{
	{name: "an empty list", body: `[]`, proves: true},
	{name: "others", body: `[{"id":"1","name":"b"},{"id":"2","name":"c"}]`, proves: true},
	{name: "201", status: 201, body: `[]`, proves: true},
	{name: "202", status: 202, body: `[]`},
	{name: "203", status: 203, body: `[]`},
	{name: "206", status: 206, body: `[{"id":"1","name":"b"}]`},
	{name: "207", status: 207, body: `[{"id":"1","name":"b"}]`},
	{name: "206, whole", status: 206, header: map[string]string{"Content-Range": "items 0-0/1"}, body: `[{"id":"1","name":"b"}]`, proves: true},
	{name: "206, a part", status: 206, header: map[string]string{"Content-Range": "0-0/2"}, body: `[{"id":"1","name":"b"}]`},
	{name: "a range", header: map[string]string{"Content-Range": "0-0/2"}, body: `[{"id":"1","name":"b"}]`},
	{name: "a range of unknown size", header: map[string]string{"Content-Range": "0-0/*"}, body: `[{"id":"1","name":"b"}]`, proves: true},
	{name: "next", header: map[string]string{"Link": `</pets?page=2>; rel="next"`}, body: `[{"id":"1","name":"b"}]`},
	{name: "next of several", header: map[string]string{"Link": `</pets>; rel="first", </pets?page=2>; rel="NEXT last"`}, body: `[]`},
	{name: "no next", header: map[string]string{"Link": `</pets>; rel="first", </pets>; rel="prev"`}, body: `[]`, proves: true},
	{name: "a broken next", header: map[string]string{"Link": `/pets?page=2; rel="next"`}, body: `[]`},
	{name: "a broken link", header: map[string]string{"Link": `/style.css; rel="preload"`}, body: `[]`, proves: true},
	{name: "X-Next-Page", header: map[string]string{"X-Next-Page": "2"}, body: `[{"id":"1","name":"b"}]`},
	{name: "no X-Next-Page", header: map[string]string{"X-Next-Page": "", "X-Total-Pages": "1", "X-Total": "1"}, body: `[{"id":"1","name":"b"}]`, proves: true},
	{name: "X-Total-Count", header: map[string]string{"X-Total-Count": "2"}, body: `[{"id":"1","name":"b"}]`},
	{name: "X-Pagination of more", header: map[string]string{"X-Pagination": `{"TotalCount":9,"CurrentPage":1}`}, body: `[{"id":"1","name":"b"}]`},
	{name: "X-Pagination of all", header: map[string]string{"X-Pagination": `{"TotalCount":1,"TotalPages":1}`}, body: `[{"id":"1","name":"b"}]`, proves: true},
	{name: "X-Pagination-Total-Count", header: map[string]string{"X-Pagination-Total-Count": "9", "X-Pagination-Page-Count": "2"}, body: `[{"id":"1","name":"b"}]`},
	{name: "Pagination-Count", header: map[string]string{"Pagination-Count": "9"}, body: `[{"id":"1","name":"b"}]`},
	{name: "X-Total-Count of all", header: map[string]string{"X-Total-Count": "1"}, body: `[{"id":"1","name":"b"}]`, proves: true},
	{name: "no id", body: `[{"name":"b"}]`, proves: true, lacks: "id"},
	{name: "an id of null", body: `[{"id":null,"name":"b"},{"id":"2","name":"c"}]`, proves: true, lacks: "id"},
	{name: "no name", body: `[{"id":"1","label":"b"}]`, proves: true, lacks: "name"},
	{name: "a name of null", body: `[{"id":"2","name":"c"},{"id":"1","name":null}]`, proves: true, lacks: "name"},
	{name: "an empty name", body: `[{"id":"1","name":""}]`, proves: true},
}

// envelopes are members beside the list of an envelope, and whether the list is then all that there is. There are two items.
var envelopes = map[string]bool{
	`"page": 1, "pages": 4`: false, `"page": 1, "pages": 1`: true, `"numberOfPages": 3`: false, `"numberOfPages": 1`: true, `"resultSizeEstimate": 201`: false,
	`"complete": false`: false, `"complete": true`: true, `"unreachable": ["zone-a"]`: false, `"unreachable": []`: true,
	``: true, `"has_more": true`: false, `"has_more": false`: true, `"hasMore": true`: false, `"hasNextPage": true`: false, `"has_more": null`: true,
	`"next": "/pets?page=2"`: false, `"next": null`: true, `"next": ""`: true, `"next": false`: true, `"next": {}`: true, `"next": 0`: true, `"next": 2`: false, `"next": {"href": "/pets?page=2"}`: false,
	`"nextPageToken": "x"`: false, `"nextPageToken": ""`: true, `"next_cursor": "x"`: false, `"next_cursor": null`: true, `"nextLink": "/pets?p=2"`: false, `"@odata.nextLink": "/pets?p=2"`: false,
	`"total": 2`: true, `"total": 3`: false, `"total": "3"`: false, `"total": 0`: true, `"count": 2`: true, `"count": 9`: false, `"total_count": 3`: false, `"totalCount": 1`: true, `"totalElements": 3, "last": false`: false,
	`"last": true, "totalElements": 2`: true, `"isLast": false`: false, `"isLast": true, "next": "/pets"`: true,
	`"has_more": false, "next_cursor": "x"`: true, // a cursor for later
	`"meta": {"pagination": {"total": 3}}`:  false, `"meta": {"pagination": {"total": 2, "pageCount": 1}}`: true, `"meta": {"next": "x"}`: false, `"metadata": {"continue": "x"}`: false, `"metadata": {"continue": ""}`: true,
	`"links": {"next": "/pets?page=2"}`: false, `"links": {"next": null, "self": "/pets"}`: true, `"_links": {"next": {"href": "/pets?page=2"}}`: false, `"links": [{"rel": "next", "href": "/p"}]`: false, `"links": [{"rel": "self", "href": "/p"}]`: true,
	`"paging": {"next": {"after": "x"}}`: false, `"pageInfo": {"hasNextPage": false, "endCursor": "x"}`: true, `"page": 1, "total_pages": 2`: false, `"page": 1, "total_pages": 1`: true, `"response_metadata": {"next_cursor": ""}`: true,
	`"filtered_count": 2, "total_count": 9`: true, `"recordsTotal": 9, "recordsFiltered": 2`: true, `"incomplete_results": true`: false, `"isTruncated": true`: false, `"truncated": true`: false,
	`"nextSyncToken": "x"`: true, `"links": {"nextRelease": "x"}`: true, `"totals": {"price": 100}`: true,
}

// TestIncompleteListsProveNothing combines responses with the ways to look for an object in a list: if the response does not
// show all objects, that one is missing in it proves nothing. One that is in it is found.
func TestIncompleteListsProveNothing(t *testing.T) {
	ways := []struct {
		name, pet, with string
		// typed says that an item may lack a member; envelope, that the list is in `items`.
		typed, envelope, paged bool
	}{
		{name: "unique", pet: `rest: {path: "/pets", read: "list", unique: "name"}`},
		{name: "unique of two", pet: `rest: {path: "/pets", read: "list", unique: ["name", "name"]}`},
		{name: "unique, items", pet: `rest: {path: "/pets", read: "list", unique: "name", items: "items"}`, envelope: true},
		{name: "unique, types", pet: `rest: {path: "/pets", read: "list", unique: "name", returns: #Pet}`, typed: true},
		{name: "unique, items, types", pet: `rest: {path: "/pets", read: "list", unique: "name", items: "items", returns: #Pet}`, typed: true, envelope: true},
		{name: "a name", pet: `rest: {path: "/pets", id: "${inputs.name}", read: "list", items: "items"}`, envelope: true},
		{name: "a search", pet: `rest: {path: "/pets", read: "list", unique: "name", list: "POST /pets/search"}`},
		{name: "find", pet: `rest: {path: "/pets", read: "list", unique: "name", find: "GET /pets/search?name=${inputs.name}"}`},
		{name: "an own find", typed: true, pet: `id: "${result.body.id}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}"}
	find: {http: path: "/pets", return: "${find(body, .name == inputs.name)}"}
	read: {http: path: "/pets", return: "${find(body, .id == id)}"}
	delete: http: {method: "DELETE", path: "/pets/${id}"}`},
		{name: "an own find, gone", typed: true, envelope: true, pet: `id: "${result.body.id}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}"}
	find: {http: path: "/pets", gone: "${none(body.items, .name == inputs.name)}", return: "${find(body.items, .name == inputs.name)}"}
	read: {http: {path: "/pets", items: "${body.items}"}, gone: "${none(result.items, .id == id)}", return: "${find(result.items, .id == id)}"}
	delete: http: {method: "DELETE", path: "/pets/${id}"}`},
		{name: "a false alarm", envelope: true, paged: true, pet: `rest: {path: "/pets", read: "list", unique: "name", items: "items", paginate: {next: "${null}"}}`},
	}
	for _, way := range ways {
		for _, r := range incomplete {
			if way.typed && r.lacks != "" {
				continue
			}
			if way.envelope {
				r.body = `{"items": ` + r.body + `}`
			}
			// The author of paginate says that there are no more pages, but not that a status is a success like others.
			proves := r.proves || way.paged && !slices.Contains([]int{202, 203, 207}, r.status)
			readBy := "id"
			if way.name == "a name" {
				readBy = "name"
			}
			looksInList(t, way.name+"/"+r.name, way.pet, r.status, r.header, r.body, proves && r.lacks != "name", proves && r.lacks != readBy)
		}
		for members, proves := range envelopes {
			if way.envelope {
				body := `{"items": [{"id":"1","name":"b"},{"id":"2","name":"c"}], ` + members + `}`
				looksInList(t, way.name+"/"+members, way.pet, 200, nil, strings.Replace(body, ", }", "}", 1), proves || way.paged, proves || way.paged)
			}
		}
	}
}

// looksInList checks what becomes of a pet if it is not in the list of a response, and if it is.
func looksInList(t *testing.T, name, pet string, status int, header map[string]string, body string, makes, forgets bool) {
	runCase(t, name, func(t *testing.T) {
		t.Parallel()
		wantCreate, wantRefresh := "refused", "error"
		if makes {
			wantCreate = "made"
		}
		if forgets {
			wantRefresh = "gone"
		}
		absent := &fixedAPI{status: status, header: header, body: body}
		create, refresh, _, errs := absent.lives(t, pet)
		if create != wantCreate || refresh != wantRefresh {
			t.Errorf("without the object: %s %s, want %s %s (%v)", create, refresh, wantCreate, wantRefresh, errs)
		}
		there := &fixedAPI{status: status, header: header, body: strings.Replace(strings.Replace(body, "[", `[{"id":"7","name":"a"},`, 1), ",]", "]", 1)}
		create, refresh, _, errs = there.lives(t, pet)
		if create != "refused" || refresh != "there" {
			t.Errorf("with the object: %s %s, want refused there (%v)", create, refresh, errs)
		}
	})
}

// TestIncompleteListsWarn: a list of objects that says that it has more is shown, with a warning.
func TestIncompleteListsWarn(t *testing.T) {
	for body, warns := range map[string]bool{`{"items": [{"id":"1"}], "has_more": true}`: true, `{"items": [{"id":"1"}], "has_more": false}`: false} {
		e := (&fixedAPI{body: body}).engine(t, `rest: {path: "/pets", unique: "name", items: "items"}`)
		var log messages
		for one, err := range e.List(t.Context(), engine.ListRequest{Ref: ref("Pet"), Log: &log}) {
			if err != nil || one.ID != "1" {
				t.Errorf("%+v, %v", one, err)
			}
		}
		if got := fmt.Sprint(log); warns != strings.Contains(got, "the list is not complete: GET /pets returned a list that has more items, by its has_more") {
			t.Errorf("%s: %s", body, got)
		}
	}
}

// TestResponsesWithoutList: the error of a response that is not the list that rest expects says which it was, and what to write in rest.
func TestResponsesWithoutList(t *testing.T) {
	const noBody, items = "the response has no body. If that means that there are no objects, write the operation next to rest", "name the member that contains the objects by `items` in rest"
	for _, tc := range []struct {
		status     int
		body, want string
	}{
		{204, "", noBody},
		{200, "", noBody},
		{200, "null", noBody},
		{200, `{"items": []}`, items + "; it has: items"},
		{200, `{}`, items},
		{200, `"x"`, items},
	} {
		for _, pet := range []string{`rest: {path: "/pets", read: "list", unique: "name"}`, `rest: {path: "/pets", read: "list", unique: "name", list: "POST /pets/search"}`} {
			api := &fixedAPI{status: tc.status, body: tc.body}
			create, refresh, _, errs := api.lives(t, pet)
			if create != "refused" || refresh != "error" {
				t.Errorf("%d %s: %s %s", tc.status, tc.body, create, refresh)
			}
			for _, err := range errs[:2] {
				if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), fmt.Sprintf("has status %d)", tc.status)) || strings.Contains(err.Error(), "append `??") {
					t.Errorf("%d %s: %v", tc.status, tc.body, err)
				}
			}
		}
	}
}

// TestListsThatMayBeAbsent: a list whose name ends with a question mark is empty if the response lacks it.
func TestListsThatMayBeAbsent(t *testing.T) {
	t.Parallel()
	const there = `{"items": [{"id": "7", "name": "a"}], "total": 1}`
	for body, want := range map[string]string{
		`{}`: "made", `{"items": null}`: "made", `{"items": []}`: "made", `{"total": 0}`: "made",
		`{"items": [{"id": "8", "name": "b"}]}`: "made", there: "refused", `{"items": "x"}`: "refused",
	} {
		for _, pet := range []string{
			`rest: {path: "/pets", read: "list", unique: "name", items: "items?"}`,
			`rest: {path: "/pets", read: "list", unique: "name", items: "items?", returns: #Pet}`,
		} {
			api := &fixedAPI{status: 200, body: body}
			create, _, _, errs := api.lives(t, pet)
			if create != want {
				t.Errorf("%s, %s: %s (%v)", pet, body, create, errs[0])
			}
		}
	}
}

// TestFoundWithoutID: what find returns is no object if it has no id, and the error says so.
func TestFoundWithoutID(t *testing.T) {
	t.Parallel()
	for body, says := range map[string]bool{`{"results": []}`: true, `{"results": [{"id": "7", "name": "a"}]}`: true, `{"id": "7", "name": "a"}`: false} {
		a := &fixedAPI{body: body}
		create, _, _, errs := a.lives(t, `id: "${result.body.id}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}"}
	find: http: {path: "/pets", query: name: "${inputs.name}"}
	read: http: path: "/pets/${id}"
	delete: http: {method: "DELETE", path: "/pets/${id}"}`)
		if create != "refused" || strings.Contains(errs[0].Error(), "has no id") != says {
			t.Errorf("%s: %s, %v", body, create, errs[0])
		}
	}
}
