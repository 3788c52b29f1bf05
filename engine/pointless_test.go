package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// warnings are the codes of what vet finds in a resource with an operation, but for those
// that any spec like this has.
func warnings(t *testing.T, text, code string) (n int, at string) {
	t.Helper()
	_, diags := newWorld().compile(t, "http: baseURL: \"https://things.example.com\"\n"+text)
	for _, d := range diags {
		if d.Code == code {
			n, at = n+1, d.Path
		}
	}
	if diags.HasErrors() {
		t.Errorf("%s: %+v", text, diags)
	}
	return n, at
}

// A find that refers to no input takes any object for the one that was made.
func TestFindsOfAnyObject(t *testing.T) {
	const made, constant, given = "${body.id}", "settings", "${inputs.name}"
	for _, tc := range []struct {
		id, find string
		warns    bool
	}{
		{made, `{http: path: "/things", return: "${first(body)}"}`, true},
		{made, `http: {path: "/things", query: limit: 1}`, true},
		{made, `{http: path: "/things/${config.area}", return: "${body}"}`, true},
		{given, `{http: path: "/things", return: "${first(body)}"}`, true},
		{constant, `http: path: "/settings"`, false},
		{made, `{http: path: "/things", return: "${find(body, #.name == inputs.name)}"}`, false},
		{made, `http: path: "/things/${inputs.name}"`, false},
		{made, `http: {path: "/things", query: name: "${inputs.name}"}`, false},
		{made, `{http: path: "/things", return: "${find(body, #.name == resource.name)}"}`, false},
		{made, `{http: path: "/things", if: "${inputs.name != ''}", return: "${first(body)}"}`, false},
		{made, `{http: {path: "/things", items: "${filter(body, #.name == inputs.name)}"}, return: "${first(result.items)}"}`, false},
		{made, `{steps: [{as: "one", http: path: "/areas/${inputs.name}"}, {http: path: "/things"}], return: "${find(body, #.area == steps.one.body.id)}"}`, false},
	} {
		t.Run(tc.id+" "+tc.find, func(t *testing.T) {
			t.Parallel()
			n, _ := warnings(t, fmt.Sprintf(`config: area: *"a" | string
resources: Thing: {
	inputs: name: string @replace()
	id: %q
	find: %s
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: http: path: "/things/${id}"
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`, tc.id, tc.find), "find-any")
			if n > 0 != tc.warns {
				t.Errorf("%d warnings", n)
			}
		})
	}
}

// What is there already cannot be written under the condition that nothing is.
func TestConditionsThatNeverHold(t *testing.T) {
	for step, warns := range map[string]bool{
		`http: {method: "PATCH", path: "/things/${id}/x", json: "${changes}", ifNoneMatch: true}`:                                                  true,
		`http: {method: "PUT", path: "/things/${id}", json: "${inputs}", ifNoneMatch: true}`:                                                       true,
		`http: {method: "PUT", path: "/things/${id}/parts/${inputs.name}", json: {}, ifNoneMatch: true}`:                                           false,
		`http: {method: "PUT", path: "/things/${id}", json: "${inputs}", ifNoneMatch: false}`:                                                      false,
		`http: {method: "PUT", path: "/things/${id}", json: "${inputs}"}`:                                                                          false,
		`steps: [{http: {method: "POST", path: "/locks", idempotent: true}}, {http: {method: "PATCH", path: "/things/${id}", ifNoneMatch: true}}]`: true,
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			n, at := warnings(t, `resources: Thing: {
	inputs: name: string
	id: "${body.id}"
	find: http: path: "/things/by/${inputs.name}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: http: path: "/things/${id}"
	update: `+step+`
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`, "always-refused")
			if n > 0 != warns || warns && !strings.Contains(at, "update") {
				t.Errorf("%d warnings at %q", n, at)
			}
		})
	}
}
