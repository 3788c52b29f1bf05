package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/diag"
)

// exposing are findings by which vet refuses a secret, by place.
func exposing(diags diag.List) []string {
	var out []string
	for _, d := range diags {
		if d.Code == "secret-exposed" {
			out = append(out, d.Path)
		}
	}
	return out
}

// Wherever a value goes before it reaches a place that others can read, vet knows
// that it is secret.
func TestSecretsThatVetFollows(t *testing.T) {
	const account = `
#Login: {user: string, pin: string @secret()}
#Either: {isOn: false} | {isOn: true, pin: string @secret()}
`
	for name, c := range map[string]struct {
		spec string
		at   []string
	}{
		"a loop over a secret list": {
			`inputs: all: [...string] @secret()
			create: {forEach: "${inputs.all}", world: do: what: "${each.value}"}`, []string{"what"},
		},
		"a loop over structs with secrets": {
			`inputs: all: [...#Login]
			create: {forEach: "${inputs.all}", world: do: what: "${each.value.pin}"}`, []string{"what"},
		},
		"a loop over structs with secrets, at what is none": {
			`inputs: all: [...#Login]
			create: {forEach: "${inputs.all}", world: do: what: "${each.value.user}"}`, nil,
		},
		"a loop over selected structs, at what is none": {
			`inputs: all: [...#Login]
			create: {forEach: "${filter(inputs.all, .user != \"\")}", world: do: what: "${each.value.user}"}`, nil,
		},
		"a loop over a computed list": {
			`inputs: all: [...#Login]
			create: {forEach: "${map(inputs.all, .pin)}", world: do: what: "${each.value}"}`, []string{"what"},
		},
		"a loop over what is written down": {
			`inputs: pin: string @secret()
			create: {forEach: ["a", "${inputs.pin}"], world: do: what: "${each.value}"}`, []string{"what"},
		},
		"the keys of a secret map": {
			`inputs: all: {[string]: string} @secret()
			create: {forEach: "${inputs.all}", world: do: what: "${each.key}"}`, []string{"what"},
		},
		"a union by a bool": {
			`inputs: one: #Either
			create: world: do: what: "${inputs.one.pin ?? \"\"}"`, []string{"what"},
		},
		"a map of unions": {
			`inputs: all: [string]: #Either
			create: world: do: what: "${inputs.all.a?.pin ?? \"\"}"`, []string{"what"},
		},
		"a struct that is written down": {
			`inputs: pin: string @secret()
			create: {forEach: [{a: "${inputs.pin}", b: "x"}], world: do: what: "${each.value.a}"}`, []string{"what"},
		},
		"a struct that is written down, at what is no secret": {
			`inputs: pin: string @secret()
			create: {forEach: [{a: "${inputs.pin}", b: "x"}], world: do: what: "${each.value.b}"}`, nil,
		},
		"a struct within an expression": {
			`inputs: pin: string @secret()
			create: {forEach: "${[{a: inputs.pin, b: 1}]}", world: do: what: "${each.value.a}"}`, []string{"what"},
		},
		"a union for an output": {
			`inputs: one: #Either
			outputs: one: #Either
			create: world: do: what: "make"
			return: one: "${inputs.one}"`, nil,
		},
		"a union for an output without its secret": {
			`inputs: one: #Either
			outputs: one: {isOn: bool, pin?: string}
			create: world: do: what: "make"
			return: one: "${inputs.one}"`, []string{"return"},
		},
		"an output of the last step's": {
			`inputs: name: string
			outputs: pin: string
			create: world: do: what: "make"
			read: world: typed: {what: "see", returns: #Login}`, []string{"pin"},
		},
		"an expression that shows it": {
			`inputs: one: #Login
			outputs: text: string
			create: world: do: what: "make"
			return: text: "${jsonencode(inputs.one)}"`, []string{"return"},
		},
		"the id of what is listed": {
			`inputs: name: string
			create: world: do: what: "make"
			list: {inputs: pin: string @secret(), world: look: what: "all", items: "${result}", id: "${inputs.pin}"}`, []string{"list.id"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, account+"resources: Thing: {\nid: \"x\"\ndelete: world: do: what: \"delete\"\n"+c.spec+"\n}")
			got := exposing(diags)
			ok := len(got) == len(c.at) && (len(got) == 0 || strings.Contains(got[0], c.at[0]))
			if !ok || len(c.at) == 0 && diags.HasErrors() {
				t.Errorf("found at %q; expected %q\n%+v", got, c.at, diags)
			}
		})
	}
}

