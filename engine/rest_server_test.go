package engine_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// restHabits are the habits of an API that the options of `rest` are for.
type restHabits struct {
	slash bool // paths end in a slash
	// objectsAt is "slashless" if only the path of the collection ends in one, and "flat" if objects are
	// at /pets/ID, whatever their parents are, which they contain.
	objectsAt string
	// id is the path of the member that is the id; number says that it is a number.
	id     []string
	number bool
	// unwrap and items are paths of members, empty for none.
	unwrap, items []string
	// update is the method of updates; merge says that what they send is merged at any depth (RFC
	// 7396), and that PATCH has that media type. silent updates respond with nothing.
	update        string
	merge, silent bool
	whole         bool   // updates require all members
	pages         string // "", "cursor", "next" or "page": pages of one object
	keyed         bool   // creates have keys, and the same key gives the same object
	// location is "path" or "url" if a response to a create does not contain the object, but says where it is.
	location string
	// missing is the status for an object that does not exist; with 200, the body says so. 0 means 404.
	missing int
	// listOnly says that there is no request for one object.
	listOnly bool
	// verbs are operations whose requests have a path of their own, which ends in a verb, with their methods.
	verbs map[string]string
	// named says that GET /pets/named/NAME responds with the object of that name.
	named bool
	// lists is "all" if the list is GET /all?store=STORE, and "search" if it is POST PETS/search. matching
	// says that GET /matching?store=STORE&name=NAME is the list of objects whose names begin with that.
	lists    string
	matching bool
	// members says which requests must have further members: "all" that send an object, or "updates".
	members string
	// guarded says that updates and deletes require the ETag of the object.
	guarded bool
	// async says that the API responds before it has done what was asked: the status of the object says when it has.
	async bool
	// form is the rule by which lists and maps are written if bodies are forms, or "" if they are JSON.
	form string
	// strict says that GET /stores/STORE tells whether a store exists, and that all requests in one that does
	// not exist are forbidden.
	strict bool
}

// verbOf is the end of the path of an operation among verbs.
var verbOf = map[string]string{"create": "add", "read": "show", "update": "edit", "delete": "remove"}

// conventional returns the segments of the path and the method that a request stands for. It returns
// no method for a request that the API does not have, because the operation has a path of its own.
func (a *restAPI) conventional(segments []string, method string) (path []string, meaning string) {
	methods := map[string]string{"create": http.MethodPost, "read": http.MethodGet, "update": a.update, "delete": http.MethodDelete}
	last := len(segments) - 1
	for op, with := range a.verbs {
		if segments[last] == verbOf[op] && with == method {
			return segments[:last], methods[op]
		}
	}
	for op := range a.verbs {
		if isCreate := segments[last] == "pets"; method == methods[op] && isCreate == (op == "create") {
			return segments, ""
		}
	}
	return segments, method
}

// restAPI is a conventional REST API with one collection per parent.
type restAPI struct {
	restHabits

	mu      sync.Mutex
	next    int
	objects map[string]map[string]any // by the path of the object
	byKey   map[string]string
	log     []string
	lose    bool // the next response to a create is lost
	// changes counts the changes of objects, by their paths. storeless says that the stores were deleted.
	changes   map[string]int
	storeless bool
	// polls counts the requests for an object after which the API will have done something, by the path, and ends are what it
	// then does.
	polls map[string]int
	ends  map[string]func()
	// begun are the statuses of objects in the meantime. What has the status broken fails at its end, and what has the
	// status stuck never ends.
	begun         map[string]string
	broken, stuck string
}

// begin does something after two requests for the object, which has a status in the meantime.
func (a *restAPI) begin(path, status string, end func()) {
	if !a.async {
		end()
		return
	}
	a.objects[path]["status"] = status
	a.polls[path], a.ends[path], a.begun[path] = 2, end, status
}

