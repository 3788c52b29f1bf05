package monitor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine/component"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/lists"
)

// Construction registers the resources of one component with a monitor. It is safe
// for concurrent use.
type Construction struct {
	// Monitor is the monitor that the request names.
	Monitor *Monitor
	Request *pulumirpc.ConstructRequest
	// Package is the name of the provider's own package, and Version its version.
	Package, Version string
	// Provider is the reference of the provider itself. It is the default provider for
	// children of its own package, or "" if it is not known.
	Provider string
	Encoder  wire.Encoder
	// Began is called with the component's URN before any child is registered.
	Began func(urn string)

	takesOutputs sync.Once
	outputs      bool
}

var _ component.Registrar = (*Construction)(nil)

// Begin registers the component with all options from the program. Pulumi's engine passes
// some of them on to children (protect, retainOnDelete, deletedWith, aliases,
// transforms, hooks).
func (c *Construction) Begin(ctx context.Context, inputs property.Map) (urn.URN, error) {
	req := c.Request
	made := &pulumirpc.RegisterResourceRequest{
		Type: req.GetType(), Name: req.GetName(), Parent: req.GetParent(),
		Protect: req.Protect, Providers: req.GetProviders(), Aliases: req.GetAliases(),
		AdditionalSecretOutputs: req.GetAdditionalSecretOutputs(),
		DeletedWith:             req.GetDeletedWith(),
		ReplaceWith:             req.GetReplaceWith(),
		IgnoreChanges:           req.GetIgnoreChanges(),
		ReplaceOnChanges:        req.GetReplaceOnChanges(),
		ReplacementTrigger:      req.GetReplacementTrigger(),
		RetainOnDelete:          req.RetainOnDelete,
	}
	if req.DeleteBeforeReplace != nil {
		made.DeleteBeforeReplace, made.DeleteBeforeReplaceDefined = *req.DeleteBeforeReplace, true
	}
	if t := req.GetCustomTimeouts(); t != nil {
		made.CustomTimeouts = &pulumirpc.RegisterResourceRequest_CustomTimeouts{
			Create: t.GetCreate(), Update: t.GetUpdate(), Delete: t.GetDelete(), Read: t.GetRead(),
		}
	}
	if h := req.GetResourceHooks(); h != nil {
		made.Hooks = &pulumirpc.RegisterResourceRequest_ResourceHooksBinding{
			BeforeCreate: h.GetBeforeCreate(), AfterCreate: h.GetAfterCreate(),
			BeforeUpdate: h.GetBeforeUpdate(), AfterUpdate: h.GetAfterUpdate(),
			BeforeDelete: h.GetBeforeDelete(), AfterDelete: h.GetAfterDelete(), OnError: h.GetOnError(),
		}
	}
	got, err := c.register(ctx, made, inputs, urnsOf(req.GetDependencies()))
	if err != nil {
		return "", err
	}
	if c.Began != nil {
		c.Began(got.GetUrn())
	}
	return urn.URN(got.GetUrn()), nil
}

// Register registers one child.
func (c *Construction) Register(ctx context.Context, r component.Registration) (component.Registered, error) {
	o := r.Options
	made := &pulumirpc.RegisterResourceRequest{
		Type: c.token(r), Name: r.Name, Parent: string(r.Parent), Custom: !r.Component, Remote: r.Component,
		Protect: o.Protect, RetainOnDelete: o.RetainOnDelete,
		IgnoreChanges: o.IgnoreChanges, ReplaceOnChanges: o.ReplaceOnChanges, AdditionalSecretOutputs: o.AdditionalSecretOutputs,
		Version: o.Version, PluginDownloadURL: o.PluginDownloadURL, ImportId: o.ImportID, DeletedWith: string(o.DeletedWith),
		Aliases: aliases(o.Aliases), Provider: c.providerOf(r),
	}
	if made.GetProvider() == "" && !r.Foreign {
		made.Version = c.Version
	}
	if r.Component {
		made.Providers = c.Request.GetProviders()
	}
	if o.DeleteBeforeReplace != nil {
		made.DeleteBeforeReplace, made.DeleteBeforeReplaceDefined = *o.DeleteBeforeReplace, true
	}
	if o.CreateTimeout+o.UpdateTimeout+o.DeleteTimeout > 0 {
		made.CustomTimeouts = &pulumirpc.RegisterResourceRequest_CustomTimeouts{
			Create: timeout(o.CreateTimeout), Update: timeout(o.UpdateTimeout), Delete: timeout(o.DeleteTimeout),
		}
	}
	got, err := c.register(ctx, made, r.Inputs, r.DependsOn)
	if err != nil {
		return component.Registered{}, fmt.Errorf("%s %q: %w", r.Type, r.Name, err)
	}
	outputs, err := readOutputs(got)
	if err != nil {
		return component.Registered{}, fmt.Errorf("cannot read the response of Pulumi's engine for %s %q: %w", r.Type, r.Name, err)
	}
	return component.Registered{URN: urn.URN(got.GetUrn()), ID: knownID(got.GetId()), Outputs: outputs, Unknown: got.GetUnknown()}, nil
}

// End records the outputs of the component.
func (c *Construction) End(ctx context.Context, component urn.URN, outputs property.Map) error {
	encoded, err := c.Encoder.Encode(c.Outputs(outputs))
	if err != nil {
		return err
	}
	_, err = c.Monitor.client.RegisterResourceOutputs(ctx, &pulumirpc.RegisterResourceOutputsRequest{
		Urn: string(component), Outputs: encoded,
	})
	if err != nil {
		return fmt.Errorf("recording the outputs of %s: %w", component, err)
	}
	return nil
}

