package walk_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

// hiddenDocument returns a spec with a fragment at a place.
func hiddenDocument(where, what string) string {
	parts := map[string]string{
		"top": "", "defaults": "", "resource": "", "inputs": "", "default": "{}", "json": "", "nested": "", "list": "", "query": "", "headers": "", "env": "", "return": "",
	}
	parts[where] = what
	return fmt.Sprintf(`name: "test"
version: "0.1.0"
%[1]s
http: {baseURL: "https://example.com", headers: {%[2]s}}
resources: Thing: {
	%[3]s
	inputs: {name: string, free: *%[5]s | {[string]: _}, %[4]s}
	id: "1"
	create: steps: [
		{http: {path: "/", json: {a: 1, b: {c: 2, %[7]s}, d: [{%[8]s}], %[6]s}, query: {%[9]s}, headers: {%[10]s}}},
		{exec: {command: ["true"], env: {%[11]s}}},
	]
	read: {http: path: "/", return: {name: "x", %[12]s}}
	delete: http: {method: "DELETE", path: "/"}
}
`, parts["top"], parts["defaults"], parts["resource"], parts["inputs"], parts["default"], parts["json"], parts["nested"], parts["list"],
		parts["query"], parts["headers"], parts["env"], parts["return"])
}

// What CUE would leave out of data is an error wherever data or properties are, and a
// helper that something refers to is none.
func TestHiddenFieldsInData(t *testing.T) {
	data := []string{"defaults", "inputs", "json", "nested", "list", "query", "headers", "env", "return"}
	for _, name := range []string{"_id", "#tag", "_#tag"} {
		for _, where := range data {
			t.Run(where+" "+name, func(t *testing.T) {
				t.Parallel()
				src := strings.Replace(hiddenDocument(where, "NAME: \"6\""), "NAME", "«"+name+"»", 1)
				loadtest.Mistake(t, "cue", src, source.CodeHiddenField)
				noHidden(t, hiddenDocument(where, fmt.Sprintf("%q: %q", name, "6")), where+" quoted")
				if where != "inputs" {
					noHidden(t, hiddenDocument(where, fmt.Sprintf("%s: %q, other: %s", name, "6", name)), where+" referred to")
				}
			})
		}
		for _, where := range []string{"top", "resource"} {
			noHidden(t, hiddenDocument(where, name+`: "6"`), where+" "+name)
		}
	}
	loadtest.Mistake(t, "cue", hiddenDocument("default", `{a: [{«_id»: 1}]}`), source.CodeHiddenField)
	noHidden(t, hiddenDocument("json", `_id: "6"} & {_id: string, other: _id`), "unified")
	noHidden(t, hiddenDocument("json", `X=_id: "6", other: X`), "an alias")
}

// A macro takes its parameters as definitions: the body refers to them.
func TestHiddenParametersOfMacros(t *testing.T) {
	t.Parallel()
	noHidden(t, strings.Replace(hiddenDocument("top", "_body: {#kind: string, kind: #kind, _half: 1, whole: 2*_half}"), "{a: 1,", "_body & {#kind: \"x\", a: 1,", 1), "a macro")
}

// A name that CUE keeps for itself has a remedy.
func TestReservedIdentifiers(t *testing.T) {
	t.Parallel()
	_, diags := load.Load(context.Background(), load.Source{Path: "-", Stdin: []byte(hiddenDocument("json", "__typename: 1")), Format: "cue"})
	if len(diags) != 1 || diags[0].Code != source.CodeSyntaxError || !strings.Contains(diags[0].Detail, `"__typename"`) {
		t.Errorf("%+v", diags)
	}
}

func noHidden(t *testing.T, src, what string) {
	t.Helper()
	_, diags := load.Load(context.Background(), load.Source{Path: "-", Stdin: []byte(src), Format: "cue"})
	for _, d := range diags {
		if d.Code == source.CodeHiddenField || d.Code == source.CodeSyntaxError {
			t.Errorf("%s: %+v", what, d)
		}
	}
}
