package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestKeysOfSecretMaps: the keys of a map that is secret, by the spec or by the program, are a part
// of the secret. No diff, no failure and no part of a state shows one in clear, and each change of
// the map is still a change.
func TestKeysOfSecretMaps(t *testing.T) {
	t.Parallel()
	const canary = "CANARYKEY"
	one := func(key string, v any) property.Value { return object1(key, v) }
	for name, c := range map[string]struct {
		spec string
		// wrap puts a map into the value of the property; marked is true if the program marks it.
		wrap   func(property.Value) property.Value
		marked bool
		// at is the path that a change has.
		at string
	}{
		"a secret map":                {spec: `data?: {[=~"^[A-Z0-9]+$"]: =~"^[a-z]*$"} @secret()`, at: "data"},
		"a map of maps":               {spec: `data?: {[string]: {[=~"^[A-Z0-9]+$"]: =~"^[a-z]*$"}} @secret()`, wrap: func(v property.Value) property.Value { return one(canary+"0", v) }, at: "data"},
		"a map in a secret struct":    {spec: `data?: {user?: string, more?: {[=~"^[A-Z0-9]+$"]: =~"^[a-z]*$"}} @secret()`, wrap: func(v property.Value) property.Value { return one("more", v) }, at: "data.more"},
		"a secret list of maps":       {spec: `data?: [...{[=~"^[A-Z0-9]+$"]: =~"^[a-z]*$"}] @secret()`, wrap: func(v property.Value) property.Value { return property.New([]property.Value{v}) }, at: "data[0]"},
		"a secret set of maps":        {spec: `data?: [...{[=~"^[A-Z0-9]+$"]: =~"^[a-z]*$"}] @secret() @set()`, wrap: func(v property.Value) property.Value { return property.New([]property.Value{v}) }, at: "data[0]"},
		"a secret open struct":        {spec: `data?: {user?: string, {[=~"^CAN[A-Z0-9]+$"]: =~"^[a-z]*$"}} @secret()`, at: "data"},
		"anything, secret":            {spec: `data?: {...} @secret()`, at: "data"},
		"a union, secret":             {spec: `data?: string | {[=~"^[A-Z0-9]+$"]: =~"^[a-z]*$"} @secret()`, at: "data"},
		"a map marked by the program": {spec: `data?: {[=~"^[A-Z0-9]+$"]: =~"^[a-z]*$"}`, marked: true, at: "data"},
		"anything marked":             {spec: `data?: {...}`, marked: true, at: "data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			e, _ := w.engine(t, `resources: Thing: {
				inputs: {name: string, `+c.spec+`}
				id: "${inputs.name}"
				create: world: do: what: "make"
				update: world: do: what: "change"
				delete: world: do: what: "remove"
			}`)
			inputs := func(m property.Map) property.Map {
				v := property.New(m)
				if c.wrap != nil {
					v = c.wrap(v)
				}
				return object("name", "n", "data", v.WithSecret(c.marked))
			}
			clear := func(what, text string) {
				if strings.Contains(text, canary) {
					t.Errorf("%s shows a key: %s", what, text)
				}
			}
			states := []property.Map{
				object(canary+"1", "a"),
				object(canary+"1", "b"),
				object(canary+"2", "a"),
				object(canary+"1", "a", canary+"2", "b"),
				{},
			}
			for i, old := range states {
				olds := check(t, e, "Thing", inputs(old))
				made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: olds})
				if made.Err != nil {
					t.Fatal(made.Err)
				}
				clear("the state", public(property.New(made.State.Outputs))+public(property.New(made.State.Inputs)))
				private, err := json.Marshal(made.State.Private)
				if err != nil {
					t.Fatal(err)
				}
				clear("the private state", string(private))
				for j, now := range states {
					news := check(t, e, "Thing", inputs(now))
					diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *made.State, New: news})
					if err != nil {
						t.Fatal(err)
					}
					clear("the diff", fmt.Sprint(diff.Changes))
					if (i != j) != (len(diff.Changes) > 0) {
						t.Errorf("%d to %d: %v", i, j, diff.Changes)
					}
					for _, change := range diff.Changes {
						if !strings.HasPrefix(change.Path, "data") || len(change.Path) > len(c.at) {
							t.Errorf("%d to %d: the change is at %s, want %s", i, j, change.Path, c.at)
						}
					}
				}
			}
			for what, bad := range map[string]property.Map{
				"a key":          object(canary+"-lower", "a"),
				"a value":        object(canary+"1", "UPPER"),
				"a type":         object(canary+"1", property.New([]property.Value{})),
				"no value":       object(canary+"1", property.Null),
				"an inner value": object(canary+"1", one(canary+"2", "a")),
			} {
				res, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: inputs(bad)})
				if err != nil {
					t.Fatal(err)
				}
				clear("a failure of "+what, fmt.Sprint(res.Failures))
				if what == "a key" && strings.Contains(c.spec, "=~") && len(res.Failures) == 0 {
					t.Error("a wrong key is accepted")
				}
			}
		})
	}
}

// public returns what a value shows in clear.
func public(v property.Value) string {
	switch {
	case v.Secret():
		return ""
	case v.IsMap():
		var all strings.Builder
		for name, item := range v.AsMap().AllStable {
			all.WriteString(name + ": " + public(item) + "\n")
		}
		return all.String()
	case v.IsArray():
		var all strings.Builder
		for _, item := range v.AsArray().All {
			all.WriteString(public(item) + "\n")
		}
		return all.String()
	default:
		return fmt.Sprint(v)
	}
}

// TestKeysOfSecretResponses: an error about a secret map that does not match its type, in a response
// or in the recorded state, says where without the keys.
func TestKeysOfSecretResponses(t *testing.T) {
	t.Parallel()
	const canary = "CANARYKEY"
	bad := map[string]any{canary: map[string]any{canary + "2": map[string]any{canary + "3": []any{}}}}
	for name, c := range map[string]struct {
		spec string
		sent any
	}{
		"a secret map":             {`{[string]: string} @secret()`, bad},
		"a map of maps":            {`{[string]: [string]: string} @secret()`, bad},
		"a map in a secret struct": {`{more: {[string]: int}} @secret()`, map[string]any{"more": bad}},
		"a secret map in a list":   {`[...{more: {[string]: int} @secret()}]`, []any{map[string]any{"more": bad}}},
		"a secret list of maps":    {`[...{[string]: int}] @secret()`, []any{bad}},
		"a secret open struct":     {`{user?: string, [string]: string} @secret()`, bad},
		"a union, secret":          {`{kind: "a", more: {[string]: int}} | {kind: "b"} @secret()`, map[string]any{"kind": "a", "more": bad}},
	} {
		for _, how := range []string{"typed", "untyped", "recorded"} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				w := newWorld()
				answer := func(context.Context, *actions.Call) actions.Outcome {
					return actions.Succeed(map[string]any{"status": int64(200), "body": map[string]any{"data": c.sent}})
				}
				w.hooks["get"], w.hooks["make"] = answer, answer
				read := `world: ask: what: "get"`
				if how == "typed" {
					read = `world: typed: {what: "get", returns: #Data}`
				}
				e, _ := w.engine(t, `#Data: {data: `+c.spec+`, ...}
				resources: Thing: {
					inputs: {name: string}
					outputs: {data: `+c.spec+`}
					id: "${inputs.name}"
					create: steps: [{world: do: what: "start"}, {`+read+`}]
					read: {`+read+`, return: {name: id, data: "${result.body.data}"}}
					delete: world: do: what: "remove"
				}`)
				state := engine.State{ID: "n", Inputs: object("name", "n"), Outputs: object("name", "n")}
				var said string
				if how == "recorded" {
					state.Outputs = state.Outputs.Set("data", value(c.sent).WithSecret(true))
					_, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: object("name", "n")})
					said = fmt.Sprint(err)
				} else {
					out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state})
					made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "n")})
					if made.Err == nil {
						t.Error("the create succeeds")
					}
					said = fmt.Sprint(out.Err, made.Err)
				}
				if !strings.Contains(said, "expected") {
					t.Errorf("no mismatch is reported: %s", said)
				}
				if strings.Contains(said, canary) {
					t.Errorf("a key is shown: %s", said)
				}
			})
		}
	}
}
