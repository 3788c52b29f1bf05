package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

// sentValue is a value in a body, and what of it goes out by each rule of none,
// "snake_case" and "PascalCase".
type sentValue struct{ value, plain, snake, pascal string }

// sentValues are values whose names the author wrote, declared, or computed.
func sentValues() map[string]sentValue {
	values := map[string]sentValue{
		"declared":              {`"${inputs.disk}"`, `{"diskName":"d"}`, `{"disk_name":"d"}`, `{"DiskName":"d"}`},
		"declared in a written": {`{aDisk: "${inputs.disk}"}`, `{"aDisk":{"diskName":"d"}}`, `{"aDisk":{"disk_name":"d"}}`, `{"aDisk":{"DiskName":"d"}}`},
		"declared in a literal": {`"${({aDisk: inputs.disk})}"`, `{"aDisk":{"diskName":"d"}}`, `{"aDisk":{"disk_name":"d"}}`, `{"aDisk":{"DiskName":"d"}}`},
		"declared in a list":    {`["${inputs.disk}", {diskName: 1}]`, `[{"diskName":"d"},{"diskName":1}]`, `[{"disk_name":"d"},{"diskName":1}]`, `[{"DiskName":"d"},{"diskName":1}]`},
		"picked":                {`"${pick(inputs.disk, 'diskName')}"`, `{"diskName":"d"}`, `{"disk_name":"d"}`, `{"DiskName":"d"}`},
		"merged":                {`"${merge(inputs.disk, {fooBar: 1})}"`, `{"diskName":"d","fooBar":1}`, `{"disk_name":"d","fooBar":1}`, `{"DiskName":"d","fooBar":1}`},
		"merged over":           {`"${merge(inputs.disk, {diskName: 'e'})}"`, `{"diskName":"e"}`, `{"disk_name":"e"}`, `{"DiskName":"e"}`},
		"merged under":          {`"${merge({diskName: 'e'}, inputs.disk)}"`, `{"diskName":"d"}`, `{"disk_name":"d"}`, `{"DiskName":"d"}`},
		"merged with its name":  {`"${merge(inputs.disk, {disk_name: 'e'})}"`, `{"diskName":"d","disk_name":"e"}`, `{"disk_name":"e"}`, `{"DiskName":"d","disk_name":"e"}`},
		"merged over its name":  {`"${merge({disk_name: 'e'}, inputs.disk)}"`, `{"diskName":"d","disk_name":"e"}`, `{"disk_name":"d"}`, `{"DiskName":"d","disk_name":"e"}`},
		"merged between":        {`"${merge({disk_name: null}, inputs.disk, {DiskName: 'f'})}"`, `{"diskName":"d","disk_name":null,"DiskName":"f"}`, `{"disk_name":"d","DiskName":"f"}`, `{"disk_name":null,"DiskName":"f"}`},
		"a map":                 {`"${inputs.tags}"`, `{"aKey":1}`, `{"aKey":1}`, `{"aKey":1}`},
		"chosen":                {`"${inputs.name == 'n' ? {fooBar: 1} : null}"`, `{"fooBar":1}`, `{"fooBar":1}`, `{"fooBar":1}`},
		"mapped":                {`"${map([1], ({fooBar: #}))}"`, `[{"fooBar":1}]`, `[{"fooBar":1}]`, `[{"fooBar":1}]`},
		"captured":              {`"${capture('x', '(?P<fooBar>.)')}"`, `{"fooBar":"x"}`, `{"fooBar":"x"}`, `{"fooBar":"x"}`},
	}
	// In a value of two possible types, the one is meant that has all names, also those of nulls.
	over, under := `merge(inputs.disk, {disk_name: null})`, `merge({disk_name: null}, inputs.disk)`
	for condition, form := range map[string]string{
		"perhaps":           `"${merge({item: inputs.disk}, inputs.name == 'n' ? {item: VALUE} : null)}"`,
		"one of two":        `"${({item: inputs.name == 'n' ? VALUE : inputs.disk})}"`,
		"the other of two":  `"${({item: inputs.name != 'n' ? inputs.disk : VALUE})}"`,
		"in a list, either": `"${({item: first(inputs.name == 'n' ? [VALUE] : [inputs.disk])})}"`,
	} {
		values["a null merged over, "+condition] = sentValue{
			strings.Replace(form, "VALUE", over, 1),
			`{"item":{"diskName":"d","disk_name":null}}`, `{"item":{"disk_name":null}}`, `{"item":{"DiskName":"d","disk_name":null}}`,
		}
		values["a null merged under, "+condition] = sentValue{
			strings.Replace(form, "VALUE", under, 1),
			`{"item":{"diskName":"d","disk_name":null}}`, `{"item":{"disk_name":"d"}}`, `{"item":{"DiskName":"d","disk_name":null}}`,
		}
	}
	for _, key := range []string{"fooBar", "any_", "ABC", "a-b", "x_y_", "x__y", "_id", "__typename", "@type", "$ref", "a.b", "x/y", "FooBar", "name", "maxAge"} {
		text := fmt.Sprintf(`{%q:1}`, key)
		values["written "+key] = sentValue{text, text, text, text}
		text = fmt.Sprintf(`{"outerOne":[{%q:"n"}]}`, key)
		values["written within "+key] = sentValue{strings.Replace(text, `"n"`, `"${inputs.name}"`, 1), text, text, text}
		text = fmt.Sprintf(`{"outerOne":{%q:["n"]}}`, key)
		values["literal "+key] = sentValue{fmt.Sprintf(`"${({'outerOne': {'%s': [inputs.name]}})}"`, key), text, text, text}
	}
	return values
}

