package outside

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec/screen"
	"github.com/declprov/declprov/tests/internal/provider"
)

// steering are texts that do something other than be drawn: every such character, tags
// but for a few of their thousands, and Pulumi's own markup.
func steering() []string {
	all := []string{"<{%reset%}>", "<{%", "\x1b]8;;http://example.com\x07", "\x1b[2J"}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) && screen.Steers(r) && (r < 0xe0004 || r == 0xe0fff) {
			all = append(all, string(r))
		}
	}
	return all
}

// TestSteeringIDs: an id is shown as it is wherever it names a resource, so none is
// recorded that would steer the screen; and none is changed, as it would name another
// object. What was made stays on the list; what is known to be so before is not made.
func TestSteeringIDs(t *testing.T) {
	b := newBench(t)
	texts := steering()
	if len(texts) < 100 {
		t.Fatalf("only %d texts", len(texts))
	}
	thing := func(name string) property.Map {
		return property.NewMap(map[string]property.Value{"name": property.New(name), "size": property.New(1.0)})
	}
	for i, text := range texts {
		name, id := fmt.Sprintf("s%d", i), "a"+text+"b"
		shows := func(what string, err error) {
			t.Helper()
			if err == nil || screen.SteeringIndex(strings.ReplaceAll(err.Error(), "\n", "")) < len(strings.ReplaceAll(err.Error(), "\n", "")) {
				t.Errorf("%s: %q: %q", what, text, fmt.Sprint(err))
			}
		}
		b.server.Say(name, map[string]any{"id": id}, "POST")
		_, err := b.Create(b.Context(), client.Resource{Type: "signed:index:Thing", Name: name}, thing(name), client.Operation{})
		var kept *client.InitFailed
		if shows("create", err); errors.As(err, &kept) || !strings.Contains(fmt.Sprint(err), "declprov journal") {
			t.Errorf("%q: expected that the journal lists it, got %v", text, err)
		}
		b.server.Say(name, map[string]any{"items": []any{"fine", id}}, "LIST")
		listing, err := b.List(b.Context(), "signed:index:Thing", property.NewMap(map[string]property.Value{"name": property.New(name)}), 0, 0, "")
		if shows("list", err); len(listing.Results) > 1 {
			t.Errorf("list: %v", listing)
		}
		_, err = b.Read(b.Context(), client.Resource{Type: "signed:index:Thing", Name: name}, client.State{ID: id}, client.Operation{})
		shows("import", err)
		made := b.server.CountMade()
		named := client.Resource{Type: "signed:index:Named", Name: name}
		if c, err := b.Check(b.Context(), named, property.Map{}, thing(id)); err != nil || !slices.ContainsFunc(c.Failures, func(f client.Failure) bool { return f.Property == "name" }) {
			t.Errorf("%q: check: %v, %v", text, c.Failures, err)
		}
		for _, typ := range []string{"Named", "Derived"} {
			named.Type = "signed:index:" + typ
			for _, preview := range []bool{true, false} {
				_, err = b.Create(b.Context(), named, thing(id), client.Operation{Preview: preview})
				shows(typ, err)
			}
		}
		if b.server.CountMade() != made {
			t.Errorf("%q: something was made whose id cannot be recorded", text)
		}
	}
	listed, err := provider.Journal(t, os.Environ())
	if err != nil || len(listed) != len(texts) {
		t.Errorf("the journal lists %d of %d, %v", len(listed), len(texts), err)
	}
}

// TestKeptIDs: what was recorded before is still looked at and removed by it.
func TestKeptIDs(t *testing.T) {
	b := newBench(t)
	it := client.Resource{Type: "signed:index:Thing", Name: "it"}
	inputs := property.NewMap(map[string]property.Value{"name": property.New("it"), "size": property.New(1.0)})
	made, err := b.Create(b.Context(), it, inputs, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	made.ID = "it\u202e"
	if d, err := b.Diff(b.Context(), it, made, inputs); err != nil || d.Changed {
		t.Errorf("diff: %+v, %v", d, err)
	}
	if err := b.Delete(b.Context(), it, made, client.Operation{}); err != nil {
		t.Errorf("delete: %v", err)
	}
}
