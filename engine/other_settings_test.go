package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// TestCreatesUnderOtherSettings loses the response to a create, or kills its provider after that, and creates again with another configuration:
// nothing is sent where that might make a second object. A setting in the address of the request leads to
// another service. With the configuration of then, the create is settled, and there is one object.
func TestCreatesUnderOtherSettings(t *testing.T) {
	t.Parallel()
	then := object("server", "a", "every", "1s", "token", property.New("s").WithSecret(true))
	const declared = `server: string, every?: string, serverName?: string, limit?: int, token?: string @secret()`
	type change struct {
		declared string
		config   property.Map
		same     bool // the entry is of the create of now
		there    bool // the create goes to another service
	}
	changes := map[string]change{
		"nothing":               {declared, then, true, false},
		"a secret":              {declared, then.Set("token", property.New("t").WithSecret(true)), true, false},
		"no secret":             {declared, then.Delete("token"), true, false},
		"an interval":           {declared, then.Set("every", property.New("2s")), false, false},
		"no interval":           {declared, then.Delete("every"), false, false},
		"one more":              {declared, then.Set("limit", property.New(5.0)), false, false},
		"the server":            {declared, then.Set("server", property.New("b")), false, true},
		"the server and more":   {declared, then.Set("server", property.New("b")).Set("limit", property.New(5.0)), false, true},
		"one that begins alike": {declared, then.Set("serverName", property.New("b")), false, false},
		"a new setting":         {declared + `, more: string | *"x"`, then, false, false},
		"a setting was removed": {`server: string, token?: string @secret()`, then.Delete("every"), false, false},
		"a setting gets secret": {`server: string, every?: string @secret(), token?: string @secret()`, then.Set("every", property.New("1s").WithSecret(true)), false, false},
	}
	for form, settles := range map[string]bool{"key": true, "find": true, "key and find": true, "neither": false} {
		for name, c := range changes {
			play := func(t *testing.T, killed bool) {
				t.Parallel()
				var made []string // the keys of the objects
				posts, loses, elsewhere := 0, true, false
				w := newWorld()
				w.journal = t.TempDir()
				dying := &killer{T: t, w: w}
				w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
					posts++
					if call.Key == "" || !slices.Contains(made, call.Key) {
						made = append(made, call.Key)
					}
					if loses && !killed {
						return lost()
					}
					return yields("id", fmt.Sprint(len(made)), "name", "it")
				}
				w.hooks["last"] = func(context.Context, *actions.Call) actions.Outcome {
					if killed {
						dying.die()
					}
					return yields()
				}
				w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
					if len(made) == 0 || loses || elsewhere {
						return actions.Missing(errLost)
					}
					return yields("id", "1", "name", "it")
				}
				const keyed, bare = `retry: attempts: 1, world: post: {what: "make", place: "${config.server}/things", key: true}`, `world: post: {what: "make", place: "${config.server}/things"}`
				create := map[string]string{"key": keyed, "key and find": keyed, "find": bare, "neither": bare}[form]
				find := map[string]string{"find": `find: world: look: what: "find"`, "key and find": `find: world: look: what: "find"`}[form]
				run := func(declared string, config property.Map) engine.Result {
					e, _ := w.engineWith(t, "config: {"+declared+`}
resources: Thing: {
	inputs: name: string @replace()
	consistency: "0s"
	id: "${steps.it.id}"
	create: steps: [{as: "it", `+create+`}, {world: look: what: "last"}]
	`+find+`
	read: world: look: {what: "find"}
	delete: world: do: what: "remove"
}`, config)
					return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "it")})
				}
				dying.survives(func() {
					if out := run(declared, then); out.State != nil || posts != 1 {
						t.Fatalf("%+v after %d", out, posts)
					}
				})
				if dying.dead != killed {
					t.Fatalf("it was killed: %v", dying.dead)
				}
				loses, elsewhere = false, c.there
				out := run(c.declared, c.config)
				switch {
				case !settles:
					if posts != 2 { // at least once, as the spec's warning says
						t.Errorf("%d posts: %v", posts, out.Err)
					}
					return
				case c.there:
					if out.Err != nil || posts != 2 {
						t.Errorf("%d posts: %v", posts, out.Err)
					}
					return
				case c.same:
					if out.Err != nil || len(made) != 1 {
						t.Errorf("%v, and %q", out.Err, made)
					}
					return
				}
				if out.Err == nil || out.State != nil || posts != 1 {
					t.Fatalf("%+v after %d", out, posts)
				}
				list, err := journal.Open(w.journal).List()
				if err != nil || len(list) != 1 || !list[0].IsUnsettled() {
					t.Fatalf("%+v, %v", list, err)
				}
				if out := run(declared, then); out.Err != nil || out.State == nil || len(made) != 1 {
					t.Errorf("%+v, and %q", out, made)
				}
			}
			t.Run(form+", "+name, func(t *testing.T) { play(t, false) })
			if settles {
				t.Run(form+", "+name+", killed", func(t *testing.T) { play(t, true) })
			}
		}
	}
}
