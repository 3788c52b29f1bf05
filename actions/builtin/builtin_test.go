package builtin

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

var update = flag.Bool("update", false, "write the generated files")

func TestGenerated(t *testing.T) {
	for path, want := range map[string]string{
		"../../docs/actions.md":    Reference(),
		"testdata/definitions.cue": Definitions(""),
	} {
		path = filepath.FromSlash(path)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), want); diff != "" {
			t.Errorf("%s is stale; run: go test ./actions/builtin -update\n%s", path, diff)
		}
	}
}

func TestFamilies(t *testing.T) {
	var names []string
	for _, f := range Families() {
		names = append(names, f.Name)
		t.Run(f.Name, func(t *testing.T) { checkFamily(t, f) })
	}
	if diff := cmp.Diff([]string{"file", "http", "exec", "sql"}, names); diff != "" {
		t.Error(diff)
	}
}

func checkFamily(t *testing.T, f *actions.Family) {
	if f.Summary == "" || len(f.Kinds()) == 0 || f.Grants == nil {
		t.Error("summary, kinds or grants are missing")
	}
	checkArgs(t, f.Defaults())
	names := map[string]bool{}
	for _, k := range f.Kinds() {
		if names[k.Name] {
			t.Errorf("two kinds have the name %q", k.Name)
		}
		names[k.Name] = true
		t.Run(k.Name, func(t *testing.T) { checkKind(t, f, k) })
	}
	// A default must exist in a kind, with the same declaration.
	for _, d := range f.Defaults() {
		for _, k := range f.Kinds() {
			i := slices.IndexFunc(k.Args, func(a actions.Arg) bool { return a.Name == d.Name })
			if i < 0 {
				t.Errorf("%s has no argument %q, but the family has a default for it", k.Name, d.Name)
			} else if diff := cmp.Diff(d, k.Args[i]); diff != "" {
				t.Errorf("%s: the default %s differs:\n%s", k.Name, d.Name, diff)
			}
		}
	}
}

func checkKind(t *testing.T, f *actions.Family, k *actions.Kind) {
	if !isSentence(k.Summary) || strings.Contains(k.Summary, "\n") {
		t.Errorf("the summary is not one line with a full stop: %q", k.Summary)
	}
	if k.Doc == "" || k.Run == nil && f.Open == nil || k.Analyze == nil {
		t.Fatal("doc, run or analyze are missing")
	}
	checkArgs(t, k.Args)
	for _, group := range slices.Concat(k.OneOf, k.AtMostOne) {
		for _, name := range group {
			i := slices.IndexFunc(k.Args, func(a actions.Arg) bool { return a.Name == name })
			if i < 0 || k.Args[i].Required || k.Args[i].Default != nil {
				t.Errorf("one of %v: %q is not an optional argument without a default", group, name)
			}
		}
	}
	facts := k.Analyze(actions.Static{})
	if e := facts.Effect; e != actions.None && e != actions.Write {
		t.Errorf("effect %d", e)
	}
	result := facts.Result
	if result.Kind != spec.Object || len(result.Fields) == 0 {
		t.Error("the result has no members")
	}
	checkMembers(t, result)
	checkGrants(t, k)
	if len(k.Examples) == 0 {
		t.Error("there is no example")
	}
	for _, e := range k.Examples {
		if e.Summary == "" || !strings.HasPrefix(e.Spec, strings.TrimSuffix(f.Name+": "+k.Name, ": ")+": ") {
			t.Errorf("example %q has no summary, or is of another kind: %s", e.Summary, e.Spec)
		}
	}
}

// checkGrants checks that a kind requests grants for its required paths and for URLs.
func checkGrants(t *testing.T, k *actions.Kind) {
	static := actions.Static{Nodes: map[string]*spec.Node{}, Literals: map[string]any{}}
	for _, a := range k.Args {
		// Required arguments and URLs name the place.
		if a.Required || a.Name == "baseURL" || a.Name == "url" {
			static.Nodes[a.Name] = &spec.Node{Kind: spec.StringNode, Text: "${inputs." + a.Name + "}"}
		}
	}
	facts := k.Analyze(static)
	grants := facts.Grants
	if len(grants) == 0 {
		t.Error("it requests no grants")
	}
	for _, g := range grants {
		if g.Access == 0 || g.Pattern == nil || g.Pattern.Text == "" {
			t.Errorf("grant %+v has no pattern", g)
		}
	}
	connects := slices.ContainsFunc(grants, func(g actions.Grant) bool { return g.Access == grant.Connect })
	writes := slices.ContainsFunc(grants, func(g actions.Grant) bool { return g.Access == grant.Write })
	runs := slices.ContainsFunc(grants, func(g actions.Grant) bool { return g.Access == grant.Run })
	if !connects && !runs && (facts.Effect == actions.Write) != writes {
		t.Error("the effect and the requested access do not match")
	}
}

var argName = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)

func checkArgs(t *testing.T, args []actions.Arg) {
	t.Helper()
	names := map[string]bool{}
	for _, a := range args {
		if !argName.MatchString(a.Name) || names[a.Name] {
			t.Errorf("argument %q has an invalid or duplicate name", a.Name)
		}
		names[a.Name] = true
		if a.Type == nil || !isSentence(a.Doc) {
			t.Errorf("argument %q has no type, or its documentation is not a sentence: %q", a.Name, a.Doc)
		}
		if a.Required && a.Default != nil {
			t.Errorf("argument %q is required but has a default", a.Name)
		}
		if a.Range != (diag.Range{}) {
			t.Errorf("argument %q has a position in a spec", a.Name)
		}
	}
}

func checkMembers(t *testing.T, object *spec.Type) {
	t.Helper()
	for _, m := range object.Fields {
		if !argName.MatchString(m.Name) || m.Type == nil || !isSentence(m.Doc) {
			t.Errorf("member %q has an invalid name, or no type, or its documentation is not a sentence: %q", m.Name, m.Doc)
			continue
		}
		if m.Type.Elem != nil && m.Type.Elem.Kind == spec.Object {
			checkMembers(t, m.Type.Elem)
		}
	}
}

func isSentence(text string) bool { return strings.HasSuffix(text, ".") }
