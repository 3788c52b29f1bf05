package engine_test

import (
	"strings"
	"testing"
)

// TestNullLists: that an object is not in a list that is null, or is not there, proves nothing, unless the author says
// that servers leave out an empty list.
func TestNullLists(t *testing.T) {
	t.Parallel()
	const (
		create = `id: "${result.body.id}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}"}
	delete: http: {method: "DELETE", path: "/pets/${id}"}
	`
		pages = `paginate: cursor: {param: "c", next: "${body?.next}"}`
	)
	// LIST is the expression for the list, and MAYBE what says that it may be missing.
	ways := map[string]string{
		"rest":        `rest: {path: "/pets", unique: "name", read: "list", items: "pets«?»"}`,
		"rest, paged": `rest: {path: "/pets", unique: "name", read: "list", items: "pets«?»", ` + pages + `}`,
		"own": create + `find: {http: {path: "/pets", items: "${body?.pets« ?? []»}"}, return: "${find(result.items, .name == inputs.name)}"}
	read: {http: {path: "/pets", items: "${body?.pets« ?? []»}"}, return: "${find(result.items, .id == id)}"}`,
		"own, paged": create + `find: {http: {path: "/pets", items: "${body?.pets« ?? []»}", ` + pages + `}, return: "${find(result.items, .name == inputs.name)}"}
	read: {http: {path: "/pets", items: "${body?.pets« ?? []»}", ` + pages + `}, return: "${find(result.items, .id == id)}"}`,
		"gone, paged": create + `find: {http: {path: "/pets", items: "${body?.pets« ?? []»}", ` + pages + `}, gone: "${none(result.items, .name == inputs.name)}", return: "${find(result.items, .name == inputs.name)}"}
	read: {http: {path: "/pets", items: "${body?.pets« ?? []»}", ` + pages + `}, gone: "${none(result.items, .id == id)}", return: "${find(result.items, .id == id)}"}`,
		"typed, gone, paged": create + `find: {http: {path: "/pets", returns: #List, items: "${body.pets« ?? []»}", ` + pages + `}, gone: "${none(result.items, .name == inputs.name)}", return: "${find(result.items, .name == inputs.name)}"}
	read: {http: {path: "/pets", returns: #List, items: "${body.pets« ?? []»}", ` + pages + `}, gone: "${none(result.items, .id == id)}", return: "${find(result.items, .id == id)}"}`,
	}
	for name, pet := range ways {
		for body, empty := range map[string]bool{`{"pets": []}`: true, `{"pets": null}`: false, `{}`: false, ``: false, `null`: false, `[]`: false, `"x"`: false, `{"pets": "none"}`: false, `{"pets": {}}`: false, `{"error": "busy"}`: false} {
			for _, lenient := range []bool{false, true} {
				typed := strings.HasPrefix(name, "typed")
				left := lenient && (body == `{}` || body == `{"pets": null}` || body == `{"error": "busy"}`)
				if lenient && (body == `` || body == `null` || typed) {
					continue // body?.pets of no body is null, too; the type says what may be missing
				}
				runCase(t, strings.Join([]string{name, body, map[bool]string{true: "may be missing", false: "must be there"}[lenient]}, "/"), func(t *testing.T) {
					t.Parallel()
					text := strings.NewReplacer("« ?? []»", "", "«?»", "").Replace(pet)
					if lenient {
						text = strings.NewReplacer("«", "", "»", "").Replace(pet)
					}
					a := &fixedAPI{body: body}
					create, refresh, _, errs := a.lives(t, "}\n#List: {pets: [...#Pet], next?: string}\nresources: Pet: {\n"+text)
					want := "refused error"
					if empty || left {
						want = "made gone"
					}
					if got := create + " " + refresh; got != want {
						t.Errorf("got %s, want %s: %v", got, want, errs)
					}
				})
			}
		}
	}
}
