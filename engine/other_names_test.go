package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
)

// Where a typed response has what a property may mean under another name, the remedy
// names it.
func TestRemediesNameTheWire(t *testing.T) {
	for name, tc := range map[string]struct{ pool, inputs, outputs, read, want, never string }{
		"an output":         {"{id: string, name: string}", "name: string", "poolId: string", "", "@wire(id)", "@wire(name)"},
		"a wire rule":       {"{serverId: string, name: string}", "name: string", "id2: string, poolServerID: string", "", "@wire(server_id)", ""},
		"an input":          {"{id: string, name: string, pool_size: int}", "name: string, size: int", "id2?: string", "", "@wire(pool_size)", "@wire(id)"},
		"another type":      {"{id: int, name: string}", "name: string", "poolId: [...string]", "", "Return it", "@wire"},
		"nothing like it":   {"{id: string, name: string}", "name: string", "colour: string", "", "Return it", "@wire"},
		"a return is there": {"{id: string, name: string}", "name: string", "poolId: string", "\nread: return: name: \"${body.name}\"", "Return it", "@wire"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := newWorld().compile(t, fmt.Sprintf(`http: baseURL: "https://things.example.com"
wire: "snake_case"
#Pool: %s
resources: Pool: {
	inputs: {%s}
	outputs: {%s}
	id: "x"
	create: http: {method: "POST", path: "/pools", json: "${inputs}", idempotent: true, returns: #Pool}
	read: http: {path: "/pools/1", returns: #Pool}%s
	update: http: {method: "PUT", path: "/pools/1", json: "${inputs}", returns: #Pool}
	delete: http: {method: "DELETE", path: "/pools/1"}
}`, tc.pool, tc.inputs, tc.outputs, tc.read))
			text := ""
			for _, d := range diags {
				if d.Code == "output-not-given" || d.Code == "not-read-back" {
					text += d.Detail
				}
			}
			if !strings.Contains(text, tc.want) || tc.never != "" && strings.Contains(text, tc.never) {
				t.Errorf("%q is expected, %q is not: %q of %+v", tc.want, tc.never, text, diags)
			}
		})
	}
}

// An untyped response that lacks what is required is listed, by the names of its members
// alone.
func TestErrorsListWhatIsThere(t *testing.T) {
	const many = `{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1, "j": 1, "k": 1, "tok-canary": "x"}`
	for name, tc := range map[string]struct{ create, read, id, want string }{
		"read back":     {`{"name": "n"}`, `{"id": "q1", "na\u001bme": "hush"}`, "x", `read yields no queueId (test 1.0.0, <stdin>:`},
		"its members":   {`{"name": "n"}`, `{"id": "q1", "name": "hush"}`, "x", `it has: id, name. If it is there under another name, declare that: ` + "`queueId: … @wire(NAME)`"},
		"null":          {`{"name": "n"}`, `{"queueId": null, "name": "hush"}`, "x", "the response has null there. If the API may do that, make it optional: `queueId?: …`"},
		"an envelope":   {`{"name": "n"}`, `{"queue": {"queueId": "q", "name": "hush"}}`, "x", "it has: queue. If that is an envelope of the object, write `return: \"${body.queue}\"` in the operation"},
		"at most ten":   {`{}`, many, "x", "it has: a, b, c, d, e, f, g, h, i, j, and 2 more"},
		"no members":    {`{}`, `{}`, "x", "it has no members"},
		"below the id":  {`{"queue": "hush", "name": "n"}`, `{"queueId": "q"}`, "${body.queue.id}", "`id` yields nothing after create (of body; it has: name, queue) (test 1.0.0, <stdin>:"},
		"nothing there": {`{"name": "n"}`, `{"queueId": "q"}`, "${result.body.queue.id}", "`id` yields nothing after create (of result.body; it has: name) (test 1.0.0, <stdin>:"},
		"the id":        {`{"uuid": "hush", "name": "n"}`, `{"queueId": "q"}`, "${body.id}", "`id` yields nothing after create (of body; it has: name, uuid) (test 1.0.0, <stdin>:"},
		"masked names":  {`{"canary-key": 1}`, `{"queueId": "q"}`, "${body.id}", `"[secret]-key"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, map[string][]string{"POST /q": {"200 " + tc.create}, "GET /q": {"200 " + tc.read}})
			e := server.engine(t, fmt.Sprintf(`resources: Queue: {
	inputs: {name: string @noRead(), token: string @secret() @noRead()}
	outputs: queueId: string
	id: %q
	consistency: "0s"
	create: http: {method: "POST", path: "/q", json: "${inputs}", idempotent: true}
	read: http: path: "/q"
	delete: http: {method: "DELETE", path: "/q"}
}`, tc.id))
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Queue"), Inputs: object("name", "n", "token", secret("canary"))})
			if out.Err == nil || !strings.Contains(out.Err.Error(), tc.want) || strings.Contains(out.Err.Error(), "hush") || strings.ContainsRune(out.Err.Error(), '\x1b') {
				t.Errorf("%q is expected: %v", tc.want, out.Err)
			}
		})
	}
}
