package main

import (
	"encoding/json"
	"fmt"
	"strconv"
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

// placeholder returns an example value of a type, as JSON, which is also YAML. It has what the
// type requires: kind, enums, minimum, items and members, but it may not match patterns.
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
		items := make([]string, t.MinLen)
		for i := range items {
			items[i] = placeholder(t.Elem, types)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case spec.Map, spec.Object:
		return "{" + strings.Join(members(t, types), ", ") + "}"
	case spec.Asset:
		return `{fn::fileAsset: ./file}`
	case spec.Archive:
		return `{fn::fileArchive: ./folder}`
	case spec.Union:
		if len(t.Variants) > 0 {
			return placeholder(t.Variants[0], types)
		}
	}
	return strconv.Quote("..." + strings.Repeat(".", max(0, t.MinLen-len("..."))))
}

// members returns the members that an example value of a struct or map requires.
func members(t *spec.Type, types spec.Types) []string {
	var list []string
	for _, p := range t.Fields {
		if p.Required {
			list = append(list, strconv.Quote(p.Name)+": "+placeholder(p.Type, types))
		}
	}
	for i := len(list); i < t.MinLen && t.Elem != nil; i++ {
		list = append(list, fmt.Sprintf("\"key%d\": %s", i+1, placeholder(t.Elem, types)))
	}
	return list
}
