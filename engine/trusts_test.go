package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/permissions"
)

// TestTrustsAreListed: whoever reviews the permissions of a spec sees which requests do not verify
// the server, and which origins get credentials, wherever the spec says so. A new version that says
// more requires more.
func TestTrustsAreListed(t *testing.T) {
	t.Parallel()
	const origins = `origins: ["https://a.test", "https://b.test"]`
	credentials := []string{"https://a.test with credentials (auth: origins)", "https://b.test with credentials (auth: origins)"}
	const unverified = "servers that are not verified (tls: insecure)"
	places := map[string]string{
		"defaults":  `http: {baseURL: "https://a.test", ARGS}, resources: Thing: {inputs: name: string, rest: "/things"}`,
		"rest":      `http: {baseURL: "https://a.test"}, resources: Thing: {inputs: name: string, rest: "/things", read: http: {path: "/things/${id}", ARGS}}`,
		"a step":    `http: {baseURL: "https://a.test"}, resources: Thing: {inputs: name: string, id: "x", create: steps: [{http: {method: "POST", path: "/things"}}, {http: {method: "PUT", path: "/x", ARGS}}]}`,
		"configure": `http: {baseURL: "https://a.test"}, configure: http: {path: "/status", ARGS}, resources: Thing: {inputs: name: string, rest: "/things"}`,
		"function":  `http: {baseURL: "https://a.test"}, functions: look: {inputs: name: string, http: {path: "/status", ARGS}}, resources: Thing: {inputs: name: string, rest: "/things"}`,
		"list":      `http: {baseURL: "https://a.test"}, resources: Thing: {inputs: name: string, rest: "/things", list: {http: {path: "/things", ARGS}, id: "${each.value.id}", items: "${body}", name: "${each.value.name}"}}`,
	}
	for args, want := range map[string][]string{
		``:                                 nil,
		`tls: insecure: true`:              {unverified},
		`tls: insecure: false`:             nil,
		`tls: serverName: "a"`:             nil,
		`tls: insecure: "${config.loose}"`: {unverified + ", if ${config.loose}"},
		`tls: "${config.tls}"`:             {"servers that are not verified, if tls: ${config.tls} says so"},
		`auth: {bearer: "abcd", ` + origins + `}`:                                           credentials,
		`auth: [{bearer: "abcd", ` + origins + `}, {apiKey: {header: "X", value: "abcd"}}]`: credentials,
	} {
		for place, spec := range places {
			t.Run(place+", "+args, func(t *testing.T) {
				t.Parallel()
				text := "package test\nname: \"test\"\nversion: \"1.0.0\"\nconfig: {loose: *false | bool, tls?: {insecure?: bool}}\n"
				text += strings.Replace(spec, "ARGS", args, 1)
				w := newWorld()
				prog, diags := w.compile(t, text)
				if diags.HasErrors() {
					t.Fatalf("%s\n%+v", text, diags)
				}
				grants, err := permissions.List(prog.Program)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, g := range grants {
					if g.Access == "trust" {
						got = append(got, g.Pattern)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}
