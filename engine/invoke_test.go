package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

const functions = `
functions: {
	greet: {
		inputs: {name: string, loud: *false | bool, key?: string @secret()}
		outputs: {text: string @secret(), length: int}
		return: {text: "${inputs.loud ? upper(inputs.name) : inputs.name}${inputs.key ?? ''}", length: "${len(inputs.name)}"}
	}
	aim: {inputs: at: string, world: look: what: "${inputs.at}"}
	look: {
		inputs: name: string
		outputs: {size: int, owner?: string}
		world: look: {what: "see", with: "${inputs.name}"}
	}
}
`

func TestInvoke(t *testing.T) {
	w := newWorld().on("see", yields("size", int64(3), "more", true))
	e, _ := w.engine(t, functions)
	ask := func(name string, kv ...any) engine.InvokeResponse {
		t.Helper()
		out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: name, Args: object(kv...)})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if diff := cmp.Diff(object("text", secret("ada"), "length", 3), ask("greet", "name", "ada").Return, values); diff != "" {
		t.Errorf("a pure function, with defaults (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(object("text", secret("adak3y"), "length", 3), ask("greet", "name", "ada", "key", "k3y").Return, values); diff != "" {
		t.Errorf("what is made of a secret is secret (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(object("size", 3), ask("look", "name", "x").Return, values); diff != "" {
		t.Errorf("a query, projected (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(object("size", unknown, "owner", unknown), ask("look", "name", unknown).Return, values); diff != "" {
		t.Errorf("unknown arguments make unknown outputs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"see x"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wrong := ask("greet", "nmae", "ada").Failures
	if len(wrong) != 2 || wrong[0].Path != "name" || !strings.Contains(wrong[1].Reason, `"name"`) {
		t.Errorf("wrong arguments: %+v", wrong)
	}
	if hidden := ask("aim", "at", secret("x")).Failures; len(hidden) != 1 || hidden[0].Path != "at" {
		t.Errorf("a secret where others can read it: %+v", hidden)
	}
	if _, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "gret"}); err == nil || !strings.Contains(err.Error(), `"greet"`) {
		t.Errorf("an unknown function: %v", err)
	}
	w.on("see", refused("closed"))
	if _, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "look", Args: object("name", "x")}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a query that fails: %v", err)
	}
}

func TestFunctionMistakes(t *testing.T) {
	for name, tc := range map[string]struct{ code, from, to string }{
		"an effect":              {"function-effect", "world: look:", "world: do:"},
		"an output is not given": {"output-not-given", "length: \"${len(inputs.name)}\"", ""},
		"an output of a type":    {"type-mismatch", "\"${len(inputs.name)}\"", "\"x${inputs.name}\""},
		"a misspelt output":      {"unknown-property", "length: \"${len", "lenght: \"${len"},
		"a secret in the open":   {"secret-exposed", " @secret(), length", ", length"},
		"a broken action":        {"unknown-action", "world: look:", "world: loook:"},
		"a name":                 {"unknown-member", "inputs.loud ?", "inputs.lod ?"},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, strings.Replace(functions, tc.from, tc.to, 1))
			if len(diags) != 1 || diags[0].Code != tc.code || !strings.HasPrefix(diags[0].Context, "function") {
				t.Errorf("want one %s, got %+v", tc.code, diags)
			}
		})
	}
}
