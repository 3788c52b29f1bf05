package try

import (
	"context"
	"io"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/screen"
)

// Query is a call that changes nothing: of a function, or of the list of a resource.
type Query struct {
	// Package is the name of the provider, and Name that of the function or resource.
	Package, Name string
	Config        property.Map
	// Settings is the type of Config.
	Settings *spec.Type
	Inputs   property.Map
}

// Call calls a function and prints what it returns to w.
func Call(ctx context.Context, c *client.Client, q Query, w io.Writer, color bool) error {
	p := printer{w: w, color: color}
	if _, err := configure(ctx, c, q.Package, q.Settings, q.Config, p); err != nil {
		return err
	}
	p.heading("call", q.Name)
	result, failures, err := c.Invoke(ctx, q.Package+":index:"+q.Name, q.Inputs)
	switch {
	case err != nil:
		return p.fail(err)
	case len(failures) > 0:
		return p.failures(failures)
	}
	p.values(result, func(string) string { return "" })
	return nil
}

// List lists the existing resources of a type, and prints their ids and names to w.
func List(ctx context.Context, c *client.Client, q Query, w io.Writer, color bool) error {
	p := printer{w: w, color: color}
	if _, err := configure(ctx, c, q.Package, q.Settings, q.Config, p); err != nil {
		return err
	}
	p.heading("list", q.Name)
	found, err := c.List(ctx, q.Package+":index:"+q.Name, q.Inputs, 0, 0, "")
	if err != nil {
		return p.fail(err)
	}
	for _, one := range found.Results {
		if one.Name == one.ID {
			p.line("%s", showText(one.ID))
			continue
		}
		p.line("%s  %s", showText(one.ID), screen.Exact(one.Name))
	}
	if len(found.Results) == 0 {
		p.line("none")
	}
	return nil
}
