package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestOnlyTheListMayBeAbsent: with a question mark after its name, the list itself may be absent or null. What should
// contain it may not: that is no response with an empty list.
func TestOnlyTheListMayBeAbsent(t *testing.T) {
	t.Parallel()
	// PATH is where the list is, and EXTRA what else a way needs.
	ways := map[string]string{
		"unique":       `rest: {path: "/pets", read: "list", unique: "name", items: "PATH?"EXTRA}`,
		"a name":       `rest: {path: "/pets", read: "list", id: "${inputs.name}", items: "PATH?"EXTRA}`,
		"a search":     `rest: {path: "/pets", read: "list", unique: "name", list: "POST /pets/search", items: "PATH?"EXTRA}`,
		"another find": `rest: {path: "/pets", read: "list", unique: "name", find: "GET /pets/search?name=${inputs.name}", items: "PATH?"EXTRA}`,
	}
	extras := map[string]string{
		"plain": "", "link": `, paginate: link: true`, "next": `, paginate: next: "${body.next}"`, "cursor": `, paginate: cursor: {param: "c", next: "${body.next}"}`,
		"page": `, paginate: page: {param: "p"}`, "offset": `, paginate: offset: {param: "o"}`, "typed": `, returns: #Pet`,
		"no pages": `, paginate: next: "${null}"`,
	}
	// The bodies, and whether they are an empty list at items and at data.items.
	bodies := []struct {
		body         string
		flat, nested bool
	}{
		{``, false, false},
		{`null`, false, false},
		{`""`, false, false},
		{`"x"`, false, false},
		{`7`, false, false},
		{`true`, false, false},
		{`[]`, false, false},
		{`[{"id": "8", "name": "b"}]`, false, false},
		{`{}`, true, false},
		{`{"items": null}`, true, false},
		{`{"items": []}`, true, false},
		{`{"items": "x"}`, false, false},
		{`{"items": {}}`, false, false},
		{`{"data": null}`, true, false},
		{`{"data": "x"}`, true, false},
		{`{"data": []}`, true, false},
		{`{"data": {}}`, true, true},
		{`{"data": {"items": null}}`, true, true},
		{`{"data": {"items": []}}`, true, true},
	}
	for way, pet := range ways {
		for extra, with := range extras {
			if way != "unique" && extra != "plain" && extra != "no pages" {
				continue
			}
			for _, tc := range bodies {
				for path, empty := range map[string]bool{"items": tc.flat, "data.items": tc.nested} {
					runCase(t, strings.Join([]string{way, extra, path, tc.body}, "/"), func(t *testing.T) {
						t.Parallel()
						want, lists := "refused error", false
						if empty {
							want, lists = "made gone", true
						}
						pet := strings.NewReplacer("PATH", path, "EXTRA", with).Replace(pet)
						a := &fixedAPI{body: tc.body}
						create, refresh, _, errs := a.lives(t, pet)
						if got := create + " " + refresh; got != want {
							t.Errorf("%s, %s: %s, want %s (%v)", pet, tc.body, got, want, errs)
						}
						var listed error
						for _, err := range (&fixedAPI{body: tc.body}).engine(t, pet).List(t.Context(), engine.ListRequest{Ref: ref("Pet")}) {
							listed = err
						}
						if (listed == nil) != lists {
							t.Errorf("%s, %s: list: %v", pet, tc.body, fmt.Sprint(listed))
						}
					})
				}
			}
		}
	}
}
