package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/permissions"
	"github.com/declprov/declprov/spec/diag"
)

// Each case is the body of a resource with the place of its mistake marked: «»
// stand around the subject, as the diagnostic must have it.
func TestCompileMistakes(t *testing.T) {
	const rest = `
		inputs: {path: string @replace(), content: string, token?: string @secret()}
		outputs: size: int
		id: "${inputs.path}"
		create: file: write: {path: "${inputs.path}", content: "${inputs.content}"}
		delete: file: delete: path: "${id}"
	`
	without := func(keys ...string) string {
		var lines []string
		for _, line := range strings.Split(rest, "\n") {
			keep := true
			for _, key := range keys {
				keep = keep && !strings.HasPrefix(strings.TrimSpace(line), key+":")
			}
			if keep {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n")
	}
	for name, tc := range map[string]struct{ code, body string }{
		"no such argument":               {"unknown-argument", without("create") + `create: file: write: {«paht»: "x", path: "x", content: "y"}`},
		"an argument is missing":         {"missing-argument", without("delete") + `delete: file: «delete»: {}`},
		"one of three":                   {"missing-argument", without("create") + `create: file: «write»: {path: "x"}`},
		"two of three":                   {"conflicting-arguments", without("create") + `create: file: write: {path: "x", content: "y", contentBase64: «"eQ=="»}`},
		"no such action":                 {"unknown-action", without("create") + `create: file: «wirte»: {path: "x", content: "y"}`},
		"no such family":                 {"unknown-key", without("create") + `create: «flie»: write: {path: "x", content: "y"}`},
		"a family of a later version":    {"unknown-key", without("create") + `create: «telepathy»: thought: "x"`},
		"two actions":                    {"two-actions", without("create") + `create: {file: write: {path: "x", content: "y"}, «world»: do: what: "x"}`},
		"two actions of a family":        {"two-actions", without("create") + `create: file: {write: {path: "x", content: "y"}, «delete»: path: "x"}`},
		"not a block":                    {"wrong-shape", without("create") + `create: file: write: «"x"»`},
		"an unknown name":                {"unknown-name", without("delete") + `delete: file: delete: path: "${«input».path}"`},
		"a name that is elsewhere":       {"name-not-here", without("create") + `create: file: write: {path: "${«state».path}", content: "x"}`},
		"an unknown member":              {"unknown-member", without("delete") + `delete: file: delete: path: "${inputs.«pth»}"`},
		"a type that does not fit":       {"type-mismatch", without("create") + `create: file: write: {path: "x", content: "y", parents: "${«inputs.content»}"}`},
		"null, unguarded":                {"null-unguarded", without("create") + `create: file: write: {path: "x", content: "a ${«inputs.token»}"}`},
		"a bad duration":                 {"bad-value", without("create") + `create: {timeout: «"soon"», file: write: {path: "x", content: "y"}}`},
		"a secret in the open":           {"secret-exposed", without("delete") + `delete: file: delete: path: «"${inputs.token ?? \"\"}"»`},
		"an empty id":                    {"value-not-allowed", without("id") + `id: «""»`},
		"a secret id":                    {"secret-exposed", without("id") + `id: «"x${inputs.token ?? \"\"}"»`},
		"an id that comes too late":      {"id-late", without("id", "create") + `id: «"${result.path}"», create: steps: [{world: do: what: "x"}, {file: write: {path: "x", content: "y"}}]`},
		"an input that is not read back": {"not-read-back", rest + `read: file: stat: path: "${id}"` + "\n" + `checks: []`},
		"no input of a check":            {"unknown-property", rest + `checks: [{assert: "${inputs.path != \"\"}", message: "m", property: «"pth"»}]`},
		"a check that is no condition":   {"type-mismatch", rest + `checks: [{assert: "${«inputs.path»}", message: "m"}]`},
		"no input of a rule":             {"unknown-property", rest + `diff: rules: [{if: "${true}", replace: [«"contnet"»]}]`},
		"an import that cannot be read":  {"import-template", rest + `import: «"${inputs.path}${id}"»`},
		"an import of a function":        {"import-template", rest + `import: «"${upper(inputs.path)}"»`},
		"a preview with an effect":       {"preview-effect", without("create") + `create: {preview: true, file: write: {path: "x", content: "y"}}`},
		"an unknown function":            {"unknown-function", without("create") + `create: file: write: {path: "${«uper»(inputs.path)}", content: "y"}`},
		"forEach over text":              {"wrong-type", without("create") + `create: {forEach: «"${inputs.path}"», file: write: {path: "x", content: "y"}}`},
		"a misspelt argument":            {"unknown-argument", without("delete") + `delete: file: delete: «paht»: "${id}"`},
		"one of three, misspelt":         {"unknown-argument", without("create") + `create: file: write: {path: "x", «contnet»: "y"}`},
		"an unknown property in return":  {"unknown-property", rest + `return: {size: 1, «sise»: 2}`},
		"a returned value's type":        {"type-mismatch", rest + `return: size: "${«inputs.path»}"`},
		"a returned object's type":       {"type-mismatch", without("outputs") + `outputs: path: int` + "\n" + `return: «"${result}"»`},
		"a result's type":                {"type-mismatch", without("outputs") + `outputs: «path»: int`},
		"null for an output":             {"null-unguarded", without("outputs") + `outputs: key: string @secret()` + "\n" + `return: key: "${«inputs.token»}"`},
		"a secret output in the open":    {"secret-exposed", without("outputs") + `outputs: key?: string` + "\n" + `return: key: «"${inputs.token}"»`},
		"defaults that go in circles":    {"default-cycle", without("inputs") + `inputs: {path: string @default("${inputs.content}"), content: string @default("${inputs.path}")}`},
	} {
		t.Run(name, func(t *testing.T) {
			text := "package test\nname: \"test\"\nversion: \"1.0.0\"\nfile: root: \".\"\nresources: Thing: {" + tc.body + "\n}"
			from := strings.Index(text, "«")
			want := "anywhere"
			if from >= 0 {
				to := strings.Index(text, "»")
				want = fmt.Sprintf("%s %q", at(text[:from]), strings.TrimSuffix(text[from+len("«"):to], ""))
			}
			clean := strings.NewReplacer("«", "", "»", "").Replace(text)
			_, diags := newWorld().compile(t, clean)
			var got []string
			for _, d := range diags {
				if d.Severity != diag.Error {
					continue
				}
				place := fmt.Sprintf("%d:%d %q", d.Subject.Start.Line, d.Subject.Start.Column, subject(clean, d.Subject))
				if from < 0 {
					place = "anywhere"
				}
				got = append(got, d.Code+" "+place)
				if d.Context == "" || d.Path == "" {
					t.Errorf("%s says not where it is: context %q, path %q", d.Code, d.Context, d.Path)
				}
			}
			if diff := cmp.Diff(tc.code+" "+want, strings.Join(dedupe(got), "; ")); diff != "" {
				t.Errorf("(-want +got):\n%s\n%+v", diff, diags)
			}
		})
	}
}

// TestProjectionKeepsDigits: a number becomes text where text is declared, so
// that ids beyond 2^53 can be outputs.
func TestProjectionKeepsDigits(t *testing.T) {
	_, diags := newWorld().compile(t, `file: root: "."
resources: Thing: {
	inputs: path: string
	outputs: size: string
	id: "${inputs.path}"
	create: file: write: {path: "${inputs.path}", content: "x"}
	delete: file: delete: path: "${id}"
	return: size: "${result.size}"
}`)
	if diags.HasErrors() {
		t.Error(diags)
	}
}

func dedupe(list []string) []string {
	var out []string
	for _, s := range list {
		if len(out) == 0 || out[len(out)-1] != s {
			out = append(out, s)
		}
	}
	return out
}

// at is the position after a text.
func at(before string) string {
	line := strings.Count(before, "\n") + 1
	return fmt.Sprintf("%d:%d", line, len([]rune(before[strings.LastIndex(before, "\n")+1:]))+1)
}

// subject is the text that a range covers, on one line.
func subject(text string, r diag.Range) string {
	line := []rune(strings.Split(text, "\n")[r.Start.Line-1])
	end := len(line)
	if r.End.Line == r.Start.Line {
		end = min(end, r.End.Column-1)
	}
	return string(line[min(r.Start.Column-1, end):end])
}

func TestPermissions(t *testing.T) {
	const body = `permissions: read: ["${config.root}/**", "/etc/hosts"]
config: root: *"." | string
file: root: "${config.root}"
resources: Thing: {
	inputs: path: string
	id: "${inputs.path}"
	create: file: write: {path: "${inputs.path}", content: "x"}
	read: file: read: path: "${id}"
	delete: file: delete: path: "${id}"
}`
	_, diags := newWorld().compile(t, body)
	var got []string
	for _, d := range diags {
		if d.Severity == diag.Error {
			got = append(got, d.Code+" "+d.Context)
		}
	}
	want := []string{`not-permitted resource "Thing", create, file`, `not-permitted resource "Thing", delete, file`}
	if diff := cmp.Diff(want, got, values); diff != "" {
		t.Errorf("what can never be permitted is found by vet (-want +got):\n%s", diff)
	}
	prog, diags := newWorld().compile(t, strings.Replace(body, `permissions: read: ["${config.root}/**", "/etc/hosts"]`, "", 1))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var grants []string
	all, err := permissions.List(prog.Program)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		grants = append(grants, fmt.Sprintf("%s %s %t", g.Access, g.Pattern, g.Implied))
	}
	if diff := cmp.Diff([]string{"write ${config.root}/** true"}, grants); diff != "" {
		t.Errorf("without the block a spec gets what it names (-want +got):\n%s", diff)
	}
}

func codesOf(diags diag.List) []string {
	var out []string
	for _, d := range diags {
		if d.Severity == diag.Error {
			out = append(out, d.Code)
		}
	}
	return out
}
