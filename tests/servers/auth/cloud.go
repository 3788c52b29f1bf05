package auth

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// cloud is the part of Google's API that docs/apis/google.md uses, with pages of two instances.
// Each change is an operation.
func (i *issuer) cloud() map[string]http.HandlerFunc {
	const collection = "/v1/projects/{project}/locations/{region}/instances"
	path := func(r *http.Request) string { return r.URL.Path }
	return map[string]http.HandlerFunc{
		"POST " + collection: func(w http.ResponseWriter, r *http.Request) {
			members, name := sent(r), r.URL.Path+"/"+r.URL.Query().Get("instanceId")
			members["name"], members["host"], members["port"] = strings.TrimPrefix(name, "/v1/"), fmt.Sprintf("10.0.0.%d", len(i.created)), 6379
			if !i.create(name, members, name) {
				say(w, http.StatusConflict, map[string]any{"error": map[string]any{"message": "it exists already"}})
				return
			}
			i.operation(w, r, name)
		},
		"GET " + collection: func(w http.ResponseWriter, r *http.Request) {
			all := i.below(r.URL.Path)
			from, _ := strconv.Atoi(r.URL.Query().Get("pageToken"))
			from = min(from, len(all))
			to := min(from+2, len(all))
			page := map[string]any{"instances": all[from:to]}
			if to < len(all) {
				page["nextPageToken"] = strconv.Itoa(to)
			}
			say(w, http.StatusOK, page)
		},
		"GET " + collection + "/{instance}": i.show(path),
		"PATCH " + collection + "/{instance}": func(w http.ResponseWriter, r *http.Request) {
			if members, found := i.object(w, r.URL.Path); found {
				change := sent(r)
				for name := range strings.SplitSeq(r.URL.Query().Get("updateMask"), ",") {
					members[name] = change[name]
				}
				i.operation(w, r, r.URL.Path)
			}
		},
		"DELETE " + collection + "/{instance}": func(w http.ResponseWriter, r *http.Request) {
			if _, found := i.object(w, r.URL.Path); found {
				delete(i.objects, r.URL.Path)
				i.operation(w, r, r.URL.Path)
			}
		},
		"GET /v1/projects/{project}/locations/{region}/operations/{id}": func(w http.ResponseWriter, r *http.Request) {
			o, known := i.objects[r.URL.Path]
			say(w, http.StatusOK, map[string]any{"name": strings.TrimPrefix(r.URL.Path, "/v1/"), "done": known && !i.clock().Before(o.ready)})
		},
	}
}

// operation starts an operation that changes target.
func (i *issuer) operation(w http.ResponseWriter, r *http.Request, target string) {
	name := fmt.Sprintf("projects/%s/locations/%s/operations/%d", r.PathValue("project"), r.PathValue("region"), len(i.created))
	i.create("/v1/"+name, nil, target)
	say(w, http.StatusOK, map[string]any{"name": name, "done": false})
}