// poll counts a request for an object with which the API has not ended yet.
func (a *restAPI) poll(path string) {
	if a.ends[path] == nil || a.stuck == a.begun[path] {
		return
	}
	a.polls[path]--
	switch {
	case a.broken == a.begun[path]:
		a.objects[path]["status"] = "error"
	case a.polls[path] <= 0:
		a.changes[path]++
		a.ends[path]()
		delete(a.ends, path)
	}
}

// nest returns a value at a path of members.
func nest(v any, path []string) any {
	for _, name := range slices.Backward(path) {
		v = map[string]any{name: v, "meta": map[string]any{"of": "the server"}}
	}
	return v
}

// last returns the last request.
func (a *restAPI) last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.log[len(a.log)-1]
}

func (a *restAPI) requests() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	log := a.log
	a.log = nil
	return log
}

func (a *restAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, sent, ok := a.body(r)
	line := r.Method + " " + r.URL.RequestURI()
	if text != "" {
		line += " " + r.Header.Get("Content-Type") + " " + text
	}
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		line += " with a key"
	}
	if tag := r.Header.Get("If-Match"); tag != "" {
		line += " if it is " + tag
	}
	a.log = append(a.log, line)
	if !ok {
		respond(w, http.StatusUnsupportedMediaType, nil)
		return
	}
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case a.strict && len(segments) == 2 && segments[0] == "stores" && !a.storeless:
		w.Header().Set("ETag", `"of the store"`)
		respond(w, http.StatusOK, map[string]any{"store": segments[1]})
		return
	case a.strict && len(segments) == 2 && segments[0] == "stores":
		respond(w, http.StatusNotFound, nil)
		return
	case a.storeless:
		respond(w, http.StatusForbidden, nil)
		return
	}
	if n := len(segments); a.named && n > 1 && segments[n-2] == "named" {
		a.serveNamed(w, strings.Join(segments[:n-2], "/"), segments[n-1])
		return
	}
	if under, prefix, ok := a.listAt(r, segments); ok {
		a.list(w, r, under, prefix, sent)
		return
	}
	segments, r.Method = a.conventional(segments, r.Method)
	path := strings.Join(segments, "/")
	isObject := segments[len(segments)-1] != "pets"
	if (a.slash && !(isObject && a.objectsAt == "slashless")) != strings.HasSuffix(r.URL.Path, "/") {
		http.Error(w, `{"error": "slash"}`, http.StatusNotFound)
		return
	}
	if isObject && a.objectsAt == "flat" {
		path = a.find(path)
	}
	if isObject {
		a.serveObject(w, r, path, sent)
		return
	}
	a.serveCollection(w, r, path, sent)
}

// body reads the body of a request, and returns it as it is and as JSON. ok is false if it has another format than it should.
func (a *restAPI) body(r *http.Request) (text string, sent []byte, ok bool) {
	data, _ := io.ReadAll(r.Body)
	if isForm := r.Header.Get("Content-Type") == "application/x-www-form-urlencoded"; len(data) > 0 && isForm != (a.form != "") {
		return string(data), nil, false
	}
	if a.form == "" || len(data) == 0 {
		return string(data), data, true
	}
	members, err := parseForm(string(data), a.form)
	if err != nil {
		return string(data), nil, false
	}
	sent, err = json.Marshal(members)
	return string(data), sent, err == nil
}

// listAt returns the path of the collection of which a request requests the list, and how the names
// of its objects begin, if that is not GET at that path.
func (a *restAPI) listAt(r *http.Request, segments []string) (under, prefix string, ok bool) {
	last, query := len(segments)-1, r.URL.Query()
	under = "pets"
	if store := query.Get("store"); store != "" {
		under = "stores/" + store + "/pets"
	}
	switch {
	case a.lists == "all" && r.Method == http.MethodGet && segments[0] == "all":
		return under, "", true
	case a.matching && r.Method == http.MethodGet && segments[0] == "matching":
		return under, query.Get("name"), true
	case a.lists == "search" && r.Method == http.MethodPost && segments[last] == "search":
		return strings.Join(segments[:last], "/"), "", true
	}
	return "", "", false
}

