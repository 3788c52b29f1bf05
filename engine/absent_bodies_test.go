package engine_test

import (
	"fmt"
	"slices"
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
						if way == "the object" && object {
							want = "refused error" // a member that is not there says nothing: see TestAbsentMembersProveNothing
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

// TestAbsentMembersProveNothing: of a response whose body lacks what the templates of an own find and read look for, neither
// their `return` nor their `gone` says that the object does not exist, unless these say so by `?.`, `??` or a comparison with null.
func TestAbsentMembersProveNothing(t *testing.T) {
	t.Parallel()
	// bodies are responses to read and find.
	bodies := []string{
		``, `null`, `7`, `{}`, `{"error": "busy"}`, `{"a": null}`, `{"a": 7}`, `{"a": {}}`, `{"a": {"b": null}}`, `{"a": {"b": []}}`, `{"a": {"b": {}}}`,
		`{"a": []}`,
	}
	// absent are the bodies by which a template says that the object does not exist. Of all others it says nothing, or reports an error.
	for _, tc := range []struct {
		key, template string
		absent        []string
	}{
		{"return", "BODY.a", []string{`{"a": null}`}},
		{"return", "BODY.a.b", []string{`{"a": {"b": null}}`}},
		{"return", "BODY['a']['b']", []string{`{"a": {"b": null}}`}},
		{"return", "let x = BODY.a; x.b", []string{`{"a": {"b": null}}`}},
		{"return", "true ? BODY.a.b : null", []string{`{"a": {"b": null}}`}},
		{"return", "inputs.name == '' ? null : BODY.a.b", []string{`{"a": {"b": null}}`}},
		{"return", "BODY.a[0]", []string{`{"a": []}`}},
		{"return", "BODY.a.b[0]", []string{`{"a": {"b": []}}`}},
		{"return", "let x = BODY.a.b; x[0]", []string{`{"a": {"b": []}}`}},
		{"return", "get(BODY.a.b, 0)", []string{`{"a": {"b": []}}`}},
		{"return", "first(BODY.a.b)", []string{`{"a": {"b": []}}`}},
		{"return", "first(BODY.a.b ?? [])", []string{`{"a": {"b": []}}`, `{"a": {"b": null}}`, `{"a": {}}`}},
		{"return", "find(BODY.a.b ?? [], .id == '7')", []string{`{"a": {"b": []}}`, `{"a": {"b": null}}`, `{"a": {}}`}},
		{"return", "BODY.a.b ?? null", []string{`{"a": {"b": null}}`, `{"a": {}}`}},
		{"return", "BODY.a?.b", []string{`{"a": {"b": null}}`, `{"a": {}}`, `{"a": null}`, `{}`, `{"error": "busy"}`}},
		{"return", "BODY?.a", []string{``, `null`, `{}`, `{"error": "busy"}`, `{"a": null}`}},
		{"return", "BODY.a == null ? null : BODY.a", []string{`{"a": null}`, `{}`, `{"error": "busy"}`}},
		{"gone", "BODY.a == null", []string{`{"a": null}`, `{}`, `{"error": "busy"}`}},
		{"gone", "BODY.a.b == null", []string{`{"a": {"b": null}}`, `{"a": {}}`}},
		{"gone", "!(BODY.a.b != null)", []string{`{"a": {"b": null}}`, `{"a": {}}`}},
		{"gone", "BODY.a.b[0] == null", []string{`{"a": {"b": []}}`}},
		{"gone", "BODY.a?.b == null", []string{`{"a": {"b": null}}`, `{"a": {}}`, `{"a": null}`, `{}`, `{"error": "busy"}`, `{"a": {"b": null}}`}},
		{"gone", "BODY == null", []string{``, `null`}},
		{"gone", "BODY.a.b != 'there'", []string{`{"a": {"b": null}}`, `{"a": {"b": []}}`, `{"a": {"b": {}}}`}},
		{"gone", "!(BODY.a.b in ['there'])", []string{`{"a": {"b": null}}`, `{"a": {"b": []}}`, `{"a": {"b": {}}}`}},
		{"gone", "len(BODY.a.b ?? []) == 0", []string{`{"a": {"b": []}}`, `{"a": {"b": {}}}`, `{"a": {"b": null}}`, `{"a": {}}`}},
		{"gone", "(BODY.a.b ?? 'none') == 'none'", []string{`{"a": {"b": null}}`, `{"a": {}}`}},
		{"gone", "BODY.error == 'busy'", []string{`{"error": "busy"}`}},
		{"gone", "BODY.a.b == []", []string{`{"a": {"b": []}}`}},
		{"gone", "BODY.a.b.c == 'deleted'", nil},
	} {
		ways := map[string]string{"body": "http: path: \"/pets\"", "result.body": "http: path: \"/pets\"", "steps.look.body": `steps: [{as: "look", http: path: "/pets", GONE}, {http: path: "/pets"}]`}
		for name, written := range ways {
			for _, sent := range bodies {
				t.Run(strings.Join([]string{tc.key, tc.template, name, sent}, "/"), func(t *testing.T) {
					t.Parallel()
					steps := written
					template := strings.ReplaceAll(tc.template, "BODY", name)
					verdict := fmt.Sprintf("%s: %q", tc.key, "${"+template+"}")
					if tc.key == "gone" && name == "steps.look.body" {
						steps = `steps: [{as: "look", http: path: "/pets"}, {http: path: "/pets", ` + verdict + `}]`
						verdict = ""
					}
					steps = strings.ReplaceAll(steps, ", GONE", "")
					if tc.key == "gone" {
						verdict = strings.TrimPrefix(verdict+", return: {name: \"${inputs.name}\"}", ", ")
					}
					text := `id: "${result.body.id}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}"}
	delete: http: {method: "DELETE", path: "/pets/${id}"}
	find: {` + steps + ", " + verdict + `}
	read: {` + steps + ", " + verdict + `}`
					create, refresh, _, errs := (&fixedAPI{body: sent}).lives(t, text)
					want := slices.Contains(tc.absent, sent)
					if got := create == "made" && refresh == "gone"; got != want || !want && (create == "made" || refresh == "gone") {
						t.Errorf("got %s %s, want absent %t: %v", create, refresh, want, errs)
					}
				})
			}
		}
	}
}
