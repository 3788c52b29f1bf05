package expr

import (
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	for text, want := range map[string]string{
		`${inputs.a}`: "a", `x ${inputs?.a} y ${inputs["b"]}`: "a b", `${inputs.a.b + inputs.c[0]}`: "a c", `${(inputs).a}`: "a", `${filter(inputs.a, # == inputs.b)}`: "a b",
		`${inputs
			.a}`: "a", `${inputs /* not .b */ .a}`: "a",
		// not references, although a text search would find them
		`the inputs.a of it`: "", `${"inputs.a"}`: "", "${`inputs.a`}": "", `${body.inputs.a}`: "", `${steps.x.inputs["a"]}`: "", `$${inputs.a}`: "", `${1 /* inputs.a */}`: "", `${myinputs.a}`: "",
		// as a whole
		`${inputs}`: "*", `${merge(inputs, {a: inputs.b})}`: "b *", `${inputs[config.name]}`: "*", `${let i = inputs; i.a}`: "*",
		`${`: "", `${inputs.}`: "",
	} {
		members, whole := Members(stringNode(text), "inputs")
		if whole {
			members = append(members, "*")
		}
		if got := strings.Join(members, " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
