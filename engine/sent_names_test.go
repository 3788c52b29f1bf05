package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/spec/diag"
)

// typedDisk is a value whose names and types differ on the wire, and diskOnTheWire is what is sent for it.
var typedDisk = object("useIp", false, "count", 5, "tags", []any{object("maxAge", 4)}, "plainName", "p")

const diskOnTheWire = `"use_ip":0,"count":"5","tags":[{"max_age":"4"}],"plain_name":"p"`

// TestTypedPartsKeepTheirFormOnTheWire sends a typed value in combination with others, by each expression that combines
// or passes on values. It goes out by its names and types on the wire, or vet says that it cannot.
func TestTypedPartsKeepTheirFormOnTheWire(t *testing.T) {
	t.Parallel()
	// others are the expressions of a value whose only member is z.
	others := map[string]string{
		"a struct":             `{zOne: 1}`,
		"pairs":                `fromPairs([['zOne', 1]])`,
		"untyped":              `jsondecode(inputs.text)`,
		"picked of untyped":    `pick(jsondecode(inputs.text), 'zOne')`,
		"omitted of untyped":   `omit(jsondecode(inputs.text), 'other')`,
		"one of two structs":   `inputs.name == 'n' ? {zOne: 1} : {}`,
		"the other":            `inputs.name != 'n' ? {} : {zOne: 1}`,
		"one with another":     `inputs.name == 'n' ? {zOne: 1} : {yOne: 'y'}`,
		"one of two types":     `inputs.name == 'n' ? {zOne: 1} : {zOne: 'y'}`,
		"struct or null":       `inputs.name == 'n' ? {zOne: 1} : null`,
		"struct or untyped":    `inputs.name == 'n' ? {zOne: 1} : jsondecode(inputs.text)`,
		"untyped or struct":    `jsondecode(inputs.text) ?? {}`,
		"a computed key":       `{(inputs.key): 1}`,
		"a map":                `inputs.map`,
		"an open struct":       `inputs.open`,
		"a union":              `inputs.either`,
		"an untyped, extended": `merge(jsondecode(inputs.text), {})`,
		"mapped of untyped":    `mapValues(jsondecode(inputs.text), #)`,
	}
	// combined are the expressions of the typed value D with the other one X.
	combined := map[string]string{
		"over":          `merge(D, X)`,
		"under":         `merge(X, D)`,
		"between":       `merge(D, X, {})`,
		"nested":        `merge(merge(D, {}), merge({}, X))`,
		"twice":         `merge(merge(D, X), X)`,
		"omit":          `omit(merge(D, X), 'none' + inputs.name)`,
		"omit by name":  `omit(merge(D, X, {gone: 1}), 'gone')`,
		"pick":          `pick(merge(D, X), 'useIp', 'count', 'tags', 'plainName', 'zOne', 'a' + inputs.name)`,
		"let":           `let m = merge(D, X); m`,
		"chosen":        `inputs.name == 'n' ? merge(D, X) : {}`,
		"chosen other":  `inputs.name != 'n' ? {} : merge(D, X)`,
		"or null":       `(inputs.name == 'n' ? merge(D, X) : null) ?? {}`,
		"coalesce":      `coalesce(null, merge(D, X))`,
		"patch":         `mergePatch({}, merge(D, X))`,
		"first":         `first([merge(D, X)])`,
		"last of":       `last(concat([merge(D, X)], [merge(D, X)]))`,
		"of reversed":   `reverse([merge(D, X)])[0]`,
		"found":         `find([merge(D, X)], true)`,
		"filtered":      `first(filter([merge(D, X)], true))`,
		"mapped":        `map([1], merge(D, X))[0]`,
		"mapped value":  `mapValues({a: 1}, merge(D, X)).a`,
		"value":         `first(values({a: merge(D, X)}))`,
		"entry":         `first(entries({a: merge(D, X)}))?.value`,
		"member":        `{a: merge(D, X)}.a`,
		"reduced":       `reduce([1], merge(D, X), {})`,
		"sorted":        `sortBy([merge(D, X)], 1)[0]`,
		"grouped":       `groupBy([merge(D, X)], 'a').a?.[0]`,
		"flat":          `flatten([[merge(D, X)]])[0]`,
		"got":           `get({a: merge(D, X)}, 'a')`,
		"unique":        `uniq([merge(D, X)])[0]`,
		"taken":         `take([merge(D, X)], 1)[0]`,
		"pairs":         `fromPairs([['a', merge(D, X)]]).a`,
		"pairs there":   `fromPairs(toPairs(merge(D, X)))`,
		"pair":          `toPairs({a: merge(D, X)})[0][1]`,
		"computed key":  `{('a' + ''): merge(D, X)}.a`,
		"and computed":  `merge(D, {(inputs.name): 'v'}, X)`,
		"merged alone":  `merge(merge(D, X))`,
		"never another": `inputs.name == 'n' ? merge(D, X) : D`,
	}
	// mayBeRefused are expressions whose value is typed or not, which nobody can tell when it is sent.
	mayBeRefused := []string{
		`coalesce(jsondecode(inputs.text).none, inputs.disk)`,
		`fromPairs(map(toPairs(inputs.disk), [#[0], #[1]]))`,
		`inputs.name == 'n' ? inputs.disk : jsondecode(inputs.text)`,
		`inputs.name == 'n' ? inputs.disk.count : inputs.one`,
		`inputs.name == 'n' ? inputs.ref : inputs.text`,
		`jsondecode(inputs.text).none ?? inputs.disk`,
		`merge(inputs.map, inputs.texts)`,
		`merge(jsondecode(inputs.text), inputs.disk).useIp`,
		`{(inputs.key): 1, (inputs.name): inputs.disk.count}`,
	}
	for way, form := range combined {
		for other, x := range others {
			t.Run(way+"/"+other, func(t *testing.T) {
				t.Parallel()
				text := strings.NewReplacer("D", "inputs.disk", "X", "("+x+")").Replace(form)
				want := `{` + diskOnTheWire + `,"zOne":1}`
				if way == "and computed" {
					want = `{` + diskOnTheWire + `,"zOne":1,"n":"v"}`
				}
				sentOrRefused(t, text, want, strings.HasPrefix(way, "pair") || way == "reduced")
			})
		}
	}
	for text, want := range map[string]string{
		// one or the other
		`inputs.name == 'n' ? inputs.disk : jsondecode(inputs.text)`: `{` + diskOnTheWire + `}`,
		`jsondecode(inputs.text).none ?? inputs.disk`:                `{` + diskOnTheWire + `}`,
		`coalesce(jsondecode(inputs.text).none, inputs.disk)`:        `{` + diskOnTheWire + `}`,
		`[inputs.disk, jsondecode(inputs.text)][0]`:                  `{` + diskOnTheWire + `}`,
		`[inputs.disk, jsondecode(inputs.text)]`:                     `[{` + diskOnTheWire + `},{"zOne":1}]`,
		`inputs.name == 'n' ? inputs.disk : inputs.map`:              `{` + diskOnTheWire + `}`,
		`inputs.name == 'm' ? inputs.disk : inputs.map`:              `{"zOne":1}`,
		`{(inputs.key): inputs.disk, other: 1}`:                      `{"zOne":{` + diskOnTheWire + `},"other":1}`,
		`{(inputs.key): inputs.disk.count, other: 1}`:                `{"zOne":"5","other":1}`,
		`{(inputs.key): 1, other: inputs.disk.count}`:                `{"zOne":1,"other":"5"}`,
		`{(inputs.key): 1, other: inputs.disk.useIp}`:                `{"zOne":1,"other":0}`,
		`{(inputs.key): 1, (inputs.name): inputs.disk.count}`:        `{"zOne":1,"n":"5"}`,
		`fromPairs(map(toPairs(inputs.disk), [#[0], #[1]]))`:         `{` + diskOnTheWire + `}`,
		`merge(inputs.map, {count: inputs.disk.count})`:              `{"zOne":1,"count":"5"}`,
		`merge(inputs.map, inputs.texts)`:                            `{"zOne":1,"k":"5"}`,
		`merge(jsondecode(inputs.text), inputs.disk).useIp`:          `0`,
		`merge(inputs.disk, jsondecode(inputs.text)).zOne`:           `1`,
		`mapValues(inputs.disk, #)`:                                  `{` + diskOnTheWire + `}`,
		`pick(inputs.disk, 'use' + 'Ip')`:                            `{"use_ip":0}`,
		// A literal beside a typed scalar has its type; other scalars do not.
		`inputs.disk.count ?? 0`:                              `"5"`,
		`inputs.none ?? 0`:                                    `"0"`,
		`inputs.disk.useIp ?? true`:                           `0`,
		`inputs.name == 'n' ? inputs.disk.count : 7`:          `"5"`,
		`inputs.name == 'n' ? inputs.disk.count : inputs.one`: `"5"`,
		`[inputs.disk.count, inputs.one]`:                     `["5",1]`,
		`inputs.ref ?? ''`:                                    `7`,
		`inputs.name == 'n' ? inputs.ref : inputs.text`:       `7`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			sentOrRefused(t, text, want, slices.Contains(mayBeRefused, text))
		})
	}
}

