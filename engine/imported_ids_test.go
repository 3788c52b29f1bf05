package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// importAPI answers reads: a way of asking, and what is asked for. An object has a number, which nobody else has, and a
// name in its parent, and is found by the name, too. A parent has two more names, of which its objects show one.
func importAPI(asked string) actions.Outcome {
	objects := []map[string]any{
		{"id": "1", "name": "7up", "parent": "p1", "size": 1},
		{"id": "7", "name": "rex", "parent": "p2", "size": 1, "of": map[string]any{"names": []any{"p2", "two"}}},
		{"id": "8", "name": "big-rex", "parent": "p2", "size": 2},
	}
	way, what, _ := strings.Cut(asked, " ")
	parent, name, _ := strings.Cut(what, "/")
	fits := map[string]func(o map[string]any) bool{
		"only":   func(o map[string]any) bool { return o["id"] == "7" },
		"by":     func(o map[string]any) bool { return o["id"] == what || o["name"] == what },
		"folded": func(o map[string]any) bool { return strings.EqualFold(o["name"].(string), what) },
		"slug":   func(o map[string]any) bool { return o["name"] == strings.ReplaceAll(strings.ToLower(what), " ", "-") },
		"search": func(o map[string]any) bool {
			return strings.HasPrefix(o["name"].(string), what) || strings.HasPrefix(o["id"].(string), what)
		},
		"in": func(o map[string]any) bool {
			return (o["name"] == name || o["id"] == name) && (o["parent"] == parent || (parent == "two" || parent == "deux") && o["parent"] == "p2")
		},
		"moved": func(o map[string]any) bool { return o["id"] == "7" && what != "7" }, // that id alone is none
	}
	if i := slices.IndexFunc(objects, fits[way]); i >= 0 {
		return actions.Succeed(objects[i])
	}
	return gone("no object")
}

// TestImportsOfAnotherID imports by texts that name another object than read returns, or name it in another way. What is imported is
// what the text asks for: a name that the API takes for the id is one that the object shows, and leads to an id that shows
// the same object. A text of which read asks for a part only leads to whatever has that part, and a search to
// whatever is alike.
func TestImportsOfAnotherID(t *testing.T) {
	t.Parallel()
	const own, parents, named = "${result.id}", "${inputs.parent}/${inputs.name}", "${inputs.name}"
	for name, tc := range map[string]struct {
		id, imports, read, text string
		marks                   string // of the name
		want                    string // the id, "" for an error, or gone
		warns                   bool
	}{
		"the id":                              {id: own, read: "by ${id}", text: "7", want: "7"},
		"a name for the id":                   {id: own, read: "by ${id}", text: "rex", want: "7", warns: true},
		"a search by the name":                {id: own, read: "search ${id}", text: "re"},
		"a search by the number":              {id: own, read: "search ${id}", text: "7"},
		"an id under which nothing is":        {id: own, read: "moved ${id}", text: "rex"},
		"an id that read does not ask for":    {id: own, read: "only", text: "rex"},
		"the id, which read does not need":    {id: own, read: "only", text: "7", want: "7"},
		"the parent and the id":               {id: own, imports: "${inputs.parent}/${id}", read: "in ${inputs.parent}/${id}", text: "p2/7", want: "7"},
		"a name of the parent, and the id":    {id: own, imports: "${inputs.parent}/${id}", read: "in ${inputs.parent}/${id}", text: "two/7", want: "7", warns: true},
		"a name of the parent, and a name":    {id: own, imports: "${inputs.parent}/${id}", read: "in ${inputs.parent}/${id}", text: "two/rex", want: "7", warns: true},
		"a hidden name of the parent":         {id: own, imports: "${inputs.parent}/${id}", read: "in ${inputs.parent}/${id}", text: "deux/7"},
		"a hidden name of it, in the id":      {id: parents, read: "in ${id}", text: "deux/rex"},
		"another parent":                      {id: own, imports: "${inputs.parent}/${id}", read: "in ${inputs.parent}/${id}", text: "p1/7", want: "gone"},
		"a parent that is not asked for":      {id: own, imports: "${inputs.parent}/${id}", read: "by ${id}", text: "p1/7"},
		"the parent, which is not asked for":  {id: own, imports: "${inputs.parent}/${id}", read: "by ${id}", text: "p2/7", want: "7"},
		"its parent and name":                 {id: parents, read: "in ${inputs.parent}/${inputs.name}", text: "p2/rex", want: "p2/rex"},
		"by the id of its parent and name":    {id: parents, read: "in ${id}", text: "p2/rex", want: "p2/rex"},
		"a name of the parent, in the id":     {id: parents, read: "in ${id}", text: "two/rex", want: "p2/rex", warns: true},
		"a name of the parent, as an input":   {id: parents, read: "in ${inputs.parent}/${inputs.name}", text: "two/rex", want: "p2/rex", warns: true},
		"a forgotten parent":                  {id: parents, read: "by ${inputs.name}", text: "p1/rex"},
		"its parent, which is forgotten":      {id: parents, read: "by ${inputs.name}", text: "p2/rex", want: "p2/rex"},
		"a name in other letters":             {id: named, read: "folded ${id}", text: "REX", want: "rex", warns: true},
		"a name that the API rewrites":        {id: named, read: "slug ${id}", text: "Big Rex"},
		"a name that the spec declares equal": {id: named, read: "slug ${id}", marks: `@equal("${lower(old) == lower(replace(new, '-', ' '))}")`, text: "Big Rex", want: "Big Rex"},
		"an equal name, not asked for":        {id: parents, read: "in ${inputs.parent}/rex", marks: "@equal(fold)", text: "p2/REX", want: "p2/REX"},
		"another name, not asked for":         {id: parents, read: "in ${inputs.parent}/rex", text: "p2/max"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.hooks["read"] = func(_ context.Context, call *actions.Call) actions.Outcome {
				asked, _ := call.Args["with"].(string)
				return importAPI(asked)
			}
			imports := ""
			if tc.imports != "" {
				imports = "import: \"" + tc.imports + "\""
			}
			e, _ := w.engine(t, `resources: Thing: {
	inputs: {name: string @replace() `+tc.marks+`, parent: string @replace(), size: int}
	id: "`+tc.id+`"
	`+imports+`
	create: world: do: what: "make"
	read: world: look: {what: "read", with: "`+tc.read+`"}
	delete: world: do: what: "remove"
}`)
			log := &recorder{}
			out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: tc.text}, Log: log})
			got := ""
			switch {
			case out.Gone:
				got = "gone"
			case out.State != nil && out.Err == nil:
				got = out.State.ID
			}
			if got != tc.want || (tc.want == "") != (out.Err != nil) {
				t.Errorf("got %q (%v), want %q", got, out.Err, tc.want)
			}
			if warns := log.warnings > 0; warns != tc.warns {
				t.Errorf("it warns: %v, want %v: %q", warns, tc.warns, log.messages)
			}
			_, id, ofParent := strings.Cut(tc.text, "/")
			if said := strings.Join(log.messages, "\n"); tc.warns && ofParent && id == tc.want && !strings.Contains(said, "inputs.parent") {
				t.Errorf("it does not say that the parent has another name: %s", said)
			}
		})
	}
}
