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
	} {
		r, ok := ParseExpression(text)
		got := ""
		if ok {
			got = apply(text, r.Parts)
		}
		if got != want {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
}

// apply returns a text with the parts replaced.
func apply(text string, parts []Part) string {
	for i := len(parts) - 1; i >= 0; i-- {
		text = text[:parts[i].From] + parts[i].Text + text[parts[i].To:]
	}
	return text
}
