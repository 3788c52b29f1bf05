package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/spec/diag"
)

// TestKeysOfSecretMapsAreSecret: the keys of a map that is secret as a whole may not be in an id or in a path, whichever way they are
// taken, and wherever the map comes from.
func TestKeysOfSecretMapsAreSecret(t *testing.T) {
	t.Parallel()
	takes := map[string]string{
		"keys":   "keys(M)[0]",
		"join":   "join(keys(M), ',')",
		"pairs":  "string(first(toPairs(M)))",
		"values": "values(mapValues(M, #key))[0]",
		"filter": "find(keys(M), # != '') ?? ''",
		"json":   "toJSON(M)",
		"let":    "let m = M; keys(m)[0]",
		"choice": "len(M) > 1 ? keys(M)[0] : ''",
		"merge":  "keys(merge(M, {a: 'b'}))[0]",
		"length": "len(keys(M)[0])",
	}
	sources := map[string]struct {
		of, types string
		secret    bool
	}{
		"an input":                  {of: "inputs.tags", types: `inputs: tags: {[string]: string} @secret() @replace()`, secret: true},
		"in an input":               {of: "inputs.meta.tags", types: `inputs: meta: {tags: {[string]: string} @secret() @replace()}`, secret: true},
		"in a secret input":         {of: "inputs.meta.tags", types: `inputs: meta: {tags: {[string]: string}} @secret() @replace()`, secret: true},
		"an output":                 {of: "body.tags", types: `outputs: tags: {[string]: string} @secret()`, secret: true},
		"an output, if it is there": {of: "body?.tags", types: `outputs: tags: {[string]: string} @secret()`, secret: true},
		"an output on the wire":     {of: "body.labels", types: `outputs: tags: {[string]: string} @secret() @wire(labels)`, secret: true},
		"in an output":              {of: "body.meta.tags", types: `outputs: meta: {tags: {[string]: string} @secret()}`, secret: true},
		"an output by return": {of: "body.labels", types: `outputs: tags: {[string]: string} @secret()
	return: tags: "${body.labels}"`, secret: true},
		"in an output by return": {of: "body.labels", types: `outputs: meta: {tags: {[string]: string} @secret()}
	return: meta: tags: "${body.labels}"`, secret: true},
		"in what an output returns": {of: "body.all.labels", types: `outputs: meta: {[string]: {[string]: string}} @secret()
	return: meta: "${body.all}"`, secret: true},
		"in a list of an output":  {of: "body.list[0].tags", types: `outputs: list: [...{tags: {[string]: string} @secret()}]`, secret: true},
		"beside a secret":         {of: "body.meta.names", types: `outputs: meta: {tags: {[string]: string} @secret(), names: {[string]: string}}`},
		"what is around a secret": {of: "body.meta", types: `outputs: meta: {tags: {[string]: string} @secret()}`, secret: true},
		"in a secret output":      {of: "body.meta.tags", types: `outputs: meta: {tags: {[string]: string}} @secret()`, secret: true},
		"a public input":          {of: "inputs.tags", types: `inputs: tags: {[string]: string} @replace()`},
		"a public output":         {of: "body.tags", types: `outputs: tags: {[string]: string}`},
	}
	places := map[string]string{
		"the id": `id: "${string(X)}"
	create: http: {method: "POST", path: "/things"}`,
		"a path": `id: "${steps.made.body.id}"
	create: steps: [{as: "made", http: {method: "POST", path: "/things"}}, {http: {method: "POST", path: "/things/${string(X)}"}}]`,
		"a loop": `id: "${steps.made.body.id}"
	create: steps: [{as: "made", http: {method: "POST", path: "/things"}}, {forEach: "${M}", http: {method: "POST", path: "/things/${each.key}"}}]`,
	}
	for source, from := range sources {
		for how, take := range takes {
			for place, text := range places {
				if place == "a loop" && how != "keys" || place != "the id" && !strings.HasPrefix(from.of, "inputs") {
					continue // an object has outputs only after its create
				}
				t.Run(fmt.Sprintf("%s, %s of %s", place, how, source), func(t *testing.T) {
					t.Parallel()
					text := strings.NewReplacer("X", strings.ReplaceAll(take, "M", from.of), "M", from.of).Replace(text)
					_, diags := newWorld().compile(t, fmt.Sprintf(`http: baseURL: "https://things.example.com"
resources: Thing: {
	%s
	%s
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`, from.types, text))
					exposed, wrong := false, false
					for _, d := range diags {
						exposed = exposed || d.Severity == diag.Error && d.Code == finding.CodeSecretExposed
						wrong = wrong || d.Severity == diag.Error && d.Code != finding.CodeSecretExposed
					}
					if exposed != from.secret || wrong {
						t.Errorf("refused: %v, want %v: %s: %+v", exposed, from.secret, text, diags)
					}
				})
			}
		}
	}
}
