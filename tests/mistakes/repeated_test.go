package mistakes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/names"
)

// TestRepeated finds the mistakes of each spec several times, in one process: they are the same, in the
// same order and with the same words. Parts of the spec are shared between several places, because a
// mistake there could be that of each of them.
func TestRepeated(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, c := range corpus(t, "cue") {
		for _, text := range sharing(c.Text) {
			first := findingsOf(t, text)
			for range 2 {
				if diff := cmp.Diff(first, findingsOf(t, text)); diff != "" {
					t.Errorf("%s (-first +then):\n%s\n%s", c.Name, diff, text)
					break
				}
			}
			compared++
		}
	}
	t.Logf("%d specs", compared)
}

// TestRepeatedPlaces expects the same place in each run for mistakes in a local name, in a step and in
// a result that operations share.
func TestRepeatedPlaces(t *testing.T) {
	t.Parallel()
	for shared, want := range map[string]string{
		`let: now: "${inputs.name}", http: path: "/${inputs.name}"`:            `resource "Thing", find, let`,
		`let: other: "${inputs.nmae}", http: path: "/${other}"`:                `resource "Thing", read, http`,
		`http: path: "/${inputs.nmae}"`:                                        `resource "Thing", read, http`,
		`http: path: "/${inputs.name}", return: {name: "${body.name + true}"}`: `resource "Thing", read`,
	} {
		text := "package test\n\nname: \"test\"\nversion: \"0.1.0\"\nhttp: baseURL: \"http://127.0.0.1\"\n" +
			"resources: Thing: {\n\tinputs: name: string @replace()\n\tid: \"${inputs.name}\"\n\t_op: {" + shared + "}\n" +
			"\tcreate: http: {method: \"PUT\", path: \"/${inputs.name}\"}\n\tfind: _op\n\tread: _op\n}\n"
		first := findingsOf(t, text)
		if len(first) == 0 {
			t.Errorf("no mistake is found in\n%s", text)
		}
		for range 9 {
			found := findingsOf(t, text)
			if diff := cmp.Diff(first, found); diff != "" {
				t.Fatalf("(-first +then):\n%s\n%s", diff, text)
			}
		}
		if !slices.ContainsFunc(first, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Context == want }) {
			t.Errorf("no mistake is in %q:\n%v\n%s", want, first, text)
		}
	}
}

// sharing returns specs that share parts of a spec: its resource between two, and its create between
// the operations that it lacks.
func sharing(text string) (list []string) {
	const resource, create = "\nresources: Thing: {\n", "\n\tcreate: "
	if strings.Count(text, "\nresources: ") != 1 || !strings.Contains(text, resource) {
		return nil
	}
	list = append(list, strings.Replace(text, resource, "\n_shared: {\n", 1)+"\nresources: {Thing: _shared, Other: _shared}\n")
	if strings.Count(text, create) == 1 {
		uses := "\n\tcreate: _op"
		for _, verb := range []string{"find", "read", "update", "delete"} {
			if !strings.Contains(text, "\n\t"+verb+": ") {
				uses += fmt.Sprintf("\n\t%s: _op", verb)
			}
		}
		list = append(list, strings.Replace(text, create, uses+"\n\t_op: ", 1))
	}
	return list
}

// findingsOf returns what vet finds in a spec.
func findingsOf(t *testing.T, text string) diag.List {
	t.Helper()
	doc, found := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
	prog, more := engine.Compile(doc.Provider, builtin.Families())
	found = append(found, more...)
	found = append(found, names.Lint(doc.Provider, found)...)
	return append(found.Sorted(), prog.Unchecked...)
}
