package etcd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/faults"
	"github.com/declprov/declprov/tests/internal/unlucky"
)

func TestEtcd(t *testing.T) {
	s := start(t)
	s.put(t, "foreign", "theirs")
	s.Must(t, "POST", "/v3/auth/role/add", map[string]any{"name": "foreign"})
	faults.Table{
		Server: faults.Server{Provider: "etcd", Spec: "tests/servers/etcd/testdata/etcd.cue", URL: s.Base, Env: environment, Things: s.things},
		Steps:  steps(),
		Delete: []faults.Match{sent("/kv/deleterange", "NAME/new"), sent("/auth/role/delete", "NAME-new")},
		Taken:  program("NAME", "mine", "NAME", "[{key: k}]"),
		Takes:  []faults.Match{sent("/kv/txn", "NAME"), sent("/auth/role/add", "NAME")},
		Plain: faults.Plain{
			Change: func(t testing.TB, name string) {
				s.put(t, name+"/new", "theirs")
				s.grant(t, name+"-new", "other")
			},
			Changed: []string{"update Key plain", "update Role plain-role"},
			Remove: func(t testing.TB, name string) {
				s.Must(t, "POST", "/v3/kv/deleterange", map[string]any{"key": encode(name + "/new")})
				s.Must(t, "POST", "/v3/auth/role/delete", map[string]any{"role": name + "-new"})
			},
			Imports: []faults.Import{
				{Token: "etcd:index:Key", Resource: "NAME", Make: func(t testing.TB, name string) string {
					s.put(t, "old/"+name, "theirs")
					return "old/" + name
				}},
				{Token: "etcd:index:Role", Resource: "NAME-role", Make: func(t testing.TB, name string) string {
					s.Must(t, "POST", "/v3/auth/role/add", map[string]any{"name": name})
					s.grant(t, name, "k")
					return name
				}},
			},
			Imported: program("old/NAME", "theirs", "NAME", "[{key: k}]"),
		},
	}.Run(t)
}

func steps() []faults.Step {
	return []faults.Step{
		{
			Name: "create", Ops: "create=2",
			Program: program("NAME", "one", "NAME", "[{key: NAME}, {key: zone}]"),
			Things:  []string{"key NAME=one", "role NAME READ NAME READ zone"},
			Strikes: []faults.Match{sent("/kv/txn", "NAME"), sent("/auth/role/add", "NAME"), sent("/auth/role/grant", "NAME")},
		},
		{
			Name: "update", Ops: "update=2",
			Program: program("NAME", "two", "NAME", "[{key: NAME/2, access: WRITE}, {key: zone}]"),
			Things:  []string{"key NAME=two", "role NAME READ zone WRITE NAME/2"},
			Strikes: []faults.Match{sent("/kv/txn", "NAME"), sent("/auth/role/revoke", "NAME"), sent("/auth/role/grant", "NAME/2")},
		},
		{
			Name: "rename", Ops: "create-replacement=1 delete-replaced=1 replace=1 update=1",
			Program: program("NAME/new", "two", "NAME-new", "[{key: NAME/2, access: WRITE}]"),
			Things:  []string{"key NAME/new=two", "role NAME-new WRITE NAME/2"},
			Strikes: []faults.Match{sent("/kv/txn", "NAME/new"), sent("/auth/role/add", "NAME-new"), sent("/auth/role/delete", "NAME")},
		},
		{
			// The new one has the name of the old one, which has to go first.
			Name: "replace", DeletesFirst: true, Ops: "create-replacement=1 delete-replaced=1 replace=1 same=1",
			Program: strings.Replace(program("NAME/new", "two", "NAME-new", "[{key: NAME/2, access: WRITE}]"),
				"etcd:Key,", "etcd:Key, options: {deleteBeforeReplace: true},", 1),
			Args:    []string{"--replace", "**etcd:index:Key::**"},
			Things:  []string{"key NAME/new=two", "role NAME-new WRITE NAME/2"},
			Strikes: []faults.Match{sent("/kv/deleterange", "NAME/new"), sent("/kv/txn", "NAME/new")},
		},
	}
}

func program(key, value, role, permissions string) string {
	return fmt.Sprintf(`  NAME: {type: etcd:Key, properties: {key: %s, value: %s}}
  NAME-role: {type: etcd:Role, properties: {name: %s, permissions: %s}}
`, key, value, role, permissions)
}

// sent matches a path, and a text in the body, perhaps in base64.
func sent(path, text string) faults.Match {
	return func(name string, r unlucky.Request) bool {
		text := strings.ReplaceAll(text, faults.Name, name)
		return r.URI == "/v3"+path && (strings.Contains(r.Body, `"`+encode(text)+`"`) || strings.Contains(r.Body, `"`+text+`"`))
	}
}
