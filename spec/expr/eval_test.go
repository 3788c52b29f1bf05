package expr

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

func petVars() *Vars {
	rule := func(port int64, protocol string, note any) any {
		return map[string]any{"port": port, "protocol": protocol, "note": note}
	}
	return &Vars{Values: map[string]any{
		"inputs": map[string]any{
			"name": "Rex", "kind": "dog", "size": int64(3), "ratio": 0.5, "force": true, "owner": nil,
			"rules": []any{rule(80, "tcp", "web"), rule(53, "udp", nil), rule(443, "tcp", "tls")},
			"tags":  map[string]any{"env": "prod", "b": "2"}, "pair": []any{"a", "b"},
			"asset":  &spec.File{Path: "a.txt"},
			"tree":   map[string]any{"label": "root", "leaves": []any{}},
			"source": map[string]any{"from": "git", "url": "u"},
		},
		"config":  map[string]any{"endpoint": "https://x", "token": "t0k3n"},
		"body":    map[string]any{"id": json.Number("12345678901234567890"), "n": json.Number("7"), "f": json.Number("0.25"), "items": []any{map[string]any{"id": "i1"}}, "héllo": "wörld", "s": "x"},
		"id":      "p/1",
		"session": map[string]any{"key": "k"},
	}}
}

func mustCompile(t testing.TB, text string, want *spec.Type) *Value {
	t.Helper()
	v, diags := Compile(stringNode(text), petScope(), want)
	if diags.HasErrors() {
		t.Fatalf("%s: %+v", text, diags)
	}
	return v
}

