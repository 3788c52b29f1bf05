package engine_test

import "testing"

// TestLiteralsBesideSecrets: an expression has literals and a secret. What it makes is secret as a whole, and so is each
// response with the secret; one with the literal is not, and the id may be the same text.
func TestLiteralsBesideSecrets(t *testing.T) {
	const literal, pin = "create", "s3cr3t"
	for name, expression := range map[string]string{
		"structs of entries": `${map(entries(inputs.pins), ({op: 'create', name: .key, value: .value}))}`,
		"nested structs":     `${map(values(inputs.pins), ({a: {b: [{op: 'create'}, #]}}))}`,
		"a list":             `${map(values(inputs.pins), ['create', #])}`,
		"a condition":        `${map(values(inputs.pins), # == '' ? 'create' : #)}`,
		"another value":      `${len(inputs.pins) > 0 ? 'create' : 'delete'}`,
		"a default":          `${inputs.pins.x ?? 'create'}`,
		"a local name":       `${let op = 'create'; map(values(inputs.pins), ({op: op, value: #}))}`,
		"a member":           `${merge({op: 'create'}, inputs.pins)}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", literal, "state", literal, "pin", pin, "near", literal+"d"))
			s := newScene(t, w, `inputs: {name: string, pins: {[string]: string} @secret()}
	outputs: {state: string, pin: string, near: string}
	id: "${result.id}"
	create: world: post: {what: "make", key: true, with: "`+expression+`"}
	delete: world: do: {what: "remove", with: "${id}"}`)
			out := s.create("name", "a", "pins", secret(value(object("k", pin))))
			if out.Err != nil || out.State.ID != literal {
				t.Fatalf("%+v", out)
			}
			for member, isSecret := range map[string]bool{"state": false, "near": false, "pin": true} {
				if got := out.State.Outputs.Get(member).Secret(); got != isSecret {
					t.Errorf("%s: secret %t, expected %t", member, got, isSecret)
				}
			}
		})
	}
	// A secret that is the same text as a literal remains one.
	w := newWorld().on("make", yields("id", "7", "state", literal))
	s := newScene(t, w, `inputs: {name: string, pins: {[string]: string} @secret()}
	outputs: state: string
	id: "${result.id}"
	create: world: post: {what: "make", key: true, with: "${map(values(inputs.pins), ({op: 'create', value: #}))}"}
	delete: world: do: {what: "remove", with: "${id}"}`)
	out := s.create("name", "a", "pins", secret(value(object("k", literal))))
	if out.Err != nil || !out.State.Outputs.Get("state").Secret() {
		t.Errorf("%+v", out)
	}
}
