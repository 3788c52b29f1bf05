package builtin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
)

// Reference returns the reference page of all kinds, in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Actions\n\n<!-- Generated from the declarations in actions/. Do not edit: go test ./actions/builtin -update -->\n\n")
	b.WriteString("A step runs one action. Every argument may contain templates (`${…}`) unless it says otherwise. " +
		"The other keys of a step are in the [language reference](language.md).\n\n" +
		"What *the permissions grant* is what the block [`permissions`](language.md#permissions) of the spec lists, or, without that block, what the spec names. " +
		"*Not found*, *refused*, *unknown* and *safe* are explained in [Failures](language.md#failures).\n\n" +
		"In the tables, a *struct* is an object whose members are listed below the table, a *map* is an object with any keys, " +
		"and an *asset* is a file, an *archive* a folder of files, that the user's program passes.\n")
	for _, f := range Families() {
		writeFamily(&b, f)
	}
	return b.String()
}

func writeFamily(b *strings.Builder, f *actions.Family) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", f.Name, f.Summary)
	if len(f.Defaults()) > 0 {
		fmt.Fprintf(b, "\nDefaults for all actions of the family, in a block `%s` at the top of the spec:\n\n", f.Name)
		writeArgs(b, f.Defaults())
	}
	for _, k := range f.Kinds() {
		writeKind(b, f, k)
	}
}

func writeKind(b *strings.Builder, f *actions.Family, k *actions.Kind) {
	title := f.Name
	if k.Name != "" {
		title += "." + k.Name
	}
	fmt.Fprintf(b, "\n### %s\n\n%s\n", title, k.Summary)
	if k.Doc != "" {
		fmt.Fprintf(b, "\n%s\n", k.Doc)
	}
	b.WriteString("\n")
	if k.Name == "" {
		writeArgs(b, withoutDefaults(k.Args, f.Defaults()))
		fmt.Fprintf(b, "\nA step may also set each of the defaults above.\n")
	} else {
		writeArgs(b, k.Args)
	}
	for _, group := range k.OneOf {
		fmt.Fprintf(b, "\nExactly one of %s is required.\n", codeList(group))
	}
	for _, group := range k.AtMostOne {
		fmt.Fprintf(b, "\nAt most one of %s is allowed.\n", codeList(group))
	}
	facts := k.Analyze(actions.Static{})
	if facts.Effect == actions.None && k.Arg("effect") == nil {
		b.WriteString("\nThis action changes nothing.\n")
	}
	b.WriteString("\nResult:\n\n")
	writeResult(b, facts.Result, "")
	for _, e := range k.Examples {
		writeExample(b, e)
	}
}

func writeExample(b *strings.Builder, e actions.Example) {
	fmt.Fprintf(b, "\n%s", e.Summary)
	if len(e.Files) > 0 {
		fmt.Fprintf(b, " (given %s)", codeList(slices.Sorted(maps.Keys(e.Files))))
	}
	fmt.Fprintf(b, ":\n\n```cue\n%s\n```\n", e.Spec)
}

func writeArgs(b *strings.Builder, args []actions.Arg) {
	b.WriteString("| argument | type | default | |\n|---|---|---|---|\n")
	for _, a := range args {
		byDefault := ""
		switch {
		case a.Required:
			byDefault = "required"
		case a.Default != nil:
			byDefault = "`" + literal(a.Default) + "`"
		}
		doc := a.Doc
		switch a.Mode {
		case actions.Raw:
			doc += " Must not contain templates."
		case actions.Words:
			doc += " An item that is a list is replaced by its items; an item that is null is omitted."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", a.Name, cell(typeText(a.Type)), byDefault, cell(doc))
	}
	for _, a := range args {
		var parts strings.Builder
		if writeParts(&parts, a.Type, ""); parts.Len() > 0 {
			fmt.Fprintf(b, "\n`%s`:\n\n%s", a.Name, parts.String())
		}
	}
}

// withoutDefaults returns the arguments that are not among the defaults.
func withoutDefaults(args, defaults []actions.Arg) []actions.Arg {
	return slices.DeleteFunc(slices.Clone(args), func(a actions.Arg) bool {
		return slices.ContainsFunc(defaults, func(d actions.Arg) bool { return d.Name == a.Name })
	})
}

// writeParts documents the members of an argument whose type is or contains an object.
func writeParts(b *strings.Builder, t *spec.Type, indent string) {
	switch t.Kind {
	case spec.Union:
		for _, v := range t.Variants {
			if v.Kind != spec.List || !slices.Contains(t.Variants, v.Elem) { // the members of one are those of each in a list
				writeParts(b, v, indent)
			}
		}
	case spec.List, spec.Map:
		if t.Elem != nil {
			writeParts(b, t.Elem, indent)
		}
	case spec.Object:
		for _, m := range t.Fields {
			needed := ""
			if m.Required {
				needed = ", required"
			}
			fmt.Fprintf(b, "%s- `%s` (%s%s): %s\n", indent, m.Name, typeText(m.Type), needed, m.Doc)
			writeParts(b, m.Type, indent+"  ")
		}
	}
}

func writeResult(b *strings.Builder, t *spec.Type, indent string) {
	for _, m := range t.Fields {
		absent := ""
		if !m.Required {
			absent = ", or null"
		}
		fmt.Fprintf(b, "%s- `%s` (%s%s): %s\n", indent, m.Name, typeText(m.Type), absent, m.Doc)
		inner := m.Type
		if inner.Kind == spec.List || inner.Kind == spec.Map {
			inner = inner.Elem
		}
		if inner != nil && inner.Kind == spec.Object {
			writeResult(b, inner, indent+"  ")
		}
	}
}

// typeText returns a short description of a type.
func typeText(t *spec.Type) string {
	switch {
	case len(t.Enum) > 0:
		return strings.Join(lists.Map(t.Enum, literal), ` | `)
	case t.Kind == spec.Union:
		return strings.Join(lists.Map(t.Variants, typeText), " | ")
	case t.Kind == spec.List && t.Elem != nil:
		return "list of " + typeText(t.Elem)
	case t.Kind == spec.Map && t.Elem != nil:
		return "map of " + typeText(t.Elem)
	default:
		return t.Kind.String()
	}
}

func literal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

func codeList(names []string) string {
	return strings.Join(lists.Map(names, func(n string) string { return "`" + n + "`" }), ", ")
}
