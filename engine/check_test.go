package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

const everyType = `package test
import ("strings", "list")
name: "test", version: "1.0.0"
#Rule: {port: int & >=1 & <=65535, proto: *"tcp" | "udp", note?: string}
#Disk: {kind: "disk", gb: int} | {kind: "tape", label: string}
resources: Thing: {
	inputs: {
		name:    string & strings.MinRunes(2) & strings.MaxRunes(5)
		code?:   =~"^[a-z]+$"
		kind:    *"dog" | "cat"
		ratio?:  >0 & <1
		flag:    *true | bool
		rules?:  [...#Rule] & list.MaxItems(2)
		tags?:   {[string]: string}
		store?:  #Disk
		maybe?:  null | string
		any?:    _
		nested?: {a: string, b: *7 | int}
		token?:  string @secret()
	}
	id: "${inputs.name}"
	create: world: do: {what: "make", with: "${inputs}"}
	delete: world: do: what: "remove"
	checks: [{assert: "${inputs.kind != \"cat\" || inputs.flag}", message: "a cat needs the flag, and ${inputs.name} has none", property: "flag"}]
}`

func withName(kv ...any) property.Map { return object(append([]any{"name", "abc"}, kv...)...) }

func TestCheckFailures(t *testing.T) {
	e, _ := newWorld().engine(t, everyType)
	for name, tc := range map[string]struct {
		inputs property.Map
		want   []engine.Failure
	}{
		"a required input is missing": {object(), []engine.Failure{{Path: "name", Reason: "is required"}}},
		"too short":                   {object("name", "a"), []engine.Failure{{Path: "name", Reason: "must have at least 2 characters, got 1"}}},
		"characters, not bytes":       {object("name", "äöüßé"), nil},
		"too long":                    {object("name", "abcdef"), []engine.Failure{{Path: "name", Reason: "must have at most 5 characters, got 6"}}},
		"a pattern":                   {withName("code", "A"), []engine.Failure{{Path: "code", Reason: "must match ^[a-z]+$"}}},
		"an enum, with what was meant": {withName("kind", "dgo"), []engine.Failure{
			{Path: "kind", Reason: `must be one of "dog" or "cat", not "dgo" (did you mean "dog"?)`},
		}},
		"bounds":                  {withName("ratio", 1), []engine.Failure{{Path: "ratio", Reason: "must be less than 1"}}},
		"an unknown input":        {withName("kidn", "dog"), []engine.Failure{{Path: "kidn", Reason: `unknown property. Did you mean "kind"?`}}},
		"a nested path":           {withName("rules", []any{object("port", 0)}), []engine.Failure{{Path: "rules[0].port", Reason: "must be at least 1"}}},
		"too many items":          {withName("rules", []any{object("port", 1), object("port", 1), object("port", 1)}), []engine.Failure{{Path: "rules", Reason: "must have at most 2 items, got 3"}}},
		"a map's value":           {withName("tags", object("a.b", 1)), []engine.Failure{{Path: `tags["a.b"]`, Reason: "must be a string, not 1"}}},
		"a union by its tag":      {withName("store", object("kind", "disk", "label", "x")), []engine.Failure{{Path: "store.gb", Reason: "is required"}, {Path: "store.label", Reason: "unknown property. Available: gb, kind."}}},
		"a union's unknown tag":   {withName("store", object("kind", "dosk")), []engine.Failure{{Path: "store.kind", Reason: `must be one of "disk" or "tape", not "dosk" (did you mean "disk"?)`}}},
		"a rule over two inputs":  {withName("kind", "cat", "flag", false), []engine.Failure{{Path: "flag", Reason: "a cat needs the flag, and abc has none"}}},
		"a secret is never shown": {withName("kind", secret("hunter2")), []engine.Failure{{Path: "kind", Reason: `must be one of "dog" or "cat"`}}},
		"a secret id":             {object("name", secret("abc")), []engine.Failure{{Path: "name", Reason: "may not be secret: it becomes the id, which others can read"}}},
		"unknowns pass":           {object("name", unknown, "rules", unknown, "kind", unknown, "store", object("kind", unknown)), nil},
		"null where it may be":    {withName("maybe", value(nil), "any", value(nil)), nil},
		"a fraction is no int":    {withName("rules", []any{object("port", 1.5)}), []engine.Failure{{Path: "rules[0].port", Reason: "must be an int, not 1.5"}}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: tc.inputs})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.Failures); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Only defaults are added, at any depth; what is there stays as it is, and a
