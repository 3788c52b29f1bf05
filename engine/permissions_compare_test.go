package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/permissions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/load"
)

// TestGrantsBeyond compares single grants: what an earlier one certainly includes is not
// more, and all that is not certain is.
func TestGrantsBeyond(t *testing.T) {
	t.Parallel()
	type grant = permissions.Grant
	root := func(text string, env ...string) []permissions.Setting {
		return []permissions.Setting{{Name: "config.root", Default: text, Env: env}}
	}
	for _, tc := range []struct {
		earlier, now grant
		more         bool
	}{
		{grant{Access: "write", Pattern: "d/**"}, grant{Access: "write", Pattern: "d/**"}, false},
		{grant{Access: "write", Pattern: "d/**", Implied: true}, grant{Access: "write", Pattern: "d/**"}, false},
		{grant{Access: "write", Pattern: "d/**"}, grant{Access: "read", Pattern: "d/**"}, false},
		{grant{Access: "read", Pattern: "d/**"}, grant{Access: "write", Pattern: "d/**"}, true},
		{grant{Access: "write", Pattern: "d/**"}, grant{Access: "write", Pattern: "d"}, false},
		{grant{Access: "write", Pattern: "d/**"}, grant{Access: "read", Pattern: "d/e/*.txt"}, false},
		{grant{Access: "write", Pattern: "d/**"}, grant{Access: "write", Pattern: "d2/x"}, true},
		{grant{Access: "write", Pattern: "d/**"}, grant{Access: "write", Pattern: "d/../x"}, true},
		{grant{Access: "write", Pattern: "d/**"}, grant{Access: "write", Pattern: `d/..\x`}, true},
		{grant{Access: "write", Pattern: "d/*"}, grant{Access: "write", Pattern: "d/x"}, true},
		{grant{Access: "write", Pattern: "?/**"}, grant{Access: "write", Pattern: "?/x"}, true},
		{grant{Access: "write", Pattern: "d/**"}, grant{Access: "write", Pattern: "d/${config.root}", Settings: root(`"x"`)}, true},
		{grant{Access: "write", Pattern: "d/**"}, grant{Access: "write", Pattern: "d/${inputs.x}", Chosen: true}, true},
		{grant{Access: "write", Pattern: "${inputs.x}/**", Chosen: true}, grant{Access: "write", Pattern: "${inputs.x}/y", Chosen: true}, true},
		{grant{Access: "write", Pattern: "${config.root}", Settings: root(`"x"`)}, grant{Access: "write", Pattern: "${config.root}", Settings: root(`"x"`)}, false},
		{grant{Access: "write", Pattern: "${config.root}", Settings: root(`"x"`)}, grant{Access: "write", Pattern: "${config.root}", Settings: root(`"/"`)}, true},
		{grant{Access: "write", Pattern: "${config.root}", Settings: root(`"x"`)}, grant{Access: "write", Pattern: "${config.root}", Settings: root(`"x"`, "HOME")}, true},
		{grant{Access: "hosts", Pattern: "https://a.test"}, grant{Access: "hosts", Pattern: "https://A.test:443/v2"}, false},
		{grant{Access: "hosts", Pattern: "https://a.test:*"}, grant{Access: "hosts", Pattern: "https://a.test"}, false},
		{grant{Access: "hosts", Pattern: "https://a.test"}, grant{Access: "hosts", Pattern: "http://a.test"}, true},
		{grant{Access: "hosts", Pattern: "https://a.test"}, grant{Access: "hosts", Pattern: "https://a.test:*"}, true},
		{grant{Access: "hosts", Pattern: "https://*.test"}, grant{Access: "hosts", Pattern: "https://a.test"}, true},
		{grant{Access: "hosts", Pattern: "https://*"}, grant{Access: "hosts", Pattern: "https://127.0.0.1"}, true},
		{grant{Access: "trust", Pattern: "a"}, grant{Access: "trust", Pattern: "a"}, false},
		{grant{Access: "trust", Pattern: "a"}, grant{Access: "trust", Pattern: "b"}, true},
		{grant{Access: "hosts", Pattern: "a"}, grant{Access: "trust", Pattern: "a"}, true},
		{grant{Access: "trust", Pattern: "${config.root}", Settings: root("false")}, grant{Access: "trust", Pattern: "${config.root}", Settings: root("true")}, true},
		{grant{Access: "run", Pattern: "sh"}, grant{Access: "run", Pattern: "/bin/sh"}, true},
		{grant{Access: "run", Pattern: "sh", Confined: plan.Attempted}, grant{Access: "run", Pattern: "sh", Confined: plan.Enforced}, false},
		{grant{Access: "run", Pattern: "sh", Confined: plan.Attempted}, grant{Access: "run", Pattern: "sh", Confined: plan.Mixed}, true},
		{grant{Access: "run", Pattern: "sh", Confined: plan.Mixed}, grant{Access: "run", Pattern: "sh", Confined: plan.Unconfined}, true},
		{grant{Access: "env", Pattern: "A_*"}, grant{Access: "env", Pattern: "A_B"}, false},
		{grant{Access: "env", Pattern: "A_*"}, grant{Access: "env", Pattern: "A_B*"}, true},
		{grant{Access: "env", Pattern: "A_*"}, grant{Access: "env", Pattern: "A"}, true},
		{grant{Access: "packages", Pattern: "random"}, grant{Access: "packages", Pattern: "random@1.0.0"}, false},
		{grant{Access: "packages", Pattern: "random@1.0.0"}, grant{Access: "packages", Pattern: "random"}, true},
		{grant{Access: "env", Pattern: "random"}, grant{Access: "packages", Pattern: "random"}, true},
	} {
		var want []grant
		if tc.more {
			want = []grant{tc.now}
		}
		if diff := cmp.Diff(want, permissions.Beyond([]grant{tc.now}, []grant{tc.earlier})); diff != "" {
			t.Errorf("%v after %v: %s", tc.now, tc.earlier, diff)
		}
	}
}

