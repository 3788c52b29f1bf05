package schema_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/engine/schema/schematest"
	"github.com/declprov/declprov/tests/internal/sdk"
)

// TestSDKsCompile is number 18 of the conformance list: names that the generators derive
// (FileArgs, KindArray) are distinct, and programs can use the SDK. Those in TypeScript and
// Python are the example of a resource that has inputs of every kind, as its documentation
// shows it.
func TestSDKsCompile(t *testing.T) {
	t.Parallel()
	text, findings := schema.Pulumi(schematest.Everything())
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	programs := map[string]string{
		"TypeScript": lastExample(t, text, "everything:index:Thing", "typescript"),
		"Python":     lastExample(t, text, "everything:index:Thing", "python"),
		"Go": `package main

import (
	"example.com/repo/sdk/go/everything"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		_, err := everything.NewEmpty(ctx, "empty", nil)
		return err
	})
}
`,
	}
	for _, l := range sdk.Languages() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			w := l.Open(t, text, t.TempDir())
			for _, c := range l.Checkers {
				if found, printed := w.Check(t, c, programs[l.Name]); len(found[0]) > 0 {
					t.Errorf("%s:\n%s", c.Name, printed)
				}
			}
		})
	}
}

// lastExample returns the code of the last example in the documentation of a resource.
func lastExample(t *testing.T, text []byte, token, language string) string {
	t.Helper()
	var doc struct {
		Resources map[string]struct{ Description string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n````"+language+"\n(.*?)````").FindAllStringSubmatch(doc.Resources[token].Description, -1)
	if len(blocks) == 0 {
		t.Fatalf("%s has no example in %s:\n%s", token, language, doc.Resources[token].Description)
	}
	return blocks[len(blocks)-1][1]
}
