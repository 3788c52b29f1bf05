package pages

import (
	"cmp"
	"crypto/sha256"
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
	"testing"
)

// api is the server of docs/howto: collections of objects at any path of one, three or five
// segments. Some collections have habits, which the page about them describes.
type api struct {
	mu      sync.Mutex
	next    int
	objects map[string]map[string]any // by path, such as shops/1/pets/2
	byKey   map[string]string         // paths by idempotency keys
	// stale is what the next reads of a path show instead of its object.
	stale map[string][]map[string]any
}

// openAPI starts the server with some objects. It ends with the test.
func openAPI(t *testing.T) string {
	a := &api{objects: map[string]map[string]any{}, byKey: map[string]string{}, stale: map[string][]map[string]any{}}
	for _, title := range []string{"First", "Second", "Third"} {
		a.add("articles", map[string]any{"title": title})
	}
	a.objects["shops/7"] = map[string]any{"id": "7", "name": "Zoo"}
	a.add("shops/7/pets", map[string]any{"name": "Rex"})
	a.objects["shops/7/quotas/current"] = map[string]any{"pets": 5, "orders": 10}
	a.objects["site/settings"] = map[string]any{"title": "Zoo", "postsPerPage": 20}
	a.objects["pages/home"] = map[string]any{"name": "home", "text": "Welcome", "version": 1}
	a.objects["zones/internal"] = map[string]any{"records": map[string]any{"gateway": "10.0.0.254"}, "version": 1}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return server.URL
}

func (a *api) add(collection string, object map[string]any) (path string) {
	a.next++
	path = fmt.Sprintf("%s/%d", collection, a.next)
	object["id"] = a.next
	a.objects[path] = object
	return path
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	habit, _, _ := strings.Cut(path, "/")
	body, _ := io.ReadAll(r.Body)
	var sent map[string]any
	if json.Unmarshal(body, &sent) != nil {
		sent = map[string]any{"size": len(body), "sha256": fmt.Sprintf("%x", sha256.Sum256(body))}
	}
	switch collection := strings.Count(path, "/")%2 == 0; {
	case habit == "builds" && strings.HasSuffix(path, "/events"):
		a.stream(w, a.objects[strings.TrimSuffix(path, "/events")])
	case habit == "rpc":
		respond(w, 200, a.call(path, sent))
	case habit == "projects" && strings.HasSuffix(path, "/restore"):
		object := a.objects[strings.TrimSuffix(path, "/restore")]
		object["state"] = "active"
		respond(w, 200, object)
	case collection && r.Method == "GET":
		a.list(w, r, path)
	case collection:
		a.create(w, r, path, habit, sent)
	case r.Method == "GET":
		a.read(w, path, habit)
	case r.Method == "PUT" || a.objects[path] != nil:
		a.change(w, r, path, habit, sent)
	default:
		respond(w, 404, map[string]any{"message": "not found"})
	}
}

func (a *api) create(w http.ResponseWriter, r *http.Request, collection, habit string, sent map[string]any) {
	if size, ok := sent["size"].(float64); ok && size > 1000 {
		respond(w, 422, map[string]any{"message": "the quota is exceeded"})
		return
	}
	if habit == "projects" { // keep the names of those that are deleted
		for path, o := range a.objects {
			if strings.HasPrefix(path, "projects/") && o["name"] == sent["name"] {
				respond(w, 409, map[string]any{"message": "the name is taken"})
				return
			}
		}
		sent["state"] = "active"
	}
	key := r.Header.Get("Idempotency-Key")
	path, known := a.byKey[key]
	if !known || key == "" {
		path = a.add(collection, sent)
		a.byKey[key] = path
	}
	object := maps.Clone(a.objects[path])
	switch habit {
	case "clusters":
		a.objects[path]["address"] = fmt.Sprintf("10.0.0.%d", a.next)
		respond(w, 202, map[string]any{"id": object["id"], "operation": a.operation(sent)})
	case "machines": // are pending for some reads
		pending := maps.Clone(object)
		pending["status"], pending["percent"] = "pending", 50
		a.stale[path] = []map[string]any{pending, pending}
		maps.Copy(a.objects[path], map[string]any{"status": "ready", "address": fmt.Sprintf("10.0.0.%d", a.next)})
		if cores, _ := sent["cores"].(float64); cores > 100 {
			maps.Copy(a.objects[path], map[string]any{"status": "failed", "reason": "no host is left"})
		}
		respond(w, 202, pending)
	case "records": // are visible after some reads, and nothing but the id is known before
		a.objects[path]["serial"] = 1
		a.stale[path] = []map[string]any{nil, nil}
		respond(w, 201, map[string]any{"id": object["id"]})
	case "tokens": // have a secret, which is shown once
		object["secret"] = fmt.Sprintf("tok-5f2c9a-%d", a.next)
		respond(w, 201, object)
	case "drafts": // are made, but the response is lost
		panic(http.ErrAbortHandler)
	default:
		respond(w, 201, object)
	}
}

