package expr

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/template"
	"github.com/declprov/declprov/spec/types"
)

var seeds = []string{
	"plain", "${inputs.name}", "a $${b} ${inputs.mode ?? \"x\"} c", "${map(inputs.rules, ({p: .port}))}", "${`a``}` + '\\'}'}",
	"${\"\\u{1F600}\" /* } */}", "${inputs.rules[1:][0].port}", "${let a = 1; a ?? 2}", "${if inputs.force { 1 } else { 2 }}",
	"${inputs.name matches \"^[a-z]+$\"}", "${reduce(1..3, #acc + #, 0)}", "${date(\"2024-01-01\").Add(duration(\"1h\")).Format(\"15\")}",
	"${yamldecode(\"&a [*a]\")}", "${semver(\"1\", \"in\", \"<\")}", "${cidrsubnet(\"::/0\", 128, 9)}", "${[1][-9223372036854775807]}",
	"${inputs.tree.left?.left?.label}", "${{(inputs.name): 1}.a}", "${-(-9223372036854775807 - 1)}", "${1 ?? 2 ?? 3}", "${x | map(#)}",
	"${::len(\"a\")}", "${$env}", "${body.a()}", "${#}", "${a..b}", "${\"\\x\"}", "${bitshl(1, 99)}", "${jsondecode(\"1e999999\") + 1}",
}

// FuzzTemplate compiles and evaluates anything: no panic, findings within the
// template, results of their static type.
func FuzzTemplate(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	scope, vars := petScope(), petVars()
	f.Fuzz(func(t *testing.T, text string) {
		v, diags := Compile(stringNode(text), scope, nil)
		size := utf8.RuneCountInString(text)
		for _, d := range diags {
			if d.Severity != diag.Error && d.Severity != diag.Warning || d.Code == "" || d.Summary == "" {
				t.Fatalf("bad finding %+v", d)
			}
			if d.Subject.Start.Column < 1 || d.Subject.End.Column > size+2 || d.Subject.End.Column <= d.Subject.Start.Column {
				t.Fatalf("%q: out of the template: %+v", text, d)
			}
		}
		if diags.HasErrors() {
			return
		}
		got, err := v.Eval(vars)
		if err != nil {
			if strings.Contains(err.Error(), "interface conversion") || strings.Contains(err.Error(), "cannot be evaluated") {
				t.Fatal(err)
			}
			return
		}
		if m := types.Fits(got, v.Type(), scope.Types); m != nil {
			t.Fatalf("%q = %v, which is not %s: %v", text, got, types.Describe(v.Type()), m)
		}
		if _, err := v.Parts(vars); err == nil && len(v.Segments()) == 0 {
			t.Fatalf("%q has parts and no segments", text)
		}
	})
}

// FuzzScanner splits anything into pieces that make up the whole.
func FuzzScanner(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pieces, fault := template.Scan(text)
		size := utf8.RuneCountInString(text)
		if fault != nil {
			if fault.From < 0 || fault.To > size || fault.From >= fault.To {
				t.Fatalf("%q: fault %+v", text, fault)
			}
			return
		}
		runes, end := []rune(text), 0
		var whole strings.Builder
		for _, p := range pieces {
			if p.Expr {
				whole.WriteString("${" + p.Text + "}")
				if utf8.ValidString(text) && string(runes[p.From:p.To]) != p.Text {
					t.Fatalf("%q: %q is not at %d-%d", text, p.Text, p.From, p.To)
				}
			} else {
				whole.WriteString(strings.ReplaceAll(p.Text, "${", "$${"))
			}
			if p.From < end {
				t.Fatalf("%q: pieces overlap", text)
			}
			end = p.To
		}
		if whole.String() != text {
			t.Fatalf("%q came apart as %q", text, whole.String())
		}
	})
}
