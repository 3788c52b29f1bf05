package functions

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:generate go test . -run ^TestThePageIsFresh$ -update
var update = flag.Bool("update", false, "write docs/functions.md anew")

// page returns docs/functions.md.
func page() string {
	var b strings.Builder
	b.WriteString(`<!-- Generated from spec/expr/functions; run "make generate". -->

# The functions of expressions

What each function takes and returns, with an example that a test runs. ` + "`?`" + ` behind a parameter means that it may be left out, behind a type that null is allowed;
` + "`...`" + ` is any number of arguments; ` + "`[T]`" + ` is a list and ` + "`{T}`" + ` a map. A predicate is an expression about one item: ` + "`#`" + ` is the item, ` + "`.name`" + ` a member of it,
` + "`#index`" + ` its index. How expressions work is in the [language reference](language.md#templates).
`)
	code := func(s string) string {
		quote := "`"
		if strings.Contains(s, quote) {
			quote = "`` "
		}
		return quote + strings.ReplaceAll(s, "|", `\|`) + strings.TrimSpace(quote)
	}
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| function | | example |\n|---|---|---|\n", g.title)
		for _, f := range g.functions {
			fmt.Fprintf(&b, "| %s | %s | %s is %s |\n", code(f.Signature), f.Summary, code(f.Example), code(f.Result))
		}
	}
	return b.String()
}

func TestThePageIsFresh(t *testing.T) {
	const path = "../../../docs/functions.md"
	if *update {
		if err := os.WriteFile(path, []byte(page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), page()); diff != "" {
		t.Errorf("%s is stale; run: make generate\n%s", path, diff)
	}
}
