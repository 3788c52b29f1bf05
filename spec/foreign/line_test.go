package foreign

import (
	"strings"
	"testing"
)

func TestParseLine(t *testing.T) {
	tests := []struct {
		line, want string // want is "" if the line has no translation
		yaml       bool
	}{
		{line: `	# The name.`, want: `	// The name.`},
		{line: `#Pet: {`},
		{line: `	path: ${inputs.path}`, want: `	path: "${inputs.path}"`},
		{line: `	x: {path: ${id}, y: 1}`, want: `	x: {path: "${id}", y: 1}`},
		{line: `	path: /pets,`, want: `	path: "/pets",`},
		{line: `	size: "${inputs.size ?? "0"}"`, want: `	size: "${inputs.size ?? '0'}"`},
		{line: `resource "Pet" "mine" {`, want: `resources: Pet: {`},
		{line: `		X-Api-Key: "a"`, want: `		"X-Api-Key": "a"`},
		{line: `	headers: {X-Api-Key: "a", Accept: "b"}`, want: `	headers: {"X-Api-Key": "a", Accept: "b"}`},
		{line: `	a: {b: "X-Api-Key: 1, a-b: 2"}`},
		{line: `	create: file.write: {path: "x"}`, want: `	create: file: write: {path: "x"}`},
		{line: `	rest: {auth.basic.user: "x", id: "a.b: c"}`, want: `	rest: {auth: basic: user: "x", id: "a.b: c"}`},
		{line: `	a: {b: "x, a.b: 2"}`},
		{line: `    command: [${inputs.a}]`, want: `    command: ["${inputs.a}"]`, yaml: true},
		{line: `    command: [git, a-${inputs.a}/b, ${id}]`, want: `    command: [git, "a-${inputs.a}/b", ${id}]`, yaml: true},
		{line: `	name = "x"`, want: `	name: "x"`},
		{line: `	kind?: "a" | "b" = "b" @replace()`, want: `	kind: *"b" | "a" @replace()`},
		{line: `	kind: "a" | "b" = "c"`, want: `	kind: *"c" | "a" | "b"`},
		{line: `	size: int & >=0 & <=9 = 1, name: string`, want: `	size: *1 | int & >=0 & <=9, name: string`},
		{line: `	tags: [...string] = []`, want: `	tags: *[] | [...string]`},
		{line: `	size: int & >=0, port: *8 | int & !=0`},
		{line: `	name: string & !="" @replace()`},
		{line: `	path: =~"^a = $"`},
		{line: `	inputs {`, want: `	inputs: {`},
		{line: `	name: "x";`, want: `	name: "x"`},
		{line: `	/* The name. */`, want: `	// The name.`},
		{line: `	name: "x"`},
		{line: "\t\tname: x", want: "    name: x", yaml: true},
		{line: "    \tname: x", want: "    name: x", yaml: true},
		{line: `    kind: "a" | "b"`, want: `    kind: '"a" | "b"'`, yaml: true},
		{line: `    count: *1 | int`, want: `    count: '*1 | int'`, yaml: true},
		{line: `    name: "x`, want: `    name: "x"`, yaml: true},
		{line: `	name: @secret() string`, want: `	name: string @secret()`},
		{line: `	name: string @secret`, want: `	name: string @secret()`},
		{line: `	name: /^[a-z]+$/`, want: `	name: =~"^[a-z]+$"`},
		{line: `	a: {mode: 0600}`, want: `	a: {mode: "0600"}`},
		{line: `    read: { http: { path: ${id} } }`, want: `    read: { http: { path: "${id}" } }`, yaml: true},
		{line: `    read: { http: { path: /pets/${id}, a: 1 } }`, want: `    read: { http: { path: "/pets/${id}", a: 1 } }`, yaml: true},
		{line: `    name:string`, want: `    name: string`, yaml: true},
		{line: `    // The name.`, want: `    # The name.`, yaml: true},
		{line: `    size: "${inputs.size ?? ""}"`, want: `    size: "${inputs.size ?? ''}"`, yaml: true},
		{line: `    name: x`, yaml: true},
		{line: `    kind: "*"a" | "b""`, want: `    kind: '*"a" | "b"'`, yaml: true},
		{line: `    tags: "[...string]" @set() @replace()`, want: `    tags: "[...string] @set() @replace()"`, yaml: true},
		{line: `    inputs: name?: string`, want: `    inputs: {"name?": string}`, yaml: true},
		{line: `    message: error: none`, yaml: true},
		{line: `    labels: [string]: string`, want: `    labels: {"[string]": string}`, yaml: true},
		{line: ``, yaml: true},
	}
	for _, test := range tests {
		r, ok := ParseLine(test.line, test.yaml)
		if ok != (test.want != "") {
			t.Errorf("ParseLine(%q) is %+v, %v; want %q", test.line, r, ok, test.want)
			continue
		}
		if got := replaced(test.line, r.Parts); ok && got != test.want {
			t.Errorf("ParseLine(%q) results in %q, want %q", test.line, got, test.want)
		}
	}
}

func TestParseIndentation(t *testing.T) {
	for text, want := range map[string]int{ // -1 if all is indented well
		"a: 1\n  b: 2":                        1,
		"a:\n  b: 2\n  c: 3":                  -1,
		"q: |\nquery Get {\n  a":              0,
		"q: |\n  query Get {\n  a\nb: 1":      -1,
		"- a: 1\n  b: 2":                      -1,
		"x:\n  - a: 1\n    b: 2":              -1,
		"a: {b: 1,\n  c: 2}":                  -1,
		"a: \"one\n  b: two\"":                -1,
		"  http: {path: /x}\n    gone: \"y\"": 1,
	} {
		_, line, ok := ParseIndentation(strings.Split(text, "\n"))
		if !ok {
			line = -1
		}
		if line != want {
			t.Errorf("%q: line %d, want %d", text, line, want)
		}
	}
}
