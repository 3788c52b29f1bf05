package auth

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"
)

// forge is the part of GitHub's API that docs/apis/github.md uses, with pages of two labels.
func (i *issuer) forge() map[string]http.HandlerFunc {
	repository := func(r *http.Request) string { return "/repos/" + r.PathValue("owner") + "/" + r.PathValue("name") }
	label := func(r *http.Request) string { return repository(r) + "/labels/" + r.PathValue("label") }
	return map[string]http.HandlerFunc{
		"POST /repos/{owner}/{name}/labels": func(w http.ResponseWriter, r *http.Request) {
			in := sent(r)
			members := map[string]any{"name": in["name"], "color": in["color"], "description": in["description"], "id": len(i.created)}
			if !i.create(repository(r)+"/labels/"+fmt.Sprint(in["name"]), members, "") {
				say(w, http.StatusUnprocessableEntity, map[string]any{"message": "Validation Failed: already_exists"})
				return
			}
			say(w, http.StatusCreated, members)
		},
		"GET /repos/{owner}/{name}/labels": func(w http.ResponseWriter, r *http.Request) {
			all := i.below(repository(r) + "/labels")
			page, _ := strconv.Atoi(r.URL.Query().Get("page"))
			from := min(2*max(page-1, 0), len(all))
			to := min(from+2, len(all))
			if to < len(all) {
				w.Header().Set("Link", fmt.Sprintf(`<%s%s?per_page=100&page=%d>; rel="next"`, i.URL, r.URL.Path, max(page, 1)+1))
			}
			say(w, http.StatusOK, append([]map[string]any{}, all[from:to]...))
		},
		"GET /repos/{owner}/{name}/labels/{label}": i.show(label),
		"PATCH /repos/{owner}/{name}/labels/{label}": func(w http.ResponseWriter, r *http.Request) {
			if members, found := i.object(w, label(r)); found {
				maps.Copy(members, sent(r))
				say(w, http.StatusOK, members)
			}
		},
		"DELETE /repos/{owner}/{name}/labels/{label}": i.remove(label),
		"POST /repos/{owner}/{name}/forks": func(w http.ResponseWriter, r *http.Request) {
			in := sent(r)
			full := fmt.Sprintf("%s/%s", in["organization"], in["name"])
			members := map[string]any{"name": in["name"], "full_name": full, "html_url": "https://github.example.com/" + full}
			i.create("/repos/"+full, members, full)
			say(w, http.StatusAccepted, members)
		},
		"GET /repos/{owner}/{name}":    i.show(repository),
		"DELETE /repos/{owner}/{name}": i.remove(repository),
	}
}

// show responds with the object at a path.
func (i *issuer) show(path func(*http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if members, found := i.object(w, path(r)); found {
			say(w, http.StatusOK, members)
		}
	}
}

// remove deletes the object at a path.
func (i *issuer) remove(path func(*http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, found := i.object(w, path(r)); found {
			delete(i.objects, path(r))
			w.WriteHeader(http.StatusNoContent)
		}
	}
}
