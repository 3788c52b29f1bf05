package diag_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/diag"
)

var update = flag.Bool("update", false, "write the golden files anew")

const petstore = `name: "petstore"
resources: Pet: {
    create: {
        urll: "/pets"
	tab:	"after a tab"
        wide: "日本" + "語é" + x
        many: [
            1,

            2, // two
        ]
        last: 1
    }
}
`

func at(line, column, endLine, endColumn int) diag.Range {
	return diag.Range{
		File:  "petstore.cue",
		Start: diag.Position{Line: line, Column: column},
		End:   diag.Position{Line: endLine, Column: endColumn},
	}
}

// findings are diagnostics of each kind that writers must support.
func findings() diag.List {
	return diag.List{
		{
			Severity: diag.Error, Code: "unknown-argument", Summary: `unknown argument "urll"`,
			Detail:  `http has no argument "urll". Did you mean "url"?`,
			Subject: at(4, 9, 4, 13), Context: `resource "Pet", create, step 1`, Path: "resources.Pet.create.http.urll",
			Edits: []diag.Edit{{At: at(4, 9, 4, 13), Text: "url"}},
		},
		{Severity: diag.Warning, Code: "after-tabs", Summary: "a tab is drawn as spaces", Subject: at(5, 7, 5, 20)},
		{Severity: diag.Error, Code: "wide", Summary: "wide characters take two columns", Subject: at(6, 16, 6, 20)},
		{Severity: diag.Error, Code: "behind-wide", Summary: "and what follows them is found", Subject: at(6, 32, 6, 33)},
		{Severity: diag.Error, Code: "some-lines", Summary: "a subject of some lines is shown whole", Subject: at(8, 13, 10, 15)},
		{Severity: diag.Error, Code: "many-lines", Summary: "the middle of many lines is left out", Subject: at(7, 9, 11, 10)},
		{Severity: diag.Error, Code: "line-end", Summary: "an end before the first column is the line before", Subject: at(4, 9, 5, 1)},
		{Severity: diag.Error, Code: "empty", Summary: "an empty subject has one caret", Subject: at(12, 16, 12, 16)},
		{Severity: diag.Error, Code: "past-end", Summary: "beyond the line is beside it", Subject: at(1, 20, 1, 21)},
		{Severity: diag.Error, Code: "no-line", Summary: "a line that is not there has no snippet", Subject: at(99, 1, 99, 2)},
		{
			Severity: diag.Error, Code: "no-source", Summary: "a file that is not there has no snippet",
			Detail:  "The first line of what to do.\nThe second.",
			Subject: diag.Point("elsewhere.cue", 3, 1), Context: "config",
		},
		{Severity: diag.Error, Code: "file-only", Summary: "a whole file", Subject: diag.Range{File: "petstore.cue"}},
		{Severity: diag.Warning, Code: "nowhere", Summary: "no place at all", Context: `resource "Pet"`},
		{Severity: diag.Error, Summary: "no code"},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestTextGolden(t *testing.T) {
	sources := diag.Sources{"petstore.cue": []byte(petstore)}
	for name, color := range map[string]bool{"text.golden": false, "color.golden": true} {
		var out bytes.Buffer
		if err := diag.WriteText(&out, findings(), diag.TextOptions{Sources: sources, Color: color}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.Bytes())
	}
}

// TestTextFormat checks the exact format of the design.
func TestTextFormat(t *testing.T) {
	var out bytes.Buffer
	source := strings.Repeat("\n", 23) + "        urll: \"/pets\"\n"
	d := findings()[0]
	d.Subject = at(24, 9, 24, 13)
	err := diag.WriteText(&out, diag.List{d}, diag.TextOptions{Sources: diag.Sources{"petstore.cue": []byte(source)}})
	if err != nil {
		t.Fatal(err)
	}
	want := `error[unknown-argument]: unknown argument "urll"
  --> petstore.cue:24:9, in resource "Pet", create, step 1
   24 |         urll: "/pets"
      |         ^^^^
  http has no argument "urll". Did you mean "url"?

1 error in petstore.cue
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTextOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := diag.WriteText(&out, nil, diag.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 {
		t.Errorf("wrote %q, want nothing", out.String())
	}
}

func snippetOf(t *testing.T, source string, subject diag.Range) []string {
	t.Helper()
	var out bytes.Buffer
	subject.File = "a.cue"
	d := diag.Diagnostic{Severity: diag.Error, Code: "c", Summary: "s", Subject: subject}
	if err := diag.WriteText(&out, diag.List{d}, diag.TextOptions{Sources: diag.Sources{"a.cue": []byte(source)}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) < 6 {
		t.Fatalf("no snippet in:\n%s", out.String())
	}
	return lines[2 : len(lines)-3]
}

func TestCarets(t *testing.T) {
	long := strings.Repeat("a", 200) + "HERE" + strings.Repeat("b", 200)
	tests := map[string]struct {
		source  string
		subject diag.Range
		want    []string
	}{
		"line breaks of Windows": {"x: 1\r\ny: 2\r\n", at(2, 4, 2, 5), []string{
			"    2 | y: 2",
			"      |    ^",
		}},
		"no final line break": {"x: 1", at(1, 4, 1, 5), []string{
			"    1 | x: 1",
			"      |    ^",
		}},
		"combining marks have no width": {"e\u0301x", at(1, 3, 1, 4), []string{
			"    1 | e\u0301x",
			"      |  ^",
		}},
		"escape sequences are escaped": {"\x1b[31mred\u202e", at(1, 6, 1, 9), []string{
			`    1 | \u001b[31mred\u202e`,
			"      |           ^^^",
		}},
		"bytes that are not UTF-8": {"\xff\xfe: 1", at(1, 1, 1, 3), []string{
			"    1 | \ufffd\ufffd: 1",
			"      | ^^",
		}},
		"wide gutter": {strings.Repeat("\n", 123455) + "x", at(123456, 1, 123456, 2), []string{
			"123456 | x",
			"       | ^",
		}},
		"a long line is cropped around its subject": {long, at(1, 201, 1, 205), []string{
			"    1 | …" + strings.Repeat("a", 40) + "HERE" + strings.Repeat("b", 76) + "…",
			"      | " + strings.Repeat(" ", 41) + "^^^^",
		}},
		"a long line with an early subject": {long, at(1, 1, 1, 3), []string{
			"    1 | " + strings.Repeat("a", 120) + "…",
			"      | ^^",
		}},
		"a subject wider than the limit": {long, at(1, 1, 1, 405), []string{
			"    1 | " + strings.Repeat("a", 120) + "…",
			"      | " + strings.Repeat("^", 120),
		}},
		"an end before its start": {"abc", at(1, 3, 1, 1), []string{
			"    1 | abc",
			"      |   ^",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, snippetOf(t, test.source, test.subject)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTally(t *testing.T) {
	in := func(s diag.Severity, file string) diag.Diagnostic {
		return diag.Diagnostic{Severity: s, Subject: diag.Range{File: file}}
	}
	tests := map[string]diag.List{
		"2 errors, 1 warning in petstore.cue": {in(diag.Error, "petstore.cue"), in(diag.Warning, "petstore.cue"), in(diag.Error, "")},
		"1 error in 2 files":                  {in(diag.Error, "a.cue"), in(0, "b.cue")},
		"2 warnings":                          {in(diag.Warning, ""), in(diag.Warning, "")},
		"":                                    nil,
	}
	for want, list := range tests {
		if got := list.Tally(); got != want {
			t.Errorf("tally is %q, want %q", got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := diag.WriteJSON(&out, findings()); err != nil {
		t.Fatal(err)
	}
	golden(t, "json.golden", out.Bytes())

	var got []map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"code": "unknown-argument", "severity": "error", "message": `unknown argument "urll"`,
		"detail": `http has no argument "urll". Did you mean "url"?`,
		"file":   "petstore.cue", "line": 4.0, "column": 9.0, "endLine": 4.0, "endColumn": 13.0,
		"path":  "resources.Pet.create.http.urll",
		"edits": []any{map[string]any{"file": "petstore.cue", "line": 4.0, "column": 9.0, "endLine": 4.0, "endColumn": 13.0, "text": "url"}},
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJSONOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := diag.WriteJSON(&out, nil); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "[]\n" {
		t.Errorf("wrote %q, want an empty array", got)
	}
}

func TestGitHub(t *testing.T) {
	var out bytes.Buffer
	if err := diag.WriteGitHub(&out, findings()); err != nil {
		t.Fatal(err)
	}
	golden(t, "github.golden", out.Bytes())
}

func TestGitHubEscapes(t *testing.T) {
	var out bytes.Buffer
	d := diag.Diagnostic{
		Severity: diag.Warning, Code: "a:b,c%", Summary: "50% off\r\n::error::forged", Detail: "a: b, c",
		Subject: diag.Point("dir,1/a:b.cue", 2, 3),
	}
	if err := diag.WriteGitHub(&out, diag.List{d}); err != nil {
		t.Fatal(err)
	}
	want := "::warning file=dir%2C1/a%3Ab.cue,line=2,col=3,title=a%3Ab%2Cc%25::50%25 off%0D%0A::error::forged%0Aa: b, c\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	for name, err := range map[string]error{
		"text":   diag.WriteText(full{}, findings(), diag.TextOptions{}),
		"json":   diag.WriteJSON(full{}, findings()),
		"github": diag.WriteGitHub(full{}, findings()),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: error is %v, want that of the writer", name, err)
		}
	}
}

// FuzzText checks that no source and no position make the writer fail or write a
// control sequence to the terminal.
func FuzzText(f *testing.F) {
	f.Add("a: 1\n\tb: 2\n", 1, 1, 2, 3)
	f.Add("日本\x1b[0m", 1, 2, 1, 90)
	f.Add("", -1, -5, 0, 0)
	f.Fuzz(func(t *testing.T, source string, line, column, endLine, endColumn int) {
		clamp := func(n int) int { return max(-1000, min(n, 1000)) }
		subject := at(clamp(line), clamp(column), clamp(endLine), clamp(endColumn))
		d := diag.Diagnostic{Severity: diag.Error, Code: "c", Summary: source, Detail: source, Context: source, Subject: subject}
		var out bytes.Buffer
		err := diag.WriteText(&out, diag.List{d}, diag.TextOptions{Sources: diag.Sources{"petstore.cue": []byte(source)}})
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(out.Bytes(), "\x1b\r\x00\u202e") {
			t.Errorf("a control character got through: %q", out.String())
		}
	})
}

// TestTextWritesLongDetailsOnce writes diagnostics with the same details: the long ones are written once.
func TestTextWritesLongDetailsOnce(t *testing.T) {
	long := strings.Repeat("explanation ", 20)
	var list diag.List
	for i, detail := range []string{long, "short", long, "short", long + "of another kind", ""} {
		list = append(list, diag.Diagnostic{Severity: diag.Warning, Code: "some-code", Summary: "finding", Detail: detail, Subject: at(i+1, 1, i+1, 2)})
	}
	var out bytes.Buffer
	if err := diag.WriteText(&out, list, diag.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]int{"warning[some-code]": 6, strings.TrimSpace(long): 2, "  short\n": 2, "See the explanation at petstore.cue:1:1.": 1} {
		if got := strings.Count(out.String(), what); got != want {
			t.Errorf("%q is there %d times, want %d:\n%s", what, got, want, out.String())
		}
	}
}
