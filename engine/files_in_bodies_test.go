package engine_test

import (
	"fmt"
	"testing"

	"github.com/declprov/declprov/engine/compile/finding"
)

// TestFilesInBodies: a body or query that is text and would contain an asset or archive is a finding, wherever in it that is, and
// also if rest sends it; nothing else is.
func TestFilesInBodies(t *testing.T) {
	t.Parallel()
	// files are inputs, and whether a create sends one and an update may.
	files := map[string][2]bool{
		"file: spec.#Asset": {true, true}, "file?: spec.#Asset": {true, true}, "file: spec.#Archive": {true, true}, "file: [...spec.#Asset]": {true, true},
		"file: [string]: spec.#Asset": {true, true}, "file: {of: spec.#Asset}": {true, true}, "file?: [...{of?: [string]: spec.#Archive}]": {true, true},
		"file: spec.#Asset @replace()": {true, false}, "file: string": {false, false}, "file: string | spec.#Asset": {false, false},
	}
	bodies := map[string]bool{ // whether the body has all inputs
		`json: "${inputs}"`: true, `json: a: "${inputs.file}"`: true, `json: "${merge(inputs, {a: 1})}"`: true, `json: {a: [{b: "${inputs}"}]}`: true, `form: "${inputs}"`: true,
		`query: "${inputs}"`: true, `xml: a: "${inputs}"`: true, `json: "${omit(inputs, 'file')}"`: false, `json: "${inputs.name}"`: false,
	}
	for file, sends := range files {
		check := func(name, rest string, want bool) {
			t.Run(file+"/"+name, func(t *testing.T) {
				t.Parallel()
				_, diags := program(t, `package pets

import "declprov.dev/spec"

name: "pets"
version: "1.0.0"
http: baseURL: "https://pets.example.com"
resources: Pet: {
	inputs: {name: string @replace(), `+file+`}
	`+rest+`
}`)
				found := false
				for _, d := range diags {
					found = found || d.Code == finding.CodeFileInBody
				}
				if found != want {
					t.Errorf("found %t, want %t: %v", found, want, diags)
				}
			})
		}
		for body, all := range bodies {
			check(body, fmt.Sprintf(`id: "${inputs.name}"
	create: http: {method: "POST", path: "/pets", %s}
	read: http: path: "/pets/${id}"
	delete: http: {method: "DELETE", path: "/pets/${id}"}`, body), all && sends[0])
		}
		const own = `
	create: http: {method: "POST", path: "/pets", json: "${omit(inputs, 'file')}"}`
		check("rest", `rest: "/pets"`, sends[0])
		check("rest, updates by PATCH", `rest: "/pets"`+own, sends[1])
		check("rest, updates by PUT", `rest: {path: "/pets", update: "PUT"}`+own, sends[0])
		check("rest, no updates", `rest: {path: "/pets", update: "none"}`+own, false)
	}
}
