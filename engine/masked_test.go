package engine_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestMaskedSecrets: an API shows a mask in place of a secret. A refresh keeps the recorded secret and sees other changes,
// an import says so, and no mask is ever sent, wherever in the inputs the secret is.
func TestMaskedSecrets(t *testing.T) {
	t.Parallel()
	forms := map[string]struct {
		declares string
		with     func(secret, other string) any
	}{
		"a secret":           {`at: string @secret()`, func(secret, _ string) any { return secret }},
		"an optional secret": {`at?: string @secret()`, func(secret, _ string) any { return secret }},
		"a member":           {`at: {user: string, pass: string @secret()}`, func(secret, other string) any { return map[string]any{"user": other, "pass": secret} }},
		"a secret map":       {`at?: {[string]: _} @secret()`, func(secret, other string) any { return map[string]any{"user": other, "pass": secret} }},
		"a rewritten map":    {`at?: {[string]: _} @secret() @normalised()`, func(secret, other string) any { return map[string]any{"user": other, "pass": secret} }},
		"a list":             {`at: [...{user: string, pass: string @secret()}]`, func(secret, other string) any { return []any{map[string]any{"user": other, "pass": secret}} }},
	}
	for form, tc := range forms {
		for _, mask := range []string{"***", "********", "••••••"} {
			t.Run(form+" "+mask, func(t *testing.T) {
				t.Parallel()
				held := map[string]any{}
				w := newWorld()
				take := func(_ context.Context, call *actions.Call) actions.Outcome {
					with, _ := call.Args["with"].(map[string]any)
					maps.Copy(held, with)
					return yields("id", "7")
				}
				w.hooks["make"], w.hooks["patch"] = take, take
				shown := "u1"
				w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome {
					return answers(map[string]any{"id": "7", "size": held["size"], "at": tc.with(mask, shown)})
				}
				e, _ := w.engine(t, `resources: Thing: {
	inputs: {size: int, `+tc.declares+`}
	id: "${result.id}"
	create: world: post: {what: "make", with: "${inputs}"}
	read: world: ask: what: "get"
	update: world: post: {what: "patch", with: "${inputs}"}
	delete: world: do: what: "remove"
}`)
				check := func(size int, at any) property.Map {
					c, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: object("size", size, "at", at)})
					if err != nil || len(c.Failures) > 0 {
						t.Fatalf("%+v %v", c, err)
					}
					return c.Inputs
				}
				inputs := check(1, tc.with("s3cret", "u1"))
				if out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(1, tc.with(mask, "u1"))}); out.Err == nil || len(held) > 0 {
					t.Errorf("a create sends a mask: %v, %+v", held, out)
				}
				made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
				if made.Err != nil {
					t.Fatal(made.Err)
				}
				read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State, Reason: engine.Refresh})
				if read.Err != nil || !property.New(read.State.Inputs).Equals(property.New(inputs)) {
					t.Errorf("a refresh records %v (%v), was %v", read.State, read.Err, inputs)
				}
				log := &messages{}
				imported := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7"}, Reason: engine.Import, Log: log})
				if imported.Err != nil || len(log.texts) == 0 {
					t.Fatalf("an import says %q: %+v", log.texts, imported)
				}
				out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *imported.State, Inputs: imported.State.Inputs.Set("size", property.New(2.0))})
				if out.Err == nil || fmt.Sprint(held["size"]) != "1" {
					t.Errorf("an update sends a mask: %v, %+v", held, out)
				}
				out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *imported.State, Inputs: check(2, tc.with("s3cret", "u1"))})
				want := map[string]any{"size": int64(2), "at": tc.with("s3cret", "u1")}
				if diff := cmp.Diff(want, held); out.Err != nil || diff != "" {
					t.Errorf("%v (-want +got):\n%s", out.Err, diff)
				}
				if _, whole := tc.with("", "").(string); whole {
					return
				}
				shown = "u2" // somebody else has changed what is beside the secret
				read = e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State, Reason: engine.Refresh})
				if read.Err != nil || property.New(read.State.Inputs).Equals(property.New(inputs)) {
					t.Errorf("a refresh does not see a change: %+v", read)
				}
			})
		}
	}
}
