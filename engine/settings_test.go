package engine_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestSettingsAsText: settings are often text, and enter like any other data: counted,
// and with all their digits or not at all.
func TestSettingsAsText(t *testing.T) {
	many := "[" + strings.Repeat("{},", 1_000_000) + "{}]"
	const spec = `
config: {
	count?: int @env(THE_COUNT), ratio?: number @env(THE_RATIO), list?: [...] @env(THE_LIST), map?: {[string]: string} @env(THE_MAP)
	numbers?: [...number] @env(THE_NUMBERS), any?: _ @env(THE_ANY), either?: string | [...{}] @env(THE_EITHER)
}
resources: Thing: {inputs: name: string, id: "${inputs.name}", create: world: do: {what: "make", with: "${config}"}, delete: world: do: what: "x"}`
	for name, test := range map[string]struct {
		setting, text string
		// want is what a template sees, as JSON; wrong is what the error says else.
		want  any
		wrong string
	}{
		"an integer":                      {setting: "count", text: "7", want: int64(7)},
		"a number":                        {setting: "ratio", text: "0.1", want: 0.1},
		"a number that is not 0":          {setting: "ratio", text: "1e-99999", wrong: "ratio"},
		"no number":                       {setting: "ratio", text: "NaN", wrong: "ratio"},
		"an infinite number":              {setting: "ratio", text: "Inf", wrong: "ratio"},
		"more digits than there are":      {setting: "count", text: "9007199254740993", wrong: "count"},
		"a number in a list":              {setting: "numbers", text: "[1e-99999]", wrong: "numbers[0]"},
		"digits that are text":            {setting: "map", text: `{"a":"9007199254740993"}`, want: map[string]any{"a": "9007199254740993"}},
		"many values":                     {setting: "list", text: many, wrong: "cannot be read: expected at most 1000000 values"},
		"many values of anything":         {setting: "any", text: many, wrong: "cannot be read: expected at most 1000000 values"},
		"many values of a union":          {setting: "either", text: many, wrong: "cannot be read: expected at most 1000000 values"},
		"deep ones":                       {setting: "any", text: strings.Repeat("[", 200) + strings.Repeat("]", 200), wrong: "cannot be read: nests deeper"},
		"what is followed by another one": {setting: "map", text: `{} {}`, wrong: "map"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, from := range []string{"the host", "the environment"} {
				w := newWorld()
				prog, diags := w.compile(t, spec)
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				given, env := object(), map[string]string{"THE_" + strings.ToUpper(test.setting): test.text}
				if from == "the host" {
					given, env = object(test.setting, test.text), nil
				}
				e, err := prog.Configure(t.Context(), given, engine.Options{Dir: t.TempDir(), Journal: t.TempDir(), Getenv: func(name string) string { return env[name] }})
				if test.wrong != "" {
					if err == nil || !strings.Contains(err.Error(), test.wrong) || len(err.Error()) > 1000 {
						t.Errorf("%s: expected an error about %q, got %.300v", from, test.wrong, err)
					}
					checked := prog.CheckConfig(t.Context(), given)
					if from == "the host" && (len(checked.Failures) != 1 || !strings.HasPrefix(checked.Failures[0].Path, test.setting)) {
						t.Errorf("%s: it is checked: %.300v", from, checked.Failures)
					}
					continue
				}
				if err != nil {
					t.Fatal(from, err)
				}
				var got any
				w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
					got = call.Args["with"].(map[string]any)[test.setting]
					return yields("id", "7")
				}
				created(t, e, "Thing", object("name", "a"))
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", from, diff)
				}
			}
		})
	}
}

// TestEqualJSON: texts that are compared as JSON are data from outside, too.
func TestEqualJSON(t *testing.T) {
	e, _ := newWorld().engine(t, `
resources: Thing: {
	inputs: {name: string, policy: string @equal(json)}
	id: "${inputs.name}"
	create: world: do: what: "make"
	update: world: do: what: "change"
	delete: world: do: what: "remove"
}`)
	many := "[" + strings.Repeat("{},", 3<<20) + "{}]"
	for name, test := range map[string]struct {
		old, new string
		same     bool
	}{
		"the layout":              {`{"a": [1, null, true], "b": "x"}`, "{\"b\":\"x\",\n\"a\":[1,null,true]}", true},
		"the form of a number":    {`[1, 100]`, `[1.0, 1e2]`, true},
		"the last digit":          {`9007199254740993`, `9007199254740992`, false},
		"a digit that is text":    {`9007199254740993`, `"9007199254740993"`, false},
		"what is next to nothing": {`1e-99999`, `0`, false},
		"a member that is null":   {`{"a": null}`, `{}`, false},
		"another kind":            {`[]`, `{}`, false},
		"no JSON":                 {`{`, `{`, true}, // it is the same text
		"no JSON, and another":    {`{`, `{ `, false},
		"many values":             {many, many + " ", false},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out, err := e.Diff(t.Context(), engine.DiffRequest{
				Ref: ref("Thing"), State: engine.State{ID: "a", Inputs: object("name", "a", "policy", test.old), Outputs: object("name", "a", "policy", test.old)},
				New: object("name", "a", "policy", test.new),
			})
			runtime.ReadMemStats(&after)
			if err != nil || (len(out.Changes) == 0) != test.same {
				t.Errorf("%+v, %v", out.Changes, err)
			}
			if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 200 {
				t.Errorf("it takes %d MiB", made)
			}
		})
	}
}
