package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestEchoedSecretsGoNowhere: a server or a program that returns a secret that was sent to it decides
// where that goes next. It reaches no place that others can read: no id, and no argument that is
// public, whatever surrounds it.
func TestEchoedSecretsGoNowhere(t *testing.T) {
	const word = "hunter22hunter22"
	for echo, came := range map[string]any{"itself": word, "within a text": "the word is " + word + ".", "in upper case": strings.ToUpper(word)} {
		for place, step := range map[string]string{
			"a path":                `{http: {url: "http://127.0.0.1:9/${steps.c.body.echo}", effect: "write"}}`,
			"a url":                 `{http: {url: "${'http://127.0.0.1:9/' + steps.c.body.echo}", effect: "write"}}`,
			"a query":               `{http: {url: "http://127.0.0.1:9", query: a: "${steps.c.body.echo}", effect: "write"}}`,
			"a member of a query":   `{http: {url: "http://127.0.0.1:9", query: "${{a: [steps.c.body.echo]}}", effect: "write"}}`,
			"a word of a command":   `{exec: command: ["/bin/echo", "x-${steps.c.body.echo}"]}`,
			"a list of words":       `{exec: command: ["/bin/echo", "${[steps.c.body.echo]}"]}`,
			"a file's name":         `{file: write: {path: "out/${steps.c.body.echo}", content: "x"}}`,
			"an element of a loop":  `{forEach: "${[steps.c.body.echo]}", file: write: {path: "out/${each.value}", content: "x"}}`,
			"the id of the object":  ``,
			"an id of several ones": ``,
		} {
			t.Run(place+", "+echo, func(t *testing.T) {
				id := "x"
				switch place {
				case "the id of the object":
					id = "${steps.c.body.echo}"
				case "an id of several ones":
					id = "${inputs.name}/${steps.c.body.echo}"
				}
				steps := `{as: "c", world: ask: what: "tell"}, {world: do: what: "make"}`
				if step != "" {
					steps += ", " + step
				}
				w := newWorld()
				w.hooks["tell"] = func(context.Context, *actions.Call) actions.Outcome {
					return actions.Succeed(map[string]any{"status": int64(200), "body": map[string]any{"echo": came}})
				}
				spec := `permissions: {write: ["out/**"], run: ["/bin/echo"], hosts: ["http://127.0.0.1:9"]}
resources: Thing: {inputs: {name: string, pass: string @secret()}, id: "` + id + `", create: steps: [` + steps + `], delete: world: do: what: "remove"}`
				e, _ := w.engine(t, spec)
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("name", "n", "pass", word))})
				if out.Err == nil || !strings.Contains(out.Err.Error(), "contains a secret") {
					t.Errorf("%v", out.Err)
				}
				if text := fmt.Sprint(out.Err); strings.Contains(strings.ToLower(text), word) {
					t.Errorf("the error shows it: %s", text)
				}
				if out.State != nil && strings.Contains(strings.ToLower(out.State.ID), word) {
					t.Errorf("the id is %q", out.State.ID)
				}
			})
		}
	}
}
