package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOneRuleOfCreatesThatRunTwice: vet warns of a step of create that may run twice, and `try --lose-response` refuses
// the resource, by one rule.
func TestOneRuleOfCreatesThatRunTwice(t *testing.T) {
	const (
		post  = `{http: {method: "POST", path: "/users", json: name: "${inputs.name}"MORE}}`
		put   = `{http: {method: "PUT", path: "/users/${inputs.name}/mail", json: mail: true}}`
		patch = `{http: {method: "PATCH", path: "/users/${inputs.name}", json: note: "x"MORE}}`
		run   = `{exec: {command: ["touch", "x"]MORE}}`
		look  = `{http: {path: "/users"}}`
	)
	safe, accepted := ", idempotent: true", ", idempotent: false"
	for name, tc := range map[string]struct {
		steps []string // with what they say of repetitions after "+"
		twice map[bool]int
	}{ // twice is the number of the step that may run twice, without and with find; 0 is none
		"a POST":                                  {[]string{post}, map[bool]int{false: 1, true: 0}},
		"a POST that may be repeated":             {[]string{post + safe}, map[bool]int{false: 0, true: 0}},
		"a POST of which the author knows":        {[]string{post + accepted}, map[bool]int{false: 1, true: 0}},
		"a PATCH alone":                           {[]string{patch}, map[bool]int{false: 1, true: 0}},
		"a command":                               {[]string{run}, map[bool]int{false: 1, true: 0}},
		"a POST, then a PATCH":                    {[]string{post, patch}, map[bool]int{false: 1, true: 0}},
		"a POST, then a PATCH that is accepted":   {[]string{post, patch + accepted}, map[bool]int{false: 1, true: 0}},
		"a POST, then a PUT":                      {[]string{post, put}, map[bool]int{false: 1, true: 0}},
		"a look, a POST, then a PATCH":            {[]string{look, post, patch}, map[bool]int{false: 2, true: 0}},
		"a POST, then a command":                  {[]string{post, run}, map[bool]int{false: 1, true: 2}},
		"a POST, a PATCH, then a command":         {[]string{post, patch, run}, map[bool]int{false: 1, true: 3}},
		"a safe POST, then a PATCH":               {[]string{post + safe, patch}, map[bool]int{false: 0, true: 0}},
		"a safe POST, then a command":             {[]string{post + safe, run}, map[bool]int{false: 2, true: 2}},
		"a POST, then a command that is safe":     {[]string{post, run + safe}, map[bool]int{false: 1, true: 0}},
		"a POST, then a command that is accepted": {[]string{post, run + accepted}, map[bool]int{false: 1, true: 2}},
	} {
		for find, want := range tc.twice {
			t.Run(fmt.Sprintf("%s, find %t", name, find), func(t *testing.T) {
				var steps []string
				for _, s := range tc.steps {
					call, more, _ := strings.Cut(s, "}}")
					steps = append(steps, strings.Replace(call, "MORE", more, 1)+"}}")
				}
				more := ""
				if find {
					more = `find: http: path: "/users/${inputs.name}"`
				}
				p, diags := newWorld().compile(t, `http: baseURL: "https://api.example.com"
permissions: {run: ["touch"], hosts: ["https://api.example.com"]}
resources: User: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	`+more+`
	create: steps: [`+strings.Join(steps, ", ")+`]
	read: http: path: "/users/${id}"
	delete: http: {method: "DELETE", path: "/users/${id}"}
}`)
				if p == nil || diags.HasErrors() {
					t.Fatal(diags)
				}
				warned := 0
				for _, d := range slices.Backward(diags) {
					if d.Code == "at-least-once" {
						warned = stepIn(d.Summary)
					}
				}
				refused := 0
				if twice := p.MayRunTwice("User"); twice != "" {
					refused = stepIn(twice)
				}
				if warned != want || refused != want {
					t.Errorf("vet warns of step %d, and try refuses step %d (%q); expected %d: %v", warned, refused, p.MayRunTwice("User"), want, diags)
				}
			})
		}
	}
}

// stepIn returns the number of the step that a text names.
func stepIn(text string) (number int) {
	_, after, _ := strings.Cut(text, "step ")
	_, _ = fmt.Sscan(strings.Fields(after + " 0")[0], &number)
	return number
}
