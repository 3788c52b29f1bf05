package rest_test

import (
	"testing"

	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

// in returns a spec in CUE whose resource has this shorthand, and what is written next
// to it.
func in(rest string) string {
	return loadtest.Head + `#Pet: {petId: int @wire(id), uuid: string, petName: string @wire(meta.name), kind: string}
#Pets: [...#Pet]
resources: Pet: {
	inputs: {store: string @replace(), name: string, document: string @equal(json), petName: string @wire(meta.name), kind: *"dog" | "cat", tags?: [string]: string}
	outputs: petId: int @wire(id)
	` + rest + `
}
`
}

const http = `http: path: "/x"`

func TestMistakesInRest(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, code, rest string }{
		{"a number", source.CodeWrongShape, `rest: «5»`},
		{"a list", source.CodeWrongShape, `rest: «["/pets"]»`},
		{"no path", source.CodeMissingKey, `«rest»: {id: "uuid"}`},
		{"an empty path", source.CodeBadValue, `rest: «""»`},
		{"a URL", source.CodeBadValue, `rest: «"https://pets.example.com/pets"»`},
		{"a query", source.CodeBadValue, `rest: «"/pets?limit=5"»`},
		{"a query behind a template", source.CodeBadValue, `rest: path: «"/${config.x ?? 1}/pets?a=${config.a}"»`},
		{"an unknown key", source.CodeUnknownKey, `rest: {path: "/pets", «key»: "uuid"}`},
		{"a misspelt key", source.CodeUnknownKey, `rest: {path: "/pets", «unwarp»: "data"}`},
		{"a path of a wrong kind", source.CodeWrongShape, `rest: path: «7»`},
		{"an id that is a number", source.CodeWrongShape, `rest: {path: "/pets", id: «7»}`},
		{"an id that is a template", source.CodeBadValue, `rest: {path: "/pets", id: «"${body.uuid}"»}`},
		{"an id of two dots", source.CodeBadValue, `rest: {path: "/pets", id: «"meta..uuid"»}`},
		{"an id that the type lacks", source.CodeBadValue, `rest: {path: "/pets", id: «"uid"», returns: #Pet}`},
		{"an id by its declared name", source.CodeBadValue, `rest: {path: "/pets", id: «"petId"», returns: #Pet}`},
		{"an unknown create", source.CodeBadValue, `rest: {path: "/pets", create: «"put"»}`},
		{"a POST without its path", source.CodeBadValue, `rest: {path: "/pets", create: «"POST "»}`},
		{"a path without its method", source.CodeBadValue, `rest: {path: "/pets", create: «"/pets/new"»}`},
		{"a method that creates nothing", source.CodeBadValue, `rest: {path: "/pets", create: «"GET /pets/new"»}`},
		{"a method in lower case", source.CodeBadValue, `rest: {path: "/pets", update: «"put /pets/${id}"»}`},
		{"a URL of an update", source.CodeBadValue, `rest: {path: "/pets", update: «"PUT https://x.example.com/pets/${id}"»}`},
		{"a read by POST", source.CodeBadValue, `rest: {path: "/pets", read: «"POST /pets/${id}"»}`},
		{"an unknown delete", source.CodeBadValue, `rest: {path: "/pets", delete: «"none"»}`},
		{"a find that is a method", source.CodeBadValue, `rest: {path: "/pets", find: «"GET"»}`},
		{"a find and unique next to another find", source.CodeMisplacedKey, `rest: {path: "/pets", unique: «"name"», find: «"GET /pets?name=${inputs.name}"»}
	find: ` + http},
		{"a wait without its end", source.CodeMissingKey, `rest: {path: "/pets", wait: «{every: "1s"}»}`},
		{"a wait that is a condition", source.CodeWrongShape, `rest: {path: "/pets", wait: «"${body.done}"»}`},
		{"an unknown key of wait", source.CodeUnknownKey, `rest: {path: "/pets", wait: {until: "${body.done}", «interval»: "1s"}}`},
		{"a pause without a unit", source.CodeBadValue, `rest: {path: "/pets", wait: {until: "${body.done}", every: «"5 min"»}}`},
		{"a wait for what is only listed", source.CodeMisplacedKey, `rest: {path: "/pets", read: «"list"», wait: {until: "${body.done}"}}`},
		{"a wait next to a read", source.CodeMisplacedKey, `rest: {path: "/pets", wait: «{until: "${body.done}"}»}
	read: ` + http + `
	update: ` + http},
		{"a wait next to all operations", source.CodeMisplacedKey, `rest: {path: "/pets", wait: «{until: "${body.done}"}»}
	create: ` + http + `
	update: ` + http + `
	delete: ` + http},
		{"a whole object by PATCH", source.CodeBadValue, `rest: {path: "/pets", update: "PATCH", patch: «"object"»}`},
		{"a whole object of a list", source.CodeBadValue, `rest: {path: "/pets", read: "list", patch: «"object"»}`},
		{"a whole object without updates", source.CodeMisplacedKey, `rest: {path: "/pets", update: "none", patch: «"object"»}`},
		{"a whole object next to another update", source.CodeMisplacedKey, `rest: {path: "/pets", patch: «"object"»}
	update: ` + http},
		{"members left out of the changes", source.CodeMisplacedKey, `rest: {path: "/pets", patch: "merge", omit: «"updated"»}`},
		{"members left out of nothing", source.CodeMisplacedKey, `rest: {path: "/pets", omit: «["updated"]»}`},
		{"no members left out", source.CodeBadValue, `rest: {path: "/pets", patch: "object", omit: «[]»}`},
		{"an input left out", source.CodeBadValue, `rest: {path: "/pets", patch: "object", omit: ["updated", «"name"»]}`},
		{"an expression left out", source.CodeBadValue, `rest: {path: "/pets", patch: "object", omit: «"${body.updated}"»}`},
		{"a pointer left out", source.CodeBadValue, `rest: {path: "/pets", patch: "object", omit: «"/updated"»}`},
		{"a delete of the collection", source.CodeBadValue, `rest: {path: "/pets", delete: «"DELETE /pets"»}`},
		{"an update of the collection", source.CodeBadValue, `rest: {path: "/pets", update: «"PUT /pets?all=${config.all ?? 1}"»}`},
		{"a read of the collection", source.CodeBadValue, `rest: {path: "/pets", read: «"GET /pets"», id: "${inputs.kind}"}
	inputs: kind: string @replace()`},
		{"a list without its parent", source.CodeBadValue, `rest: {path: "/stores/${inputs.store}/pets", list: «"GET /pets"»}`},
		{"a list without the parent of another name", source.CodeBadValue, `rest: {path: "/stores/${of}/pets", under: of: "${inputs.store}", list: «"GET /pets?store=${config.store}"»}`},
		{"a list by DELETE", source.CodeBadValue, `rest: {path: "/pets", list: «"DELETE /pets"»}`},
		{"a list by a method", source.CodeBadValue, `rest: {path: "/pets", list: «"POST"»}`},
		{"a list without effect", source.CodeMisplacedKey, `rest: {path: "/pets", list: «"GET /pets?all=true"»}
	list: {` + http + `, items: "${body}", id: "${each.value.id}"}`},
		{"a list of an optional input", source.CodeBadValue, `rest: {path: "/pets", list: "GET /pets?size=${inputs.size}"}
	inputs: «size»?: int`},
		{"unique of what the list is filtered by", source.CodeBadValue, `rest: {path: "/pets", list: "GET /pets?name=${inputs.name}", unique: «"name"»}`},
		{"a read of a list by an input that may change", source.CodeBadValue, `rest: {path: "/pets", read: "list", list: "GET /pets?size=${inputs.size}"}
	inputs: «size»: int`},
		{"a find next to another", source.CodeMisplacedKey, `rest: {path: "/pets", find: «"GET /pets/named/${inputs.name}"»}
	find: ` + http},
		{"a delete next to another", source.CodeMisplacedKey, `rest: {path: "/pets", delete: «"POST"»}
	delete: ` + http},
		{"a path of a create next to another", source.CodeMisplacedKey, `rest: {path: "/pets", create: «"PUT /pets/new"»}
	create: ` + http},
		{
			"an object without effect, because each request has its path", source.CodeMisplacedKey,
			`rest: {path: "/pets", object: «"/pet/${id}"», read: "GET /p/${id}", update: "PUT /p/${id}", delete: "DELETE /p/${id}"}`,
		},
		{"an input in the path that may change", source.CodeBadValue, `rest: {path: "/pets", update: "PUT /pets/${inputs.size}"}
	inputs: «size»: int`},
		{"PUT without a name", source.CodeBadValue, `rest: {path: "/pets", create: «"PUT"»}`},
		{"a name that is none", source.CodeBadValue, `rest: {path: "/pets", create: "PUT", id: «"name"»}`},
		{"a name of the response", source.CodeBadValue, `rest: {path: "/pets", create: "PUT", id: «"${body.name}"»}`},
		{"a name of no input", source.CodeBadValue, `rest: {path: "/pets", create: "PUT", id: «"${inputs.nmae}"»}`},
		{"a condition without PUT", source.CodeMisplacedKey, `rest: {path: "/pets", ifNoneMatch: «true»}`},
		{"an unknown response", source.CodeBadValue, `rest: {path: "/pets", response: «"json"»}`},
		{"a response without its create and id", source.CodeMisplacedKey, `rest: {path: "/pets", response: «"none"»}
	id: "${body.number}"
	create: ` + http},
		{"an object without its id", source.CodeBadValue, `rest: {path: "/pets", object: «"/pet"»}`},
		{"an object by another name", source.CodeBadValue, `rest: {path: "/pets", object: «"/pet/${inputs.store}"»}`},
		{"a URL of an object", source.CodeBadValue, `rest: {path: "/pets", object: «"https://x.example.com/pet/${id}"»}`},
		{"a query of an object", source.CodeBadValue, `rest: {path: "/pets", object: «"/pet?id=${id}"»}`},
		{"an object without effect", source.CodeMisplacedKey, `rest: {path: "/pets", object: «"/pet/${id}"», read: "list", update: "none"}
	delete: ` + http},
		{"idempotent without its create", source.CodeMisplacedKey, `rest: {path: "/pets", idempotent: «false»}
	create: ` + http},
		{"a name that is the parent", source.CodeBadValue, `rest: {path: "/stores/${inputs.store}", create: "PUT", id: «"${inputs.store}"»}`},
		{"an unknown read", source.CodeBadValue, `rest: {path: "/pets", read: «"GET"»}`},
		{"a read of no list", source.CodeMisplacedKey, `rest: {path: "/pets", list: "none", read: «"list"»}`},
		{"a read of the list without effect", source.CodeMisplacedKey, `rest: {path: "/pets", read: «"list"»}
	read: ` + http},
		{"gone without effect", source.CodeMisplacedKey, `rest: {path: "/pets", gone: «"${status == 403}"»}
	read: ` + http + `
	delete: ` + http},
		{"gone as a number", source.CodeWrongShape, `rest: {path: "/pets", gone: «403»}`},
		{"unwrap as a template", source.CodeBadValue, `rest: {path: "/pets", unwrap: «"${body.data}"»}`},
		{"items as a template", source.CodeBadValue, `rest: {path: "/pets", items: «"${body.items}"»}`},
		{"no items", source.CodeMissingKey, `rest: {path: "/pets", paginate: cursor: {param: "c", next: «"${body.next}"»}}`},
		{"a method in lower case", source.CodeBadValue, `rest: {path: "/pets", update: «"patch"»}`},
		{"an unknown method", source.CodeBadValue, `rest: {path: "/pets", update: «"DELETE"»}`},
		{"no update by null", source.CodeWrongShape, `rest: {path: "/pets", update: «null»}`},
		{"an unknown patch", source.CodeBadValue, `rest: {path: "/pets", patch: «"xml"»}`},
		{"a JSON Patch by PUT", source.CodeBadValue, `rest: {path: "/pets", update: "PUT", patch: «"json"»}`},
		{"a JSON Patch by another request", source.CodeBadValue, `rest: {path: "/pets", update: "POST /pets/${id}", patch: «"json"»}`},
		{"an unknown form", source.CodeBadValue, `rest: {path: "/pets", form: «"braces"»}`},
		{"no form", source.CodeBadValue, `rest: {path: "/pets", form: «false»}`},
		{"a form without names for maps", source.CodeBadValue, `inputs: labels: [string]: string
	rest: {path: "/pets", form: «"repeat"»}`},
		{"a form without names for items", source.CodeBadValue, `inputs: labels: [...[...string]]
	rest: {path: "/pets", form: «true»}`},
		{"a form without names for what is wrapped", source.CodeBadValue, `rest: {path: "/pets", wrap: "pet", form: «true»}`},
		{"a JSON Patch in a form", source.CodeBadValue, `rest: {path: "/pets", form: "brackets", patch: «"json"»}`},
		{"a whole object in a form", source.CodeBadValue, `rest: {path: "/pets", form: "brackets", patch: «"object"»}`},
		{"a form that no request sends", source.CodeMisplacedKey, `rest: {path: "/pets", form: «"brackets"», update: "none"}, create: ` + http},
		{"a patch without updates", source.CodeMisplacedKey, `rest: {path: "/pets", update: "none", patch: «"merge"»}`},
		{"returns as a string", source.CodeBadValue, `rest: {path: "/pets", returns: «"Pet"»}`},
		{"returns a list", source.CodeBadValue, `rest: {path: "/pets", returns: «#Pets»}`},
		{"unique without such an input", source.CodeBadValue, `rest: {path: "/pets", unique: «"nmae"»}`},
		{"unique of an output", source.CodeBadValue, `rest: {path: "/pets", unique: «"petId"»}`},
		{"unique of an optional input", source.CodeBadValue, `rest: {path: "/pets", unique: «"tags"»}`},
		{"a wrap that is an expression", source.CodeBadValue, `rest: {path: "/pets", wrap: «"${body.data}"»}`},
		{"a wrap that is a list", source.CodeWrongShape, `rest: {path: "/pets", wrap: «["data"]»}`},
		{"a query that is a text", source.CodeWrongShape, `rest: {path: "/pets", query: «5»}`},
		{"a wrap without a request", source.CodeMisplacedKey, `rest: {path: "/pets", wrap: «"data"», update: "none"}, create: ` + http},
		{"a body that is a list", source.CodeWrongShape, `rest: {path: "/pets", body: «["kind"]»}`},
		{"a body with text around an expression", source.CodeBadValue, `rest: {path: "/pets", update: "none", body: of: «"pet ${inputs.name}"»}`},
		{"a body without a request", source.CodeMisplacedKey, `rest: {path: "/pets", body: «{kind: "x"}», update: "none"}, create: ` + http},
		{"a parent without effect", source.CodeMisplacedKey, `rest: {path: "/pets", parent: «"/stores/${inputs.store}"»}, read: ` + http + `, delete: ` + http},
		{"a parent that may change", source.CodeBadValue, `rest: {path: "/pets", parent: "/stores/${inputs.size}"}
	inputs: «size»: int`},
		{"a parent that is the object", source.CodeBadValue, `rest: {path: "/pets", parent: «"/pets/${id}"»}`},
		{"a URL of a parent", source.CodeBadValue, `rest: {path: "/pets", parent: «"https://x.example.com/stores"»}`},
		{"a request for a parent", source.CodeBadValue, `rest: {path: "/pets", parent: «"GET /stores/${inputs.store}"»}`},
		{"conditions without a request", source.CodeMisplacedKey, `rest: {path: "/pets", ifMatch: «true», update: "none"}, delete: ` + http},
		{"conditions for an object of a list", source.CodeMisplacedKey, `rest: {path: "/pets", ifMatch: «true», read: "list"}`},
		{"null without a default", source.CodeMisplacedKey, `rest: {path: "/pets", unwrap: «null»}`},
		{"unique of JSON", source.CodeBadValue, `rest: {path: "/pets", unique: «"document"»}`},
		{"unique of the path alone", source.CodeBadValue, `rest: {path: "/stores/${inputs.store}/pets", unique: [«"store"»]}`},
		{"unique of nothing", source.CodeBadValue, `rest: {path: "/pets", unique: «[]»}`},
		{"unique of a number", source.CodeBadValue, `rest: {path: "/pets", unique: ["name", «5»]}`},
		{"unique that the type lacks", source.CodeBadValue, `rest: {path: "/pets", returns: #Pet, unique: «"name"»}`},
		{"unique of a parent", source.CodeBadValue, `rest: {path: "/stores/${inputs.store}/pets", unique: «"store"»}`},
		{"unique without a list", source.CodeMisplacedKey, `rest: {path: "/pets", list: "none", unique: «"name"»}`},
		{"an unknown list", source.CodeBadValue, `rest: {path: "/pets", list: «"all"»}`},
		{"items without a list", source.CodeMisplacedKey, `rest: {path: "/pets", list: "none", items: «"results"»}`},
		{"under without use", source.CodeBadValue, `rest: {path: "/pets", under: «store»: "${inputs.store}"}`},
		{"under without such an input", source.CodeBadValue, `rest: {path: "/stores/${store}/pets", under: store: «"${inputs.shop}"»}`},
		{"under of a setting", source.CodeBadValue, `rest: {path: "/stores/${store}/pets", under: store: «"${config.store}"»}`},
		{"under of a text", source.CodeBadValue, `rest: {path: "/stores/${store}/pets", under: store: «"store"»}`},
		{"under as a list", source.CodeWrongShape, `rest: {path: "/stores/${store}/pets", under: «["store"]»}`},
		{"under as a template", source.CodeWrongShape, `rest: {path: "/stores/${store}/pets", under: «"${inputs.store}"»}`},
		{"update without effect", source.CodeMisplacedKey, `rest: {path: "/pets", update: «"PUT"»}, update: ` + http},
		{"a key without effect", source.CodeMisplacedKey, `rest: {path: "/pets", idempotencyKey: «true»}, create: ` + http},
		{"unique without effect", source.CodeMisplacedKey, `rest: {path: "/pets", unique: «"name"»}, find: ` + http},
		{"items without effect", source.CodeMisplacedKey, `rest: {path: "/pets", items: «"results"»}, list: {` + http + `, items: "${body}", id: "${each.value.id}"}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loadtest.Mistake(t, "cue", in(c.rest), c.code)
		})
	}
}

func TestMistakesInParents(t *testing.T) {
	t.Parallel()
	for name, inputs := range map[string]string{
		"may change": `«store»: string`,
		"optional":   `«store»?: string @replace()`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, rest := range []string{`rest: "/stores/${inputs.store}/pets"`, `rest: {path: "/stores/${s}/pets", under: s: "${inputs.store}"}`} {
				loadtest.Mistake(t, "cue", loadtest.Head+"resources: Pet: {inputs: {"+inputs+"}\n"+rest+"\n}\n", source.CodeBadValue)
			}
		})
	}
}

func TestMistakesInYAML(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, code, rest string }{
		{"an unknown key", source.CodeUnknownKey, "{path: /pets, «unwarp»: data}"},
		{"an unknown method", source.CodeBadValue, "{path: /pets, update: «put»}"},
		{"returns an unknown type", source.CodeBadValue, "{path: /pets, returns: «Pet»}"},
		{"an id that the type lacks", source.CodeBadValue, "{path: /pets, returns: '#Pet', id: «uid»}"},
		{"unique without such an input", source.CodeBadValue, "{path: /pets, unique: «nmae»}"},
		{"under without use", source.CodeBadValue, "{path: /pets, under: {«store»: \"${inputs.store}\"}}"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loadtest.Mistake(t, "yaml", loadtest.HeadYAML+`types:
  Pet: {petId: int @wire(id), name: string}
resources:
  Pet:
    inputs: {name: string, store: string @replace()}
    outputs: {petId: int @wire(id)}
    rest: `+c.rest+"\n", c.code)
		})
	}
}

// TestTwoMistakesAreTwoFindings shows that a mistake in one option hides no other.
func TestTwoMistakesAreTwoFindings(t *testing.T) {
	t.Parallel()
	loadtest.Mistake(t, "cue", in(`rest: {path: "/pets", update: «"put"», patch: «"xml"», unique: «"nmae"», list: «"no"»}`), source.CodeBadValue)
}
