package builtin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
)

// Definitions returns CUE definitions of the arguments of each kind, for completion and
// documentation in editors. They refer to #Text of the schema of specs, and belong to the
// same package. common are the fields that every block of defaults has. The compiler checks
// more than these definitions.
func Definitions(common string) string {
	var b strings.Builder
	b.WriteString("// A string with an expression. It is allowed for a value of any type.\n")
	b.WriteString(`#Template: =~"\\$\\{"` + "\n")
	for _, f := range Families() {
		defineFamily(&b, f, common)
	}
	return b.String()
}

// DefinitionsOf returns the names of the definitions of a family: of its actions, and of its
// block of defaults.
func DefinitionsOf(f *actions.Family) (action, defaults string) {
	return "#" + diag.UpperFirst(f.Name), "#" + diag.UpperFirst(f.Name) + "Defaults"
}

func defineFamily(b *strings.Builder, f *actions.Family, common string) {
	name, defaults := DefinitionsOf(f)
	fmt.Fprintf(b, "\n// Defaults for the actions of %s.\n%s: {\n", f.Name, defaults)
	defineArgs(b, f.Defaults(), false)
	b.WriteString(common + "}\n")
	for _, k := range f.Kinds() {
		fmt.Fprintf(b, "\n// %s\n%s%s: close({\n", k.Summary, name, diag.UpperFirst(k.Name))
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
	kinds := make([]string, len(f.Kinds()))
	for i, k := range f.Kinds() {
		kinds[i] = k.Name
		fmt.Fprintf(b, "\t// %s\n\t%s?: %s%s\n", k.Summary, k.Name, name, diag.UpperFirst(k.Name))
	}
	b.WriteString("})")
	writeExactlyOne(b, kinds)
	b.WriteString("\n")
}

// writeExactlyOne requires that exactly one of the fields is given. It makes the definition
// open again, so the caller closes it explicitly.
func writeExactlyOne(b *strings.Builder, names []string) {
	alternatives := lists.Map(names, func(name string) string { return fmt.Sprintf("{%s!: _, ...}", name) })
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
		value := "_"
		switch a.Mode {
		case actions.Typed:
		case actions.Raw:
			value = notation{}.of(a.Type)
		default:
			value = notation{templates: true}.of(a.Type)
		}
		fmt.Fprintf(b, "\t// %s\n\t%s%s: %s\n", strings.ReplaceAll(doc, "\n", "\n\t// "), a.Name, mark, value)
	}
}

// notation writes types in CUE. Details that CUE cannot express briefly are left to the
// compiler.
type notation struct {
	// templates means that a template may be in the place of each value.
	templates bool
}

// of returns a type of values and, if it may be there, of a template.
func (n notation) of(t *spec.Type) string {
	switch value := n.value(t); {
	case !n.templates || value == "_" || strings.HasSuffix(value, "#Template"):
		return value
	case value == "string":
		return "#Text"
	default:
		return value + " | #Template"
	}
}

func (n notation) value(t *spec.Type) string {
	switch {
	case t == nil:
		return "_"
	case len(t.Enum) > 0:
		return strings.Join(lists.Map(t.Enum, literal), " | ")
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
		return "[..." + n.of(t.Elem) + "]"
	case spec.Map:
		return "{[string]: " + n.of(t.Elem) + "}"
	case spec.Union:
		return strings.Join(removeDuplicates(lists.Map(t.Variants, n.value)), " | ")
	case spec.Object:
		return n.object(t)
	default:
		return "_"
	}
}

func (n notation) object(t *spec.Type) string {
	members := lists.Map(t.Fields, func(p *spec.Property) string {
		mark := "?"
		if p.Required {
			mark = "!"
		}
		return p.Name + mark + ": " + n.of(p.Type)
	})
	if t.Open {
		members = append(members, "...")
	}
	return "{" + strings.Join(members, ", ") + "}"
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
