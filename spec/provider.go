// Package spec is the model of a provider as its author wrote it: what the
// loader makes of a document, and what everything else reads. It does no I/O
// and knows no CUE.
package spec

import (
	"github.com/declprov/declprov/spec/diag"
)

// Provider is a whole spec.
type Provider struct {
	Metadata
	// Config is the object type of the provider's configuration, never nil.
	Config *Type
	// Types are the named types that config, inputs and outputs refer to.
	Types Types
	// Permissions is nil where the spec has no such block.
	Permissions *Permissions
	// Families are the blocks of defaults at the top of the spec, by family
	// of actions: `file: root: …`. The loader does not know the families:
	// every top-level key that is none of its own is here.
	Families []Field
	// Wire is the rule for names on the wire of whatever has none of its own: see
	// Resource.Wire.
	Wire string
	// MaxValues is how many values a request, a response or an output may have where
	// nothing nearer to it says; 0 is decode.DefaultValues.
	MaxValues int
	Resources []*Resource

	// What a later version of the engine serves is parsed and kept, so that a
	// spec's mistakes are found and nothing of it is lost.
	Functions  []*Function
	Components []*Component
	Ephemerals []*Ephemeral
	Actions    []*Function
	Tests      []Field
	Configure  *Operation
}

// Metadata is what describes a provider to people and package registries.
type Metadata struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	DisplayName string   `json:"displayName,omitempty"`
	Description string   `json:"description,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
	Homepage    string   `json:"homepage,omitempty"`
	Repository  string   `json:"repository,omitempty"`
	License     string   `json:"license,omitempty"`
	Publisher   string   `json:"publisher,omitempty"`
	Logo        string   `json:"logo,omitempty"`
	// Language is passed to SDK generators as it is.
	Language map[string]any `json:"language,omitempty"`
	// Range is where the name stands.
	Range diag.Range `json:"range"`
}

// Permissions are what a spec says it needs: LANGUAGE.md section 7. Each entry
// is a template.
type Permissions struct {
	Read, Write, Hosts, Run, Env []*Node
	// Packages are NAME or NAME@VERSION, without templates.
	Packages []*Node `json:",omitempty"`
	// Agent is where the user's ssh-agent is granted, or nil.
	Agent *Node `json:",omitempty"`
	// Capabilities are those that root's commands keep; nil is all of Capabilities,
	// and not the same as none.
	Capabilities []string `json:",omitzero"`
	Range        diag.Range
}

// AgentVariable is the environment variable that names the socket of the user's
// ssh-agent; it stands for the agent among grants.
const AgentVariable = "SSH_AUTH_SOCK"

// Resource is the resource of that name, or nil.
func (p *Provider) Resource(name string) *Resource {
	for _, r := range p.Resources {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// Component is the component of that name, or nil.
func (p *Provider) Component(name string) *Component {
	for _, c := range p.Components {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Capabilities returns the names of the capabilities that root's commands keep in the
// kernel's sandbox, and that permissions may narrow: those of capabilities(7) about
// files and users, which su, chown and useradd need, and of ports, which count where
// commands may listen.
func Capabilities() []string {
	return []string{
		"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_NET_BIND_SERVICE", "CAP_SETGID", "CAP_SETUID",
	}
}
