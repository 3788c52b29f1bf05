package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
)

// exampleOf returns an entry of the resources in a YAML program: the first resource of a
// provider, as in its first example, or with placeholders for its required inputs.
func exampleOf(name string, c *container.Container) (string, error) {
	names := c.ResourceNames()
	if len(names) == 0 {
		return "", nil
	}
	resource, err := c.Resource(names[0])
	if err != nil {
		return "", err
	}
	described, err := c.Provider()
	if err != nil {
		return "", err
	}
	if len(resource.Examples) > 0 {
		return schema.ExampleEntry("my-"+name, name, described.Types, resource, resource.Examples[0]), nil
	}
	var inputs strings.Builder
	for _, p := range described.Types.Resolve(resource.Inputs).Fields {
		if p.Required {
			fmt.Fprintf(&inputs, "      %s: %s\n", p.Name, placeholder(p.Type, described.Types))
		}
	}
	properties := " {}\n"
	if inputs.Len() > 0 {
		properties = "\n" + inputs.String()
	}
	return fmt.Sprintf("  my-%s:\n    type: %s:%s\n    properties:%s", name, name, names[0], properties), nil
}

// placeholder returns an example value of a type, as JSON, which is also YAML. It
// satisfies the kind, enums and minimum of the type, but not every constraint.
func placeholder(t *spec.Type, types spec.Types) string {
	t = types.Resolve(t)
	if t == nil {
		return `"..."`
	}
	if len(t.Enum) > 0 {
		if text, err := json.Marshal(t.Enum[0]); err == nil {
			return string(text)
		}
	}
	switch t.Kind {
	case spec.Bool:
		return "false"
	case spec.Int, spec.Number:
		if t.Min != nil {
			return fmt.Sprint(t.Min.Value)
		}
		return "1"
	case spec.List:
		return "[]"
	case spec.Map, spec.Object:
		return "{}"
	case spec.Asset:
		return `{fn::fileAsset: ./file}`
	case spec.Archive:
		return `{fn::fileArchive: ./folder}`
	case spec.Union:
		if len(t.Variants) > 0 {
			return placeholder(t.Variants[0], types)
		}
	}
	return `"..."`
}