// TestEval checks results.
func TestEval(t *testing.T) {
	tests := []struct {
		text string
		want any
	}{
		// Templates.
		{"plain", "plain"},
		{"", ""},
		{"$${inputs.name}", "${inputs.name}"},
		{"$$${inputs.name}", "$${inputs.name}"},
		{"a $ b $", "a $ b $"},
		{"${inputs.name}", "Rex"},
		{" ${inputs.name}", " Rex"},
		{"${ inputs.size }", int64(3)},
		{"${inputs.name}-${inputs.size}-${inputs.ratio}-${inputs.force}", "Rex-3-0.5-true"},
		{"${`}` + \"}\" + '}'}", "}}}"},
		{`${"\"}" /* } */ + "x" // }
		}`, `"}x`},
		{"${{a: {b: inputs.size}}}", map[string]any{"a": map[string]any{"b": int64(3)}}},
		{"é${inputs.name}", "éRex"},
		{"${body.id}", json.Number("12345678901234567890")},
		{"id-${body.id}", "id-12345678901234567890"},
		{"files/${segments(id)}/x", "files/p/1/x"},
		{"files/${let p = id; segments(p)}/x", "files/p/1/x"},
		{"files/${let p = segments(id); p}/x", "files/p/1/x"},
		{"files/${let a = id; let p = segments(a); let b = p; b}/x", "files/p/1/x"},
		// Maps.
		{"${mapValues((inputs.tags ?? {}), upper(#) + #key)}", map[string]any{"env": "PRODenv", "b": "2b"}},
		{"${(inputs.tags ?? {}) | mapValues(# + \"mapValues(\" + #key)}", map[string]any{"env": "prodmapValues(env", "b": "2mapValues(b"}},
		{"${mapValues({a: {n: 1}, b: {n: 2}}, .n + #index)}", map[string]any{"a": int64(1), "b": int64(3)}},
		{"${mapValues({a: [1, 2]}, map(#, # * 10))}", map[string]any{"a": []any{int64(10), int64(20)}}},
		{"${mapValues({a: {b: 1}}, mapValues(#, #key + string(#)))}", map[string]any{"a": map[string]any{"b": "b1"}}},
		{"${map([{a: 1}], mapValues(#, # + 1))}", []any{map[string]any{"a": int64(2)}}},
		{"${let f = findIndex([1, 2], # > 1) ?? 0; mapValues({a: f}, # + f)}", map[string]any{"a": int64(2)}},
		{"${mapValues({}, #)}", map[string]any{}},
		{"${entries(inputs.tags ?? {})[1].key}", "env"},
		{"${fromPairs(map(entries(inputs.tags ?? {}), [.value, .key]))}", map[string]any{"prod": "env", "2": "b"}},
		// Members.
		{"${inputs.rules[1].port}", int64(53)},
		{"${inputs.rules[-1].port}", int64(443)},
		{"${inputs[\"name\"]}", "Rex"},
		{"${body.nothing.at.all}", nil},
		{"${body.items[9].id}", nil},
		{"${body.items[0].id}", "i1"},
		{"${body?.[\"héllo\"]}", "wörld"},
		{"${inputs.limits?.cpu ?? 4}", int64(4)},
		{"${inputs.limits?.memory}", nil},
		{"${inputs.tags?.env ?? \"\"}", "prod"},
		{"${inputs.tags != null ? inputs.tags[inputs.kind] : null}", nil},
		{"${body[\"héllo\"][1]}", "ö"},
		{"${\"héllo\"[1]}", "é"},
		{"${\"héllo\"[1:3]}", "él"},
		{"${\"héllo\"[-2:]}", "lo"},
		{"${inputs.pair[1:]}", []any{"b"}},
		{"${inputs.pair[5:9]}", []any{}},
		{"${inputs.ports ?? []}", []any{}},
		{"${inputs.rules[0]?.note}", "web"},
		// Arithmetic.
		{"${inputs.size + 1}", int64(4)},
		{"${body.n + 1}", int64(8)},
		{"${body.f * 4}", 1.0},
		{"${7 / 2}", 3.5},
		{"${7 % 4}", int64(3)},
		{"${-inputs.size}", int64(-3)},
		{"${2 ** 10}", 1024.0},
		{"${1 == 1.0}", true},
		{"${body.n == 7}", true},
		{"${body.id == body.id}", true},
		{"${body.id > 5}", true},
		{"${inputs.size + 9007199254740990 == 9007199254740992.0}", false},
		{"${inputs.size in [1, 3.0]}", true},
		{"${1..3}", []any{int64(1), int64(2), int64(3)}},
		{"${3..1}", []any{}},
		{"${inputs.name + \"!\"}", "Rex!"},
		// Logic.
		{"${inputs.mode ?? \"0644\"}", "0644"},
		{"${inputs.owner == nil && null == nil}", true},
		{"${inputs.force ? \"y\" : \"n\"}", "y"},
		{"${!inputs.force or false}", false},
		{"${inputs.name matches \"^R\" and inputs.name not contains \"z\"}", true},
		{"${body.missing == null}", true},
		{"${body.missing contains \"x\"}", false},
		{"${\"env\" in (inputs.tags ?? {})}", true},
		{"${body.n < 8 && \"a\" < \"b\"}", true},
		{"${1 < 2 < 3}", true},
		// Lists.
		{"${map(inputs.rules, .port)}", []any{int64(80), int64(53), int64(443)}},
		{"${map(inputs.rules, #index + 1)}", []any{int64(1), int64(2), int64(3)}},
		{"${map(filter(inputs.rules, .protocol == \"tcp\"), ({p: .port}))}", []any{map[string]any{"p": int64(80)}, map[string]any{"p": int64(443)}}},
		{"${inputs.rules | filter(.port > 60) | map(.protocol) | uniq()}", []any{"tcp"}},
		{"${find(inputs.rules, .port == 53)?.protocol}", "udp"},
		{"${find(inputs.rules, .port == 1)}", nil},
		{"${findLast(inputs.rules, .protocol == \"tcp\")?.port}", int64(443)},
		{"${findLastIndex(inputs.rules, .protocol == \"udp\")}", int64(1)},
		{"${findLastIndex(inputs.rules, .port == 1)}", nil},
		{"${count(inputs.rules, .note == null)}", int64(1)},
		{"${sum(inputs.rules, .port)}", int64(576)},
		{"${one(inputs.rules, .port == 80)}", true},
		{"${keys(groupBy(inputs.rules, .protocol))}", []any{"tcp", "udp"}},
		{"${map(sortBy(inputs.rules, .port, \"desc\"), .port)}", []any{int64(443), int64(80), int64(53)}},
		{"${reduce(inputs.rules, #acc + .port, 0)}", int64(576)},
		{"${map(1..2, map(1..2, # * 10))}", []any{[]any{int64(10), int64(20)}, []any{int64(10), int64(20)}}},
		{"${map([[1, 2], [3]], len(#))}", []any{int64(2), int64(1)}},
		{"${let x = inputs.size; let y = x + 1; x * y}", int64(12)},
		{"${join(map(inputs.rules, string(.port)), \",\")}", "80,53,443"},
		{"${max(map(inputs.rules, .port))}", int64(443)},
		{"${sort([\"b\", \"a\"])}", []any{"a", "b"}},
		{"${last(inputs.pair)}", "b"},
		{"${[] | first()}", nil},
		// Structs.
		{"${merge({a: 1, b: 2}, null, {b: null})}", map[string]any{"a": int64(1), "b": nil}},
		{"${pick(inputs, \"name\", \"mode\")}", map[string]any{"name": "Rex"}},
		{"${omit({a: 1, b: 2}, \"b\")}", map[string]any{"a": int64(1)}},
		{"${pick(body, inputs.name, \"s\")}", map[string]any{"s": "x"}},
		{"${{(inputs.name): 1}}", map[string]any{"Rex": int64(1)}},
		{"${fromPairs(toPairs({a: 1}))}", map[string]any{"a": int64(1)}},
		{"${coalesce(inputs.mode, inputs.owner, \"z\")}", "z"},
		{"${inputs.asset}", &spec.File{Path: "a.txt"}},
		// Codecs.
		{"${jsonencode({b: body.id, a: [1.50, \"<é>\"]})}", `{"a":[1.5,"<é>"],"b":12345678901234567890}`},
		{"${jsonencode([1], 2)}", "[\n  1\n]"},
		{"${jsondecode(\"[1, 2.5, 12345678901234567890]\")}", []any{int64(1), 2.5, json.Number("12345678901234567890")}},
		{"${yamldecode(\"a: &x {n: 1}\\nb: *x\\nc: {<<: *x, m: 0x10}\")}", map[string]any{"a": map[string]any{"n": int64(1)}, "b": map[string]any{"n": int64(1)}, "c": map[string]any{"n": int64(1), "m": int64(16)}}},
		{"${yamlencode({s: \"1\", n: [1, null]})}", "n:\n  - 1\n  - null\ns: \"1\"\n"},
		{"${yamldecode(\"\")}", nil},
		{"${base64decode(base64encode({a: 1}))}", `{"a":1}`},
		{"${urlencode(\"ä /?\")}", "%C3%A4%20%2F%3F"},
		{"${capture(inputs.name, `(?P<first>.)(?P<rest>.*)`)?.rest}", "ex"},
		{"${capture(inputs.name, `(?P<n>[0-9])`)?.n}", nil},
		{"${semver(\"1.2.3\", \"in\", \">=1.0.0 <2.0.0\")}", true},
		{"${cidrsubnet(\"fd00::/48\", 16, 5)}", "fd00:0:0:5::/64"},
		{"${cidrhost(\"10.0.0.0/8\", -1)}", "10.255.255.255"},
		{"${parsetime(\"2024-05-01T10:00:00+02:00\")}", "2024-05-01T08:00:00Z"},
		{"at ${date(\"2024-05-01\") + duration(\"90m\")}", "at 2024-05-01T01:30:00Z"},
		{"${parsetime(0) < parsetime(\"1971-01-01T00:00:00Z\")}", true},
		{"${(date(\"2024-05-02\") - date(\"2024-05-01\")).Hours()}", 24.0},
		{"${date(\"2024-05-01\").Format(\"02.01.2006\")}", "01.05.2024"},
		{"${string(null) + string([1]) + string(1e21)}", "[1]1e+21"},
		{"${if inputs.force { 1 } else if false { 2 } else { 3 }}", int64(1)},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			v := mustCompile(t, test.text, nil)
			got, err := v.Eval(petVars())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if m := types.Fits(got, v.Type(), petScope().Types); m != nil {
				t.Errorf("%v is not of the static type %s: %v", got, types.Describe(v.Type()), m)
			}
		})
	}
}

