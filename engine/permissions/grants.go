// Package permissions lists the permissions of a spec for a reviewer, and compares
// those of two versions.
package permissions

import (
	"slices"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/encode"
)

// trust is the Access of what steps trust.
const trust = "trust"

// Grant is one permission of a spec in the form for reviewers.
type Grant struct {
	// Access is read, write, hosts, run, env, packages or agent. It is trust for what the steps
	// trust although no permission is required, such as a server that is not verified.
	Access string `json:"access"`
	// Pattern is the glob, origin, program or name, with its templates, or says what is trusted.
	Pattern string `json:"pattern"`
	// Implied is true if the grant is not from a permissions block, but from a name in
	// the spec.
	Implied bool `json:"implied"`
	// Chosen is true if the user's program affects what the grant covers.
	Chosen bool `json:"chosenByTheProgram"`
	// Settings are the settings of the configuration that affect what the grant covers,
	// and the inputs that do and have a default.
	Settings []Setting `json:"settings,omitempty"`
	// Confined says, for a program, how the other grants restrict the commands of the
	// spec.
	Confined plan.Confinement `json:"confined,omitempty"`
	// Capabilities are the capabilities that commands run by root keep, if the spec
	// narrows them.
	Capabilities []string `json:"capabilities,omitzero"`
}

// Setting is a setting or an input that affects a grant, and its default.
type Setting struct {
	Name string `json:"name"`
	// Default is a value as JSON, or an expression. It is "" if there is none.
	Default string `json:"default,omitempty"`
	// Env are the environment variables that set it.
	Env []string `json:"env,omitempty"`
	// By is the component of the spec, and its child, that sets Default instead of the
	// program; or "".
	By string `json:"by,omitempty"`
}

func (s Setting) equal(other Setting) bool {
	return s.Name == other.Name && s.Default == other.Default && s.By == other.By && slices.Equal(s.Env, other.Env)
}

// jsonText returns a value as JSON.
func jsonText(v any) string {
	text, _ := encode.JSON(v) // "" if that is impossible
	return string(text)
}

// List returns the permissions of a spec.
func List(p *plan.Program) ([]Grant, error) {
	if err := p.All(); err != nil {
		return nil, err
	}
	inputs, err := grantInputs(p)
	if err != nil {
		return nil, err
	}
	var out []Grant
	for _, g := range slices.Concat(p.Permissions, p.Programs.Sorted()) {
		one := Grant{
			Access: plan.AccessName(g.Access), Pattern: g.Node.Text, Implied: g.Implied, Chosen: g.DependsOnInputs(),
			Settings: settingsOf(g, p.Provider, inputs),
		}
		if g.Access == grant.Run {
			one.Confined, one.Capabilities = plan.Summarize(p.Confined), p.Capabilities()
		}
		out = append(out, one)
	}
	for _, text := range p.Trusts.Sorted() {
		named := &settingsCollector{provider: p.Provider}
		named.addNamed(text)
		out = append(out, Grant{Access: trust, Pattern: text, Settings: named.settings})
	}
	return out, nil
}
