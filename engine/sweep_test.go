package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
)

// TestSweepsOfFoundFolders: a step that removes all of a folder warns if create may have found the folder, and
// keeps what is in it; not if create makes the folder, takes all of it, or is not known to write there.
func TestSweepsOfFoundFolders(t *testing.T) {
	t.Parallel()
	creates := map[string]struct {
		steps string
		warns bool
	}{
		"unpack":                {`{file: unpack: {path: "www/${inputs.dir}", archive: "${inputs.site}"}}`, true},
		"unpack, exact perhaps": {`{file: unpack: {path: "www/${inputs.dir}", archive: "${inputs.site}", exact: "${inputs.exact}"}}`, true},
		"unpack, exact":         {`{file: unpack: {path: "www/${inputs.dir}", archive: "${inputs.site}", exact: true}}`, false},
		"a file":                {`{file: write: {path: "www/${inputs.dir}/a", content: "a"}}`, true},
		"a file elsewhere":      {`{file: write: {path: "www2/${inputs.dir}", content: "a"}}`, false},
		"mkdir":                 {`{file: mkdir: path: "www/${inputs.dir}"}`, false},
		"mkdir, then unpack":    {`{file: mkdir: path: "www/${inputs.dir}"}, {file: unpack: {path: "www/${inputs.dir}", archive: "${inputs.site}"}}`, false},
		"mkdir that overwrites": {`{file: mkdir: {path: "www/${inputs.dir}", overwrite: true}}, {file: write: {path: "www/${inputs.dir}/a", content: "a"}}`, true},
		"mkdir perhaps":         {`{file: mkdir: {path: "www/${inputs.dir}", overwrite: "${inputs.exact}"}}`, true},
		"mkdir, with a guard":   {`{file: mkdir: path: "www/${inputs.dir}", if: "${inputs.exact}"}, {file: write: {path: "www/${inputs.dir}/a", content: "a"}}`, true},
		"a command":             {`{exec: {command: ["git", "init", "www/${inputs.dir}"]}}`, false},
	}
	sweeps := map[string]struct {
		of    string
		warns bool
	}{
		"recursive":            {`delete: file: delete: {path: "www/${id}", recursive: true}`, true},
		"recursive, by input":  {`delete: file: delete: {path: "www/${inputs.dir}", recursive: true}`, true},
		"the folder alone":     {`delete: file: delete: path: "www/${id}"`, false},
		"what it wrote":        {`delete: file: delete: path: "www/${id}/a"`, false},
		"an update":            {`delete: null` + "\n" + `update: file: unpack: {path: "www/${id}", archive: "${inputs.site}", exact: true, overwrite: true}`, true},
		"an update, not exact": {`delete: null` + "\n" + `update: file: unpack: {path: "www/${id}", archive: "${inputs.site}", overwrite: true}`, false},
	}
	for create, made := range creates {
		for sweep, removed := range sweeps {
			t.Run(create+", "+sweep, func(t *testing.T) {
				t.Parallel()
				doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(`package test
import "declprov.dev/spec"
name: "test"
version: "1.0.0"
permissions: {write: ["www/**", "www2/**"], run: ["git"]}
resources: Site: {
	inputs: {dir: string @replace(), site: spec.#Archive @noRead() @replace(), exact: *false | bool @noRead() @replace()}
	id: "${inputs.dir}"
	create: steps: [` + made.steps + `]
	` + removed.of + `
}`)})
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				_, diags = engine.Compile(doc.Provider, builtin.Families())
				warns := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == finding.CodeMayBeForeign })
				if want := made.warns && removed.warns; diags.HasErrors() || warns != want {
					t.Errorf("it warns: %v, want %v: %+v", warns, want, diags)
				}
			})
		}
	}
}

// TestConditionalSweeps: a condition excuses a step that removes all of a folder only if it asks what was there, or whether
// create has made the folder itself.
func TestConditionalSweeps(t *testing.T) {
	t.Parallel()
	const (
		unpack = `{as: "site", file: unpack: {path: "www/${inputs.dir}", archive: "${inputs.site}"}}`
		mkdir  = `{as: "dir", file: mkdir: path: "www/${inputs.dir}"}`
		ifSet  = `{if: "${inputs.exact}", `
	)
	creates := map[string]struct {
		steps            string
		always, whenMade bool // whether a sweep warns, and whether one does that asks `made.dir`
	}{
		"unpack":                               {`{as: "dir", file: write: {path: "www/${inputs.dir}/a", content: "a"}}, ` + unpack, true, true},
		"mkdir, then unpack":                   {mkdir + ", " + unpack, false, false},
		"mkdir if, then unpack":                {ifSet + mkdir[1:] + ", " + unpack, true, false},
		"mkdir if, then unpack if":             {ifSet + mkdir[1:] + ", " + ifSet + unpack[1:], false, false},
		"mkdir if, then unpack if another":     {ifSet + mkdir[1:] + `, {if: "${inputs.dir != 'a'}", ` + unpack[1:], true, false},
		"unpack if":                            {`{as: "dir", if: "${inputs.exact}", file: mkdir: {path: "www/${inputs.dir}", overwrite: true}}, ` + ifSet + unpack[1:], true, true},
		"mkdir that overwrites if, and unpack": {`{as: "dir", if: "${inputs.exact}", file: mkdir: {path: "www/${inputs.dir}", overwrite: true}}, ` + unpack, true, true},
	}
	const all, made, none = "all", "made", "none"
	conditions := map[string]string{ // the creates after which a sweep with this condition warns
		``: all, `if: "${inputs.exact}", `: all, `if: "${config.purge ?? false}", `: all, `if: "${inputs.dir != 'a'}", `: all,
		`if: "${made.site}", `: all, `if: "${made.dir}", `: made, `if: "${made.dir && inputs.exact}", `: made,
		`if: "${inputs.exact ? made.dir : false}", `: made, `if: "${!made.dir}", `: all, `if: "${made.dir || inputs.exact}", `: all,
		`if: "${state.dir != 'a'}", `: none, `if: "${state.exact && inputs.exact}", `: none,
	}
	sweeps := map[string]string{
		"delete": `delete: {IFfile: delete: {path: "www/${id}", recursive: true}}`,
		"update": "delete: null\n" + `update: {IFfile: unpack: {path: "www/${id}", archive: "${inputs.site}", exact: true, overwrite: true}}`,
	}
	for create, after := range creates {
		for condition, warnsAfter := range conditions {
			for sweep, text := range sweeps {
				t.Run(create+", "+sweep+" "+condition, func(t *testing.T) {
					t.Parallel()
					doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(`package test
import "declprov.dev/spec"
name: "test"
version: "1.0.0"
config: purge?: bool
permissions: write: ["www/**"]
resources: Site: {
	inputs: {dir: string @replace(), site: spec.#Archive @noRead() @replace(), exact: *false | bool @noRead() @replace()}
	id: "${inputs.dir}"
	create: steps: [` + after.steps + `]
	` + strings.Replace(text, "IF", condition, 1) + `
}`)})
					if diags.HasErrors() {
						t.Fatal(diags)
					}
					_, diags = engine.Compile(doc.Provider, builtin.Families())
					warns := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
						return d.Code == finding.CodeMayBeForeign && strings.Contains(d.Summary, "everything in a folder")
					})
					want := map[string]bool{all: after.always, made: after.whenMade, none: false}[warnsAfter]
					if diags.HasErrors() || warns != want {
						t.Errorf("it warns: %v, want %v: %+v", warns, want, diags)
					}
				})
			}
		}
	}
}
