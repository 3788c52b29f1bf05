package load_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
)

func TestRanges(t *testing.T) {
	src := loadtest.Head + `resources: Pet: {
	id: "${result.id}"
	inputs: {"a"?: string, b: {c: int}}
	create: steps: [{as: "one", file: write: {path: "x"}}, {http: path: "/"}]
}
`
	p := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(src), Format: "cue"})
	r := p.Resource("Pet")
	text := func(name string, got fmt.Stringer, start, end string) {
		t.Helper()
		if !strings.HasSuffix(got.String(), start) {
			t.Errorf("%s is at %s, want %s (to %s)", name, got, start, end)
		}
	}
	text("name", r.Range, ":2:12", "")
	text("id", r.ID.Range, ":3:6", "")
	text("a", r.Inputs.Field("a").Range, ":4:11", "")
	text("b", r.Inputs.Field("b").Range, ":4:25", "")
	text("c", r.Inputs.Field("b").Type.Field("c").Range, ":4:29", "")
	text("create", r.Create.Range, ":5:10", "")
	text("step 1", r.Create.Steps[0].Range, ":5:18", "")
	text("as", r.Create.Steps[0].AsRange, ":5:23", "")
	text("file", r.Create.Steps[0].Actions[0].NameRange, ":5:30", "")
	text("step 2", r.Create.Steps[1].Range, ":5:57", "")
	if end := r.Create.Steps[0].Range.End; end.Column != 55 {
		t.Errorf("step 1 ends at %v", end)
	}
	if r.Create.Steps[0].Actions[0].Value.Kind != spec.MapNode {
		t.Error("the action is no struct")
	}
}
