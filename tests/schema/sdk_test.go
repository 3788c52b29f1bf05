package schema_test

import (
	"testing"

	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/engine/schema/schematest"
	"github.com/declprov/declprov/tests/internal/sdk"
)

// TestSDKsCompile is number 18 of the conformance list: names that the generators derive
// (FileArgs, KindArray) are distinct, and a program can use the SDK.
func TestSDKsCompile(t *testing.T) {
	t.Parallel()
	text, findings := schema.Pulumi(schematest.Everything())
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	programs := map[string]string{
		"TypeScript": "import * as everything from \"@example/everything\";\nnew everything.Empty(\"empty\");\n",
		"Python":     "import somebody_everything as everything\n\neverything.Empty(\"empty\")\n",
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
				if found, printed := w.Check(t, c, programs[l.Name]); len(found) > 0 {
					t.Errorf("%s:\n%s", c.Name, printed)
				}
			}
		})
	}
}
