// Package schematest provides specs for tests of schemas: Everything, which uses every
// feature, and Any, which is random.
package schematest

import (
	"encoding/json"
	"fmt"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Everything returns a spec that uses every feature that appears in a schema.
func Everything() *spec.Provider {
	return &spec.Provider{
		Metadata: spec.Metadata{
			Name: "everything", Version: "1.2.3", DisplayName: "Everything", Description: "All there is: <b>bold</b> & more.",
			Keywords: []string{"category/utility"}, Homepage: "https://example.com", Repository: "https://example.com/repo",
			License: "Apache-2.0", Publisher: "Somebody", Namespace: "somebody", PluginDownloadURL: "https://example.com/plugins", Logo: "https://example.com/logo.png",
			Language: map[string]any{"nodejs": map[string]any{"packageName": "@example/everything"}},
		},
		Config: object(
			&spec.Property{Name: "endpoint", Doc: "Where it is.", Type: text(), Default: "https://example.com", Env: []string{"EVERYTHING_ENDPOINT"}},
			&spec.Property{Name: "token", Type: text(), Required: true, Secret: true, Env: []string{"EVERYTHING_TOKEN", "TOKEN"}},
			&spec.Property{Name: "account", Type: text(), Required: true},
			&spec.Property{Name: "password", Type: text(), Ephemeral: true},
			&spec.Property{Name: "retries", Type: kind(spec.Int), Default: json.Number("3"), Env: []string{"EVERYTHING_RETRIES"}},
			&spec.Property{Name: "tls", Doc: "How to trust it.", Type: object(prop("insecure", kind(spec.Bool)), prop("ca", text()))},
		),
		Types: types(),
		Resources: []*spec.Resource{
			thing(), disk(),
			{Name: "Empty", Inputs: object(), Outputs: object(), Deprecated: "use Thing", List: &spec.Lister{}},
		},
		Functions: []*spec.Function{
			{Name: "nothing", Inputs: object(), Outputs: object()},
			{
				Name: "getThing", Doc: "Looks a thing up.",
				Inputs: object(required("name", text()), prop("within", object(prop("zone", text())))),
				Outputs: object(
					&spec.Property{Name: "token", Type: text(), Required: true, Secret: true},
					prop("rules", &spec.Type{Kind: spec.List, Elem: &spec.Type{Ref: "#Rule"}}), prop("nested", object(prop("deep", text()))),
				),
			},
		},
		Ephemerals: []*spec.Ephemeral{{
			Name: "Pass", Doc: "A way in.", Inputs: object(required("role", text())),
			Outputs: object(required("token", text()), prop("until", text())),
		}},
		Components: []*spec.Component{
			{Name: "Bare", Inputs: object(), Outputs: object()},
			{
				Name: "Group", Doc: "Things that belong together.",
				Inputs: object(
					required("name", text()), prop("rules", list(&spec.Type{Ref: "#Rule"})), prop("within", object(prop("zone", text()))),
					&spec.Property{Name: "size", Doc: "How many.", Type: kind(spec.Int), Default: json.Number("2")},
					&spec.Property{Name: "key", Type: text(), Secret: true}, prop("upload", kind(spec.Asset)),
				),
				Outputs: object(
					required("name", text()), prop("paths", list(text())), prop("nested", object(prop("deep", text()))),
					&spec.Property{Name: "token", Type: text(), Required: true, Secret: true},
				),
			},
		},
	}
}

func types() spec.Types {
	return spec.Types{
		"#Rule": {Name: "Rule", Doc: "A rule.", Type: object(
			required("port", kind(spec.Int)),
			prop("protocol", &spec.Type{Ref: "#Protocol"}),
			prop("next", &spec.Type{Ref: "#Rule"}),
		)},
		"#Protocol": {Name: "Protocol", Doc: "How it talks.", Type: enum("tcp", "udp", "any")},
		"#Names":    {Name: "Names", Type: list(text())},
		"#Tree":     {Name: "Tree", Type: list(&spec.Type{Ref: "#Tree"})},
		"#Disk":     {Name: "Disk", Doc: "Named like a resource.", Type: object(required("size", kind(spec.Int)))},
	}
}

func thing() *spec.Resource {
	shape := func(tag string, more ...*spec.Property) *spec.Type {
		return object(append([]*spec.Property{required("kind", enum(tag))}, more...)...)
	}
	return &spec.Resource{
		Name: "Thing", Doc: "A thing.\n\nOf many properties.", Aliases: []*spec.Node{{Kind: spec.StringNode, Text: "OldThing"}, {Kind: spec.StringNode, Text: "other:index:Thing"}},
		Inputs: object(
			&spec.Property{Name: "path", Doc: "Where.", Type: text(), Required: true, Replace: true},
			&spec.Property{Name: "mode", Doc: "How.", Type: enum("fast", "slow", "a-b", "a_b", "", "+", "Array"), Default: "fast"},
			&spec.Property{Name: "level", Type: &spec.Type{Kind: spec.Int, Enum: []any{json.Number("1"), json.Number("2")}}, Default: json.Number("1")},
			&spec.Property{Name: "ratio", Type: &spec.Type{Kind: spec.Number, Enum: []any{json.Number("0.5"), json.Number("1.5")}}},
			&spec.Property{Name: "big", Type: &spec.Type{Kind: spec.Int}, Default: json.Number("9007199254740993")},
			&spec.Property{Name: "only", Type: enum("one"), Required: true},
			&spec.Property{Name: "secret", Type: text(), Secret: true},
			&spec.Property{Name: "once", Type: text(), Ephemeral: true, Required: true},
			&spec.Property{Name: "maybe", Type: &spec.Type{Kind: spec.String, Nullable: true}, Required: true},
			&spec.Property{Name: "named", Type: text(), Autoname: &spec.Autoname{Max: 63, Sep: "-"}, Names: map[string]string{
				"csharp": "Title", "go": "Title", "nodejs": "title", "python": "title", "java": "title", "terraform": "x",
			}},
			&spec.Property{Name: "old", Type: text(), Deprecated: "use path"},
			&spec.Property{Name: "options", Doc: "More.", Type: object(
				&spec.Property{Name: "limit", Type: kind(spec.Number), Default: json.Number("0.25"), Replace: true},
				prop("deep", object(prop("er", kind(spec.Bool)))),
			)},
			prop("rules", list(&spec.Type{Ref: "#Rule"})),
			prop("names", &spec.Type{Ref: "#Names"}),
			prop("tree", &spec.Type{Ref: "#Tree"}),
			prop("tags", mapOf(text())),
			prop("free", &spec.Type{Kind: spec.Object, Open: true, Fields: []*spec.Property{prop("known", text())}}),
			prop("anything", kind(spec.Any)),
			prop("file", kind(spec.Asset)),
			prop("folder", kind(spec.Archive)),
			prop("either", &spec.Type{Kind: spec.Union, Variants: []*spec.Type{text(), kind(spec.Int), enum("x", "y")}}),
			prop("shape", &spec.Type{Kind: spec.Union, Tag: "kind", Variants: []*spec.Type{
				shape("circle", required("radius", kind(spec.Number))), shape("square", required("side", kind(spec.Number))),
			}}),
		),
		Outputs: object(
			required("size", kind(spec.Int)),
			prop("options", object(prop("limit", kind(spec.String)))),
			&spec.Property{Name: "path", Type: text(), Required: true},
			prop("state", enum("up", "down")),
		),
		Read: &spec.Operation{Steps: []*spec.Step{{Actions: []spec.Field{{Name: "file", Value: &spec.Node{
			Kind: spec.StringNode, Text: "${inputs.path}/${inputs.mode}/${id}",
		}}}}}},
		Import:  &spec.Node{Kind: spec.StringNode, Text: "${inputs.mode}/${id}"},
		List:    &spec.Lister{Inputs: object(required("folder", text()))},
		Methods: methods(),
		Examples: []*spec.Example{
			{Title: "The least", Inputs: structure("path", "a", "only", "one", "once", "x")},
			{Title: "Of every kind", Doc: "With \"quotes\" & <signs>.", Inputs: structure(
				"path", "a ```\"\\\n\x01*/ ${", "only", "one", "once", "x", "maybe", nil, "mode", "slow", "level", 2, "named", "n",
				"options", structure("limit", 0.5, "deep", structure("er", true)),
				"rules", []any{structure("port", 80, "protocol", "tcp", "next", structure("port", 81)), structure("port", 82)},
				"names", []any{"a", "true"}, "tree", []any{[]any{}}, "tags", structure("camelCase", "1", "a-b", "", "x", "y"), "free", structure("notKnown", false),
				"anything", structure("theKey", []any{nil, 1}), "file", "./a.txt", "folder", "./b", "either", 3, "shape", structure("kind", "square", "side", 1),
			)},
		},
	}
}

// structure returns a struct of values: pairs of a name and a value.
func structure(pairs ...any) *spec.Node {
	n := &spec.Node{Kind: spec.MapNode}
	for i := 0; i < len(pairs); i += 2 {
		n.Fields = append(n.Fields, spec.Field{Name: pairs[i].(string), Value: node(pairs[i+1])})
	}
	return n
}

func node(v any) *spec.Node {
	switch v := v.(type) {
	case *spec.Node:
		return v
	case nil:
		return &spec.Node{Kind: spec.NullNode, Text: "null"}
	case bool:
		return &spec.Node{Kind: spec.BoolNode, Text: fmt.Sprint(v)}
	case string:
		return &spec.Node{Kind: spec.StringNode, Text: v}
	case []any:
		n := &spec.Node{Kind: spec.ListNode}
		for _, item := range v {
			n.Items = append(n.Items, node(item))
		}
		return n
	default:
		return &spec.Node{Kind: spec.NumberNode, Text: fmt.Sprint(v)}
	}
}

func methods() []*spec.Function {
	return []*spec.Function{
		{Name: "reset", Doc: "Back to the start.", Inputs: object(), Outputs: object()},
		{
			Name: "renderPart", Doc: "Shows a part.",
			Inputs: object(
				required("part", text()), prop("rule", &spec.Type{Ref: "#Rule"}), prop("within", object(prop("zone", text()))),
				&spec.Property{Name: "self", Type: text(), Secret: true},
			),
			Outputs: object(
				&spec.Property{Name: "token", Type: text(), Required: true, Secret: true},
				prop("rules", list(&spec.Type{Ref: "#Rule"})), prop("nested", object(prop("deep", text()))),
			),
		},
	}
}

func disk() *spec.Resource {
	return &spec.Resource{
		Name:    "Disk",
		Inputs:  object(prop("self", &spec.Type{Ref: "#Disk"}), prop("class", text())),
		Outputs: object(required("self", &spec.Type{Ref: "#Disk"})),
	}
}

func kind(k spec.Kind) *spec.Type      { return &spec.Type{Kind: k} }
func text() *spec.Type                 { return kind(spec.String) }
func list(elem *spec.Type) *spec.Type  { return &spec.Type{Kind: spec.List, Elem: elem} }
func mapOf(elem *spec.Type) *spec.Type { return &spec.Type{Kind: spec.Map, Elem: elem} }

func object(fields ...*spec.Property) *spec.Type {
	for i, f := range fields {
		if f.Range.IsZero() {
			f.Range = diag.Point("everything.cue", 1, i+1)
		}
	}
	return &spec.Type{Kind: spec.Object, Fields: fields}
}

func enum(values ...string) *spec.Type {
	t := text()
	for _, v := range values {
		t.Enum = append(t.Enum, v)
	}
	return t
}

func prop(name string, t *spec.Type) *spec.Property { return &spec.Property{Name: name, Type: t} }

func required(name string, t *spec.Type) *spec.Property {
	return &spec.Property{Name: name, Type: t, Required: true}
}