// secret stays secret.
func TestCheckDefaults(t *testing.T) {
	e, _ := newWorld().engine(t, everyType)
	got := check(t, e, "Thing", object(
		"name", "abc", "rules", []any{object("port", secret(80))}, "nested", secret(object("a", "x")), "token", "t0ken",
		"any", object("deep", []any{1, "two"}), "__defaults", []any{},
	))
	want := object(
		"name", "abc", "kind", "dog", "flag", true, "rules", []any{object("port", secret(80), "proto", "tcp")},
		"nested", secret(object("a", "x", "b", 7)), "token", secret("t0ken"),
		"any", object("deep", []any{1, "two"}), "__defaults", []any{},
	)
	if diff := cmp.Diff(want, got, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(got, check(t, e, "Thing", got), values); diff != "" {
		t.Errorf("checking again changes nothing (-want +got):\n%s", diff)
	}
}

const named = `resources: Thing: {
	inputs: {
		name:   string @autoname(max=12, sep="-")
		label:  string @default("${upper(inputs.name)}")
		nick:   string @default("${inputs.label}!")
	}
	id: "${inputs.name}"
	create: world: do: what: "make"
	delete: world: do: what: "remove"
}`

func TestAutoname(t *testing.T) {
	e, _ := newWorld().engine(t, named)
	ask := func(req engine.CheckRequest) engine.CheckResponse {
		t.Helper()
		req.Ref = engine.Ref{Type: "Thing", Name: "my-long-name", Key: "urn:1"}
		out, err := e.Check(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := ask(engine.CheckRequest{Seed: []byte("s")}).Inputs
	name := first.Get("name").AsString()
	if len(name) != 12 || !strings.HasPrefix(name, "my-l-") {
		t.Errorf("derived %q", name)
	}
	if got := first.Get("nick").AsString(); got != strings.ToUpper(name)+"!" {
		t.Errorf("defaults follow each other: %q", got)
	}
	if again := ask(engine.CheckRequest{Seed: []byte("s")}).Inputs; !again.Get("name").Equals(first.Get("name")) {
		t.Error("the same seed gives another name")
	}
	if other := ask(engine.CheckRequest{Seed: []byte("r")}).Inputs; other.Get("name").Equals(first.Get("name")) {
		t.Error("another seed gives the same name")
	}
	if kept := ask(engine.CheckRequest{Seed: []byte("r"), Old: first, HasOld: true}).Inputs; !kept.Get("name").Equals(first.Get("name")) {
		t.Error("the old name is not kept")
	}
	propose := engine.Autoname{Mode: engine.Propose, Name: "proposed-by-the-host"}
	if got := ask(engine.CheckRequest{Autoname: propose}).Inputs.Get("name").AsString(); got != "proposed-by-" {
		t.Errorf("proposed %q", got)
	}
	enforce := engine.Autoname{Mode: engine.Enforce, Name: "exact"}
	if got := ask(engine.CheckRequest{Autoname: enforce}).Inputs.Get("name").AsString(); got != "exact" {
		t.Errorf("enforced %q", got)
	}
	enforce.Name = "much-too-long-a-name"
	if out := ask(engine.CheckRequest{Autoname: enforce}); len(out.Failures) != 1 || out.Failures[0].Path != "name" {
		t.Errorf("a name that cannot be enforced: %+v", out.Failures)
	}
	if out := ask(engine.CheckRequest{Autoname: engine.Autoname{Mode: engine.Disabled}}); len(out.Failures) == 0 {
		t.Error("with automatic names switched off, none must be made")
	}
}

func TestConfig(t *testing.T) {
	prog, diags := newWorld().compile(t, `
config: {
	token: string @secret() @env(THE_TOKEN)
	level: *3 | int @env(THE_LEVEL)
	opts?: {a: string, b: *true | bool}
}
resources: Thing: {inputs: name: string, id: "${inputs.name}", create: world: do: {what: "${string(config.level)}", with: "${config}"}, delete: world: do: what: "x"}`)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	env := map[string]string{}
	opts := engine.Options{Dir: t.TempDir(), Getenv: func(name string) string { return env[name] }}
	_, err := prog.Configure(t.Context(), object(), opts)
	missing, ok := err.(*engine.MissingKeys)
	if !ok || len(missing.Keys) != 1 || missing.Keys[0].Name != "token" {
		t.Fatalf("missing keys: %v", err)
	}
	env["THE_TOKEN"] = "t0ken"
	if _, err := prog.Configure(t.Context(), object(), opts); err != nil {
		t.Errorf("the environment gives the token: %v", err)
	}
	env["THE_LEVEL"] = "high"
	if _, err := prog.Configure(t.Context(), object(), opts); err == nil || !strings.Contains(err.Error(), "level") {
		t.Errorf("a variable of the wrong type: %v", err)
	}
	asText := prog.CheckConfig(t.Context(), object("token", "x", "opts", `{"a":"1"}`, "level", "4"))
	asObject := prog.CheckConfig(t.Context(), object("token", "x", "opts", object("a", "1"), "level", 4))
	if diff := cmp.Diff(asObject, asText, values); diff != "" || len(asText.Failures) > 0 {
		t.Errorf("settings as text and as objects are one (-object +text):\n%s", diff)
	}
	if got := prog.DiffConfig(object("token", "a"), object("token", "b"), nil); len(got.Changes) != 1 || got.Changes[0].Replace {
		t.Errorf("a new token is a change: %+v", got)
	}
}

// TestDefaultsOfSettings: after an import, the recorded provider has no default settings. They count as recorded, so what
// was imported is not replaced.
func TestDefaultsOfSettings(t *testing.T) {
	t.Parallel()
	for _, replace := range []bool{true, false} {
		mark := ""
		if replace {
			mark = " @replace()"
		}
		prog, diags := newWorld().compile(t, `config: {
	region: *"eu" | string`+mark+`
	zone: *"a" | string @env(ZONE)`+mark+`
	retries: *3 | int`+mark+`
	tags: *{team: "x"} | {[string]: string}`+mark+`
	note?: string`+mark+`
}
resources: Thing: {inputs: name: string, id: "${inputs.name}", create: world: do: {what: "x", with: "${config}"}, delete: world: do: what: "x"}`)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		defaults := prog.CheckConfig(t.Context(), object()).Inputs
		for name, c := range map[string]struct {
			olds, news property.Map
			changes    int
		}{
			"nothing was recorded":     {object(), defaults, 0},
			"a part was recorded":      {object("region", "eu"), defaults, 0},
			"all was recorded":         {defaults, defaults, 0},
			"null was recorded":        {object("region", property.Null), defaults, 0},
			"another region":           {defaults, defaults.Set("region", property.New("us")), 1},
			"another region, recorded": {object("region", "us"), defaults, 1},
			"not the default":          {object(), defaults.Set("region", property.New("us")), 1},
			"a setting of its own":     {object(), defaults.Set("note", property.New("x")), 1},
		} {
			got := prog.DiffConfig(c.olds, c.news, nil)
			if len(got.Changes) != c.changes || c.changes > 0 && got.Changes[0].Replace != replace {
				t.Errorf("%s, replace %v: %+v", name, replace, got)
			}
		}
	}
}
