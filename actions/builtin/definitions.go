package builtin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// Definitions returns CUE definitions of the arguments of each kind, for completion and
// documentation in editors. The compiler checks more than these definitions.
func Definitions() string {
	var b strings.Builder
	b.WriteString("// Generated from the declarations in actions/. Do not edit: go test ./actions/builtin -update\n\n")
	b.WriteString("// #Template is a string with an expression. It is allowed for a value of any type.\n")
	b.WriteString(`#Template: =~"\\$\\{"` + "\n\n")
	b.WriteString("// #Text is a string that may contain expressions, or a literal that does not.\n#Text: string | {literal!: string}\n")
	for _, f := range Families() {
		defineFamily(&b, f)
	}
	return b.String()
}

func defineFamily(b *strings.Builder, f *actions.Family) {
	name := "#" + upperFirst(f.Name)
	fmt.Fprintf(b, "\n// Defaults for the actions of %s.\n%sDefaults: {\n", f.Name, name)
	defineArgs(b, f.Defaults, false)
	b.WriteString("}\n")
	for _, k := range f.Kinds {
		fmt.Fprintf(b, "\n// %s\n%s%s: close({\n", k.Summary, name, upperFirst(k.Name))
		defineArgs(b, k.Args, true)
		b.WriteString("})")
		for _, group := range k.OneOf {
			writeExactlyOne(b, group)
		}
		b.WriteString("\n")
	}
	if f.Kind("") != nil {
		return
	}
	fmt.Fprintf(b, "\n// One action of %s.\n%s: close({\n", f.Name, name)
	kinds := make([]string, len(f.Kinds))
	for i, k := range f.Kinds {
		kinds[i] = k.Name
		fmt.Fprintf(b, "\t// %s\n\t%s?: %s%s\n", k.Summary, k.Name, name, upperFirst(k.Name))
	}
	b.WriteString("})")
	writeExactlyOne(b, kinds)
	b.WriteString("\n")
}

// writeExactlyOne requires that exactly one of the fields is given. It makes the definition
// open again, so the caller closes it explicitly.
func writeExactlyOne(b *strings.Builder, names []string) {
	alternatives := mapTexts(names, func(name string) string { return fmt.Sprintf("{%s!: _, ...}", name) })
	fmt.Fprintf(b, " & matchN(1, [%s])", strings.Join(alternatives, ", "))
}

func defineArgs(b *strings.Builder, args []actions.Arg, withRequired bool) {
	for _, a := range args {
		mark := "?"
		if a.Required && withRequired {
			mark = "!"
		}
		doc := a.Doc
		if a.Default != nil {
			doc += " Default: " + literal(a.Default) + "."
		}
		value := cueType(a.Type)
		switch {
		case a.Mode == actions.Typed:
			value = "_"
		case a.Mode == actions.Raw || value == "_" || value == "#Template":
		case value == "string":
			value = "#Text"
		case strings.HasSuffix(value, "| #Template"):
		default:
			value += " | #Template"
		}
		fmt.Fprintf(b, "\t// %s\n\t%s%s: %s\n", strings.ReplaceAll(doc, "\n", "\n\t// "), a.Name, mark, value)
	}
}

// cueType returns the type in CUE. Details that CUE cannot express briefly are left to the
// compiler.
func cueType(t *spec.Type) string {
	switch {
	case t == nil:
		return "_"
	case len(t.Enum) > 0:
		return strings.Join(mapTexts(t.Enum, literal), " | ")
	}
	switch t.Kind {
	case spec.Bool, spec.Int, spec.Number:
		return t.Kind.String()
	case spec.String:
		if len(t.Patterns) == 1 && !t.Patterns[0].Negated {
			return "=~" + strconv.Quote(t.Patterns[0].Regexp)
		}
		return "string"
	case spec.Asset, spec.Archive:
		// Assets come from the user's program, so they are always templates.
		return "#Template"
	case spec.List:
		return "[..." + cueType(t.Elem) + "]"
	case spec.Map:
		return "{[string]: " + cueType(t.Elem) + "}"
	case spec.Union:
		return strings.Join(removeDuplicates(mapTexts(t.Variants, cueType)), " | ")
	case spec.Object:
		return cueObject(t)
	default:
		return "_"
	}
}

func cueObject(t *spec.Type) string {
	members := mapTexts(t.Fields, func(p *spec.Property) string {
		mark := "?"
		if p.Required {
			mark = "!"
		}
		return p.Name + mark + ": " + cueType(p.Type)
	})
	if t.Open {
		members = append(members, "...")
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func upperFirst(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// removeDuplicates returns the texts without duplicates.
func removeDuplicates(texts []string) []string {
	var out []string
	for _, s := range texts {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
