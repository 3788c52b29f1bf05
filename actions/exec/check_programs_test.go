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
		// Other spellings of the options.
		{[]string{"psql", "-tAc", "drop role ${inputs.name}"}, []string{"2"}},
		{[]string{"psql", "-cdrop role ${inputs.name}"}, []string{"1"}},
		{[]string{"mysql", "-Ne", "drop user ${inputs.name}"}, []string{"2"}},
		{[]string{"mariadb", "--execute=drop user ${inputs.name}"}, []string{"1"}},
		{[]string{"clickhouse-client", "--query", "select ${inputs.name} from t"}, []string{"2"}},
		{[]string{"sqlcmd", "-Q", "drop login [${inputs.name}] ;"}, []string{"2"}},
		{[]string{"node", "-p", "f('${inputs.name}')"}, []string{"2"}},
		{[]string{"php", "-r", "echo '${inputs.name}';"}, []string{"2"}},
		{[]string{"ruby", "-ne", "puts '${inputs.name}'"}, []string{"2"}},
		{[]string{"env", "-S", "rm ${inputs.name}"}, []string{"2"}},
		{[]string{"aws", "ec2", "describe-vpcs", "--query", "Vpcs[?Name=='${inputs.name}']"}, []string{"4"}},
		{[]string{"kubectl", "get", "pods", "-l", "app=${inputs.name}"}, nil},
		// A text without an option.
		{[]string{"redis-cli", "-h", "${inputs.host}", "EVAL", "return redis.call('get', '${inputs.name}')", "0"}, []string{"4"}},
		{[]string{"redis-cli", "EVAL", "return redis.call('get', KEYS[1])", "1", "user:${inputs.name}"}, nil},
		{[]string{"sed", "-i", "s/a/${inputs.name} b/", "f"}, []string{"2"}},
		{[]string{"sed", "-e", "s/a b/${inputs.name}/", "f"}, []string{"2"}},
		{[]string{"awk", "$1 == \"${inputs.name}\"", "f"}, []string{"1"}},
		{[]string{"awk", "-f", "x.awk", "-v", "name=${inputs.name}"}, nil},
		{[]string{"duckdb", "a.db", "drop table \"${inputs.name}\""}, []string{"2"}},
		{[]string{"watch", "ls ${inputs.name}"}, []string{"1"}},
		// A shell that another program starts.
		{[]string{"docker", "exec", "web", "sh", "-c", "rm -r ${inputs.path}"}, []string{"5"}},
		{[]string{"docker", "exec", "web", "bash", "-lc", "A=b; rm -r ${inputs.path}"}, []string{"5"}},
		{[]string{"kubectl", "exec", "web", "--", "bash", "-ec", "rm -r ${inputs.path}"}, []string{"6"}},
		{[]string{"su", "-", "postgres", "-c", "createuser ${inputs.name}"}, []string{"4"}},
		{[]string{"docker", "run", "-e", "GREETING=hello ${inputs.name}", "web"}, nil},
		{[]string{"git", "-c", "user.name=Team ${inputs.name}", "commit"}, nil},
		// ssh joins words, and the other shell parses them.
		{[]string{"ssh", "web", "rm -r ${inputs.path}"}, []string{"2"}},
		{[]string{"ssh", "-p", "${inputs.port}", "-o", "User=${inputs.user}", "-v", "${inputs.host}", "rm", "--", "${inputs.path}"}, []string{"9"}},
		{[]string{"ssh", "-p22", "${inputs.user}@${inputs.host}"}, nil},
		{[]string{"ssh", "web", "rm", "$${HOME}"}, nil},
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