// operation starts an operation, which two reads show as running.
func (a *api) operation(sent map[string]any) any {
	path := a.add("operations", map[string]any{"done": true})
	if size, ok := sent["size"].(float64); ok && size > 100 {
		a.objects[path]["error"] = "no machines left"
	}
	running := map[string]any{"done": false, "percent": 50}
	a.stale[path] = []map[string]any{running, running}
	return a.objects[path]["id"]
}

func (a *api) read(w http.ResponseWriter, path, habit string) {
	object := a.objects[path]
	if stale := a.stale[path]; len(stale) > 0 {
		object, a.stale[path] = stale[0], stale[1:]
	}
	if object == nil {
		respond(w, 404, map[string]any{"message": "not found"})
		return
	}
	if version := object["version"]; version != nil {
		w.Header().Set("ETag", fmt.Sprintf(`"%v"`, version))
	}
	respond(w, 200, object)
	if habit == "pages" && object["name"] == "busy" { // somebody else changes it
		object["version"] = object["version"].(int) + 1
	}
}

// stream sends the events of a build, the last of which completes it.
func (a *api) stream(w http.ResponseWriter, build map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event map[string]any) {
		text, _ := json.Marshal(event)
		fmt.Fprintf(w, "event: progress\ndata: %s\n\n", text)
		w.(http.Flusher).Flush()
	}
	for _, percent := range []int{30, 60} {
		send(map[string]any{"percent": percent})
	}
	if build["source"] == "broken" {
		send(map[string]any{"percent": 60, "error": "main.c:1: syntax error"})
		return
	}
	build["image"] = fmt.Sprintf("image-%v", build["id"])
	send(map[string]any{"percent": 100, "image": build["image"]})
}

// change updates or deletes an object. PUT may create it.
func (a *api) change(w http.ResponseWriter, r *http.Request, path, habit string, sent map[string]any) {
	object := a.objects[path]
	match, none := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	switch {
	case none == "*" && object != nil, match != "" && (object == nil || match != fmt.Sprintf(`"%v"`, object["version"])):
		respond(w, 412, map[string]any{"message": "the precondition failed"})
	case r.Method == "DELETE":
		delete(a.objects, path)
		switch habit {
		case "projects": // are kept
			object["state"] = "deleted"
			a.objects[path] = object
			respond(w, 200, object)
		case "disks", "machines": // disappear after some reads
			object["status"] = "deleting"
			a.stale[path] = []map[string]any{object, object}
			respond(w, 202, object)
		case "clusters":
			respond(w, 202, map[string]any{"operation": a.operation(nil)})
		default:
			respond(w, 200, object)
		}
	case r.Method == "PUT":
		version := 1
		if object != nil && object["version"] != nil {
			version = object["version"].(int) + 1
		}
		sent["version"] = version
		a.objects[path] = sent
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, version))
		respond(w, 200, sent)
	default:
		old := maps.Clone(object)
		maps.Copy(object, sent)
		switch habit {
		case "clusters":
			respond(w, 202, map[string]any{"operation": a.operation(sent)})
		case "records":
			a.stale[path] = []map[string]any{old, old}
			respond(w, 200, map[string]any{})
		default:
			respond(w, 200, object)
		}
	}
}

// list shows a collection, in pages of two if the request asks for a page in any way, or the
// collection is that of articles.
func (a *api) list(w http.ResponseWriter, r *http.Request, collection string) {
	items := []map[string]any{}
	for path, object := range a.objects {
		if rest, ok := strings.CutPrefix(path, collection+"/"); ok && !strings.Contains(rest, "/") {
			items = append(items, object)
		}
	}
	slices.SortFunc(items, func(x, y map[string]any) int { return cmp.Compare(x["id"].(int), y["id"].(int)) })
	out := map[string]any{"items": items}
	if collection == "articles" {
		query := r.URL.Query()
		number := func(name string) int { n, _ := strconv.Atoi(query.Get(name)); return n }
		from := max(number("after"), number("offset"), 2*(number("page")-1))
		to := min(from+2, len(items))
		if from = min(from, to); to < len(items) {
			out["next"] = strconv.Itoa(to)
			out["nextLink"] = fmt.Sprintf("/v1/articles?after=%d", to)
			w.Header().Set("Link", fmt.Sprintf(`</v1/articles?after=%d>; rel="next"`, to))
		}
		out["items"] = items[from:to]
	}
	respond(w, 200, out)
}

// call is an API that reports errors with status 200.
func (a *api) call(method string, sent map[string]any) map[string]any {
	path := fmt.Sprintf("orders/%v", sent["id"])
	order := a.objects[path]
	if method == "rpc/addOrder" {
		if sent["count"] == 0.0 {
			return map[string]any{"error": "an order of nothing"}
		}
		order = a.objects[a.add("orders", sent)]
	}
	switch {
	case order == nil:
		return map[string]any{"error": "not found"}
	case method == "rpc/setOrder":
		maps.Copy(order, sent)
	case method == "rpc/dropOrder":
		delete(a.objects, path)
	}
	return map[string]any{"order": order}
}

func respond(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