// TestVariablesOfTheConfigurationAreListed: who reviews a spec reads which variables its
// configuration comes from, whether a permissions block names them or not.
func TestVariablesOfTheConfigurationAreListed(t *testing.T) {
	t.Parallel()
	for granted, want := range map[string][]permissions.Grant{
		``:                             {{Access: "env", Pattern: "CANARY", Implied: true}},
		`permissions: {}`:              {{Access: "env", Pattern: "CANARY", Implied: true}},
		`permissions: env: ["CANARY"]`: {{Access: "env", Pattern: "CANARY"}},
	} {
		prog, diags := newWorld().compile(t, granted+"\nconfig: found?: string @env(CANARY)\n")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		got, err := permissions.List(prog.Program)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got): %s", granted, diff)
		}
	}
}

// TestDefaultsThatDecideAGrantAreListed: a grant of what the program chooses shows what
// the author has chosen for programs that do not, wherever the default is.
func TestDefaultsThatDecideAGrantAreListed(t *testing.T) {
	t.Parallel()
	const at = `*"/etc/passwd" | string`
	shown := []permissions.Setting{{Name: "inputs.at", Default: `"/etc/passwd"`}}
	for name, tc := range map[string]struct {
		pattern, spec string
		want          []permissions.Setting
	}{
		"a resource's":       {"${inputs.at}", `resources: It: inputs: at: ` + at, shown},
		"without a default":  {"${inputs.at}", `resources: It: inputs: at: string`, nil},
		"another's":          {"${inputs.other}", `resources: It: inputs: {at: ` + at + `, other: string}`, nil},
		"a function's":       {"${inputs.at}", `functions: it: {inputs: at: ` + at + `, outputs: {}, return: {}}`, shown},
		"an ephemeral's":     {"${inputs.at}", `ephemerals: It: {inputs: at: ` + at + `, outputs: {}, open: file: read: path: "x"}`, shown},
		"that of a list":     {"${inputs.at}", `resources: It: list: {inputs: at: ` + at + `, file: list: path: "x", items: "${result.items}", id: "${each.value.path}"}`, shown},
		"within an input":    {"${inputs.in.at}", `resources: It: inputs: in: at: ` + at, []permissions.Setting{{Name: "inputs.in.at", Default: `"/etc/passwd"`}}},
		"within a setting":   {"${config.in.at}", `config: in: at: ` + at, []permissions.Setting{{Name: "config.in"}, {Name: "config.in.at", Default: `"/etc/passwd"`}}},
		"in a type":          {"${inputs.in.at}", "#At: at: " + at + "\nresources: It: inputs: in: #At", []permissions.Setting{{Name: "inputs.in.at", Default: `"/etc/passwd"`}}},
		"of two resources":   {"${inputs.at}", `resources: {It: inputs: at: ` + at + `, Other: inputs: at: *"/" | string}`, append(shown[:1:1], permissions.Setting{Name: "inputs.at", Default: `"/"`})},
		"of all in a member": {"${inputs.in.at}", `resources: It: inputs: in: *{at: "/"} | {at: string}`, []permissions.Setting{{Name: "inputs.in", Default: `{"at":"/"}`}}},
		"of a default": {
			"${inputs.at}", `resources: It: inputs: {dir: *"/etc" | string, at: string @default("${inputs.dir}/passwd")}`,
			[]permissions.Setting{{Name: "inputs.at", Default: "${inputs.dir}/passwd"}, {Name: "inputs.dir", Default: `"/etc"`}},
		},
		"a component's": {
			"${inputs.at}", `resources: It: inputs: at: string
components: All: children: {it: {type: "It", inputs: at: "/etc/passwd"}, other: {type: "It", inputs: at: "x"}}`,
			[]permissions.Setting{
				{Name: "inputs.at", Default: `"/etc/passwd"`, By: "component All, child it"}, {Name: "inputs.at", Default: `"x"`, By: "component All, child other"},
			},
		},
		"a component's default": {
			"${inputs.at}", `resources: It: inputs: at: string
components: All: {inputs: {dir: ` + at + `, not: *"x" | string}, children: it: {type: "It", inputs: at: "${inputs.dir}"}}`,
			[]permissions.Setting{
				{Name: "inputs.at", Default: "${inputs.dir}", By: "component All, child it"}, {Name: "inputs.dir of component All", Default: `"/etc/passwd"`},
			},
		},
		"a component's, for each": {
			"${inputs.in.at}", `resources: It: inputs: in: {at: string}
components: All: children: it: {type: "It", forEach: ["/", "/etc"], inputs: in: at: "${each.value}"}`,
			[]permissions.Setting{
				{Name: "inputs.in.at", Default: "${each.value}", By: "component All, child it"}, {Name: "forEach", Default: `["/","/etc"]`, By: "component All, child it"},
			},
		},
		"a component's of a component": {
			"${inputs.at}", `resources: It: inputs: at: string
components: {
	Inner: {inputs: dir: string, children: it: {type: "It", inputs: at: "${inputs.dir}"}}
	Outer: children: inner: {type: "Inner", inputs: dir: "/etc/passwd"}
}`,
			[]permissions.Setting{
				{Name: "inputs.at", Default: "${inputs.dir}", By: "component Inner, child it"}, {Name: "inputs.dir", Default: `"/etc/passwd"`, By: "component Outer, child inner"},
			},
		},
		"a setting's, for a component": {
			"${inputs.at}", `config: dir: ` + at + `
resources: It: inputs: at: string
components: All: children: it: {type: "It", inputs: at: "${config.dir}"}`,
			[]permissions.Setting{
				{Name: "inputs.at", Default: "${config.dir}", By: "component All, child it"}, {Name: "config.dir", Default: `"/etc/passwd"`},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := `permissions: write: ["` + tc.pattern + `"]` + "\n" + tc.spec
			if strings.Contains(text, "It: inputs") || strings.Contains(text, "It: list") {
				text += "\nresources: [string]: {id: \"x\", create: file: read: path: \"x\"}"
			}
			doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte("package test\nname: \"test\"\nversion: \"1.0.0\"\n" + text), Format: "cue"})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			compiled, _ := engine.Compile(doc.Provider, newWorld().families())
			raw, err := container.Encode(container.Content{Provider: doc.Provider})
			if err != nil {
				t.Fatal(err)
			}
			ct, err := container.OpenBytes(raw)
			if err != nil {
				t.Fatal(err)
			}
			opened, err := engine.Open(ct, newWorld().familiesOf)
			if err != nil {
				t.Fatal(err)
			}
			for _, prog := range []*engine.Program{compiled, opened} {
				got, err := permissions.List(prog.Program)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got[0].Settings); diff != "" {
					t.Errorf("(-want +got): %s", diff)
				}
			}
		})
	}
}