// What a program makes secret, of which vet knows nothing, keeps its mark through
// everything that a value goes through, and reaches no place that others can read.
func TestMarksTravel(t *testing.T) {
	const pin = "p1n-of-the-program"
	for name, c := range map[string]struct {
		spec  string
		given property.Map
	}{
		"a loop":                  {`inputs: all: [...string], create: {forEach: "${inputs.all}", world: %s}`, object("all", []any{secret(pin)})},
		"a loop over all of it":   {`inputs: all: [...string], create: {forEach: "${inputs.all}", world: %s}`, object("all", secret([]any{pin}))},
		"a loop over a map":       {`inputs: all: [string]: string, create: {forEach: "${inputs.all}", world: %s}`, object("all", object("a", secret(pin)))},
		"a loop over a selection": {`inputs: all: [...string], create: {forEach: "${filter(inputs.all, # != \"\")}", world: %s}`, object("all", []any{secret(pin)})},
		"a loop in a loop's place": {
			`inputs: all: [...string], create: {forEach: "${map(inputs.all, [#])}", world: %s}`, object("all", []any{secret(pin)}),
		},
	} {
		for sink, step := range map[string]string{
			"argument": `do: what: "${each.value}"`, "argument of a list": `do: what: "${string(each.value)}"`,
			"a part of it": `do: what: "${split(string(each.value), '-')[1]}"`, // which is in no text that is known to be secret
		} {
			t.Run(name+", "+sink, func(t *testing.T) {
				w := newWorld()
				if name == "a loop in a loop's place" {
					step = strings.ReplaceAll(step, "each.value", "each.value[0]")
				}
				e, _ := w.engine(t, "resources: Thing: {\nid: \"x\"\n"+strings.Replace(fmt.Sprintf(c.spec, step), ", create", "\ncreate", 1)+"\n}")
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: c.given})
				if out.Err == nil || !strings.Contains(out.Err.Error(), "secret") || strings.Contains(out.Err.Error(), pin) {
					t.Errorf("the step is not refused, or shows it: %v", out.Err)
				}
				if calls := w.log(); len(calls) > 0 {
					t.Errorf("called: %q", calls)
				}
			})
		}
	}
}

