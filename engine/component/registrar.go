package component

import (
	"context"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Registrar registers the resources of a component, usually at the monitor of a
// Pulumi engine. It is used concurrently.
type Registrar interface {
	// Begin registers the component itself, with the options from the program.
	Begin(ctx context.Context, inputs property.Map) (urn.URN, error)
	// Register creates or updates one child, or previews that. It returns when the child
	// exists.
	Register(ctx context.Context, r Registration) (Registered, error)
	// End records the component's outputs.
	End(ctx context.Context, component urn.URN, outputs property.Map) error
}

// Registration is the desired state of a child.
type Registration struct {
	// Type is the name of a resource or component of the spec. If Foreign is true, it is
	// a token of another package.
	Type    string
	Foreign bool
	// Component is true if the child is a component.
	Component bool
	Name      string
	Parent    urn.URN
	// Inputs are values that carry their dependencies.
	Inputs property.Map
	// DependsOn are further dependencies.
	DependsOn []urn.URN
	Options   RegistrationOptions
}

// RegistrationOptions are the options of a child. Options that are nil, empty or ""
// are not set.
type RegistrationOptions struct {
	Protect, RetainOnDelete, DeleteBeforeReplace *bool

	Aliases                                                  []Alias
	IgnoreChanges, ReplaceOnChanges, AdditionalSecretOutputs []string

	// Provider is the provider resource of the child. If it is nil, the program
	// determines it.
	Provider                   *ProviderRef
	Version, PluginDownloadURL string
	ImportID                   string
	DeletedWith                urn.URN
	// The timeouts of the operations; 0 means no timeout.
	CreateTimeout, UpdateTimeout, DeleteTimeout time.Duration
}

// ProviderRef identifies a provider resource.
type ProviderRef struct {
	URN urn.URN
	// ID is "" if it is not known yet.
	ID string
}

// Alias is a former identity of a resource: a URN, or the former parts of its
// identity.
type Alias struct {
	URN                                string
	Name, Type, Parent, Stack, Project string
	NoParent                           bool
}

// Registered is a registered child.
type Registered struct {
	URN urn.URN
	// ID is "" if it is not known yet, and for a component.
	ID string
	// Outputs are values that carry their dependencies, without the child itself.
	Outputs property.Map
	// Unknown is true if missing outputs are unknown, even in an update, because the
	// host has skipped the child.
	Unknown bool
}