// Outputs returns the outputs of a component, and marks those as secret that the
// program requests. For components, Pulumi's engine leaves this to the provider.
func (c *Construction) Outputs(outputs property.Map) property.Map {
	for _, name := range c.Request.GetAdditionalSecretOutputs() {
		if v, ok := outputs.GetOk(name); ok {
			outputs = outputs.Set(name, v.WithSecret(true))
		}
	}
	return outputs
}

// register sends a registration with the dependencies of its inputs.
func (c *Construction) register(
	ctx context.Context, made *pulumirpc.RegisterResourceRequest, inputs property.Map, dependsOn []urn.URN,
) (*pulumirpc.RegisterResourceResponse, error) {
	encoder := c.Encoder
	encoder.Outputs = made.GetRemote() && c.monitorTakesOutputs(ctx)
	object, err := encoder.Encode(inputs)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(dependsOn)
	by := map[string]*pulumirpc.RegisterResourceRequest_PropertyDependencies{}
	for name, v := range inputs.All {
		by[name] = &pulumirpc.RegisterResourceRequest_PropertyDependencies{Urns: texts(v.Dependencies())}
		all = append(all, v.Dependencies()...)
	}
	slices.Sort(all)
	made.Object, made.PropertyDependencies, made.Dependencies = object, by, texts(slices.Compact(all))
	made.AcceptSecrets, made.AcceptResources, made.AcceptsByteString = true, true, true
	made.SupportsPartialValues, made.SupportsResultReporting, made.AliasSpecs = true, true, true
	made.ParentStackTraceHandle = c.Request.GetStackTraceHandle()
	got, err := c.Monitor.client.RegisterResource(ctx, made)
	if err != nil {
		return nil, registrationError(err)
	}
	switch got.GetResult() {
	case pulumirpc.Result_FAIL:
		return nil, errors.New("the registration failed; Pulumi's engine shows the reason")
	case pulumirpc.Result_SKIP:
		return nil, errors.New("the engine of Pulumi skipped it, because one of its dependencies failed")
	default:
		return got, nil
	}
}

// registrationError converts the error of a registration. If the whole run ends, the
// cause is elsewhere.
func registrationError(err error) error {
	switch s := status.Convert(err); s.Code() {
	case codes.Canceled, codes.Unavailable:
		return errors.New("the engine of Pulumi ended the run before it was created")
	default:
		return errors.New(s.Message())
	}
}

// monitorTakesOutputs reports whether inputs may be sent as output values. If the
// monitor does not say, they may not.
func (c *Construction) monitorTakesOutputs(ctx context.Context) bool {
	c.takesOutputs.Do(func() { c.outputs, _ = c.Monitor.Supports(ctx, "outputValues") })
	return c.outputs
}

// token returns the type token of a child.
func (c *Construction) token(r component.Registration) string {
	if r.Foreign {
		return r.Type
	}
	return c.Package + ":index:" + r.Type
}

// providerOf returns the reference of a child's provider: the one in the spec, or the
// one that the program passes for the package, or this provider for its own package.
// "" leaves the choice to the engine.
func (c *Construction) providerOf(r component.Registration) string {
	if p := r.Options.Provider; p != nil {
		return Reference(string(p.URN), p.ID)
	}
	pkg := c.Package
	if r.Foreign {
		pkg, _, _ = strings.Cut(r.Type, ":")
	}
	if ref, ok := c.Request.GetProviders()[pkg]; ok || r.Foreign {
		return ref
	}
	return c.Provider
}

// Reference returns Pulumi's reference of a provider resource, whose id may be
// unknown.
func Reference(urn, id string) string {
	if id == "" {
		id = wire.Unknown
	}
	return urn + "::" + id
}

// knownID returns an id, or "" if it is unknown.
func knownID(id string) string {
	if id == wire.Unknown {
		return ""
	}
	return id
}

// readOutputs returns the outputs of a resource with their dependencies.
func readOutputs(got *pulumirpc.RegisterResourceResponse) (property.Map, error) {
	outputs, err := wire.Decode(got.GetObject())
	if err != nil {
		return property.Map{}, err
	}
	for name, on := range got.GetPropertyDependencies() {
		if v, ok := outputs.GetOk(name); ok {
			all := slices.Concat(v.Dependencies(), urnsOf(on.GetUrns()))
			outputs = outputs.Set(name, v.WithDependencies(all))
		}
	}
	return outputs, nil
}

func aliases(list []component.Alias) []*pulumirpc.Alias {
	made := make([]*pulumirpc.Alias, len(list))
	for i, a := range list {
		if a.URN != "" {
			made[i] = &pulumirpc.Alias{Alias: &pulumirpc.Alias_Urn{Urn: a.URN}}
			continue
		}
		s := &pulumirpc.Alias_Spec{Name: a.Name, Type: a.Type, Stack: a.Stack, Project: a.Project}
		switch {
		case a.NoParent:
			s.Parent = &pulumirpc.Alias_Spec_NoParent{NoParent: true}
		case a.Parent != "":
			s.Parent = &pulumirpc.Alias_Spec_ParentUrn{ParentUrn: a.Parent}
		}
		made[i] = &pulumirpc.Alias{Alias: &pulumirpc.Alias_Spec_{Spec: s}}
	}
	return made
}

func timeout(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func urnsOf(list []string) []urn.URN {
	return lists.Map(list, func(text string) urn.URN { return urn.URN(text) })
}

func texts(urns []urn.URN) []string {
	return lists.Map(urns, func(u urn.URN) string { return string(u) })
}
