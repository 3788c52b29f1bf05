package engine

import (
	"context"
	"errors"
	"iter"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

var errStub = errors.New("stub")

// Program is a compiled spec: shared by all calls and safe for concurrent use.
type Program struct{}

// Compile checks a whole spec and compiles it.
func Compile(p *spec.Provider, families []*actions.Family) (*Program, diag.List) {
	return nil, nil
}

// Open serves a container, whose content has passed Compile before: each
// resource is decoded and compiled when it is first used.
func Open(c *container.Container, families []*actions.Family) (*Program, error) { return nil, nil }

// Metadata describes the provider.
func (p *Program) Metadata() spec.Metadata { return spec.Metadata{} }

// Config is the object type of the provider's configuration.
func (p *Program) Config() (*spec.Type, spec.Types) { return nil, nil }

// HasResource reports whether the spec has a resource of that name.
func (p *Program) HasResource(name string) bool { return false }

// CheckConfig checks the provider's configuration as Check does a resource's
// inputs. Values that the host sends as JSON text are decoded by their type.
func (p *Program) CheckConfig(news property.Map) CheckResponse { return CheckResponse{} }

// DiffConfig says what a change of configuration means; both are as CheckConfig
// returned them.
func (p *Program) DiffConfig(olds, news property.Map, ignore []string) DiffResponse {
	return DiffResponse{}
}

// Options are what an engine needs beside its configuration.
type Options struct {
	// Dir is the folder of the user's program, absolute: relative paths start
	// there.
	Dir string
}

// Configure makes an engine of a program. MissingKeys is the error where
// required settings are absent.
func (p *Program) Configure(config property.Map, opts Options) (*Engine, error) { return nil, errStub }

// MissingKeys is the error of a configuration that lacks what it needs.
type MissingKeys struct{ Keys []MissingKey }

// MissingKey is a required setting, with its documentation.
type MissingKey struct{ Name, Doc string }

func (m *MissingKeys) Error() string { return "" }

// Engine is a program with a configuration.
type Engine struct{}

// Check validates inputs and sets defaults. Err is for the program's faults (an
// unknown type); the user's are failures.
func (e *Engine) Check(ctx context.Context, req CheckRequest) (CheckResponse, error) {
	return CheckResponse{}, errStub
}

// Diff says what a change of inputs does. It accepts unknowns always.
func (e *Engine) Diff(ctx context.Context, req DiffRequest) (DiffResponse, error) {
	return DiffResponse{}, errStub
}

// Create makes a resource.
func (e *Engine) Create(ctx context.Context, req CreateRequest) Result { return Result{Err: errStub} }

// Read looks at a resource, or imports it.
func (e *Engine) Read(ctx context.Context, req ReadRequest) Result { return Result{Err: errStub} }

// Update changes a resource.
func (e *Engine) Update(ctx context.Context, req UpdateRequest) Result { return Result{Err: errStub} }

// Delete removes a resource; that it is gone already is a success.
func (e *Engine) Delete(ctx context.Context, req DeleteRequest) error { return errStub }

// List yields the existing resources of a type, lazily.
func (e *Engine) List(ctx context.Context, req ListRequest) iter.Seq2[Listed, error] { return nil }

// CanList reports whether the resource declares how it is listed.
func (p *Program) CanList(resource string) bool { return false }
