package rest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

// ofSingletons are values for the keys of rest that a singleton has, and ofMany for those that it has not, in a notation that CUE
// and YAML have in common.
var (
	ofSingletons = map[string]string{
		"path": `"/settings"`, "singleton": `true`, "create": `"PUT"`, "update": `"POST"`, "read": `"GET /all"`, "delete": `"DELETE"`, "reset": `{title: ""}`, "patch": `"all"`, "form": `"brackets"`,
		"gone": `"${status == 400}"`, "wrap": `"data"`, "unwrap": `"data"`, "query": `{all: "1"}`, "body": `{kind: "k"}`, "parent": `"/stores/${inputs.store}"`,
		"response": `"none"`, "wait": `{until: "${body.ready}"}`, "ifMatch": `true`, "under": `{}`, "returns": "", "omit": `["updated"], patch: "object"`,
	}
	ofMany = map[string]string{
		"object": `"/setting/${id}"`, "id": `"uuid"`, "find": `"GET /pets/${inputs.title}"`, "unique": `"title"`, "list": `"none"`, "items": `"results"`,
		"paginate": `{link: true}`, "ifNoneMatch": `true`, "idempotencyKey": `true`, "idempotent": `false`,
	}
)

// singletonIn returns a spec in a language whose singleton has further options.
func singletonIn(lang, options string) string {
	if lang == "yaml" {
		return loadtest.HeadYAML + "resources:\n  Settings:\n    inputs: {store: string @replace(), title: string}\n    rest: {path: /settings, singleton: true" + options + "}\n"
	}
	return loadtest.Head + "resources: Settings: {\n\tinputs: {store: string @replace(), title: string}\n\trest: {path: \"/settings\", singleton: true" + options + "}\n}\n"
}

// TestKeysOfSingletons shows which keys of rest have no effect on a singleton: they are reported at their place, the suggested edit
// removes them, and no key is forgotten.
func TestKeysOfSingletons(t *testing.T) {
	t.Parallel()
	for i := range block.Rest.Keys {
		key := block.Rest.Keys[i].Name
		value, wrong := ofMany[key]
		right, ok := ofSingletons[key]
		if wrong == ok {
			t.Errorf("%s is in both lists or in none", key)
		}
		for _, lang := range []string{"cue", "yaml"} {
			t.Run(key+" in "+lang, func(t *testing.T) {
				t.Parallel()
				if !wrong {
					if right != "" && key != "path" && key != "singleton" {
						loadtest.Model(t, load.Source{Path: "-", Format: lang, Stdin: []byte(singletonIn(lang, fmt.Sprintf(", %s: %s", key, right)))})
					}
					return
				}
				loadtest.Mistake(t, lang, singletonIn(lang, fmt.Sprintf(", %s: «%s»", key, value)), source.CodeMisplacedKey)
				text := []byte(singletonIn(lang, fmt.Sprintf(", %s: %s", key, value)))
				_, found := load.Load(context.Background(), load.Source{Path: "-", Format: lang, Stdin: text})
				file := found[0].Subject.File
				edited, err := diag.Apply(diag.Sources{file: text}, found[0].Edits)
				if err != nil || string(edited[file]) != singletonIn(lang, "") {
					t.Errorf("the edit makes %s, %v", edited[file], err)
				}
			})
		}
	}
}

func TestMistakesInSingletons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, code, rest string }{
		{"a text", source.CodeWrongShape, `rest: {path: "/settings", singleton: «"yes"»}`},
		{"a path with an id", source.CodeBadValue, `rest: {path: «"/settings/${id}"», singleton: true}`},
		{"a path with an id of another notation", source.CodeBadValue, `rest: {path: «"/settings/{id}"», singleton: true}`},
		{"no path", source.CodeMissingKey, `«rest»: {singleton: true}`},
		{"a read of the list", source.CodeBadValue, `rest: {path: "/settings", singleton: true, read: «"list"»}`},
		{"an unknown create", source.CodeBadValue, `rest: {path: "/settings", singleton: true, create: «"patch"»}`},
		{"an unknown update", source.CodeBadValue, `rest: {path: "/settings", singleton: true, update: «"put"»}`},
		{"no delete", source.CodeBadValue, `rest: {path: "/settings", singleton: true, delete: «"none"»}`},
		{"two deletes", source.CodeMisplacedKey, `rest: {path: "/settings", singleton: true, delete: "DELETE", reset: «{title: ""}»}`},
		{"a reset next to a delete", source.CodeMisplacedKey, `rest: {path: "/settings", singleton: true, reset: «{title: ""}»}, delete: ` + http},
		{"a reset next to no delete", source.CodeMisplacedKey, `rest: {path: "/settings", singleton: true, reset: «{title: ""}»}, delete: null`},
		{"a reset of nothing", source.CodeBadValue, `rest: {path: "/settings", singleton: true, reset: «{}»}`},
		{"a reset of nothing by another request", source.CodeBadValue, `rest: {path: "/settings", singleton: true, update: "POST /save", reset: «{}»}`},
		{"a reset of a list", source.CodeWrongShape, `rest: {path: "/settings", singleton: true, reset: «[]»}`},
		{"members of a JSON Patch", source.CodeMisplacedKey, `rest: {path: "/settings", singleton: true, patch: "json", body: «{kind: "k"}»}`},
		{"a reset of many", source.CodeMisplacedKey, `rest: {path: "/settings", reset: «{title: ""}»}`},
		{"a create by PATCH of many", source.CodeBadValue, `rest: {path: "/settings", create: «"PATCH"»}`},
		{"a parent that may change", source.CodeBadValue, `rest: {path: "/settings/${inputs.size}", singleton: true}
	inputs: «size»: int`},
		{"an optional parent", source.CodeBadValue, `rest: {path: "/settings/${inputs.of}", singleton: true}
	inputs: «of»?: string @replace()`},
		{"next to rest", source.CodeUnknownKey, `rest: "/settings", «singleton»: true`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loadtest.Mistake(t, "cue", in(c.rest), c.code)
		})
	}
}
