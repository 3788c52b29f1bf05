package foreign

import "testing"

func TestParseExpression(t *testing.T) {
	for text, want := range map[string]string{ // "" if there is no translation
		`xs.map(x => x.name)`:                            `map(xs, .name)`,
		`inputs.xs.filter(x => x > 1)`:                   `filter(inputs.xs, # > 1)`,
		`join(inputs.xs.map(x => upper(x)), ',')`:        `join(map(inputs.xs, upper(#)), ',')`,
		`len(xs.filter((x) => x != 'a)')) > 0`:           `len(filter(xs, # != 'a)')) > 0`,
		`xs.filter(x => x.on).map(y => y.name)`:          `map(filter(xs, .on), .name)`,
		`first(xs.filter(x => x.on).map(y => f(y)))`:     `first(map(filter(xs, .on), f(#)))`,
		`xs.some(x => x == 1) ? 'a' : 'b'`:               `any(xs, # == 1) ? 'a' : 'b'`,
		`filter(xs, x => x.on)`:                          `filter(xs, .on)`,
		`join(map(xs, x => x.name), ', ')`:               `join(map(xs, .name), ', ')`,
		`merge(a, {b: filter(xs, (x) => f(x, [1, 2]))})`: `merge(a, {b: filter(xs, f(#, [1, 2]))})`,
		`xs.map(x => x.name`:                             ``,
		`a === b`:                                        `a == b`,
		`a if c else b`:                                  `c ? a : b`,
		`if c then a else b`:                             `c ? a : b`,
		`c then a else b`:                                `c ? a : b`,
		`if(c, f(a, 1), b)`:                              `c ? f(a, 1) : b`,
		`c ? a`:                                          `c ? a : null`,
		`c ? a :`:                                        `c ? a : null`,
		`c ? 'a' | 'b'`:                                  `c ? 'a' : 'b'`,
		`c ? 'a:', 'b'`:                                  `c ? 'a:' : 'b'`,
		`a ?? b c`:                                       ``,
		`x?.y z`:                                         ``,
		`c ? a : b c`:                                    ``,
		`let.slug + let.x`:                               `slug + x`,
		`entries(m).map(.key)`:                           `map(entries(m), .key)`,
		`join(f(x[0]).filter(# > 1).map(.a), ',')`:       `join(map(filter(f(x[0]), # > 1), .a), ',')`,
		`keys(m).map(k => upper(k))`:                     `map(keys(m), upper(#))`,
		`xs.find(name)`:                                  ``,
		`map(entries(m), {k: .key})`:                     `map(entries(m), ({k: .key}))`,
		`a | lowercase`:                                  `lower(a)`,
		`a | default('x') | upper`:                       `upper(a ?? 'x')`,
		`a | default 'x'`:                                `a ?? 'x'`,
		`x is not None`:                                  `x != null`,
		`x is None && y`:                                 `x == null && y`,
		`x !== undefined`:                                `x != null`,
		`x === undefined`:                                `x == null`,
		`x is none`:                                      ``,
		`a?[0] ?? 'x'`:                                   `a?.[0] ?? 'x'`,
		`f(x)?[i].b[0] c`:                                `f(x)?.[i].b[0] c`,
		`filter(a, # !in b)`:                             `filter(a, # not in b)`,
		`x ! in b`:                                       `x not in b`,
		`{ a.b == "x" }`:                                 ` a.b == "x" `,
		`{ a ? "x" : 'y' }`:                              ` a ? "x" : 'y' `,
		`{"a": b c}`:                                     ``,
		`{a: b c}`:                                       ``,
		`a || b c`:                                       ``,
	} {
		r, ok := ParseExpression(text)
		got := ""
		if ok {
			got = replaced(text, r.Parts)
		}
		if got != want {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
}