// A key that the author wrote is a name on the wire; a declared name is one that the
// rule makes. Neither depends on what else is declared.
func TestWrittenKeysGoOutAsTheyAre(t *testing.T) {
	for name, tc := range sentValues() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for rule, want := range map[string]string{"": tc.plain, `wire: "snake_case"`: tc.snake, `wire: "PascalCase"`: tc.pascal} {
				for _, other := range []string{"", ", maxAge: *1 | int", ", other?: string @wire(else)", ", fooBar?: string"} {
					server := serve(t, map[string][]string{"POST /x": {`200 {"id": "1"}`}})
					e := server.engine(t, fmt.Sprintf(`%s
resources: Thing: {
	inputs: {name: string, disk: {diskName: string}, tags: [string]: int%s}
	id: "${inputs.name}"
	create: http: {method: "POST", path: "/x", json: sent: %s, idempotent: true}
}`, rule, other, tc.value))
					created(t, e, "Thing", object("name", "n", "disk", object("diskName", "d"), "tags", object("aKey", 1)))
					_, body, _ := strings.Cut(server.asked()[0], "POST /x ")
					if diff := cmp.Diff(decoded(t, `{"sent":`+want+`}`), decoded(t, body)); diff != "" {
						t.Errorf("%s%s (-want +got):\n%s", rule, other, diff)
					}
				}
			}
		})
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// So it is in queries and forms, in what a response was typed as, and in what an action
// says of itself.
func TestWrittenKeysOfOtherArguments(t *testing.T) {
	const typed = `#Got: {gotId: string @wire(id)}
`
	for name, tc := range map[string]struct{ step, want string }{
		"query": {`http: {path: "/q", query: {pageSize: 1, any_: "${inputs.name}"}}`, "GET /q?any_=n&pageSize=1"},
		"form":  {`http: {method: "POST", path: "/q", form: {fooBar: 1, any_: "${inputs.name}"}, effect: "none"}`, "POST /q any_=n&fooBar=1"},
		"typed": {`steps: [{as: "got", http: {path: "/got", returns: #Got}}, {http: {method: "POST", path: "/q", json: "${steps.got.body}", effect: "none"}}]`, `POST /q {"id":"7"}`},
		"a result": {
			`steps: [{as: "ran", exec: {command: ["true"], effect: "none"}}, {http: {method: "POST", path: "/q", json: "${pick(steps.ran, 'exitCode')}", effect: "none"}}]`,
			`POST /q {"exitCode":0}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, rule := range []string{"", `wire: "snake_case"`} {
				server := serve(t, map[string][]string{"GET /got": {`200 {"id": "7"}`}})
				server.on[strings.Join(strings.Fields(tc.want)[:2], " ")] = []string{"200 {}"}
				e := server.engine(t, typed+rule+`
functions: ask: {
	inputs: name: string
	outputs: x?: string
	`+tc.step+`
	return: x: ""
}`)
				_, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "ask", Args: object("name", "n")})
				log := server.asked()
				if err != nil || log[len(log)-1] != tc.want {
					t.Errorf("%q: %q, not %q: %v", rule, log, tc.want, err)
				}
			}
		})
	}
}