// TestEvalErrors checks the position and message of errors at run time.
func TestEvalErrors(t *testing.T) {
	tests := []struct{ text, part, message string }{
		{"${mapValues(body.missing, #)}", "mapValues", "mapValues requires a map or a struct, got null; append `?? {}` to treat null as an empty map"},
		{"${mapValues(body.s, #)}", "mapValues", "mapValues requires a map or a struct, got a string"},
		{"${body.id + 1}", "+", "+ cannot calculate with 12345678901234567890: the number has too many digits"},
		{"${body.s * 2}", "*", "* requires numbers, got a string"},
		{"${9223372036854775807 + inputs.size}", "+", "the result of + does not fit an integer"},
		{"${inputs.size / (inputs.size - 3)}", "/", "division by zero"},
		{"x ${inputs.rules[7].port}", "inputs.rules[7].port", "index 7 is out of range: there are 3 items"},
		{"x ${inputs.rules[inputs.size + 4].port}", "[", "index 7 is out of range: there are 3 items"},
		{"x ${body.missing}", "body.missing", `null cannot be inserted into text: provide a default with ?? ""`},
		{"x ${body.items}", "body.items", "a list cannot be inserted into text: use jsonencode(…) or join(…)"},
		{"${body.s ? 1 : 2}", "s ", "a condition must be a boolean, got a string"},
		{"${body.missing ? 1 : 2}", "missing ", "a condition must be a boolean, got null; append `== true` to treat null as false"},
		{"${filter(body.s, true)}", "filter", "expected a list, got a string"},
		{"${filter(body.items, .id)}", "id", "a condition must be a boolean, got a string"},
		{"${int(inputs.name)}", "int", `"Rex" is not a whole number of 64 bits`},
		{"${jsondecode(inputs.name)}", "jsondecode", "invalid JSON: syntax error at byte 1"},
		{"${inputs.name matches (inputs.name + \"[\")}", "matches", `"Rex[" is not a valid regular expression: missing closing ]: ` + "`[`"},
		{"${jsonencode(inputs.asset)}", "jsonencode", "an asset cannot be converted to a string: pass it to an action as a whole"},
		{"${1..(inputs.size * 1000000000)}", "..", "the expression creates a list of more than 1000000 items"},
		{"${repeat(inputs.name, 1000000000)}", "repeat", "the expression creates a string of more than 16 MiB"},
		{"${let a = repeat(inputs.name, 5000000); a + a}", "+ a", "the expression creates a string of more than 16 MiB"},
		{"${let a = repeat(inputs.name, 10000); replace(a, \"R\", a)}", "replace", "the expression creates a string of more than 16 MiB"},
		{"${let a = inputs.size..900000; count(a, count(a, # > 1) > 1)}", "", "the expression takes too long: it processes too many items"},
		{"${let a = [inputs.size]; let b = [a, a, a, a, a, a, a, a]; let c = [b, b, b, b, b, b, b, b]; let d = [c, c, c, c, c, c, c, c]; let e = [d, d, d, d, d, d, d, d]; let f = [e, e, e, e, e, e, e, e]; let g = [f, f, f, f, f, f, f, f]; [g, g, g, g, g, g, g, g]}", "", "the result has more than 1000000 values"},
		{"${yamldecode(\"a: &a [1,1,1,1,1,1,1,1,1]\\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\\ng: [*f,*f]\\nh: \" + inputs.name)}", "yamldecode", "this YAML has 1000001 values, but expressions read at most 1000000; raise maxValues"},
	}
	for _, test := range tests {
		name := test.text
		if len(name) > 60 {
			name = name[:60]
		}
		t.Run(name, func(t *testing.T) {
			_, err := mustCompile(t, test.text, nil).Eval(petVars())
			var e *EvalError
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an EvalError", err)
			}
			if e.Message != test.message {
				t.Errorf("message %q, want %q", e.Message, test.message)
			}
			if !strings.Contains(test.text, "${"+e.Template+"}") {
				t.Errorf("template %q", e.Template)
			}
			if i := strings.Index(test.text, test.part); test.part != "" && e.Range.Start.Column != i+1 {
				t.Errorf("at column %d, want %d", e.Range.Start.Column, i+1)
			}
		})
	}
}

