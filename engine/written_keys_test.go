package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/diag"
)

// TestKeysThatNothingTakes: vet reports a key of a struct in a `return` if no property or member
// takes its value, wherever in an expression the struct stands; and no other key.
func TestKeysThatNothingTakes(t *testing.T) {
	t.Parallel()
	// NAME is a property, or a member of #Part. OTHER is the property that they are beside.
	places := map[string]string{ // of a template
		"return":           `%s`,
		"member":           `{part: %s}`,
		"member in member": `{whole: part: %s}`,
		"list":             `{parts: %s}`,
		"map":              `{named: %s}`,
	}
	templates := map[string][]string{ // by place
		"return": {
			"${{NAME: 1}}", "${merge(body, {NAME: 1})}", "${merge({NAME: 1}, body)}", "${merge(body, {whole: {part: {NAME: 1}}})}", "${{parts: [{NAME: 1}]}}",
			"${ON ? {NAME: 1} : body}", "${ON ? body : {'NAME': 1}}", "${body.x ?? {NAME: 1}}", "${let k = {NAME: 1}; merge(body, k)}",
			"${let k = {part: {NAME: 1}}; ON ? k : body}",
		},
		"member":           {"${{NAME: 1}}", "${merge(body.part, {NAME: 1})}", "${ON ? {NAME: 1} : null}", "${body.part ?? {'NAME': 1}}", "${let k = {NAME: 1}; k}"},
		"member in member": {"${{NAME: 1}}", "${ON ? {NAME: 1} : null}"},
		"list":             {"${[{NAME: 1}]}", "${map(['a'], ({NAME: 1}))}", "${ON ? [{NAME: 1}] : []}", "${map(['a'], let k = {NAME: 1}; k)}"},
		"map":              {"${{'x': {NAME: 1}}}", "${mapValues({a: 1}, ({NAME: 1}))}", "${merge({}, {x: {NAME: 1}})}"},
	}
	for place, with := range places {
		for _, template := range templates[place] {
			for name, found := range map[string]bool{"size": false, "sise": true} {
				yield := fmt.Sprintf(with, `"`+strings.ReplaceAll(template, "NAME", name)+`"`)
				for _, operation := range []string{"create", "read", "function"} {
					t.Run(operation+" "+yield, func(t *testing.T) {
						t.Parallel()
						checkKey(t, operation, yield, found)
					})
				}
			}
		}
	}
}

// checkKey compiles a spec with a `return` of an operation, and checks whether the key sise is
// reported at its place.
func checkKey(t *testing.T, operation, yield string, found bool) {
	t.Helper()
	const properties = `size?: int, part?: #Part, whole?: part?: #Part, parts?: [...#Part], named?: [string]: #Part`
	returns := map[string]string{"create": "", "read": "", "function": ""}
	condition := map[string]string{"create": "inputs.on", "read": "id == 'y'", "function": "inputs.on"}[operation]
	returns[operation] = ", return: " + strings.ReplaceAll(yield, "ON", condition)
	text := fmt.Sprintf(`package test
name: "test"
version: "1.0.0"
http: {baseURL: "https://things.example.com"}
#Part: size?: int
resources: Thing: {
	inputs: on: bool @noRead()
	outputs: {%s}
	id: "x"
	create: {http: {method: "POST", path: "/things"}%s}
	read: {http: {path: "/things/${id}"}%s}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
functions: look: {
	inputs: on: bool
	outputs: {%s}
	http: {path: "/look"}%s
}
`, properties, returns["create"], returns["read"], properties, returns["function"])
	_, diags := newWorld().compile(t, text)
	var places []string
	for _, d := range diags {
		if d.Severity == diag.Error {
			places = append(places, fmt.Sprintf("%s at %q, meant %q", d.Code, subject(text, d.Subject), suggested(d)))
		}
	}
	want := ""
	if found {
		want = `unknown-member at "sise", meant "size"`
	}
	got := strings.Join(places, "; ")
	if strings.ReplaceAll(got, "'", "") != want {
		t.Errorf("found %s, want %s: %+v", got, want, diags)
	}
}

// suggested returns the text of the first suggested edit.
func suggested(d diag.Diagnostic) string {
	if len(d.Edits) == 0 {
		return ""
	}
	return d.Edits[0].Text
}

// TestKeysOnTheWire: in an untyped value, keys are names on the wire, and in a struct, declared
// names.
func TestKeysOnTheWire(t *testing.T) {
	t.Parallel()
	for yield, found := range map[string]string{
		"${merge(body, {PartSize: 1})}":                             "",
		"${merge(body, {partSize: 1})}":                             "partSize",
		"${{partSize: 1}}":                                          "",
		"${{PartSize: 1}}":                                          "PartSize",
		"${merge(body, {part: 1})}":                                 "part",
		"${merge(body, {Part: {fullName: 'a'}})}":                   "fullName",
		"${merge(body, {Part: {FullName: 'a'}})}":                   "",
		"${merge(body, {Part: merge(body.Part, {FullName: 'a'})})}": "",
		"${body.x == 1 ? {PartSize: 1} : body}":                     "",
	} {
		t.Run(yield, func(t *testing.T) {
			t.Parallel()
			text := fmt.Sprintf(`package test
name: "test"
version: "1.0.0"
wire: "PascalCase"
http: baseURL: "https://things.example.com"
#Part: fullName?: string
resources: Thing: {
	inputs: name: string @noRead()
	outputs: {partSize?: int, part?: #Part}
	id: "${inputs.name}"
	create: http: {method: "PUT", path: "/things/${inputs.name}"}
	read: {http: {path: "/things/${id}"}, return: %q}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
`, yield)
			_, diags := newWorld().compile(t, text)
			var got string
			for _, d := range diags {
				if d.Severity == diag.Error {
					got += subject(text, d.Subject)
				}
			}
			if got != found {
				t.Errorf("reported %q, want %q: %v", got, found, diags)
			}
		})
	}
}