// find returns the path of an object below its parent, for its path without one.
func (a *restAPI) find(flat string) string {
	for at := range a.objects {
		if at == flat || strings.HasSuffix(at, "/"+flat) && strings.HasPrefix(at, "stores/") {
			return at
		}
	}
	return "-" + flat
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if v != nil {
		_ = json.NewEncoder(w).Encode(v)
	}
}

func (a *restAPI) serveCollection(w http.ResponseWriter, r *http.Request, path string, text []byte) {
	switch r.Method {
	case http.MethodGet:
		if a.lists != "" {
			respond(w, http.StatusMethodNotAllowed, nil)
			return
		}
		a.list(w, r, path, "", nil)
	case http.MethodPost:
		key := r.Header.Get("Idempotency-Key")
		if made := a.byKey[key]; key != "" && made != "" {
			a.created(w, r, http.StatusOK, made)
			return
		}
		object := map[string]any{}
		if json.Unmarshal(text, &object) != nil || object["name"] == nil || object["store"] != nil || a.members == "all" && !takeMembers(object) {
			respond(w, http.StatusBadRequest, map[string]any{"error": "the body"})
			return
		}
		a.next++
		at := fmt.Sprintf("%s/%d", path, a.next)
		var id any = strconv.Itoa(a.next)
		if a.number {
			id = a.next
		}
		maps.Copy(object, nest(id, a.id).(map[string]any))
		if parents := strings.Split(path, "/"); a.objectsAt == "flat" && len(parents) > 2 {
			object["store"] = parents[1]
		}
		a.objects[at], a.byKey[key] = object, at
		a.begin(at, "pending", func() { object["status"] = "available" })
		if a.lose {
			a.lose = false
			panic(http.ErrAbortHandler)
		}
		a.created(w, r, http.StatusCreated, at)
	default:
		respond(w, http.StatusMethodNotAllowed, nil)
	}
}

// created responds to a create with the object, or with its place.
func (a *restAPI) created(w http.ResponseWriter, r *http.Request, status int, path string) {
	if a.location == "" {
		w.Header().Set("ETag", a.tag(path))
		respond(w, status, nest(a.objects[path], a.unwrap))
		return
	}
	location := "/" + path
	if a.objectsAt == "flat" {
		location = location[strings.LastIndex(location, "/pets/"):]
	}
	if a.slash {
		location += "/"
	}
	if a.location == "url" {
		location = "http://" + r.Host + location
	}
	w.Header().Set("Location", location)
	respond(w, status, nil)
}

// tag returns the ETag of an object.
func (a *restAPI) tag(path string) string { return fmt.Sprintf("%q", strconv.Itoa(a.changes[path])) }

// takeMembers removes the further members of a body. It returns false if they are missing.
func takeMembers(sent map[string]any) bool {
	labels, _ := sent["labels"].(map[string]any)
	ok := sent["source"] == "declprov" && labels["of"] != nil
	delete(sent, "source")
	delete(sent, "labels")
	return ok
}

// serveNamed responds with the object of a name.
func (a *restAPI) serveNamed(w http.ResponseWriter, path, name string) {
	for at, object := range a.objects {
		if strings.HasPrefix(at, path+"/") && object["name"] == name {
			respond(w, http.StatusOK, nest(object, a.unwrap))
			return
		}
	}
	respond(w, cmp.Or(a.missing, http.StatusNotFound), map[string]any{"error": "no such object"})
}

