package rest_test

import (
	"testing"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/source"
)

// TestListedIDs: next to an `id` or `import` of its own, the list of rest has the ids by which users import the objects. Where it
// cannot know them, that is a finding.
func TestListedIDs(t *testing.T) {
	t.Parallel()
	const pets = `rest: {path: "/pets"}`
	const nested = `rest: {path: "/stores/${inputs.store}/pets"}`
	const named = `rest: {path: "/pets", id: "${inputs.name}"}`
	const create = "\n" + `create: http: {method: "POST", path: "/pets", json: "${inputs}"}`
	for _, tc := range []struct{ rest, keys, want string }{
		{pets, ``, "${each.value.id}"},
		{nested, ``, "${inputs.store}/${each.value.id}"},
		{pets, `id: "${result.body.id}"`, "${each.value.id}"},
		{pets, `id: "${result.body.uuid}"`, "${each.value.uuid}"},
		{pets, `id: "${body.meta.uuid}"`, "${each.value.meta.uuid}"},
		{`rest: {path: "/pets", unwrap: "data"}`, `id: "${result.body.data.uuid}"`, "${each.value.uuid}"},
		{`rest: {path: "/pets", unwrap: "data"}`, `id: "${result.body.uuid}"`, "${each.value.id}"},
		{`rest: {path: "/pets", id: "uuid"}`, `id: "${first(body).uuid}"`, "${each.value.uuid}"},
		{`rest: {path: "/pets", id: "uuid"}`, `id: "${last(segments(result.headers.location ?? '')) ?? ''}"`, "${each.value.uuid}"},
		{`rest: {path: "/pets", id: "uuid"}`, `id: "${body.new.id}"` + create, "${each.value.uuid}"},
		{pets, `id: "${inputs.kind}"`, "${each.value.kind}"},
		{pets, `id: "${inputs.kind}/${inputs.petName}"`, "${each.value.kind}/${each.value.pet_name}"},
		{pets, `id: "${inputs.kind}:$${x}:${ result.body.id }"`, "${each.value.kind}:$${x}:${each.value.id}"},
		{pets, `id: "${config.org}/${inputs.kind}"`, "${config.org}/${each.value.kind}"},
		{nested, `id: "${inputs.store}/${inputs.name}"`, "${inputs.store}/${each.value.name}"},
		{nested, `id: "${inputs.name}"`, "${each.value.name}"},
		{named, `id: "${inputs.kind}/${inputs.name}"`, "${each.value.kind}/${each.value.name}"},
		{`rest: {path: "/pets", list: "GET /pets?of=${inputs.store}"}`, `id: "${inputs.store}/${inputs.name}"`, "${inputs.store}/${each.value.name}"},
		{pets, `import: "${inputs.kind}/${id}"`, "${each.value.kind}/${each.value.id}"},
		{nested, `import: "${inputs.store}:${id}"`, "${inputs.store}:${each.value.id}"},
		{pets, "id: \"${result.body.uuid}\"\nimport: \"${inputs.kind}/${id}\"", "${each.value.kind}/${each.value.uuid}"},
		{`rest: {path: "/pets", returns: #Pet}`, `id: "${inputs.kind}/${result.body.id}"`, "${each.value.kind}/${each.value.id}"},
		// What an item does not tell.
		{pets, `id: "${lower(inputs.kind)}"`, ""},
		{pets, `id: "${inputs.kind}/${lower(inputs.name)}"`, ""},
		{pets, `id: "${config.org + inputs.kind}"`, ""},
		{pets, `id: "${first(body).a}/${first(body).b}"`, ""},
		{`rest: {path: "/pets", returns: #Bare}`, `id: "${inputs.kind}/${result.body.id}"`, ""},
		{pets, "id: \"${lower(inputs.kind)}\"\nimport: \"${inputs.kind}/${id}\"", ""},
		// Lists of the author, and none.
		{`rest: {path: "/pets", list: "none"}`, `id: "${lower(inputs.kind)}"`, "none"},
		{pets, "id: \"${lower(inputs.kind)}\"\n" + `list: {http: path: "/pets", items: "${body}", id: "${lower(each.value.kind)}"}`, "${lower(each.value.kind)}"},
	} {
		t.Run(tc.rest+"/"+tc.keys, func(t *testing.T) {
			t.Parallel()
			document := load.Source{Path: "-", Format: "cue", Stdin: []byte(`name: "pets"
version: "1.0.0"
config: org: string
#Pet: {id: string, kind: string}
#Bare: id: string
http: baseURL: "https://pets.example.com"
resources: Pet: {
	inputs: {name: string @replace(), store: string @replace(), kind: string @replace(), petName: string @replace() @wire(pet_name)}
	` + tc.rest + "\n" + tc.keys + `
}
`)}
			doc, diags := load.Load(t.Context(), document)
			if doc == nil {
				t.Fatalf("%+v", diags)
			}
			warned := false
			for _, d := range diags {
				warned = warned || d.Code == source.CodeListedID
			}
			if warned != (tc.want == "") {
				t.Errorf("found: %t", warned)
			}
			list, got := doc.Provider.Resources[0].List, "none"
			if list != nil {
				got = list.ID.Text
			}
			if tc.want != "" && got != tc.want {
				t.Errorf("the id in the list is %s, want %s", got, tc.want)
			}
		})
	}
}