// TestLimits checks that a template can read and create as many values as its scope
// allows, and can always return its input.
func TestLimits(t *testing.T) {
	many := make([]any, eval.MaxItems+10)
	for i := range many {
		many[i] = int64(i)
	}
	tests := map[string]struct {
		text string
		most int
		ok   bool
	}{
		"given":       {"${inputs.size > 0 ? body.many : []}", 0, true},
		"made":        {"${map(1..(inputs.size * 400000), #)}", 0, false},
		"made, more":  {"${map(1..(inputs.size * 400000), #)}", eval.MaxItems * 2, true},
		"mapped":      {"${map(body.many, # + 1)}", eval.MaxItems * 2, true},
		"joined":      {"${concat(body.many, [1])}", eval.MaxItems * 2, true},
		"decoded":     {`${jsondecode("[1,2,3" + body.few + "]")}`, 0, true},
		"decoded, 3":  {`${jsondecode("[1,2,3" + body.few + "]")}`, 3, false},
		"decoded, 10": {`${jsondecode("[1,2,3" + body.few + "]")}`, 10, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			vars := petVars()
			vars.MaxValues = tc.most
			vars.Values["body"] = map[string]any{"many": many, "few": ",4"}
			if _, err := mustCompile(t, tc.text, nil).Eval(vars); tc.ok != (err == nil) {
				t.Error(err)
			}
		})
	}
}

