package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestCreatesOfRenamedTypes kills a provider during a create, before or after its effect, and then
// renames the type of the resource in the spec, with an alias. What the next create sends, under
// which key, and what remains in the journal is what it is without the new name.
func TestCreatesOfRenamedTypes(t *testing.T) {
	t.Parallel()
	const urn = "urn:pulumi:dev::project::other:index:Site$test:index:%s::it::a"
	names := map[string]struct{ former, now, alias string }{
		"a name":                    {"test:index:Thing", "test:index:Object", "Thing"},
		"a token":                   {"test:index:Thing", "test:index:Object", "test:index:Thing"},
		"a token of another module": {"test:things/thing:Thing", "test:index:Object", "test:things/thing:Thing"},
		"a token of another spec":   {"old:index:Thing", "test:index:Object", "old:index:Thing"},
		"without a new name":        {"test:index:Object", "test:index:Object", ""},
	}
	for _, kind := range []string{"key: true, ", "once: true, ", ""} {
		for _, when := range []string{"before", "after"} {
			for _, find := range []bool{true, false} {
				for _, inputs := range []string{"the same inputs", "other inputs"} {
					outcomes := map[string]string{}
					for name, n := range names {
						outcomes[name] = renamedCreate(t, kind, when, find, inputs == "other inputs", n.alias,
							strings.Replace(urn, "test:index:%s", n.former, 1), strings.Replace(urn, "test:index:%s", n.now, 1))
					}
					for name, got := range outcomes {
						if diff := cmp.Diff(outcomes["without a new name"], got); diff != "" {
							t.Errorf("{%s} %s, find %v, %s, %s (-without it +got):\n%s", kind, when, find, inputs, name, diff)
						}
					}
				}
			}
		}
	}
}

// renamedCreate returns what came of a create that follows one that was killed.
func renamedCreate(t *testing.T, kind, when string, find, change bool, alias, formerly, now string) string {
	t.Helper()
	w := newWorld()
	w.journal = t.TempDir()
	objects, dies, key := 0, true, ""
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if dies && when == "before" {
			key = call.Key
			panic("it dies")
		}
		if key == "" || call.Key != key {
			objects++
		}
		if dies {
			key = call.Key
			panic("it dies")
		}
		return actions.Succeed(map[string]any{"id": "7"})
	}
	w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
		if objects == 0 {
			return actions.Missing(errLost)
		}
		return actions.Succeed(map[string]any{"id": "7", "note": "a"})
	}
	spec := func(pkg, name, alias string) *engine.Engine {
		more := ""
		if find {
			more = `find: {world: look: what: "find", return: "${result}"}` + "\n"
		}
		if alias != "" {
			more += `aliases: ["` + alias + `"]` + "\n"
		}
		e, _ := w.engine(t, `package test
name: "`+pkg+`"
version: "1.0.0"
resources: `+name+`: {
	inputs: note: string
	id: "${result.id}"
	consistency: "0s"
	create: world: post: {`+kind+`what: "make", with: "${inputs}"}
	update: world: post: {safe: true, what: "patch", with: "${inputs}"}
	delete: world: do: what: "remove"
	`+more+`}`)
		return e
	}
	refOf := func(urn string) engine.Ref {
		token := urn[strings.LastIndex(urn[:strings.Index(urn, "::it")], "$")+1 : strings.Index(urn, "::it")]
		return engine.Ref{Type: token[strings.LastIndex(token, ":")+1:], Name: "it::a", Key: urn}
	}
	former, current := refOf(formerly), refOf(now)
	pkg := "test"
	if strings.Contains(formerly, "old:index") {
		pkg = "old"
	}
	func() {
		defer func() { _ = recover() }()
		spec(pkg, former.Type, "").Create(t.Context(), engine.CreateRequest{Ref: former, Inputs: object("note", "a")})
	}()
	dies = false
	w.log()
	note := "a"
	if change {
		note = "b"
	}
	log := &recorder{}
	out := spec("test", current.Type, alias).Create(t.Context(), engine.CreateRequest{Ref: current, Inputs: object("note", note), Log: log})
	statuses := []string{}
	for _, i := range intents(t, w.journal) {
		statuses = append(statuses, string(i.Status))
	}
	failed := ""
	if out.Err != nil {
		failed = "failed"
	}
	return fmt.Sprintf("%d objects; %v; state %v; %s; journal %v; %d messages", objects, w.log(), out.State != nil, failed, statuses, len(log.messages))
}
