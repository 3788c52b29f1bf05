package try

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/pulumi/client"
)

func TestMessage(t *testing.T) {
	messages := []client.LogMessage{
		{Severity: "DEBUG", Text: "for debugging"},
		{Severity: "INFO", Text: "half done", Ephemeral: true},
		{Severity: "INFO", Text: "done"},
		{Severity: "WARNING", Text: "slow\nvery slow"},
	}
	for live, want := range map[bool]string{
		false: "        done\n        warning: slow\n        very slow\n",
		true:  "        half done\n        done\n        warning: slow\n        very slow\n",
	} {
		var out bytes.Buffer
		show := NewMessages(&out, false, live).Show
		for _, m := range messages {
			show(m)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("live %v (-want +got):\n%s", live, diff)
		}
	}
}

func TestChanges(t *testing.T) {
	var out bytes.Buffer
	l := &life{printer: printer{w: &out}}
	l.changes(client.Diff{Details: []client.Change{
		{Path: "a", Kind: "ADD"}, {Path: "b[0]", Kind: "DELETE"}, {Path: "c.d", Kind: "UPDATE_REPLACE"},
	}})
	l.changes(client.Diff{Diffs: []string{"x", "y"}})
	want := "        + a\n        - b[0]\n        ~ c.d  replaces\n        ~ x, y\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