// TestFlow checks where unknown and secret values end up.
func TestFlow(t *testing.T) {
	u := Unknown{}
	vars := petVars()
	inputs := vars.Values["inputs"].(map[string]any)
	inputs["mode"] = u
	inputs["limits"] = map[string]any{"cpu": u, "memory": "1G"}
	inputs["rules"] = []any{map[string]any{"port": u, "protocol": "tcp"}, map[string]any{"port": int64(1), "protocol": "udp"}}
	vars.Values["body"] = u
	vars.Secrets = [][]string{{"config", "token"}, {"inputs", "rules", "1", "port"}, {"inputs", "name"}, {"session"}, {"inputs", "limits", "cpu"}}
	tests := []struct {
		text string
		want any
	}{
		{"${inputs.size}", int64(3)},
		{"${inputs.mode}", u},
		{"x ${inputs.mode ?? \"\"}", u},
		{"${inputs.limits}", map[string]any{"cpu": Secret{Value: u}, "memory": "1G"}},
		{"${inputs.limits?.memory}", "1G"},
		{"${inputs.limits?.cpu}", Secret{Value: u}},
		{"${body.a.b}", u},
		{"${body.a.b ?? 1}", u},
		{"${config}", map[string]any{"endpoint": "https://x", "token": Secret{Value: "t0k3n"}}},
		{"${config.endpoint}", "https://x"},
		{"${config.token}", Secret{Value: "t0k3n"}},
		{"${config.token + \"x\"}", Secret{Value: "t0k3nx"}},
		{"Bearer ${config.token}", Secret{Value: "Bearer t0k3n"}},
		{"${{a: config.token, b: config.endpoint, c: inputs.mode, d: [1, config.token]}}", map[string]any{"a": Secret{Value: "t0k3n"}, "b": "https://x", "c": u, "d": []any{int64(1), Secret{Value: "t0k3n"}}}},
		{"${let w = merge(config, {a: 1}); w}", map[string]any{"endpoint": "https://x", "token": Secret{Value: "t0k3n"}, "a": int64(1)}},
		{"${let w = merge(config, {a: 1}); {b: [w], c: 2}}", map[string]any{"b": []any{map[string]any{"endpoint": "https://x", "token": Secret{Value: "t0k3n"}, "a": int64(1)}}, "c": int64(2)}},
		{"${let v = pick(config, 'token'); let w = merge(v, {a: 1}); merge({b: 2}, w)}", map[string]any{"token": Secret{Value: "t0k3n"}, "a": int64(1), "b": int64(2)}},
		{"${let w = config.token; w + w}", Secret{Value: "t0k3nt0k3n"}},
		{"${let w = merge(config, {a: 1}); {(w.endpoint): w.a}}", Secret{Value: map[string]any{"https://x": int64(1)}}},
		{"${merge(config, {a: 1, endpoint: inputs.mode})}", map[string]any{"endpoint": u, "token": Secret{Value: "t0k3n"}, "a": int64(1)}},
		{"${merge(config, body)}", Secret{Value: u}},
		{"${merge({a: 1}, body)}", u},
		{"${merge(session, {a: 1})}", map[string]any{"key": Secret{Value: "k"}, "a": int64(1)}},
		{"${omit(config, \"token\")}", map[string]any{"endpoint": "https://x"}},
		{"${pick(config, \"token\")}", map[string]any{"token": Secret{Value: "t0k3n"}}},
		{"${pick(inputs, \"mode\", \"size\")}", map[string]any{"mode": u, "size": int64(3)}},
		{"${pick(body, \"mode\")}", u},
		{"${inputs.rules}", []any{map[string]any{"port": u, "protocol": "tcp"}, map[string]any{"port": Secret{Value: int64(1)}, "protocol": "udp"}}},
		{"${inputs.rules[1].port}", Secret{Value: int64(1)}},
		{"${inputs.rules[0].port}", u},
		{"${map(inputs.rules, .port)}", Secret{Value: u}},
		{"${map(inputs.rules, .protocol)}", []any{"tcp", "udp"}},
		{"${len(inputs.rules)}", Secret{Value: u}},
		{"${jsonencode(config)}", Secret{Value: `{"endpoint":"https://x","token":"t0k3n"}`}},
		{"${inputs.force ? config.token : \"\"}", Secret{Value: "t0k3n"}},
		{"${session.key}", Secret{Value: "k"}},
		{"${inputs.name}-${inputs.mode ?? \"\"}", Secret{Value: u}},
		{"${1 + 1}", int64(2)},
		// The presence of a value is known and not secret, even if the value is
		// unknown or secret.
		{"${inputs.limits != null}", true},
		{"${null == inputs.limits ? 1 : 2}", int64(2)},
		{"${inputs.mode != null}", u},
		{"${body.a.b == null}", u},
		{"${inputs.limits?.cpu == null}", Secret{Value: u}},
		{"${session != null}", Secret{Value: true}},
		{"${inputs.rules == [] ? 1 : 2}", Secret{Value: u}},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got, err := mustCompile(t, test.text, nil).Eval(vars)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if diff := cmp.Diff("t0k3n", vars.Values["config"].(map[string]any)["token"]); diff != "" {
		t.Errorf("the values were changed: %s", diff)
	}
}

// TestErrorsHideSecrets checks that messages do not quote secrets.
func TestErrorsHideSecrets(t *testing.T) {
	vars := petVars()
	vars.Secrets = [][]string{{"config", "token"}}
	for text, want := range map[string]string{
		"${int(config.token)}":                      "… is not a whole number of 64 bits",
		"${jsondecode(config.token)}":               "invalid JSON: …",
		"${cidrhost(config.token, 1)}":              "cidrhost: invalid network … (use 10.0.0.0/16)",
		"${semver(config.token, \"<\", \"1.0.0\")}": "… is not a version: …",
		"${\"a\" matches (config.token + \"[\")}":   "… is not a valid regular expression: …",
	} {
		_, err := mustCompile(t, text, nil).Eval(vars)
		var e *EvalError
		if !errors.As(err, &e) || e.Message != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestStaticSecret checks what is known to be secret before anything runs.
func TestStaticSecret(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"${config.token}", true},
		{"${config}", true},
		{"x ${session.key}", true},
		{"${config.endpoint}", false},
		{"${omit(config, \"token\")}", false}, // as the result of an evaluation is
		{"${omit(config, \"endpoint\")}", true},
		{"${pick(config, \"token\")}", true},
		{"${pick(config, \"endpoint\")}", false},
		{"${config.token == null}", true},
		{"${mapValues(config, 1)}", true},
		{"${entries(config)}", true},
		{"${inputs}", false},
		{"plain", false},
	}
	for _, test := range tests {
		if got := mustCompile(t, test.text, nil).Secret(); got != test.want {
			t.Errorf("%s: %v, want %v", test.text, got, test.want)
		}
	}
}

func TestReveal(t *testing.T) {
	in := map[string]any{"a": Secret{Value: "x"}, "b": []any{int64(1), Secret{Value: map[string]any{"c": Secret{Value: "y"}}}}, "d": "z"}
	var seen []any
	got := Reveal(in["b"], func(v any) { seen = append(seen, v) })
	if diff := cmp.Diff([]any{int64(1), map[string]any{"c": "y"}}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{"y", map[string]any{"c": "y"}}, seen); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"a": "x", "b": []any{int64(1), map[string]any{"c": "y"}}, "d": "z"}, Reveal(in, nil)); diff != "" {
		t.Error(diff)
	}
	if _, still := in["a"].(Secret); !still {
		t.Error("the value itself was changed")
	}
}

