package exec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
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
		{[]string{"awk", "${inputs.name} {print $2}", "f"}, []string{"1"}},
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
		for _, f := range checkPrograms(actions.Static{Nodes: map[string]*spec.Node{"command": n}}) {
			got = append(got, f.Path)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.command, diff)
		}
	}
}

// TestInputsThatProgramsParse states which standard inputs and files are reported.
func TestInputsThatProgramsParse(t *testing.T) {
	words := func(command string) *spec.Node {
		n := &spec.Node{Kind: spec.ListNode}
		for word := range strings.FieldsSeq(command) {
			n.Items = append(n.Items, &spec.Node{Kind: spec.StringNode, Text: word})
		}
		return n
	}
	const role = "create role ${inputs.name};"
	for _, tc := range []struct {
		command, stdin string
		want           bool
	}{
		{"psql -h db shop", role, true},
		{"psql -f - shop", role, true},
		{"sudo -u postgres psql", role, true},
		{"psql -v name=x", "create role :'name'", false},
		{"psql -c copy", "a,${inputs.name};", false},
		{"psql --command=copy", "a,${inputs.name};", false},
		{"psql -f script.sql", "a ${inputs.name}", false},
		{"psql", "${inputs.script}", false},
		{"psql", "create role $${name};", false},
		{"psql", "${inputs.first} ${inputs.second}", true},
		{"mysql shop", "drop user '${inputs.name}'", true},
		{"sqlite3 a.db", "delete from t where name = '${inputs.name}';", true},
		{"redis-cli -h db", "SET a ${inputs.name}", true},
		{"redis-cli -x SET a", "${inputs.value}", false},
		{"mongosh shop", "db.dropUser('${inputs.name}')", true},
		{"node", "f('${inputs.name}')", true},
		{"node -", "f('${inputs.name}')", true},
		{"node script.js", "a ${inputs.name}", false},
		{"python3 - x", "print('${inputs.name}')", true},
		{"bash -s", "rm -r ${inputs.path}", true},
		{"bash -eu", "rm -r ${inputs.path}", true},
		{"bash script.sh", "yes ${inputs.path}", false},
		{"bash -c cat", "yes ${inputs.path}", false},
		{"docker exec -i web sh", "rm -r ${inputs.path}", true},
		{"ssh -p 22 web", "rm -r ${inputs.path}", true},
		{"ssh web cat", "a ${inputs.path}", false},
		{"ldapmodify -x", "dn: ${id}\nchangetype: delete", true},
		{"ldapadd -x", "dn:: ${base64encode(id)}\ncn:: ${ base64encode(inputs.name) }\n", false},
		{"ldapadd -x", "dn:: ${base64encode(id)}\ncn: ${inputs.name}\n", true},
		{"curl --config -", "url = \"${config.url}/x\"", true},
		{"curl --config -", "url = ${jsonencode(config.url + '/x')}", false},
		{"curl --data-binary @- https://example.com", "a \"${inputs.name}\"", false},
		{"kubectl apply -f -", "metadata:\n  name: ${inputs.name}\n", true},
		{"kubectl apply --filename=-", "metadata:\n  name: ${jsonencode(inputs.name)}\n", false},
		{"kubectl exec -i web -- tee f", "a b ${inputs.name}", false},
		{"nsupdate -k key", "update add ${inputs.name} 60 A 127.0.0.1\nsend\n", true},
		{"chpasswd", "${inputs.user}:${inputs.password}\n", true},
		{"tee a.txt", "Hello ${inputs.name}; goodbye", false},
		// JSON is a literal in some languages only; "$(reboot)" is none in a shell.
		{"bash -s", "echo ${jsonencode(inputs.name)}", true},
		{"ssh web", "echo ${toJSON(inputs.name)}", true},
		{"psql", "select '${jsonencode(inputs.name)}';", true},
		{"redis-cli", "SET a ${jsonencode(inputs.name)}", true},
		{"perl", "print ${jsonencode(inputs.name)};", true},
		{"nsupdate", "update add ${jsonencode(inputs.name)} 60 A 127.0.0.1", true},
		{"kubectl apply -f -", "metadata: ${yamlencode(inputs.labels)}\nspec: 1", true},
		{"node", "f(${jsonencode(inputs.name)})", false},
		{"mongosh", "db.dropUser(${toJSON(inputs.name)})", false},
		{"bash -s", "echo ${base64encode(inputs.name)} | base64 -d", false},
		{"psql", "select decode('${hex(inputs.name)}', 'hex');", false},
	} {
		static := actions.Static{Nodes: map[string]*spec.Node{"command": words(tc.command), "stdin": {Kind: spec.StringNode, Text: tc.stdin}}}
		if got := len(checkInput(static)) > 0; got != tc.want {
			t.Errorf("%s with %q: reported %t, want %t", tc.command, tc.stdin, got, tc.want)
		}
	}
	for script, want := range map[string]bool{
		`exec ldapadd -x -y "$DECLPROV_FILES/pw"`: true, `psql -f "$DECLPROV_FILES/a.sql"`: false, "read name; echo $name": false, "set -e\nmysql shop\n": true,
	} {
		static := actions.Static{Nodes: map[string]*spec.Node{"shell": {Kind: spec.StringNode, Text: script}, "stdin": {Kind: spec.StringNode, Text: role}}}
		if got := len(checkInput(static)) > 0; got != want {
			t.Errorf("%s: reported %t, want %t", script, got, want)
		}
	}
	text := func(s string) *spec.Node { return &spec.Node{Kind: spec.StringNode, Text: s} }
	files := &spec.Node{Kind: spec.ListNode}
	for _, f := range [][2]string{{"a.sql", role}, {"b.txt", role}, {"c.sh", "rm '${inputs.path}'"}, {"d.sql", "select 1;"}, {"pw", "${config.password}\n"}} {
		files.Items = append(files.Items, &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{{Name: "path", Value: text(f[0])}, {Name: "content", Value: text(f[1])}}})
	}
	var got []string
	for _, f := range checkInput(actions.Static{Nodes: map[string]*spec.Node{"files": files}}) {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"0.content", "2.content"}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
