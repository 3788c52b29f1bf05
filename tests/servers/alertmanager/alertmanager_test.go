package alertmanager

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/faults"
	"github.com/declprov/declprov/tests/internal/unlucky"
)

func TestAlertmanager(t *testing.T) {
	s := start(t)
	for _, name := range []string{"foreign", "after", "plain"} { // they look like ours
		s.silence(t, name, "mallory", "theirs")
	}
	faults.Table{
		Server: faults.Server{Provider: "alertmanager", Spec: "tests/servers/alertmanager/testdata/alertmanager.cue", URL: s.Base, Env: environment, Things: s.things},
		Steps:  s.steps(t),
		Delete: []faults.Match{s.deletes(t, "NAME-new by bob")},
		Taken:  program("NAME", "mallory", "theirs"),
		Takes:  []faults.Match{faults.Request("POST", `"value":"NAME"`)},
		Plain: faults.Plain{
			Change: func(t testing.TB, name string) {
				s.Must(t, "DELETE", "/api/v2/silence/"+s.id(t, name+"-new by bob"), nil)
			},
			Changed: []string{"delete Silence plain"},
			Remove:  func(testing.TB, string) {},
			Imports: []faults.Import{{Token: "alertmanager:index:Silence", Resource: "NAME", Make: func(t testing.TB, name string) string {
				return s.silence(t, "old-"+name, "mallory", "why not")
			}}},
			Imported: program("old-NAME", "mallory", "why not"),
		},
	}.Run(t)
}

func (s *server) steps(t *testing.T) []faults.Step {
	return []faults.Step{
		{
			Name: "create", Ops: "create=1", Program: program("NAME", "ada", "one"), Things: []string{"NAME by ada: one"},
			Strikes: []faults.Match{faults.Request("POST", `"value":"NAME"`)},
		},
		{
			Name: "update", Ops: "update=1", Program: program("NAME", "ada", "two"), Things: []string{"NAME by ada: two"},
			Strikes: []faults.Match{faults.Request("POST", `"value":"NAME"`)},
		},
		{
			// The server makes a new silence, and ends the old one.
			Name: "rename", Ops: "update=1", Program: program("NAME-new", "ada", "two"), Things: []string{"NAME-new by ada: two"},
			Strikes: []faults.Match{faults.Request("POST", `"value":"NAME-new"`)},
		},
		{
			Name: "replace", Ops: "create-replacement=1 delete-replaced=1 replace=1",
			Program: program("NAME-new", "bob", "two"), Things: []string{"NAME-new by bob: two"},
			Strikes: []faults.Match{faults.Request("POST", `"value":"NAME-new"`), s.deletes(t, "NAME-new by ada")},
		},
	}
}

// deletes matches the deletion of the silence that begins so.
func (s *server) deletes(t *testing.T, silence string) faults.Match {
	return func(name string, r unlucky.Request) bool {
		id := s.id(t, strings.ReplaceAll(silence, faults.Name, name))
		return r.Method == "DELETE" && id != "" && strings.HasSuffix(r.URI, id)
	}
}

// id is that of the silence that begins so.
func (s *server) id(t testing.TB, silence string) string {
	t.Helper()
	for id, text := range s.silences(t) {
		if strings.HasPrefix(text, silence) {
			return id
		}
	}
	return ""
}

func program(alert, by, comment string) string {
	return fmt.Sprintf(`  NAME:
    type: alertmanager:Silence
    properties:
      matchers: [{name: alertname, value: %s}]
      startsAt: 2090-01-01T00:00:00Z
      endsAt: 2090-01-02T00:00:00Z
      createdBy: %s
      comment: %s
`, alert, by, comment)
}
