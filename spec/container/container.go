// Package container is the compiled form of a spec, on disk and in memory: a
// header, an index, one JSON document a resource, the ready schema. A process
// that serves a spec opens one instead of evaluating CUE, and decodes of it only
// what it is asked for.
package container

import "github.com/declprov/declprov/spec"

// Container is an opened compiled spec.
type Container struct{}

// Provider is the spec without its resources.
func (c *Container) Provider() (*spec.Provider, error) { return nil, nil }

// ResourceNames are in the order of the document.
func (c *Container) ResourceNames() []string { return nil }

// Resource decodes one resource.
func (c *Container) Resource(name string) (*spec.Resource, error) { return nil, nil }

// Schema is the Pulumi package schema, as JSON.
func (c *Container) Schema() []byte { return nil }
