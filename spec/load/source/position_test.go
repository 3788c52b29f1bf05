package source_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
)

// TestCharacterPositions writes a string with ${x} in every form of literal, and
// checks that there is an x at the reported position.
func TestCharacterPositions(t *testing.T) {
	cue := func(s string) string { return loadtest.Head + "file: {a: 1, root: " + s + "}\n" }
	yml := func(s string) string { return loadtest.HeadYAML + "file:\n  a: 1\n  root: " + s + "\n" }
	jsn := func(s string) string { return `{"name":"xy", "version": "1.0.0", "file": {"root": ` + s + "}}" }
	cases := []struct{ name, format, src string }{
		{"plain", "cue", cue(`"a${x}b"`)},
		{"letters", "cue", cue(`"äöü €uro ${x} ß"`)},
		{"escapes", "cue", cue(`"\n\t\u00e4\"\\ ${x} ß"`)},
		{"raw", "cue", cue(`#"\n "quoted" ${x}"#`)},
		{"raw with escapes", "cue", cue(`##"\##n\##u00e4 \#n ${x}"##`)},
		{"block", "cue", cue("\"\"\"\n\t\tfirst\n\n\t\t  ä\\t ${x}\n\t\tlast\n\t\t\"\"\"")},
		{"raw block", "cue", cue("#\"\"\"\n  a \"\"\" \\n\n  ${x}\n  \"\"\"#")},
		{"block with CRLF", "cue", strings.ReplaceAll(cue("\"\"\"\n\tfirst\n\n\t ${x}\n\t\"\"\""), "\n", "\r\n")},
		{"through a reference", "cue", loadtest.Head + "_p: \"ä${x}\"\nfile: root: _p"},
		{"through a let", "cue", loadtest.Head + "let p = \"ä${x}\"\nfile: root: p"},
		{"through a template", "cue", loadtest.Head + "#T: {root: string, b: \"\"}\nfile: #T & {root: \"ä${x}\"}"},
		{"plain", "yaml", yml("a ä ${x} b # comment")},
		{"plain over lines", "yaml", yml("first\n    second\n\n\n    third ä ${x}\n    fourth")},
		{"double quotes", "yaml", yml(`"\n\t\x41\u00e4\" ä ${x}"`)},
		{"double quotes over lines", "yaml", yml("\"first\n    second \\\n    third ä\n\n    ${x}\"")},
		{"single quotes", "yaml", yml("'it''s ä ${x}'")},
		{"single quotes over lines", "yaml", yml("'it''s\n    so\n\n    ä ${x}'")},
		{"literal block", "yaml", yml("|\n    first\n\n      indented ä ${x}\n    last")},
		{"literal block without end", "yaml", yml("|-\n    first\n    ${x}")},
		{"folded block", "yaml", yml(">\n    first\n    second\n\n\n    third ä ${x}\n    last")},
		{"anchor and tag", "yaml", yml("&a !!str \"ä ${x}\"")},
		{"alias", "yaml", loadtest.HeadYAML + "file:\n  b: &a \"ä ${x}\"\n  root: *a\n"},
		{"CRLF", "yaml", strings.ReplaceAll(yml("|\n    first\n\n    ${x}\n    last"), "\n", "\r\n")},
		{"plain", "json", jsn(`"ä ${x}"`)},
		{"escapes", "json", jsn(`"\/\u00e4\ud83d\ude00\n\" ä ${x}"`)},
	}
	for _, c := range cases {
		t.Run(c.format+" "+c.name, func(t *testing.T) {
			p := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(c.src), Format: c.format})
			if len(p.Families) != 1 {
				t.Fatalf("families %v", p.Families)
			}
			root := p.Families[0].Value.Get("root")
			offset := strings.Index(root.Text, "x}")
			if offset < 0 {
				t.Fatalf("text %q", root.Text)
			}
			runes := len([]rune(root.Text[:offset]))
			for i, want := range []rune("x}") {
				at := root.At(runes+i, runes+i+1)
				if got := runeAt(c.src, at.Start.Line, at.Start.Column); got != want || len(root.Marks) == 0 {
					t.Errorf("%q is at %s, where %q stands; marks %v", want, at, got, root.Marks)
				}
			}
		})
	}
}

func runeAt(src string, line, column int) rune {
	lines := strings.Split(src, "\n")
	if line < 1 || line > len(lines) {
		return 0
	}
	runes := []rune(lines[line-1])
	if column < 1 || column > len(runes) {
		return 0
	}
	return runes[column-1]
}
