package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rawArguments are the arguments that take no templates, each as an operation with
// a gap for its text.
var rawArguments = map[string]string{
	"a script":          `exec: {shell: %s}`,
	"a GraphQL query":   `http: {path: "/q", graphql: {query: %s}, idempotent: true}`,
	"a confinement":     `exec: {command: ["env"], sandbox: %s}`,
	"a script of steps": `steps: [{exec: {shell: %s}}]`,
}

// asGraphQL returns a document with a text in it, which alone would be no GraphQL.
func asGraphQL(text string) string { return `{q(text: """` + text + `""")}` }

// TestRawArguments: an argument that takes no templates takes none at all, also
// not one that refers to nothing and so has a value beforehand.
func TestRawArguments(t *testing.T) {
	t.Parallel()
	templates := map[string]string{
		"a reference":                "echo ${inputs.name}",
		"a number":                   `f() { curl "${1}"; }`,
		"a positional with more":     "echo ${10}",
		"a string":                   `${"x"}`,
		"a boolean":                  "${true}",
		"null":                       "a ${null} b",
		"arithmetic":                 "awk '{print ${1+1}}'",
		"a call":                     `${upper("x")}`,
		"a list":                     "${[1]}",
		"a here-document":            "cat <<EOF\n${1}\nEOF\n",
		"a shell's default":          "${NAME:-none}",
		"a shell's length":           "${#NAME}",
		"a shell's variable":         "${NAME}",
		"one without an end":         "echo ${1",
		"an empty one":               "echo ${}",
		"behind an escaped one":      "$${A} ${1}",
		"before an escaped one":      "${1} $${A}",
		"the whole of it":            "${1}",
		"an escape that is none":     "$$ ${1}",
		"inside an awk program":      `awk 'BEGIN { x = "${0}" }'`,
		"inside a comment":           "# ${1}",
		"a constant of a comparison": "${1 < 2}",
	}
	plain := map[string]string{
		"no dollar":           "echo hello",
		"a variable":          `echo "$NAME" $1 $$ $(id)`,
		"an escaped one":      `f() { curl "$${1}"; }`,
		"escaped ones":        "$${A}$${B:-$${C}}",
		"a here-document":     "cat <<EOF\n$${1}\nEOF\n",
		"a Jinja expression":  "{{ name }} {% if x %}",
		"a Perl hash":         `perl -e 'print $h{a}, @{$x}, %{$y}'`,
		"a lone brace":        "{ } } {",
		"a dollar at the end": "cost: 5$",
	}
	for what, operation := range rawArguments {
		for _, group := range []struct {
			texts map[string]string
			want  []string
		}{{templates, []string{"no-templates"}}, {plain, nil}} {
			if what == "a confinement" && group.want == nil {
				continue // it takes three words, of which none of these is one
			}
			for name, text := range group.texts {
				t.Run(what+"/"+name, func(t *testing.T) {
					if what == "a GraphQL query" {
						text = asGraphQL(text)
					}
					if got := rawCodes(t, operation, fmt.Sprintf("%q", text)); !cmp.Equal(got, group.want) {
						t.Errorf("%s: codes %q, want %q", text, got, group.want)
					}
					if group.want != nil && what != "a confinement" {
						if got := rawCodes(t, operation, fmt.Sprintf("{literal: %q}", text)); len(got) > 0 {
							t.Errorf("as a literal: codes %q", got)
						}
					}
				})
			}
		}
	}
	t.Run("the whole argument", func(t *testing.T) {
		if got := rawCodes(t, `http: {path: "/q", graphql: %s, idempotent: true}`, `"${ {query: inputs.name} }"`); !slices.Contains(got, "no-templates") {
			t.Errorf("codes %q", got)
		}
	})
}

func rawCodes(t *testing.T, operation, text string) []string {
	t.Helper()
	_, diags := newWorld().compile(t, `
http: baseURL: "https://api.test"
resources: It: {
	inputs: {name: string}
	id: "it"
	create: `+fmt.Sprintf(operation, text)+`
	delete: world: do: what: "remove"
}`)
	var out []string
	for _, d := range diags {
		if d.Severity.String() == "error" && !strings.HasPrefix(d.Code, "unsure") {
			out = append(out, d.Code)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
