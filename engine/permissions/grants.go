// Package permissions lists what a spec is permitted, for a reviewer, and compares two versions
// of a spec by it.
package permissions

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/plan"
)

// Grant is one permission of a spec, as a reviewer reads it.
type Grant struct {
	// Access is read, write, hosts, run, env, packages or agent.
	Access string `json:"access"`
	// Pattern is the glob, origin, program or name, with its templates as
	// written.
	Pattern string `json:"pattern"`
	// Implied says that no permissions block asks for it: the spec names it.
	Implied bool `json:"implied"`
	// Chosen says that the user's program decides what it covers.
	Chosen bool `json:"chosenByTheProgram"`
	// Settings are those of the configuration that decide what it covers, and the inputs
	// that do and for which the author has chosen a default.
	Settings []Setting `json:"settings,omitempty"`
	// Confined says, of a program, how the spec's commands are bound by the other
	// grants.
	Confined plan.Confinement `json:"confined,omitempty"`
	// Capabilities are those that the spec's commands keep where root runs them, if
	// it narrows them.
	Capabilities []string `json:"capabilities,omitzero"`
}

// Setting is a part of the configuration or an input on which a grant depends, and what
// decides it where nobody sets it.
type Setting struct {
	Name string `json:"name"`
	// Default is the value in JSON, or an expression; "" where there is none.
	Default string `json:"default,omitempty"`
	// Env are the variables that give it.
	Env []string `json:"env,omitempty"`
	// By is the component of the spec, and its child, that says Default instead of the
	// program; or "".
	By string `json:"by,omitempty"`
}

func (s Setting) equal(other Setting) bool {
	return s.Name == other.Name && s.Default == other.Default && s.By == other.By && slices.Equal(s.Env, other.Env)
}

// jsonText is a value of the author's own as JSON.
func jsonText(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// Of returns the permissions that the spec has.
func Of(p *plan.Program) ([]Grant, error) {
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
			Access: plan.AccessName(g.Access), Pattern: g.Node.Text, Implied: g.Implied, Chosen: g.Chosen(),
			Settings: settingsOf(g, p.Provider, inputs),
		}
		if g.Access == grant.Run {
			one.Confined, one.Capabilities = p.Confined.Together(), p.Capabilities()
		}
		out = append(out, one)
	}
	return out, nil
}
