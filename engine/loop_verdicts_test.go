package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestLoopsJudgeAsSteps: what a step says of its response means the same in a forEach, where it
// is about the response of one element.
func TestLoopsJudgeAsSteps(t *testing.T) {
	t.Parallel()
	verdicts := map[string]struct {
		says    string // with NAME for the body of the response
		answers []string
		want    string // the error
		asked   int
	}{
		"refused":       {`refused: "${NAME.err}"`, []string{`200 {"err": "hush-hush"}`}, "hush-hush", 1},
		"not refused":   {`refused: "${NAME.err}"`, []string{`200 {"done": true}`}, "", 1},
		"fail":          {`fail: "${NAME.err}"`, []string{`200 {"err": "hush-hush"}`}, "hush-hush", 1},
		"not failed":    {`fail: "${NAME.err}"`, []string{`200 {"done": true}`}, "", 1},
		"until":         {`until: "${NAME.done ?? false}", every: "1ms", timeout: "10s"`, []string{`200 {"done": false}`, `200 {}`, `200 {"done": true}`}, "", 3},
		"gone":          {`gone: "${NAME.err == 'hush-hush'}"`, []string{`200 {"err": "hush-hush"}`}, "it is gone", 1},
		"retry":         {`retry: {if: "${NAME.err == 'busy'}", backoff: "1ms", attempts: 3}, refused: "${NAME.err}"`, []string{`503 {"err": "busy"}`, `200 {"err": "busy"}`, `200 {}`}, "", 3},
		"retry no more": {`retry: {if: "${NAME.err == 'busy'}", backoff: "1ms", attempts: 3}, refused: "${NAME.err}"`, []string{`503 {"err": "busy"}`, `200 {"err": "hush-hush"}`}, "hush-hush", 2},
	}
	types := map[string]string{"untyped": "", "typed": ", returns: #R", "secret": ", returns: #Secret"}
	befores := map[string]string{"first": "", "after another": `{http: path: "/before"}, `}
	loops := map[string]string{"no loop": "", "a list": `forEach: ["a"], `, "a map": `forEach: {k: "a"}, `}
	for verdict, v := range verdicts {
		for kind, returns := range types {
			for before, first := range befores {
				for _, name := range []string{"body", "result.body"} {
					for loop, over := range loops {
						for _, byDefault := range []bool{false, true} {
							says, inDefaults := strings.ReplaceAll(v.says, "NAME", name), ""
							if byDefault {
								says, inDefaults = "", says
								if !strings.HasPrefix(inDefaults, "refused") && !strings.HasPrefix(inDefaults, "fail") {
									continue // a step's own
								}
							}
							runCase(t, fmt.Sprintf("%s, %s, %s, %s, %s, %t", verdict, kind, before, name, loop, byDefault), func(t *testing.T) {
								t.Parallel()
								server := serve(t, map[string][]string{"GET /x": slices.Clone(v.answers), "GET /before": {`200 {"other": 1}`}})
								if says != "" {
									says = ", " + says
								}
								e := server.engine(t, fmt.Sprintf(`#R: {err?: string, done?: bool}
#Secret: {err?: string @secret(), done?: bool}
http: {%s}
functions: f: {
	outputs: n: int
	steps: [%s{%shttp: {path: "/x"%s}%s}]
	return: n: 1
}`, inDefaults, first, over, returns, says))
								_, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "f"})
								want := v.want
								if kind == "secret" && want == "hush-hush" {
									want = "[secret]"
								}
								if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
									t.Errorf("failed with %v, want %q", err, want)
								}
								if err != nil && kind == "secret" && strings.Contains(err.Error(), "hush-hush") {
									t.Errorf("shows a secret: %v", err)
								}
								asked := slices.DeleteFunc(server.asked(), func(r string) bool { return r != "GET /x" })
								if len(asked) != v.asked {
									t.Errorf("%d requests, want %d", len(asked), v.asked)
								}
							})
						}
					}
				}
			}
		}
	}
}

// TestVerdictsAskForWhatTheySee: an action is told which members of its result the verdicts of
// its step use, in a forEach, too.
func TestVerdictsAskForWhatTheySee(t *testing.T) {
	t.Parallel()
	for _, over := range []string{"", `forEach: ["a"], `, `forEach: {k: "a"}, `} {
		for _, says := range []string{"refused", "fail"} {
			for _, path := range []string{"result.body", "result.body.err", "result.body.a.b", "result['body'].err"} {
				w := newWorld()
				var asks map[string]bool
				w.hooks["ask"] = func(_ context.Context, call *actions.Call) actions.Outcome {
					asks = map[string]bool{"body": call.Asks("body"), "status": call.Asks("status")}
					return actions.Succeed(map[string]any{"status": int64(1), "body": map[string]any{"a": map[string]any{}}})
				}
				e, _ := w.engine(t, fmt.Sprintf(`functions: f: {
	outputs: n: int
	steps: [{%sworld: ask: what: "ask", %s: "${%s == 'x' ? 'no' : null}"}, {world: look: what: "look"}]
	return: n: 1
}`, over, says, path))
				if _, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "f"}); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(map[string]bool{"body": true, "status": false}, asks); diff != "" {
					t.Errorf("%s%s of %s (-want +got):\n%s", over, says, path, diff)
				}
			}
		}
	}
}

// TestShorthandsOutliveOtherSteps: `body` is that of the latest http step, whatever ran since.
// When a delete finds nothing, the steps that refer to the missing response are left out.
func TestShorthandsOutliveOtherSteps(t *testing.T) {
	t.Parallel()
	for between, steps := range map[string]string{
		"nothing":         "",
		"another family":  `{world: do: what: "between"}, `,
		"a loop":          `{forEach: [1], http: {method: "PUT", path: "/between"}}, `,
		"a loop of other": `{forEach: [1], world: do: what: "between"}, `,
	} {
		t.Run(between, func(t *testing.T) {
			t.Parallel()
			server := serve(t, map[string][]string{"DELETE /things/x": {`404 {}`}, "PUT /between": {`200 {}`}})
			w := newWorld()
			e, _ := w.engine(t, fmt.Sprintf(`http: baseURL: "%s"
resources: Thing: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	create: world: do: what: "make"
	delete: steps: [
		{http: {method: "DELETE", path: "/things/${id}"}},
		%s{world: do: {what: "wait", with: "${body.task}"}},
	]
}`, server.url, steps))
			state := engine.State{ID: "x", Inputs: object("name", property.New("x"))}
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
				t.Fatal(err)
			}
			if calls := w.log(); slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call, "wait") }) {
				t.Errorf("called %q", calls)
			}
		})
	}
}
