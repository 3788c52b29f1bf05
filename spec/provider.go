// Package spec is the model of a provider as its author wrote it. The loader builds
// it from a document; all other packages read it. It does no I/O and does not depend
// on CUE.
//
// A compiled spec is the model as JSON. The tags omit zero values only: an empty list
// is not zero, because it may differ in meaning from nil.
package spec

import (
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
)

// Provider is a whole spec.
type Provider struct {
	Metadata
	// Config is the object type of the provider's configuration, never nil.
	Config *Type `json:",omitzero"`
	// Types are the named types that config, inputs and outputs refer to.
	Types Types `json:",omitzero"`
	// Permissions is nil if the spec has no such block.
	Permissions *Permissions `json:",omitzero"`
	// Families are the top-level blocks of defaults, one per family of actions
	// (`file: root: …`). The loader does not know which families exist: it keeps
	// every top-level key here that is not a key of the language.
	Families []Field `json:",omitzero"`
	// Wire is the default naming rule for names on the wire; see Resource.Wire.
	Wire string `json:",omitzero"`
	// MaxValues is the default limit on the number of values in a request, a response
	// or an output. 0 means decode.DefaultValues.
	MaxValues int `json:",omitzero"`
	// Resources are not part of the JSON, because a compiled spec stores each of them
	// separately.
	Resources []*Resource `json:"-"`

	// The blocks below are optional.
	Functions  []*Function  `json:",omitzero"`
	Components []*Component `json:",omitzero"`
	Ephemerals []*Ephemeral `json:",omitzero"`
	Actions    []*Function  `json:",omitzero"`
	Tests      []Field      `json:",omitzero"`
	Configure  *Operation   `json:",omitzero"`
}

// Metadata describes a provider to people and to package registries.
type Metadata struct {
	Name        string   `json:"name,omitzero"`
	Version     string   `json:"version,omitzero"`
	DisplayName string   `json:"displayName,omitzero"`
	Description string   `json:"description,omitzero"`
	Keywords    []string `json:"keywords,omitzero"`
	Homepage    string   `json:"homepage,omitzero"`
	Repository  string   `json:"repository,omitzero"`
	License     string   `json:"license,omitzero"`
	Publisher   string   `json:"publisher,omitzero"`
	// Namespace is the organization that owns the package, or "".
	Namespace string `json:"namespace,omitzero"`
	// PluginDownloadURL is where Pulumi downloads the plugin from, or "".
	PluginDownloadURL string `json:"pluginDownloadURL,omitzero"`
	Logo              string `json:"logo,omitzero"`
	// Language holds options for SDK generators, which get them unchanged.
	Language map[string]any `json:"language,omitzero"`
	// Range is the position of the provider's name.
	Range diag.Range `json:"range,omitzero"`
}

// Permissions are what a spec declares that it needs to access. Each entry is a
// template, except in Packages and Capabilities.
type Permissions struct {
	Read, Write, Hosts, Run, Env []*Node `json:",omitzero"`
	// Packages are entries of the form NAME or NAME@VERSION, without templates.
	Packages []*Node `json:",omitzero"`
	// Agent grants use of the user's ssh-agent; nil does not.
	Agent *Node `json:",omitzero"`
	// Capabilities are the Linux capabilities that commands run by root keep. nil
	// means all of Capabilities(); an empty list means none.
	Capabilities []string   `json:",omitzero"`
	Range        diag.Range `json:",omitzero"`
}

// AgentVariable is the environment variable that names the socket of the user's
// ssh-agent. Among grants it stands for the agent.
const AgentVariable = "SSH_AUTH_SOCK"

// Resource returns the resource with that name, or nil.
func (p *Provider) Resource(name string) *Resource {
	return lists.Find(p.Resources, func(r *Resource) bool { return r.Name == name })
}

// Component returns the component with that name, or nil.
func (p *Provider) Component(name string) *Component {
	return lists.Find(p.Components, func(c *Component) bool { return c.Name == name })
}

// Capabilities returns the Linux capabilities that commands run by root keep in the
// sandbox unless the permissions narrow them. They are the capabilities of
// capabilities(7) for files and users, which su, chown and useradd require, and
// CAP_NET_BIND_SERVICE, which matters only if commands may listen.
func Capabilities() []string {
	return []string{
		"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_NET_BIND_SERVICE", "CAP_SETGID", "CAP_SETUID",
	}
}
