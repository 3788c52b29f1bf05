package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/let"
)

// TestRefusedNames declares each reserved name wherever a name is declared, and uses it there. Only the declaration is
// reported: what would follow from it is not, and nothing is suggested for the uses.
func TestRefusedNames(t *testing.T) {
	const head = "name: \"test\"\nversion: \"1.0.0\"\nhttp: baseURL: \"https://example.com\"\n"
	const resource = `resources: A: {
	inputs: {name: string, password: string @secret() @noRead()}
	LOCAL
	id: "${body.id}"
	create: {http: {method: "POST", path: "/a", json: {name: "${inputs.name}", password: "${inputs.password}", slug: "USE"}}}
	read: {http: {method: "GET", path: "/a/${id}"}}
	update: {http: {method: "PUT", path: "/a/${id}", json: {name: "${inputs.name}", password: "${inputs.password}", slug: "USE"}}}
	delete: http: {method: "DELETE", path: "/a/${id}"}
	find: {http: {method: "GET", path: "/a"}, return: "${find(body, #.name == inputs.name)}"}
}`
	type place struct {
		text  string
		names []string
		// uses are what refers to the name.
		uses []string
	}
	with := func(text string, pairs ...string) string { return head + strings.NewReplacer(pairs...).Replace(text) }
	ofLet := []string{"${NAME}", "${NAME.x}", "${NAME.name}", "${NAME.id}", "${lower(NAME)}", "a${NAME}b"}
	places := map[string]place{
		"let of a resource":   {with(resource, "LOCAL", `"let": "NAME": "${lower(inputs.name)}"`), let.Reserved(), ofLet},
		"let of an operation": {with(strings.Replace(resource, "USE", "${inputs.name}", 1), "LOCAL", "", "update: {", `update: {"let": "NAME": "${lower(inputs.name)}", `), let.Reserved(), ofLet},
		"let of a function":   {head + `functions: f: {inputs: {name: string, password: string @secret()}, "let": "NAME": "${lower(inputs.name)}", http: {method: "GET", path: "/a", query: {a: "USE"}}, outputs: x: string}`, let.Reserved(), ofLet},
	}
	// The names that hosts reserve for properties.
	reserved := []string{"pulumi", "id", "urn", "constructor", "__x"}
	for kind, use := range map[string]string{"inputs": "${inputs.NAME}", "outputs": "${state.NAME}"} {
		text := strings.NewReplacer("LOCAL", "outputs: {}").Replace(strings.Replace(resource, "USE", "${inputs.name}", 1))
		if kind == "inputs" {
			text = strings.Replace(text, "{name: string,", `{name: string, "NAME": string,`, 1)
		} else {
			text = strings.Replace(text, "outputs: {", `outputs: {"NAME": string`, 1)
		}
		places["property of "+kind] = place{head + text, reserved, []string{use, "${lower(" + use[2:len(use)-1] + ")}"}}
	}
	places["argument of a function"] = place{
		head + `functions: f: {inputs: {name: string, "NAME": string}, http: {method: "GET", path: "/a/${inputs.name}", query: {a: "USE"}}, outputs: x: string}`,
		[]string{"pulumi", "__x"},
		[]string{"${inputs.NAME}"},
	}
	places["under"] = place{
		head + `resources: A: {inputs: {name: string, store: string @replace()}, rest: {path: "/stores/USE/a", unique: "name", update: "PUT", under: "NAME": "${inputs.store}"}}`,
		[]string{"pulumi", "__x"},
		[]string{"${NAME}"},
	}
	for where, p := range places {
		for _, name := range p.names {
			for _, use := range p.uses {
				t.Run(fmt.Sprintf("%s, %s, %s", where, name, use), func(t *testing.T) {
					text := strings.NewReplacer("USE", strings.ReplaceAll(use, "NAME", name), "NAME", name).Replace(p.text)
					built, err := Here(t.Context(), build.Spec{Path: "-", Format: "cue", Stdin: []byte(text)})
					if err != nil {
						t.Fatal(err)
					}
					for _, d := range built.Findings {
						if d.Code != "reserved-name" && (d.Severity == diag.Error || len(d.Edits) > 0) {
							t.Errorf("%s %s: %s, %s %v", d.Code, d.Subject, d.Summary, d.Detail, d.Edits)
						}
					}
				})
			}
		}
	}
}

// TestNoEditGivesSecretsAway: a name that means all inputs elsewhere is replaced where one member is taken, and else only
// if none is secret.
func TestNoEditGivesSecretsAway(t *testing.T) {
	for _, name := range []string{"new", "args", "params", "planned", "desired"} {
		for _, tc := range []struct {
			secret, use string
			edits       int
		}{
			{"", "${NAME}", 1},
			{"", "${NAME.name}", 1},
			{"@secret()", "${NAME}", 0},
			{"@secret()", "${[NAME]}", 0},
			{"@secret()", "${NAME.name}", 1},
			{"@secret()", "${NAME['name']}", 1},
		} {
			use := strings.ReplaceAll(tc.use, "NAME", name)
			t.Run(tc.secret+use, func(t *testing.T) {
				text := fmt.Sprintf("name: \"test\"\nversion: \"1.0.0\"\nhttp: baseURL: \"https://example.com\"\n"+
					`functions: f: {inputs: {name: string, password: string %s}, http: {method: "POST", effect: "none", path: "/a/${inputs.name}", json: {a: "%s", b: "${inputs.password}"}}, outputs: x: string}`, tc.secret, use)
				built, err := Here(t.Context(), build.Spec{Path: "-", Format: "cue", Stdin: []byte(text)})
				if err != nil {
					t.Fatal(err)
				}
				edits := 0
				for _, d := range built.Findings {
					edits += len(d.Edits)
				}
				if !built.Findings.HasErrors() || edits != tc.edits {
					t.Errorf("%d edits, expected %d: %v", edits, tc.edits, built.Findings)
				}
			})
		}
	}
}
