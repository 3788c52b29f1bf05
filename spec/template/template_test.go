package template_test

import (
	"testing"

	"github.com/declprov/declprov/spec/template"
)

func TestIsMixed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"echo hello": false, "${inputs.script}": false, " ${inputs.script}": true, "echo ${x}": true, "${x} y": true, "${x}${y}": true,
		"$${HOME}": false, "$${HOME} ${x}": true, "${x} {print $2}": true, "${x} && { true; }": true, "${ {a: '}'}.a }": false,
		"${x /* } */}": false, "${x}$${y}": true, "": false,
	} {
		if got := template.IsMixed(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func TestIsTemplate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"$${HOME}": false, "${HOME}": true, "a $${b} ${c}": true, "${": true, "$": false, "": false, "$$${x}": false} {
		if got := template.IsTemplate(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
