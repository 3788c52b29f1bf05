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

The signature of each function, what it returns, and an example that a test executes. ` + "`?`" + ` after a parameter marks it as optional, and after a type allows null;
` + "`...`" + ` is any number of arguments; ` + "`[T]`" + ` is a list and ` + "`{T}`" + ` a map. A predicate is an expression that is evaluated for each item: ` + "`#`" + ` is the item, ` + "`.name`" + ` its member,
` + "`#index`" + ` its index. A predicate that makes a struct is in parentheses: ` + "`map(items, ({name: .title}))`" + `. ` + "`let`" + ` keeps an item for a predicate within the predicate:
` + "`map(groups, let name = .name; map(.users, name + '/' + #))`" + `. The [language reference](language.md#templates) explains expressions.
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
