package mistakes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notations are placeholders of other tools for a name.
var notations = []string{"{{ %s }}", "{{%s}}", "{{ .%s }}", "{%s}", "#{%s}", "%%{%s}", "$(%s)", "<%s>"}

// idNotations are those that are only recognized for the id: $x and :x are also in scripts and in statements.
var idNotations = []string{"$%s", ":%s"}

// argumentPlaces are the places of a template in a delete.
var argumentPlaces = []string{
	`http: {method: "DELETE", path: "/things", query: n: %q}`,
	`http: {method: "DELETE", path: "/things/remove?n=\(%q)"}`,
	`http: {method: "POST", path: "/things/remove", json: n: %q}`,
	`http: {method: "POST", path: "/things/remove", json: deep: list: [{n: %q}]}`,
	`http: {method: "POST", path: "/things/remove", form: n: %q}`,
	`http: {method: "POST", path: "/things/remove", text: %q}`,
	`http: {method: "POST", path: "/things/remove", headers: "X-Name": %q}`,
	`http: {method: "POST", path: "/things/remove", graphql: {query: "mutation ($n: String) { remove(n: $n) }", variables: n: %q}}`,
	`http: {method: "POST", path: "/things/remove", multipart: [{name: "n", value: %q}]}`,
	`exec: command: ["tool", "remove", %q]`,
	`exec: {command: ["tool", "remove"], stdin: %q}`,
	`exec: {command: ["tool", "remove"], env: NAME: %q}`,
	`sql: exec: {statement: "delete from things where n = {n}", params: n: %q}`,
	`file: delete: path: %q`,
}

const placeholderSpec = `package test
name:    "test"
version: "0.1.0"
http: baseURL: "https://things.example.com"
sql: {driver: "sqlite", file: "things.db"}
file: root: "."
resources: {
`

const placeholderResource = `Thing%d: {
	inputs: {
		// What it is called.
		title: string @replace()
	}
	id: "${body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}
	read: http: path: "/things/${id}"
	delete: %s
}
`

// TestPlaceholders writes placeholders of other tools in each place where an expression may stand.
func TestPlaceholders(t *testing.T) {
	dir := t.TempDir()
	var paths, written []string
	write := func(name string, list []string) {
		for _, notation := range list {
			text := fmt.Sprintf(notation, name)
			spec := placeholderSpec
			for i, place := range argumentPlaces {
				spec += fmt.Sprintf(placeholderResource, i, fmt.Sprintf(place, text))
			}
			path := filepath.Join(dir, fmt.Sprintf("%d.cue", len(paths)))
			if err := os.WriteFile(path, []byte(spec+"}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			paths, written = append(paths, path), append(written, text)
		}
	}
	write("id", slices.Concat(notations, idNotations))
	write("title", notations)
	found := vet(t, paths)
	for i, path := range paths {
		for j, place := range argumentPlaces {
			isPlaceholder := func(f finding) bool {
				return f.Code == "bare-reference" && len(f.Edits) == 1 && strings.HasPrefix(f.Path, fmt.Sprintf("resources.Thing%d.delete.", j))
			}
			if !slices.ContainsFunc(found[path], isPlaceholder) {
				t.Errorf("%s is not reported in %s", written[i], place)
			}
		}
		if len(found[path]) != len(argumentPlaces) {
			t.Errorf("%s: %d findings in %d places:\n%s", written[i], len(found[path]), len(argumentPlaces), described(found[path]))
		}
	}
}
