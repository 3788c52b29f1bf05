package expr

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// structs draws expressions that yield structs, or lists or maps of them, whose keys and values
// are all written in them.
type structs struct {
	*rapid.T
	variables int
}

// draw draws an expression of a kind. depth limits its size; lets are the variables in its scope.
func (t *structs) draw(kind string, depth int, lets []string) string {
	forms := map[string][]string{"struct": append([]string{"{}", "{NAME: 1}", "{NAME: 1, NAME: 2}"}, lets...), "list": {"[]"}}[kind]
	if depth > 0 {
		forms = append(forms, map[string][]string{
			"struct": {
				"{NAME: struct}", "{'NAME': list, NAME: struct}", "merge(struct, struct)", "merge(inputs.none, struct)", "inputs.on ? struct : struct",
				"(inputs.none ?? struct)", "mapValues({(inputs.text): 1}, (struct))", "{(inputs.text): struct}", "let VAR = struct; struct",
			},
			"list": {"[struct]", "[struct, struct]", "map([1, 2], (struct))", "inputs.on ? list : list", "let VAR = struct; list"},
		}[kind]...)
	}
	form := rapid.SampledFrom(forms).Draw(t.T, "form")
	declared := ""
	return regexp.MustCompile(`struct|list|NAME|VAR`).ReplaceAllStringFunc(form, func(word string) string {
		switch word {
		case "NAME":
			return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t.T, "name")
		case "VAR":
			t.variables++
			declared = fmt.Sprint("v", t.variables)
			return declared
		default:
			part := t.draw(word, depth-1, lets)
			if declared != "" {
				lets, declared = append(slices.Clip(lets), declared), ""
			}
			if strings.HasPrefix(part, "let ") || strings.HasPrefix(part, "inputs.on ") {
				part = "(" + part + ")"
			}
			return part
		}
	})
}

// pathsIn adds the paths of a value's members, with "*" for the items of lists, to out.
func pathsIn(v any, path string, out map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			pathsIn(item, path+".*", out)
		}
	case map[string]any:
		for name, member := range v {
			if name == inputText {
				name = "*"
			}
			out[path+"."+name] = true
			pathsIn(member, path+"."+name, out)
		}
	}
}

// inputText is the key that an expression computes.
const inputText = "computed"

// TestKeys: each member of the value of an expression whose members are all written in it is one
// of its keys, at the place where it is written.
func TestKeys(t *testing.T) {
	t.Parallel()
	inputs := object(required("on", kind(spec.Bool)), required("text", kind(spec.String)), optionalProp("none", types.MapOf(kind(spec.Any))))
	scope := &Scope{Names: []Name{{Name: "inputs", Type: inputs}}}
	rapid.Check(t, func(t *rapid.T) {
		text := (&structs{T: t}).draw(rapid.SampledFrom([]string{"struct", "list"}).Draw(t, "kind"), 4, nil)
		v, diags := Compile(stringNode("${"+text+"}"), scope, nil)
		if diags.HasErrors() {
			t.Fatalf("%s: %v", text, diags)
		}
		known := map[string]bool{}
		for _, k := range v.Keys() {
			known["."+strings.Join(k.Path, ".")] = true
			from, to := k.Range.Start.Column-1, k.Range.End.Column-1
			if written := strings.Trim(string([]rune("${" + text)[from:to]), `'"`); written != k.Path[len(k.Path)-1] {
				t.Fatalf("%s: the key %v is at %q", text, k.Path, written)
			}
		}
		for _, on := range []bool{true, false} {
			got, err := v.Eval(&Vars{Values: map[string]any{"inputs": map[string]any{"on": on, "text": inputText}}})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			members := map[string]bool{}
			pathsIn(got, "", members)
			for _, path := range slices.Sorted(maps.Keys(members)) {
				if !known[path] && !strings.HasSuffix(path, ".*") {
					t.Fatalf("%s yields %v, whose member %s is not a key: %v", text, got, path, slices.Sorted(maps.Keys(known)))
				}
			}
		}
	})
}