// list responds with all objects of a collection whose names begin with the prefix, or with a page of
// one. text is the body of the request.
func (a *restAPI) list(w http.ResponseWriter, r *http.Request, path, prefix string, text []byte) {
	list := []any{}
	for _, at := range slices.Sorted(maps.Keys(a.objects)) {
		if name, _ := a.objects[at]["name"].(string); strings.HasPrefix(at, path+"/") && strings.HasPrefix(name, prefix) {
			list = append(list, a.objects[at])
		}
	}
	var next any
	if a.pages != "" {
		page, err := strconv.Atoi(r.URL.Query().Get(a.pages))
		if err != nil {
			page = 1
		}
		var sent struct{ At struct{ Page int } }
		if json.Unmarshal(text, &sent) == nil && sent.At.Page > 0 {
			page = sent.At.Page
		}
		at := min(page-1, len(list))
		list = list[at:min(at+1, len(list))]
		if len(list) > 0 {
			next = strconv.Itoa(page + 1)
		}
	}
	body := nest(list, a.items)
	if m, ok := body.(map[string]any); ok {
		m["next"] = next
		if next != nil {
			m["nextURL"] = "?next=" + next.(string)
		}
	}
	respond(w, http.StatusOK, body)
}

func (a *restAPI) serveObject(w http.ResponseWriter, r *http.Request, path string, text []byte) {
	if r.Method == http.MethodGet && a.objects[path] != nil {
		a.poll(path)
	}
	object := a.objects[path]
	if object == nil {
		respond(w, cmp.Or(a.missing, http.StatusNotFound), map[string]any{"error": "no such object"})
		return
	}
	if a.guarded && r.Method != http.MethodGet && r.Header.Get("If-Match") != a.tag(path) {
		respond(w, http.StatusPreconditionFailed, nil)
		return
	}
	switch {
	case r.Method == http.MethodGet && a.listOnly:
		respond(w, http.StatusMethodNotAllowed, nil)
		return
	case r.Method == http.MethodDelete:
		a.begin(path, "deleting", func() { delete(a.objects, path) })
		respond(w, http.StatusNoContent, nil)
		return
	case r.Method == a.update:
		sent := map[string]any{}
		if json.Unmarshal(text, &sent) != nil || sent["store"] != nil || a.members != "" && !takeMembers(sent) || (a.merge && a.form == "" && r.Method == http.MethodPatch) != (r.Header.Get("Content-Type") == "application/merge-patch+json") {
			respond(w, http.StatusBadRequest, map[string]any{"error": "the body"})
			return
		}
		if a.whole && (sent["name"] == nil || sent["kind"] == nil) {
			respond(w, http.StatusBadRequest, map[string]any{"error": "a member is missing"})
			return
		}
		if a.update == http.MethodPut && !a.merge {
			delete(object, "tags")
		}
		put(object, sent, a.merge)
		a.changes[path]++
		a.begin(path, "pending", func() { object["status"] = "available" })
		if a.silent {
			respond(w, http.StatusNoContent, nil)
			return
		}
	case r.Method != http.MethodGet:
		respond(w, http.StatusMethodNotAllowed, nil)
		return
	}
	w.Header().Set("ETag", a.tag(path))
	respond(w, http.StatusOK, nest(object, a.unwrap))
}

// put sets the members of an object. Null removes one. If deep is true, members that are objects are
// merged, too.
func put(object, sent map[string]any, deep bool) {
	for name, v := range sent {
		was, isObject := object[name].(map[string]any)
		members, sentObject := v.(map[string]any)
		switch {
		case v == nil:
			delete(object, name)
		case deep && sentObject && isObject:
			put(was, members, true)
		case deep && sentObject:
			object[name] = map[string]any{}
			put(object[name].(map[string]any), members, true)
		default:
			object[name] = v
		}
	}
}

// serve starts the API.
func (a *restAPI) serve() *httptest.Server {
	a.polls, a.ends, a.begun = map[string]int{}, map[string]func(){}, map[string]string{}
	a.objects, a.byKey, a.changes = map[string]map[string]any{}, map[string]string{}, map[string]int{}
	server := httptest.NewUnstartedServer(a)
	server.Config.ErrorLog = nil
	server.Start()
	return server
}
