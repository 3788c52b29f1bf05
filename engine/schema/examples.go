package schema

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
)

// withExamples returns the documentation of a resource and its examples, in the form that
// Pulumi's registry reads. Each SDK generator keeps the code in its language (pulumi/pulumi
// v3.259.0, pkg/codegen/docs.go and pkg/codegen/schema/docs_parser.go).
func (g generator) withExamples(r *spec.Resource, inputs map[string]property) string {
	if len(r.Examples) == 0 {
		return r.Doc
	}
	var b strings.Builder
	if r.Doc != "" {
		b.WriteString(strings.TrimRight(r.Doc, "\n") + "\n\n")
	}
	b.WriteString("{{% examples %}}\n## Example Usage\n")
	for _, e := range r.Examples {
		fmt.Fprintf(&b, "{{%% example %%}}\n### %s\n\n", e.Title)
		if e.Doc != "" {
			b.WriteString(strings.TrimRight(e.Doc, "\n") + "\n\n")
		}
		writeBlock(&b, "typescript", g.typeScript(r, e, inputs))
		writeBlock(&b, "python", g.python(r, e, inputs))
		writeBlock(&b, "yaml", "resources:\n"+ExampleEntry("example", g.name, g.named, r, e))
		b.WriteString("{{% /example %}}\n")
	}
	b.WriteString("{{% /examples %}}")
	return b.String()
}

// writeBlock writes code between fences that are longer than any in the code.
func writeBlock(b *strings.Builder, language, code string) {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "%s%s\n%s%s\n", fence, language, code, fence)
}

// modules are the names under which programs import the SDK.
type modules struct{ node, python string }

// modulesOf returns the names that the SDK generators choose, unless the options of the spec
// set others.
func modulesOf(p *spec.Provider) modules {
	option := func(language, byDefault string) string {
		options, _ := p.Language[language].(map[string]any)
		name, _ := options["packageName"].(string)
		return cmp.Or(name, byDefault)
	}
	namespace := cmp.Or(p.Namespace, "pulumi")
	return modules{
		node:   option("nodejs", "@"+namespace+"/"+p.Name),
		python: option("python", strings.ReplaceAll(namespace+"_"+p.Name, "-", "_")),
	}
}
