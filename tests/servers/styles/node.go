package styles

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

// startNode starts the server of the styles in tests/tools/styles.
func startNode(t *testing.T) []style {
	t.Helper()
	script, port := tools.Need(t, tools.Styles), daemon.FreePort(t)
	daemon.Start(t, t.TempDir(), port, "node", script, strconv.Itoa(port))
	api := daemon.API{Base: "http://" + daemon.Loopback(port)}
	things := func(kind, format string, members ...string) func(t *testing.T) []string {
		return func(t *testing.T) (out []string) {
			for _, thing := range api.Must(t, "GET", "/all", nil).(map[string]any)[kind].([]any) {
				values := make([]any, len(members))
				for i, name := range members {
					values[i] = thing.(map[string]any)[name]
				}
				out = append(out, fmt.Sprintf(format, values...))
			}
			slices.Sort(out)
			return out
		}
	}
	return []style{
		{
			page: "graphql", provider: "pets", resource: "Pet", env: []string{"PETS_ENDPOINT=" + api.Base + "/graphql"},
			created: "name: Rex, age: 3, tags: [good]", updated: "name: Rex, age: 4", replaced: "name: Max, age: 4",
			things: things("pets", "%v %v %v", "name", "age", "tags"),
			had:    [3][]string{{"Rex 3 [good]"}, {"Rex 4 []"}, {"Max 4 []"}},
			drift: func(t *testing.T) {
				api.Must(t, "POST", "/graphql", map[string]any{"query": `mutation {setPet(id: "1", age: 9) {id}}`})
			},
		},
		{
			page: "json-rpc", provider: "notes", resource: "Note", env: []string{"NOTES_ENDPOINT=" + api.Base},
			created: "title: one, text: a b", updated: "title: one, text: a b c", replaced: "title: two, text: a",
			things: things("notes", "%v: %v (%v)", "title", "text", "words"),
			had:    [3][]string{{"one: a b (2)"}, {"one: a b c (3)"}, {"two: a (1)"}},
			drift: func(t *testing.T) {
				api.Must(t, "POST", "/rpc", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "notes.set", "params": map[string]any{"title": "one", "text": "x"}})
			},
		},
		{
			page: "soap", provider: "club", resource: "Member", env: []string{"CLUB_ENDPOINT=" + api.Base},
			created: "name: Ada & Co, level: 1, roles: [chair]", updated: "name: Ada & Co, level: 2, roles: [chair, clerk]", replaced: "name: Bob, level: 2",
			things: things("members", "%v %v %v", "name", "level", "roles"),
			had:    [3][]string{{"Ada & Co 1 map[role:[chair]]"}, {"Ada & Co 2 map[role:[chair clerk]]"}, {"Bob 2 map[role:[]]"}},
			drift: func(t *testing.T) {
				call := api
				call.Headers = map[string]string{"Content-Type": "text/xml", "SOAPAction": "urn:club:SetMember"}
				call.Send(t, "POST", "/soap", `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><SetMember xmlns="urn:club"><member>`+
					`<name>Ada &amp; Co</name><level>7</level></member></SetMember></s:Body></s:Envelope>`)
			},
		},
	}
}