func TestHasUnknown(t *testing.T) {
	if !HasUnknown(map[string]any{"a": []any{Secret{Value: Unknown{}}}}) {
		t.Error("an unknown was not found")
	}
	if HasUnknown(map[string]any{"a": []any{Secret{Value: "x"}, nil}}) {
		t.Error("an unknown was found where there is none")
	}
}

// TestParts checks path mode, in which values are separate from the author's text.
func TestParts(t *testing.T) {
	vars := petVars()
	vars.Secrets = [][]string{{"config", "token"}}
	vars.Values["body"] = Unknown{}
	tests := []struct {
		text string
		want []Part
	}{
		{"/pets", []Part{{Text: "/pets", Literal: true}}},
		{"/pets/${id}/x", []Part{{Text: "/pets/", Literal: true}, {Text: "p/1"}, {Text: "/x", Literal: true}}},
		{"${id}", []Part{{Text: "p/1"}}},
		{"/${let p = id; segments(p)}", []Part{{Text: "/", Literal: true}, {Text: "p"}, {Text: "/", Literal: true}, {Text: "1"}}},
		{"/${let p = segments(id); p}", []Part{{Text: "/", Literal: true}, {Text: "p"}, {Text: "/", Literal: true}, {Text: "1"}}},
		{"/${segments(id)}", []Part{{Text: "/", Literal: true}, {Text: "p"}, {Text: "/", Literal: true}, {Text: "1"}}},
		{"/${inputs.size}", []Part{{Text: "/", Literal: true}, {Text: "3"}}},
		{"/${body.x}/${config.token}", []Part{{Text: "/", Literal: true}, {Unknown: true}, {Text: "/", Literal: true}, {Text: "t0k3n", Secret: true}}},
	}
	for _, test := range tests {
		got, err := mustCompile(t, test.text, nil).Parts(vars)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.text, diff)
		}
	}
}

func TestSegments(t *testing.T) {
	got := mustCompile(t, "${inputs.name}/a-${id}${upper(id)}", nil).Segments()
	want := []Segment{{Ref: []string{"inputs", "name"}}, {Text: "/a-", Literal: true}, {Ref: []string{"id"}}, {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnchecked(t *testing.T) {
	if got := mustCompile(t, "${body.a.b} ${inputs.name} ${len(map(body.items, .id))}", nil).Unchecked(); len(got) != 5 {
		t.Errorf("%d unchecked accesses, want 5: %v", len(got), got)
	}
}

// TestConcurrentEval is for the race detector.
func TestConcurrentEval(t *testing.T) {
	v := mustCompile(t, "${inputs.name matches \"^R\" ? jsonencode(sortBy(inputs.rules, .port)) : \"\"}", nil)
	vars := petVars()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if _, err := v.Eval(vars); err != nil {
					t.Error(err)
				}
				Compile(stringNode("${upper(inputs.name)}"), petScope(), nil)
			}
		})
	}
	group.Wait()
}
