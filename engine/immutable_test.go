package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/load"
)

// defaulted is a spec whose resources and functions share everything that they can
// share: each kind of default, late ones and paths among them.
const defaulted = `package test
name: "test"
version: "1.0.0"
config: {endpoint: string, key: string @secret(), field: *"token" | string}
permissions: hosts: ["${config.endpoint}"]
http: {
	baseURL: "${config.endpoint}"
	headers: {"X-A": "1", "X-B": "${config.field}"}
	auth: login: {
		http: {method: "POST", path: "/login/${config.field}", json: key: "${config.key}", error: "${body.why}"}
		token: "${body[config.field]}", expires: "${body.seconds}"
	}
	error:   "${body.message}"
	refused: "${body.no}"
	fail:    "${body.failed}"
}
exec: env: A: "1"
#Pet: {id: string, name: string, friend?: #Pet, no?: string, failed?: string, message?: string}
resources: {
	for n in ["A", "B", "C"] {
		(n): {
			inputs: {name: string @replace(), pet?: #Pet @noRead()}
			outputs: petId: string
			id: "${result.body.id}"
			create: http: {method: "POST", path: "/pets", json: "${inputs}", returns: #Pet, headers: "X-A": "2", idempotencyKey: true}
			read: http: {path: "/pets/${id}", returns: #Pet}
			return: {petId: "${body.id}", name: "${body.name}"}
			delete: http: {method: "DELETE", path: "/pets/${id}"}
		}
	}
}
functions: look: {inputs: id: string, outputs: name: string, http: {path: "/pets/${inputs.id}", returns: #Pet}}
ephemerals: Token: {outputs: token: string @secret(), open: http: {method: "POST", path: "/tokens", effect: "none"}}
components: Pair: {
	inputs: name: string
	outputs: id: string
	children: {a: {type: "A", inputs: name: "${inputs.name}"}, b: {type: "B", inputs: name: "${children.a.name}"}}
	return: id: "${children.b.id}"
}
`

// What is compiled depends on the spec alone: not on what was compiled before it,
// and it does not change when more is compiled after it.
func TestCompiledPartsAreImmutable(t *testing.T) {
	t.Parallel()
	for name, encoded := range encodedSpecs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := partsOf(open(t, encoded))
			names := make([]string, len(parts))
			for i, p := range parts {
				names[i] = p.name
			}
			for i := range parts {
				// Alone, then again when everything else has been compiled.
				list := partsOf(open(t, encoded))
				first := dumped(t, list[i])
				for _, other := range list {
					if _, err := other.get(); err != nil {
						t.Fatal(err)
					}
				}
				if diff := cmp.Diff(first, dumped(t, list[i])); diff != "" {
					t.Fatalf("%s compiles to something else when others are compiled (-before +after):\n%s", names[i], diff)
				}
				// As the last one.
				list = partsOf(open(t, encoded))
				for _, other := range slices.Concat(list[:i], list[i+1:]) {
					if _, err := other.get(); err != nil {
						t.Fatal(err)
					}
				}
				if diff := cmp.Diff(first, dumped(t, list[i])); diff != "" {
					t.Fatalf("%s compiles to something else after the others (-alone +last):\n%s", names[i], diff)
				}
			}
		})
	}
}

func TestDefaultsKeepEveryLatePart(t *testing.T) {
	_, encoded := compileText(t, "defaulted.cue", []byte(defaulted))
	for _, p := range partsOf(open(t, encoded)) {
		text := dumped(t, p)
		if !strings.Contains(text, "/pets") {
			continue // the component
		}
		for _, part := range []string{"auth.login.token", "auth.login.expires", "auth.login.http.path", "auth.login.http.error"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %s", p.name, part)
			}
		}
	}
}

func TestPartsAreCopied(t *testing.T) {
	v := &expr.Value{}
	one := plan.Parts{}.With("a", plan.Part{Mode: actions.Late, Value: v})
	two := one.With("b", plan.Part{Mode: actions.Path, Value: v})
	if len(one.ByPath) != 1 || len(two.ByPath) != 2 {
		t.Errorf("a part was added to what others hold: %v, %v", one, two)
	}
}

// A document whose operations have no steps is compiled all the same, so that the
// mistakes of the rest are found, too.
func TestBrokenOperations(t *testing.T) {
	const resource = `resources: A: {id: "x", create: file: write: {path: "x", content: "y"}, delete: file: delete: path: "x", `
	for name, body := range map[string]string{
		"list": resource + `list: {items: "${result.files}", id: "x"}}`, "method": resource + `methods: m: steps: []}`,
		"function": `functions: f: steps: []`, "returning": `functions: f: {outputs: a: string, steps: [], return: a: "${result.b}"}`,
		"ephemeral": `ephemerals: E: {open: steps: [], renew: steps: [], close: steps: []}`,
		"configure": `configure: {steps: [], return: "${body}"}`, "find": resource + `find: steps: []}`,
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("panic: %v", r)
				}
			}()
			text := "package test\nname: \"test\"\nversion: \"1.0.0\"\nfile: root: \".\"\n" + body
			doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
			_, more := Compile(doc.Provider, builtin.Families())
			errors := slices.DeleteFunc(append(diags, more...), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
			for _, d := range errors {
				if d.Code != "empty-steps" && d.Code != "missing-key" {
					t.Errorf("a finding that follows from the other: %v", d)
				}
			}
			if len(errors) == 0 {
				t.Error("nothing is found")
			}
		})
	}
}

