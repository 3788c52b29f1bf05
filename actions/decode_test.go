package actions

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
)

// shout is an ArgumentReader.
type shout string

func (s *shout) ReadArgument(v any) error {
	switch v := v.(type) {
	case nil:
		*s = "nothing"
		return nil
	case string:
		*s = shout(v + "!")
		return nil
	default:
		return errors.New("cannot be shouted")
	}
}

type where struct {
	Path string `arg:"path"`
	Root string `arg:"root"`
}

type decoded struct {
	where
	Flag   bool           `arg:"flag"`
	Count  int            `arg:"count"`
	Most   *int64         `arg:"most"`
	Any    any            `arg:"any"`
	Map    map[string]any `arg:"map"`
	Names  []string       `arg:"names"`
	Wait   time.Duration  `arg:"wait"`
	Shout  shout          `arg:"shout"`
	File   *spec.File     `arg:"file"`
	Words  []spec.Part    `arg:"words"`
	Nested *struct {
		Size int           `arg:"size"`
		Deep []where       `arg:"deep"`
		Path []spec.Part   `arg:"path"`
		Wait time.Duration `arg:"wait"`
	} `arg:"nested"`
	ignored string
}

func TestDecode(t *testing.T) {
	file := &spec.File{}
	call := &Call{
		Args: map[string]any{
			"path": "a", "flag": false, "count": json.Number("3"), "most": int64(4), "any": []any{true}, "map": map[string]any{"k": nil},
			"names": []any{"x", "y"}, "wait": "1m30s", "shout": "hey", "file": file,
			"nested": map[string]any{"size": 2.0, "deep": []any{map[string]any{"root": "r"}}},
		},
		Parts: map[string][]spec.Part{"words": {{Text: "w"}}, "nested.path": {{Text: "p"}}},
	}
	got := decoded{where: where{Root: "/"}, Flag: true, ignored: "as it was"}
	if err := call.Decode(&got); err != nil {
		t.Fatal(err)
	}
	most := int64(4)
	want := decoded{
		where: where{Path: "a", Root: "/"}, Count: 3, Most: &most, Any: []any{true}, Map: map[string]any{"k": nil}, Names: []string{"x", "y"},
		Wait: 90 * time.Second, Shout: "hey!", File: file, Words: []spec.Part{{Text: "w"}}, ignored: "as it was",
	}
	want.Nested = got.Nested
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(decoded{}, where{})); diff != "" {
		t.Error(diff)
	}
	if n := got.Nested; n == nil || n.Size != 2 || len(n.Deep) != 1 || n.Deep[0].Root != "r" || len(n.Path) != 1 {
		t.Errorf("nested: %+v", n)
	}
	var none decoded
	if err := (&Call{}).Decode(&none); err != nil || none.Shout != "nothing" || none.Nested != nil || none.Most != nil {
		t.Errorf("of no arguments: %+v (%v)", none, err)
	}
}

// TestDecodeNamesTheArgument: an error says which argument is wrong, and never its value,
// which may be secret.
func TestDecodeNamesTheArgument(t *testing.T) {
	for want, args := range map[string]map[string]any{
		"path: expected a string, got a number":                   {"path": int64(7)},
		"flag: expected a boolean, got a string":                  {"flag": "s3cret"},
		"count: expected an integer, got a number":                {"count": 1.5},
		"most: expected an integer, got a string":                 {"most": "7"},
		"map: expected an object, got a list":                     {"map": []any{}},
		"names: expected a list, got a string":                    {"names": "s3cret"},
		"names.1: expected a string, got an object":               {"names": []any{"x", map[string]any{}}},
		`wait: invalid duration "-1s" (use 10s or 1m30s)`:         {"wait": "-1s"},
		"shout: cannot be shouted":                                {"shout": true},
		"nested: expected an object, got a string":                {"nested": "s3cret"},
		"nested.deep.0.root: expected a string, got a list":       {"nested": map[string]any{"deep": []any{map[string]any{"root": []any{}}}}},
		`nested.wait: invalid duration "soon" (use 10s or 1m30s)`: {"nested": map[string]any{"wait": "soon"}},
		"file: expected a file, got a string":                     {"file": "s3cret"},
	} {
		if err := (&Call{Args: args}).Decode(new(decoded)); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}

func TestDecodeWithin(t *testing.T) {
	late := LateExpr(func(map[string]any) (any, error) { return "found", nil })
	call := &Call{Late: map[string]LateExpr{"auth.login.token": late}}
	var got struct {
		User  string   `arg:"user"`
		Token LateExpr `arg:"token"`
	}
	err := call.DecodeWithin("auth.login", map[string]any{"user": "me"}, &got)
	if err != nil || got.User != "me" || got.Token == nil {
		t.Errorf("%+v (%v)", got, err)
	}
}
