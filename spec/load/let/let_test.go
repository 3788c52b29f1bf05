package let_test

import (
	"context"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/names"
)

// resource returns a spec in CUE with a resource that has these keys.
func resource(keys string) string {
	return loadtest.Head + "resources: A: {\ninputs: {name: string, size: int}\nid: \"${inputs.name}\"\n" + keys + "\n}\n"
}

// TestReplaced shows the templates that local names become: members of a name are
// inserted, and other values are variables.
func TestReplaced(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ let, text, want string }{
		"a path":              {`pet: "${result.body.pet}"`, `${pet.id}`, `${result.body.pet.id}`},
		"a path of a path":    {`all: "${result.body}", pet: "${all.pet}"`, `x ${pet?.id ?? ""} y ${all}`, `x ${result.body.pet?.id ?? ""} y ${result.body}`},
		"a value":             {`n: "${inputs.size + 1}"`, `${n * n}`, `${let n = (inputs.size + 1); n * n}`},
		"a value of a value":  {`m: "${n * 2}", n: "${inputs.size + 1}"`, `${m}`, `${let n = (inputs.size + 1); let m = (n * 2); m}`},
		"a path of a value":   {`p: "${f.id}", f: "${first(result.body)}"`, `${p}`, `${let f = (first(result.body)); f.id}`},
		"a literal":           {`n: 5, s: "a\"b"`, `${s + string(n)}`, `${let s = ("a\"b"); let n = (5); s + string(n)}`},
		"a struct":            {`m: {a: "${inputs.name}", b: ["x", "${inputs.size}"], "c-d": null}`, `${m}`, `${let m = ({"a": inputs.name, "b": ["x", inputs.size], "c-d": null}); m}`},
		"a comment":           {`n: "${inputs.size * 2 // units\n}"`, `${n + 1}`, "${let n = (inputs.size * 2 // units\n\n); n + 1}"},
		"several expressions": {`n: "${upper(inputs.name)}"`, `a ${n} ${inputs.size} ${n + "x"}`, `a ${let n = (upper(inputs.name)); n} ${inputs.size} ${let n = (upper(inputs.name)); n + "x"}`},
		"not a use":           {`name: "${upper(inputs.name)}", x: "${name}"`, `${inputs.name + "name" + x}`, `${let name = (upper(inputs.name)); inputs.name + "name" + name}`},
		"a key":               {`a: "${upper(inputs.name)}"`, `${{a: a}}`, `${let a = (upper(inputs.name)); {a: a}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quoted := strings.ReplaceAll(tc.text, `"`, `\"`)
			for what, src := range map[string]string{
				"of a resource":     resource("let: {" + tc.let + "}\ncreate: file: write: {path: \"x\", content: \"" + quoted + "\"}"),
				"of an operation":   resource("create: {let: {" + tc.let + "}, file: write: {path: \"x\", content: \"" + quoted + "\"}}"),
				"of several steps":  resource("create: {let: {" + tc.let + "}, steps: [{file: write: {path: \"x\", content: \"" + quoted + "\"}}]}"),
				"of another method": resource("create: file: write: path: \"x\"\nmethods: m: {let: {" + tc.let + "}, file: write: {path: \"x\", content: \"" + quoted + "\"}}"),
			} {
				doc, diags := load.Load(context.Background(), load.Source{Path: "-", Stdin: []byte(src), Format: "cue"})
				var unused, other int
				for _, d := range diags {
					if d.Code == source.CodeUnusedImport {
						unused++
					} else {
						other++
					}
				}
				if other > 0 || unused > 0 && name != "a path of a path" {
					t.Fatalf("%s: %+v\n%s", what, diags, src)
				}
				r := doc.Provider.Resources[0]
				op := r.Create
				if len(r.Methods) > 0 {
					op = r.Methods[0].Operation
				}
				if got := contentOf(op).Text; got != tc.want {
					t.Errorf("%s: %s, want %s", what, got, tc.want)
				}
			}
		})
	}
}

// contentOf returns the argument content of the first step.
func contentOf(op *spec.Operation) *spec.Node {
	return op.Steps[0].Actions[0].Value.Get("write").Get("content")
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	const use = `create: file: write: {path: "x", content: "${a}"}`
	cases := []struct{ name, code, src string }{
		{"a list", source.CodeWrongShape, `let: «["a"]»` + "\n" + strings.Replace(use, "${a}", "", 1)},
		{"a name of the language", names.CodeReserved, `let: {a: 1, «body»: 2}` + "\n" + use},
		{"another one", names.CodeReserved, `let: {a: 1, «inputs»: 2}` + "\n" + use},
		{"an invalid name", names.CodeName, `let: {a: 1, «"a-b"»: 2}` + "\n" + use},
		{"unused", source.CodeUnusedImport, `let: {a: 1, «b»: 2}` + "\n" + use},
		{"used by an unused one", source.CodeUnusedImport, `let: {a: 1, «b»: "${c}", «c»: 2}` + "\n" + use},
		{"itself", source.CodeBadValue, `let: {«a»: "${a + 1}"}` + "\n" + use},
		{"a cycle", source.CodeBadValue, `let: {«a»: "${b}", «b»: "${a}"}` + "\n" + use},
		{"text around", source.CodeBadValue, `let: {a: «"x-${inputs.name}"»}` + "\n" + strings.Replace(use, "${a}", "", 1)},
		{"text around in a struct", source.CodeBadValue, `let: {a: {b: «"x-${inputs.name}"»}}` + "\n" + strings.Replace(use, "${a}", "", 1)},
		{"no end", "template-unterminated", `let: {a: "«${»inputs.name"}` + "\n" + strings.Replace(use, "${a}", "", 1)},
		{"a syntax error", "template-syntax", `let: {a: "${inputs.name «+»}"}` + "\n" + strings.Replace(use, "${a}", "", 1)},
		{"a name twice", source.CodeDuplicateName, `let: a: 1` + "\n" + `create: {let: {«a»: 2}, file: write: {path: "x", content: "${a}"}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loadtest.Mistake(t, "cue", resource(c.src), c.code)
		})
	}
}