// A slip in any late part of the defaults is reported, whichever others are right.
func TestDefaultsReportEverySlip(t *testing.T) {
	t.Parallel()
	for _, right := range []string{
		`token: "${body[config.field]}"`, `expires: "${body.seconds}"`, `error: "${body.why}"`, `error:   "${body.message}"`,
		`path: "/login/${config.field}"`, `refused: "${body.no}"`, `fail:    "${body.failed}"`,
	} {
		key, _, _ := strings.Cut(right, ":")
		slips := []string{key + `: "${bodi.x}"`, key + `: "${config.feild}"`, key + `: "${body.}"`}
		for n, wrong := range append(slips, slips[1:]...) {
			text := strings.Replace(defaulted, right, wrong, 1)
			if text == defaulted {
				t.Fatalf("the spec has no %s", right)
			}
			// What is compiled first must not decide.
			if n%2 == 0 {
				head, rest, _ := strings.Cut(text, "functions:")
				_, rest, _ = strings.Cut(rest, "\n")
				_, rest, _ = strings.Cut(rest, "\n")
				text = head + rest
			}
			doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
			_, more := Compile(doc.Provider, builtin.Families())
			errors := slices.DeleteFunc(append(diags, more...), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
			if len(errors) != 1 {
				t.Errorf("%d: %s: %d errors: %v", n, wrong, len(errors), errors)
			}
		}
	}
}

// encodedSpecs are the containers of all specs of the repository that pass, by
// path.
func encodedSpecs(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	if _, encoded := compileText(t, "defaulted.cue", []byte(defaulted)); encoded != nil {
		out["defaulted.cue"] = encoded
	}
	for _, pattern := range []string{"../examples/*.cue", "../examples/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d specs, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, encoded := compileText(t, path, text); encoded != nil {
				out[strings.TrimPrefix(filepath.ToSlash(path), "../")] = encoded
			} else {
				t.Errorf("%s does not compile", path)
			}
		}
	}
	return out
}

func compileText(t *testing.T, path string, text []byte) (*Program, []byte) {
	t.Helper()
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: text, Format: format})
	prog, more := Compile(doc.Provider, builtin.Families())
	if diags = append(diags, more...); diags.HasErrors() {
		t.Logf("%s: %v", path, diags)
		return nil, nil
	}
	encoded, err := container.Encode(container.Content{Provider: doc.Provider})
	if err != nil {
		t.Fatal(err)
	}
	return prog, encoded
}

func open(t *testing.T, encoded []byte) *Program {
	t.Helper()
	c, err := container.OpenBytes(encoded)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(c, builtin.FamiliesOf)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compiledPart is what is compiled at its first use.
type compiledPart struct {
	name string
	get  func() (any, error)
}

func partsOf(p *Program) []compiledPart {
	var list []compiledPart
	for _, name := range p.ResourceNames() {
		list = append(list, compiledPart{"resource " + name, func() (any, error) { return p.Resource(name) }})
	}
	for _, name := range p.Functions() {
		list = append(list, compiledPart{"function " + name, func() (any, error) { return p.Function(name) }})
	}
	for _, name := range p.Components() {
		list = append(list, compiledPart{"component " + name, func() (any, error) { return p.Component(name) }})
	}
	slices.SortFunc(list, func(a, b compiledPart) int { return strings.Compare(a.name, b.name) })
	return append(list, compiledPart{"what all share", func() (any, error) {
		return []any{p.Defaults, p.ConfigType, p.Permissions, p.Session, p.Provider}, nil
	}})
}

func dumped(t *testing.T, p compiledPart) string {
	t.Helper()
	v, err := p.get()
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	d := dumper{seen: map[unsafe.Pointer]int{}}
	d.value(reflect.ValueOf(v), "")
	return d.out.String()
}

// dumper writes all data that can be reached from a value. Functions, and what
// expressions are made of inside, are opaque.
type dumper struct {
	out  strings.Builder
	seen map[unsafe.Pointer]int
}

func (d *dumper) value(v reflect.Value, indent string) {
	deeper := indent + " "
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			d.out.WriteString("nil\n")
			return
		}
		if v.Type() == reflect.TypeFor[*expr.Value]() {
			fmt.Fprintf(&d.out, "template %v\n", (*expr.Value)(v.UnsafePointer()).Refs())
			return
		}
		if n, again := d.seen[v.UnsafePointer()]; again {
			fmt.Fprintf(&d.out, "again %d\n", n)
			return
		}
		d.seen[v.UnsafePointer()] = len(d.seen)
		d.value(v.Elem(), indent)
	case reflect.Interface:
		if v.IsNil() {
			d.out.WriteString("nil\n")
			return
		}
		d.value(v.Elem(), indent)
	case reflect.Struct:
		fmt.Fprintf(&d.out, "%s\n", v.Type())
		for i := range v.NumField() {
			d.out.WriteString(deeper + v.Type().Field(i).Name + ": ")
			d.value(v.Field(i), deeper)
		}
	case reflect.Map:
		d.out.WriteString("map\n")
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			fmt.Fprintf(&d.out, "%s%v: ", deeper, key)
			d.value(v.MapIndex(key), deeper)
		}
	case reflect.Slice, reflect.Array:
		d.out.WriteString("list\n")
		for i := range v.Len() {
			d.out.WriteString(deeper)
			d.value(v.Index(i), deeper)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		fmt.Fprintf(&d.out, "%s\n", v.Type())
	default:
		fmt.Fprintf(&d.out, "%v\n", v)
	}
}
