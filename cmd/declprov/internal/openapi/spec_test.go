package openapi

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/load"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestSpecs compares the specs for documents with those in testdata, in both forms. The forms have the same model.
func TestSpecs(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, ".spec.yaml") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			doc, err := Load(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			for _, extension := range []string{".cue", ".spec.yaml"} {
				got, err := Write(doc, Options{Name: "made-up", YAML: extension != ".cue"})
				if err != nil {
					t.Fatal(err)
				}
				golden := strings.TrimSuffix(path, ".yaml") + extension
				text := string(got.Text)
				for _, l := range got.LeftOut {
					text += map[bool]string{true: "//", false: "#"}[extension == ".cue"] + " " + l.Path + ": " + l.Reason + "\n"
				}
				if *update {
					if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), text); diff != "" {
					t.Errorf("%s (-want +got); if this is intended: go test -update\n%s", golden, diff)
				}
				_, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(text), Format: strings.TrimPrefix(filepath.Ext(golden), ".")})
				if diags.HasErrors() {
					t.Errorf("%s: %v", golden, diags)
				}
			}
		})
	}
}

// TestOnly checks which resources patterns choose.
func TestOnly(t *testing.T) {
	t.Parallel()
	doc, err := Load(t.Context(), "testdata/habits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		only []string
		want string
	}{
		{nil, "Form Grant Settings Rule Item Task Queue"},
		{[]string{"Queue"}, "Queue"},
		{[]string{"Q*", "It?m"}, "Item Queue"},
		{[]string{"queue"}, ""},
		{[]string{"["}, ""},
	} {
		got := ""
		made, err := Write(doc, Options{Name: "made-up", Only: c.only})
		if (err == nil) != (c.want != "") {
			t.Errorf("%q: %v", c.only, err)
		}
		if err == nil {
			var names []string
			for _, r := range made.Resources {
				names = append(names, r.Name)
			}
			got = strings.Join(names, " ")
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.only, got, c.want)
		}
	}
}

// TestJSON checks that documents in JSON are read as such: YAML does not have what some of them contain.
func TestJSON(t *testing.T) {
	t.Parallel()
	const paths = `"paths": {"/a": {"post": X, "get": X}, "/a/{id}": {"get": X}}`
	const operation = `{"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}, "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}`
	const schemas = `"components": {"schemas": {"A": {"type": "object", "properties": {"id": {"type": "integer", "readOnly": true}, "n": {"type": "string", "description": "TEXT", "maxLength": 9223372036854775808}}}}}`
	document := `{"openapi": "3.0.0", ` + strings.ReplaceAll(paths, "X", operation) + ", " + schemas + "}"
	for name, c := range map[string]struct{ text, want string }{
		"plain":           {strings.Replace(document, "TEXT", "Plain.", 1), "// Plain."},
		"surrogates":      {strings.Replace(document, "TEXT", `A \ud83d\ude00 b.`, 1), "// A \U0001f600 b."},
		"half of a pair":  {strings.Replace(document, "TEXT", `A \ud83d b.`, 1), "// A \ufffd b."},
		"slashes":         {strings.Replace(document, "TEXT", `A\/b.`, 1), "// A/b."},
		"a mark":          {"\ufeff" + strings.Replace(document, "TEXT", "Plain.", 1), "// Plain."},
		"tabs":            {strings.ReplaceAll(strings.Replace(document, "TEXT", "Plain.", 1), ": {", ":\n\t\t{"), "// Plain."},
		"long names":      {strings.Replace(document, `"schemas": {`, `"schemas": {"`+strings.Repeat("b", 3000)+`": {},`, 1), "// TEXT"},
		"YAML in braces":  {`{openapi: 3.0.0, ` + strings.ReplaceAll(paths, "X", operation) + ", " + schemas + "}", "// TEXT"},
		"lines of errors": {strings.Replace(document, `"maxLength"`, "\n\n\"items\": {\"$ref\": \"#/none\"}, \"maxLength\"", 1), "// TEXT"},
	} {
		path := filepath.Join(t.TempDir(), "a.json")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		doc, err := Load(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		made, err := Write(doc, Options{Name: "made-up"})
		if err != nil || !strings.Contains(string(made.Text), c.want) {
			t.Errorf("%s: expected %q: %v", name, c.want, err)
		}
		if want := "#/none (line 3)"; name == "lines of errors" && (len(made.LeftOut) != 1 || made.LeftOut[0].Path != want) {
			t.Errorf("%s: expected %q, got %v", name, want, made.LeftOut)
		}
	}
}

// TestDocumentsThatCannotBeRead checks that each of them is an error, and that references leave the folder of the document nowhere.
func TestDocumentsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(outside, []byte("type: string\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const head = "openapi: 3.0.0\ninfo: {title: a, version: '1'}\n"
	get := func(schema string) string {
		return head + "paths: {/a: {get: {responses: {'200': {description: ok, content: {application/json: {schema: " + schema + "}}}}}}}\n"
	}
	for name, text := range map[string]string{
		"empty":                 "",
		"not YAML":              "a: [",
		"a list":                "[1]",
		"no version":            "paths: {}",
		"an unknown version":    "openapi: 4.0.0\npaths: {}",
		"no paths":              head,
		"a missing file":        get(`{$ref: "none.yaml"}`),
		"another folder":        get(`{$ref: "../secret.yaml"}`),
		"an absolute path":      get(`{$ref: "` + outside + `"}`),
		"a URL":                 get(`{$ref: "http://127.0.0.1:1/a.yaml"}`),
		"a file URL":            get(`{$ref: "file://` + outside + `"}`),
		"the wrong kind":        head + "paths: [1]",
		"no paths in it":        "swagger: '2.0'\ninfo: {title: a, version: '1'}\npaths: []",
		"nothing in the schema": strings.Repeat("[", 100000),
		"deep JSON":             strings.Repeat(`{"a":`, 100000) + "1" + strings.Repeat("}", 100000),
		"half of JSON":          `{"openapi": "3.0.0", "paths": {`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above := t.TempDir()
			path := filepath.Join(above, "api", "doc.yaml")
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(above, "secret.yaml"), []byte("type: string\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if doc, err := Load(t.Context(), path); err == nil {
				t.Errorf("it was read: %v", doc.paths.keys())
			}
		})
	}
	if _, err := Load(t.Context(), "none.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
