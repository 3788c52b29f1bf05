package mistakes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRepeated finds the mistakes of each spec several times: they are the same, in the
// same order and with the same words. Parts of the spec are shared between several places, because a
// mistake there could be that of each of them.
func TestRepeated(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, c := range corpus(t, "cue") {
		texts = append(texts, sharing(c.Text)...)
	}
	if len(texts) < 400 {
		t.Errorf("only %d specs share something", len(texts))
	}
	vetRepeatedly(t, texts, 2)
}

// TestRepeatedPlaces expects the same place in each run for mistakes in a local name, in a step and in
// a result that operations share.
func TestRepeatedPlaces(t *testing.T) {
	t.Parallel()
	var texts, places []string
	for shared, want := range map[string]string{
		`let: now: "${inputs.name}", http: path: "/${inputs.name}"`:            "resources.Thing.find.let.now",
		`let: other: "${inputs.nmae}", http: path: "/${other}"`:                "resources.Thing.read.http.path",
		`http: path: "/${inputs.nmae}"`:                                        "resources.Thing.read.http.path",
		`http: path: "/${inputs.nmae}", return: {name: "${body.name + true}"}`: "resources.Thing.read.return",
	} {
		texts = append(texts, "package test\n\nname: \"test\"\nversion: \"0.1.0\"\nhttp: baseURL: \"http://127.0.0.1\"\n"+
			"resources: Thing: {\n\tinputs: name: string @replace()\n\tid: \"${inputs.name}\"\n\t_op: {"+shared+"}\n"+
			"\tcreate: http: {method: \"PUT\", path: \"/${inputs.name}\"}\n\tfind: _op\n\tread: _op\n}\n")
		places = append(places, want)
	}
	for i, found := range vetRepeatedly(t, texts, 6) {
		if !slices.ContainsFunc(found, func(f finding) bool { return f.Severity == "error" && f.Path == places[i] }) {
			t.Errorf("no mistake is in %s: %+v\n%s", places[i], found, texts[i])
		}
	}
}

// vetRepeatedly returns what vet finds in each spec, and compares that with what other runs find.
func vetRepeatedly(t *testing.T, texts []string, runs int) (found [][]finding) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("%d.cue", i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	first := vet(t, paths)
	for range runs - 1 {
		then := vet(t, paths)
		for i, path := range paths {
			if diff := cmp.Diff(first[path], then[path]); diff != "" {
				t.Fatalf("(-first +then):\n%s\n%s", diff, texts[i])
			}
		}
	}
	for _, path := range paths {
		found = append(found, first[path])
	}
	return found
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
