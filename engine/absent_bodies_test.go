package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestAbsentBodiesProveNothing: a response without a body, or whose body has no members, is neither an empty list nor an
// absent object for the expressions of an own find, read or list, unless these say so by `?.` or compare it with null.
func TestAbsentBodiesProveNothing(t *testing.T) {
	t.Parallel()
	const create = `id: "${result.body.id}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}"}
	delete: http: {method: "DELETE", path: "/pets/${id}"}
	`
	// LIST is the expression for the list.
	ways := map[string]string{
		"items": `find: {http: {path: "/pets", items: "${LIST}"}, return: "${find(result.items, .name == inputs.name)}"}
	read: {http: {path: "/pets", items: "${LIST}"}, return: "${find(result.items, .id == id)}"}
	list: {http: {path: "/pets", items: "${LIST}"}, items: "${result.items}", id: "${each.value.id}"}`,
		"items, paged": `find: {http: {path: "/pets", items: "${LIST}", paginate: next: "${body?.next}"}, return: "${find(result.items, .name == inputs.name)}"}
	read: {http: {path: "/pets", items: "${LIST}", paginate: next: "${body?.next}"}, return: "${find(result.items, .id == id)}"}
	list: {http: {path: "/pets", items: "${LIST}", paginate: next: "${body?.next}"}, items: "${result.items}", id: "${each.value.id}"}`,
		"find": `find: {http: path: "/pets", return: "${find(LIST, .name == inputs.name)}"}
	read: {http: path: "/pets", return: "${find(LIST, .id == id)}"}
	list: {http: path: "/pets", items: "${LIST}", id: "${each.value.id}"}`,
		"steps": `find: {steps: [{http: path: "/pets"}, {http: path: "/pets"}], return: "${first(filter(LIST, .name == inputs.name))}"}
	read: {steps: [{http: path: "/pets"}, {http: path: "/pets"}], return: "${first(filter(LIST, .id == id))}"}
	list: {http: path: "/pets", items: "${LIST}", id: "${each.value.id}"}`,
		"the object": `find: {http: path: "/pets", return: "${BODY.pet}"}
	read: {http: path: "/pets", return: "${BODY.pet}"}
	list: {http: path: "/pets", items: "${LIST}", id: "${each.value.id}"}`,
		"a computed object": `find: {http: path: "/pets", return: "${BODY.pet == null ? null : BODY.pet}"}
	read: {http: path: "/pets", return: "${BODY.pet == null ? null : BODY.pet}"}
	list: {http: path: "/pets", items: "${LIST}", id: "${each.value.id}"}`,
	}
	// lists are expressions for the list, and whether they say what no body means.
	lists := map[string]bool{
		"BODY.pets ?? []": false, "(BODY.pets ?? [])": false, "BODY['pets'] ?? []": false, "BODY.pets == null ? [] : BODY.pets": false, "let b = BODY; b.pets ?? []": false,
		"BODY.data?.pets ?? []": false, "BODY?.pets ?? []": true, "BODY == null ? [] : BODY.pets ?? []": true,
	}
	for way, text := range ways {
		for list, guarded := range lists {
			for _, body := range []string{"body", "result.body"} {
				for sent, object := range map[string]bool{``: false, `null`: false, `""`: false, `"x"`: false, `7`: false, `true`: false, `[]`: false, `{}`: true, `{"error": "busy"}`: true, `{"pets": []}`: true, `{"pets": null}`: true} {
					runCase(t, strings.Join([]string{way, list, body, sent}, "/"), func(t *testing.T) {
						t.Parallel()
						list := strings.ReplaceAll(list, "BODY", body)
						text, says := strings.NewReplacer("LIST", list, "BODY", body).Replace(create+text), guarded
						if strings.Contains(way, "object") {
							says = false // only the list is read by LIST
						}
						none := sent == "" || sent == "null"
						create, refresh, _, errs := (&fixedAPI{body: sent}).lives(t, text)
						want := "refused error"
						if object || none && says {
							want = "made gone"
						}
						if got := create + " " + refresh; got != want {
							t.Errorf("got %s, want %s: %v", got, want, errs)
						}
						var listed error
						for _, err := range (&fixedAPI{body: sent}).engine(t, text).List(t.Context(), engine.ListRequest{Ref: ref("Pet")}) {
							listed = err
						}
						if want := object || none && guarded; (listed == nil) != want {
							t.Errorf("listed %t, want %t: %s", listed == nil, want, fmt.Sprint(listed))
						}
					})
				}
			}
		}
	}
}