// sentOrRefused creates a thing whose body has the value of an expression, and compares it, unless vet refuses the expression
// because it loses the form on the wire, which it must not do for others than those that may be refused.
func sentOrRefused(t *testing.T, expression, want string, mayRefuse bool) {
	t.Helper()
	text := fmt.Sprintf(`wire: "snake_case"
resources: Thing: {
	inputs: {name: string, text: string, key: string, map: {[string]: int}, texts: {[string]: int} @wire(type=string), open: {zOne: int @wire(zOne), ...}, one: int, none?: int @wire(type=string), ref?: string @wire(type=int)
		either: {zOne: 1 @wire(zOne)} | {zOne: 2 @wire(zOne), yOne: int @wire(yOne)}
		disk: {useIp: bool @wire(type=int), count?: int @wire(type=string), tags?: [...{maxAge: int @wire(type=string)}], plainName: string}}
	id: "${inputs.name}"
	create: http: {method: "POST", path: "/x", json: sent: "${%s}", idempotent: true}
}`, expression)
	_, diags := program(t, "config: endpoint: string\nhttp: baseURL: \"${config.endpoint}\"\n"+text)
	if refused := errorsOf(diags); len(refused) > 0 {
		if !slices.ContainsFunc(refused, func(d diag.Diagnostic) bool { return d.Code == finding.CodeFormLost }) {
			t.Fatalf("%s: %v", expression, refused)
		}
		if !mayRefuse {
			t.Errorf("%s is refused", expression)
		}
		return
	}
	server := serve(t, map[string][]string{"POST /x": {`200 {"id": "1"}`}})
	created(t, server.engine(t, text), "Thing", object("name", "n", "text", `{"zOne": 1}`, "key", "zOne", "map", object("zOne", 1), "texts", object("k", 5), "open", object("zOne", 1), "one", 1, "ref", "7",
		"either", object("zOne", 1), "disk", typedDisk))
	_, body, _ := strings.Cut(server.asked()[0], "POST /x ")
	if diff := cmp.Diff(decoded(t, `{"sent":`+want+`}`), decoded(t, body)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", expression, diff)
	}
}
