package component

import (
	"context"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Registrar is where a component's resources go: at work the monitor of a
// Pulumi engine. It is used concurrently.
type Registrar interface {
	// Begin registers the component itself, with the options that the program
	// gave it.
	Begin(ctx context.Context, inputs property.Map) (urn.URN, error)
	// Register makes or changes one child, or previews that. It returns when the
	// child is there.
	Register(ctx context.Context, r Registration) (Registered, error)
	// End records the component's outputs.
	End(ctx context.Context, component urn.URN, outputs property.Map) error
}

// Registration is a child as it should be.
type Registration struct {
	// Type is the name of a resource or component of the spec, or, where it is
	// Foreign, the token of another package's.
	Type    string
	Foreign bool
	// Component says that it is made of other resources by its provider.
	Component bool
	Name      string
	Parent    urn.URN
	// Inputs carry, as marks on the values, what they depend on.
	Inputs property.Map
	// DependsOn are what it depends on beside that.
	DependsOn []urn.URN
	Options   RegistrationOptions
}

// RegistrationOptions are the options of a child. What is nil, empty or "" is
// not given.
type RegistrationOptions struct {
	Protect, RetainOnDelete, DeleteBeforeReplace *bool

	Aliases                                                  []Alias
	IgnoreChanges, ReplaceOnChanges, AdditionalSecretOutputs []string

	// Provider is the provider resource that it is made by; nil leaves that to
	// the program.
	Provider                   *ProviderRef
	Version, PluginDownloadURL string
	ImportID                   string
	DeletedWith                urn.URN
	// The timeouts of its operations; 0 is none.
	CreateTimeout, UpdateTimeout, DeleteTimeout time.Duration
}

// ProviderRef names a provider resource.
type ProviderRef struct {
	URN urn.URN
	// ID is "" where it is not known yet.
	ID string
}

// Alias is what a resource was before: a URN, or what of it was different.
type Alias struct {
	URN                                string
	Name, Type, Parent, Stack, Project string
	NoParent                           bool
}

// Registered is a child that is there.
type Registered struct {
	URN urn.URN
	// ID is "" where it is not known yet, and for a component.
	ID string
	// Outputs carry what they depend on beside the child itself.
	Outputs property.Map
	// Unknown says that what it lacks among the outputs is not known, in an
	// update too: the host has left the child out.
	Unknown bool
}
