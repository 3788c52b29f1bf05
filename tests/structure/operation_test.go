package structure

import (
	"slices"
	"strings"
	"testing"
)

// operations is a spec with an operation, marked OP, at every place that takes
// one; the others are right.
const operations = `package test
name: "test"
version: "1.0.0"
http: baseURL: "http://127.0.0.1:1"
configure: OP{http: {path: "/me"}}OP
resources: Pet: {
	inputs: name: string @replace()
	outputs: size: int
	id: "${inputs.name}"
	create: OP{http: {method: "PUT", path: "/pets/${inputs.name}"}}OP
	read: OP{http: path: "/pets/${id}", return: {name: "${id}", size: "${body.size}"}}OP
	update: OP{http: {method: "PUT", path: "/pets/${id}"}}OP
	delete: OP{http: {method: "DELETE", path: "/pets/${id}"}}OP
	find: OP{http: path: "/pets", return: "${body}"}OP
	list: OP{http: path: "/pets", items: "${body ?? []}", id: "${each.value.name}"}OP
	methods: weigh: OP{outputs: weight: int, http: path: "/pets/${id}/weight"}OP
}
functions: look: OP{outputs: size: int, http: path: "/pets"}OP
ephemerals: Token: {
	outputs: token: string
	open: OP{http: {method: "GET", path: "/token"}}OP
	renew: OP{http: {method: "GET", path: "/token"}}OP
	close: OP{http: {method: "GET", path: "/token"}}OP
}
`

// Each operation in turn, and all at once, is there without a step, in every way,
// with whatever else stands beside it. Unless all changes are asked for, one in
// turn is tried in the ways that once crashed.
func TestOperationsWithoutSteps(t *testing.T) {
	parts := strings.Split(operations, "OP")
	if len(parts) != 2*12+1 {
		t.Fatalf("%d operations", len(parts)/2)
	}
	whole := strings.Join(parts, "")
	if ok, err := try(variant{Format: "cue", Text: []byte(whole)}); !ok || err != nil {
		t.Fatalf("the spec does not pass as it is: %v", err)
	}
	for at := 1; at < len(parts); at += 2 {
		place := parts[at-1][strings.LastIndex(parts[at-1], "\n")+1:]
		ways := []string{"{}", "{steps: []}", `{items: "${result}", id: "x"}`}
		if *every == 1 {
			ways = withoutStep()
		}
		for _, nothing := range append(ways,
			strings.Replace(parts[at], "http:", "steps: [], http:", 1), strings.Replace(parts[at], "http:", "steps: [], x:", 1)) {
			changed := slices.Clone(parts)
			changed[at] = nothing
			passed, err := try(variant{Format: "cue", Text: []byte(strings.Join(changed, ""))})
			if err != nil {
				t.Errorf("%s%s: %v", place, nothing, err)
			}
			if passed && strings.Contains(nothing, "steps") {
				t.Errorf("%s%s passes", place, nothing)
			}
		}
	}
}

func TestSpecsWithoutAnyStep(t *testing.T) {
	parts := strings.Split(operations, "OP")
	for _, nothing := range withoutStep() {
		changed := slices.Clone(parts)
		for at := 1; at < len(parts); at += 2 {
			changed[at] = nothing
		}
		if passed, err := try(variant{Format: "cue", Text: []byte(strings.Join(changed, ""))}); err != nil || passed {
			t.Errorf("%s: passed is %t, %v", nothing, passed, err)
		}
	}
}

// withoutStep are operations that have none.
func withoutStep() []string {
	return []string{
		"null", "[]", "{}", `""`, "7", "_", "string", "string | *null",
		"{steps: []}", "{steps: null}", "{steps: {}}", "{steps: [null]}", "{steps: [{}]}", "{steps: [[]]}",
		`{steps: [], return: "${body}"}`, `{steps: [], return: {size: "${result.x}"}}`, "{steps: [], retry: {}}",
		"{http: null}", "{http: {}}", "{http: []}", "{http: _}", `{htpp: {path: "x"}}`,
		`{as: "x"}`, `{if: "${true}"}`, `{return: "${1}"}`, "{return: null}", "{retry: {on: [503]}}", "{onFailure: []}",
		"{outputs: size: int, steps: []}", "{inputs: a: string, steps: []}",
		`{items: "${result}", id: "x"}`, `{items: "${result}", id: "x", steps: []}`, `{items: "${result}", id: "x", steps: [{}]}`,
	}
}
