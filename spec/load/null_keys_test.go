package load

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/load/block"
)

// TestNullsOfKeysAreWhatTheTableSays: if the table says that a key of a resource may be null, null is accepted, next to rest and
// without it, and has an effect; otherwise it is refused, unless the key takes any value.
func TestNullsOfKeysAreWhatTheTableSays(t *testing.T) {
	t.Parallel()
	var said []string
	for _, key := range block.Resource.Keys {
		if key.Null {
			said = append(said, key.Name)
		}
		for _, shorthand := range []bool{true, false} {
			for _, format := range []string{"cue", "yaml"} {
				t.Run(fmt.Sprintf("%s, rest %v, %s", key.Name, shorthand, format), func(t *testing.T) {
					t.Parallel()
					keys := map[string]string{
						"inputs": `{"name": "string @replace()"}`, "id": `"${inputs.name}"`, "create": `{"http": {"method": "PUT", "path": "/pets/${inputs.name}"}}`,
						"read": `{"http": {"path": "/pets/${id}"}}`, "delete": `{"http": {"method": "DELETE", "path": "/pets/${id}"}}`,
					}
					if shorthand {
						keys = map[string]string{"inputs": keys["inputs"], "rest": `{"path": "/pets", "id": "${inputs.name}"}`}
					}
					keys[key.Name] = "null"
					var pet []string
					for name, v := range keys {
						pet = append(pet, fmt.Sprintf("%q: %s", name, v))
					}
					slices.Sort(pet)
					text := `{"name": "pets", "version": "1.0.0", "http": {"baseURL": "http://127.0.0.1:1"}, "resources": {"Pet": {` + strings.Join(pet, ", ") + `}}}`
					if format == "cue" {
						text = strings.ReplaceAll(text, `"string @replace()"`, "string @replace()")
						text = strings.ReplaceAll(text, `{"name": string @replace()}`, "{\"name\": string @replace()\n}")
					}
					doc, diags := Load(t.Context(), Source{Path: "-", Format: format, Stdin: []byte(text)})
					if want := key.Null || key.Kind == block.Data; (len(diags) == 0) != want {
						t.Fatalf("%s: %v, want %v", text, diags, want)
					}
					if len(diags) > 0 {
						return
					}
					pets := doc.Provider.Resources[0]
					if has := map[string]bool{"find": pets.Find != nil, "delete": pets.Delete != nil}[key.Name]; has {
						t.Errorf("%s: it has %s", text, key.Name)
					}
					if key.Name != "find" && shorthand && pets.Find == nil || key.Name != "delete" && pets.Delete == nil {
						t.Errorf("%s: it lacks another operation", text)
					}
				})
			}
		}
	}
	if want := []string{"delete", "find"}; !slices.Equal(said, want) {
		t.Errorf("keys whose null has a meaning: %v, want %v", said, want)
	}
}