// The result of a step carries the marks that its type declares, under every name
// that it has, until another result takes its place.
func TestMarksOfResults(t *testing.T) {
	const pin = "p1n-of-the-world"
	w := newWorld()
	w.hooks["see"] = func(context.Context, *actions.Call) actions.Outcome {
		return yields("body", m("user", "ann", "pin", pin, "all", []any{m("user", "bob", "pin", "2")}))
	}
	e, _ := w.engine(t, `
#User: {user: string, pin: string @secret()}
#Users: {user: string, pin: string @secret(), all: [...#User]}
functions: ask: {
	inputs: {}
	outputs: {first: #User, second: #User, user: string, more: {[string]: string} @secret()}
	steps: [{as: "seen", world: typed: {what: "see", returns: #Users}}, {world: look: what: "other"}]
	return: {
		first: "${steps.seen.body}", second: "${find(steps.seen.body.all, .user == \"bob\") ?? steps.seen.body.all[0]}"
		user: "${steps.seen.body.user}", more: pin: "${steps.seen.body.pin}"
	}
}`)
	out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "ask"})
	if err != nil {
		t.Fatal(err)
	}
	want := object(
		"first", object("user", "ann", "pin", secret(pin)), "second", object("user", "bob", "pin", secret("2")),
		"user", "ann", "more", secret(object("pin", secret(pin))),
	)
	if diff := cmp.Diff(want, out.Return, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Where a secret may not go in requests and files, vet finds it.
func TestSecretsThatVetFinds(t *testing.T) {
	for name, step := range map[string]string{
		"a path":                      `http: {url: "https://x.example/${inputs.pin}"}`,
		"a query":                     `http: {url: "https://x.example/", query: key: "${inputs.pin}"}`,
		"a query of a struct":         `http: {url: "https://x.example/", query: "${{key: inputs.login.pin}}"}`,
		"the path of a login":         `http: {url: "https://x.example/", auth: login: {http: {url: "https://x.example/${inputs.pin}"}, token: "${body.t}"}}`,
		"the query of a login":        `http: {url: "https://x.example/", auth: login: {http: {url: "https://x.example/", query: key: "${inputs.pin}"}, token: "${body.t}"}}`,
		"the URL of tokens":           `http: {url: "https://x.example/", auth: oauth2: {tokenURL: "https://x.example/${inputs.pin}", clientID: "a", clientSecret: "b"}}`,
		"names of headers":            `http: {url: "https://x.example/", headers: "${inputs.all}"}`,
		"names of headers of a login": `http: {url: "https://x.example/", auth: login: {http: {url: "https://x.example/", headers: "${inputs.all}"}, token: "${body.t}"}}`,
		"a command line":              `exec: {command: ["echo", "${inputs.pin}"]}`,
		"a file's name":               `file: write: {path: "${inputs.pin}", content: ""}`,
		"a file that others can read": `file: write: {path: "a", content: "${inputs.pin}", mode: "0644"}`,
		"a member of a file, in JSON": `file: write: {path: "a", content: "${jsonencode(inputs.login)}", mode: "0640"}`,
		"progress":                    `world: do: what: "make"` + "\nprogress: \"${inputs.pin}\"",
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, `
				permissions: {write: ["**"], hosts: ["https://x.example"], run: ["echo"]}
				resources: Thing: {
				id: "x"
				delete: world: do: what: "delete"
				inputs: {pin: string @secret(), login: {pin: string @secret()}, all: {[string]: string} @secret()}
				create: {`+step+`}
			}`)
			if got := exposing(diags); len(got) != 1 {
				t.Errorf("found %q; expected one secret-exposed: %+v", got, diags)
			}
		})
	}
	for name, step := range map[string]string{
		"a key by auth":         `http: {url: "https://x.example/", auth: apiKey: {query: "key", value: "${inputs.pin}"}}`,
		"values of headers":     `http: {url: "https://x.example/", headers: {"X-Key": "${inputs.pin}"}}`,
		"the body of a login":   `http: {url: "https://x.example/", auth: login: {http: {url: "https://x.example/", json: key: "${inputs.pin}"}, token: "${body.t}"}}`,
		"standard input":        `exec: {command: ["cat"], stdin: "${inputs.pin}"}`,
		"a file of the owner's": `file: write: {path: "a", content: "${inputs.pin}", mode: "0600"}`,
		"a file without a mode": `file: write: {path: "a", content: "${inputs.pin}"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, `
				permissions: {write: ["**"], hosts: ["https://x.example"], run: ["cat"]}
				resources: Thing: {
				id: "x"
				delete: world: do: what: "delete"
				inputs: {pin: string @secret()}
				create: {`+step+`}
			}`)
			if got := exposing(diags); len(got) != 0 || diags.HasErrors() {
				t.Errorf("found %q: %+v", got, diags)
			}
		})
	}
}

// A new file with secret content is its owner's alone, and who makes others read it
// is told.
func TestSecretFiles(t *testing.T) {
	for mode, c := range map[string]struct {
		want os.FileMode
		told bool
	}{`null`: {0o600, false}, `"0644"`: {0o644, true}} {
		e, dir := newWorld().engine(t, `
			permissions: write: ["**"]
			resources: Thing: {
			inputs: text: string
			id: "x"
			create: file: write: {path: "a", content: "${inputs.text}", mode: `+mode+`}
		}`)
		log := &recorder{}
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("text", secret("p1n-of-the-program")), Log: log})
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		info, err := os.Stat(filepath.Join(dir, "a"))
		if err != nil || info.Mode().Perm() != c.want {
			t.Errorf("mode %s: %v, %v", mode, info.Mode(), err)
		}
		if told := strings.Contains(strings.Join(log.messages, "\n"), "others can read it"); told != c.told {
			t.Errorf("mode %s: told %v: %q", mode, told, log.messages)
		}
	}
}
