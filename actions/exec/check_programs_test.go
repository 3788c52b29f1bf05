package exec

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
)

// TestTextsThatProgramsParse states which arguments of a command are reported: those in which
// a program would interpret a value.
func TestTextsThatProgramsParse(t *testing.T) {
	for _, tc := range []struct {
		command []string
		want    []string
	}{
		{[]string{"psql", "-c", "create role ${inputs.name}"}, []string{"2"}},
		{[]string{"psql", "--command=create role ${inputs.name}"}, []string{"1"}},
		{[]string{"psql", "-v", "name=${inputs.name}", "-f", "-"}, nil},
		{[]string{"psql", "-c", "${inputs.statement}"}, nil},
		{[]string{"psql", "-c", "create role $${name}"}, nil},
		{[]string{"mysql", "-e", "drop user '${inputs.name}'"}, []string{"2"}},
		{[]string{"mongosh", "--eval", `db.dropUser("${inputs.name}")`}, []string{"2"}},
		{[]string{"perl", "-e", "print '${inputs.name}'"}, []string{"2"}},
		{[]string{"sudo", "-u", "postgres", "sh", "-c", "createuser ${inputs.name}"}, []string{"5"}},
		{[]string{"sqlite3", "a.db", "delete from t where name = '${inputs.name}'"}, []string{"2"}},
		{[]string{"/usr/bin/jq", `.name == "${inputs.name}"`}, []string{"1"}},
		{[]string{"jq", "--arg", "name", "${inputs.name}", ".name == $name", "dir/${inputs.file}"}, nil},
		{[]string{"git", "-c", "user.name=${inputs.name}", "commit", "-m", "by ${inputs.name}"}, nil},
		{[]string{"curl", "-e", "https://${inputs.host}/x", "--", "https://example.com/${inputs.path}"}, nil},
		{[]string{"echo", "hello ${inputs.name}"}, nil},
	} {
		n := &spec.Node{Kind: spec.ListNode}
		for _, word := range tc.command {
			n.Items = append(n.Items, &spec.Node{Kind: spec.StringNode, Text: word})
		}
		var got []string
		for _, f := range checkPrograms(n) {
			got = append(got, f.Path)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.command, diff)
		}
	}
}
