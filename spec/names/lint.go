// Package names is about what a spec calls its parts, in the schemas and SDKs that are made of
// it: which names no schema or SDK can have, and what one makes of another.
package names

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// The codes of findings, of the loader's about names too.
const (
	// CodeName is a name with letters or signs that names may not have, so that no SDK could
	// have it. Pulumi's own binder accepts such, and the generators then write code that does
	// not compile.
	CodeName = "bad-name"
	// CodeReserved is a name that Pulumi or an SDK uses itself.
	CodeReserved = "reserved-name"
	// CodeSimilar are two names that are one in some SDK.
	CodeSimilar = "similar-names"
	// CodeEndless is a type that requires itself.
	CodeEndless = "endless-type"
	// CodeLanguage are options of an SDK generator that are no struct.
	CodeLanguage = "bad-language"
)

// Names that are taken, with by what. Keywords of languages (class, from) and the
// parameters of Python's constructors (opts, self) are not among them: the
// generators escape these.
var (
	reservedAnywhere = map[string]string{
		"pulumi": "Pulumi reserves it in every object",
	}
	reservedInResources = map[string]string{
		"id":          "every resource has its id under this name",
		"urn":         "every resource has its URN under this name",
		"constructor": "JavaScript's classes have their constructor under this name",
	}
	reservedInConfig = map[string]string{
		"version":     "Pulumi passes the provider's own version under this name",
		"id":          "every provider resource has its id under this name",
		"urn":         "every provider resource has its URN under this name",
		"constructor": "JavaScript's classes have their constructor under this name",
	}
	packageName  = regexp.MustCompile(`^[a-zA-Z][-a-zA-Z0-9_]*$`)
	resourceName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)
)

// Self is the argument that Pulumi calls a method with, as its binder wants it.
const Self = "__self__"

// linter collects what is wrong with the names of a spec.
type linter struct {
	spec     *spec.Provider
	findings diag.List
}

// Lint finds the names of a spec that no schema or SDK could have, beyond what is known
// already: a finding of the same code at the same place is not repeated, nor is a name
// judged that could not be read. It takes what could be understood of a broken spec, so that
// all mistakes are told in one run.
func Lint(p *spec.Provider, known diag.List) diag.List {
	return slices.DeleteFunc(lint(p), func(d diag.Diagnostic) bool {
		return d.Path == "name" && p.Name == "" && known.HasErrors() || slices.ContainsFunc(known, func(k diag.Diagnostic) bool {
			return k.Code == d.Code && k.Subject.File == d.Subject.File && k.Subject.Start == d.Subject.Start
		})
	})
}

func lint(p *spec.Provider) diag.List {
	l := &linter{spec: p}
	l.packageName()
	l.languages()
	l.object(p.Config, scope{where: "config", path: "config", reserved: reservedInConfig})
	for _, key := range slices.Sorted(maps.Keys(Shown(p))) {
		l.object(p.Types[key].Type, scope{where: fmt.Sprintf("type %q", p.Types[key].Name), path: key})
	}
	l.resourceNames()
	for _, r := range p.Resources {
		where, path := fmt.Sprintf("resource %q", r.Name), "resources."+r.Name
		l.object(r.Inputs, scope{where: where + ", inputs", path: path + ".inputs", reserved: reservedInResources})
		l.object(r.Outputs, scope{where: where + ", outputs", path: path + ".outputs", reserved: reservedInResources})
		l.acrossSides(r, scope{where: where, path: path})
		l.methods(r, scope{where: where, path: path})
		if r.List != nil {
			l.object(r.List.Inputs, scope{where: where + ", list", path: path + ".list.inputs"})
		}
	}
	l.functionNames()
	for _, m := range p.Components {
		where, path := fmt.Sprintf("component %q", m.Name), "components."+m.Name
		l.object(m.Inputs, scope{where: where + ", inputs", path: path + ".inputs", reserved: reservedInResources})
		l.object(m.Outputs, scope{where: where + ", outputs", path: path + ".outputs", reserved: reservedInResources})
	}
	for _, f := range p.Functions {
		l.function(f, scope{where: fmt.Sprintf("function %q", f.Name), path: "functions." + f.Name})
	}
	for _, e := range p.Ephemerals {
		l.function(e.Opener(), scope{where: fmt.Sprintf("ephemeral %q", e.Name), path: "ephemerals." + e.Name})
	}
	l.endless()
	return l.findings.Sorted()
}

// scope is where the linter is, in the words of diagnostics.
type scope struct {
	where, path string
	reserved    map[string]string
}

func (l *linter) report(code string, at diag.Range, s scope, summary, detail string) {
	l.findings = append(l.findings, diag.Diagnostic{
		Severity: diag.Error, Code: code, Summary: summary, Detail: detail, Subject: at, Context: s.where, Path: s.path,
	})
}

func (l *linter) packageName() {
	s := scope{path: "name"}
	switch name := l.spec.Name; {
	case !packageName.MatchString(name):
		l.report(CodeName, l.spec.Range, s, fmt.Sprintf("%q cannot be the name of a provider", name),
			"A name is a letter, then letters, digits, - and _.")
	case name == "pulumi" || name == "input":
		l.report(CodeReserved, l.spec.Range, s, fmt.Sprintf("the name %q is reserved", name), "Pulumi uses it for itself. Take another.")
	}
}

func (l *linter) languages() {
	for _, name := range slices.Sorted(maps.Keys(l.spec.Language)) {
		if _, ok := l.spec.Language[name].(map[string]any); !ok {
			l.report(CodeLanguage, l.spec.Range, scope{path: "language." + name}, fmt.Sprintf("the options for %s are no struct", name),
				"The SDK generator of a language takes options by name: language: nodejs: packageName: \"@me/x\".")
		}
	}
}

func (l *linter) resourceNames() {
	seen := map[string]string{}
	for _, r := range l.spec.Resources {
		l.className(r.Name, "resource", r.Range, seen)
	}
	for _, m := range l.spec.Components {
		l.className(m.Name, "component", m.Range, seen)
	}
}

// functionNames finds functions whose tokens are one, with those that open
// ephemerals.
func (l *linter) functionNames() {
	seen := map[string]string{}
	for _, r := range l.spec.Resources {
		seen[strings.ToLower(r.Name)] = r.Name
	}
	for _, m := range l.spec.Components {
		seen[strings.ToLower(m.Name)] = m.Name
	}
	name := func(f *spec.Function, s scope, remedy string) {
		lower := strings.ToLower(f.Name)
		if other, taken := seen[lower]; taken {
			l.report(CodeSimilar, f.Range, s, fmt.Sprintf("the function %q and %q differ by case at most", f.Name, other),
				"Pulumi takes their tokens for one. Rename one"+remedy)
		}
		seen[lower] = f.Name
	}
	for _, f := range l.spec.Functions {
		name(f, scope{where: fmt.Sprintf("function %q", f.Name), path: "functions." + f.Name}, ", such as get"+Pascal(f.Name)+".")
	}
	for _, e := range l.spec.Ephemerals {
		name(e.Opener(), scope{where: fmt.Sprintf("ephemeral %q", e.Name), path: "ephemerals." + e.Name}, ": Pulumi has the ephemeral as a function of that name.")
	}
}

// function looks at the properties of one.
func (l *linter) function(f *spec.Function, s scope) {
	l.object(f.Inputs, scope{where: s.where + ", inputs", path: s.path + ".inputs"})
	l.object(f.Outputs, scope{where: s.where + ", outputs", path: s.path + ".outputs"})
}

// className looks at the name of a resource or component; seen are those before
// it, without regard to case.
func (l *linter) className(name, what string, at diag.Range, seen map[string]string) {
	s := scope{where: fmt.Sprintf("%s %q", what, name), path: what + "s." + name}
	lower := strings.ToLower(name)
	switch other, taken := seen[lower]; {
	case !resourceName.MatchString(name):
		l.report(CodeName, at, s, fmt.Sprintf("%q cannot be the name of a %s", name, what),
			"SDKs have a class of this name: a letter, then letters, digits and _.")
	case lower == "provider" || lower == "pulumi":
		l.report(CodeReserved, at, s, fmt.Sprintf("the %s name %q is reserved", what, name),
			"Every SDK has a class of this name already. Take another.")
	case taken && other != name: // of one name twice the loader speaks
		l.report(CodeSimilar, at, s, fmt.Sprintf("%q and the %s %q differ by case alone", other, what, name),
			"SDKs put each into a file of its name, and Pulumi refuses both. Rename one.")
	}
	seen[lower] = name
}

// object looks at the properties of a type and of what is written inside it.
func (l *linter) object(t *spec.Type, s scope) {
	if t == nil || t.Ref != "" {
		return // a definition is looked at once, where it is written
	}
	seen := map[string]string{}
	for _, f := range t.Fields {
		in := scope{where: s.where, path: s.path + "." + f.Name}
		l.property(f, in, s.reserved)
		key := snake(f.Name)
		if other, taken := seen[key]; taken && other != f.Name {
			l.report(CodeSimilar, f.Range, in, fmt.Sprintf("the properties %q and %q have one name in SDKs", other, f.Name),
				fmt.Sprintf("Python has %s for both. Rename one, with @wire(%s) if the world calls it so.", key, f.Name))
		}
		seen[key] = f.Name
		l.object(f.Type, in)
	}
	l.object(t.Elem, scope{where: s.where, path: s.path})
	for _, v := range t.Variants {
		l.object(v, scope{where: s.where, path: s.path})
	}
}

func (l *linter) property(f *spec.Property, s scope, reserved map[string]string) {
	why, isReserved := reserved[f.Name]
	if why2, ok := reservedAnywhere[f.Name]; ok {
		why, isReserved = why2, true
	}
	switch {
	case !IsIdentifier(f.Name):
		l.report(CodeName, f.Range, s, fmt.Sprintf("%q cannot be the name of a property", f.Name),
			fmt.Sprintf("SDKs have a variable of this name: letters, digits and _, not a digit first. Call it %s @wire(%q).", Suggest(f.Name, false), f.Name))
	case isReserved:
		l.report(CodeReserved, f.Range, s, fmt.Sprintf("the property name %q is reserved", f.Name),
			fmt.Sprintf("%s. Take another name, with @wire(%s) if the world calls it so.", capital(why), f.Name))
	case strings.HasPrefix(f.Name, "__"):
		l.report(CodeReserved, f.Range, s, fmt.Sprintf("the property name %q is reserved", f.Name),
			fmt.Sprintf("Pulumi hides properties that begin with __. Call it %s @wire(%s).", strings.TrimLeft(f.Name, "_"), f.Name))
	}
}

// acrossSides finds an input and an output that an SDK cannot tell apart, though
// they are not the same property.
func (l *linter) acrossSides(r *spec.Resource, s scope) {
	if r.Inputs == nil || r.Outputs == nil {
		return
	}
	inputs := map[string]string{}
	for _, f := range r.Inputs.Fields {
		inputs[snake(f.Name)] = f.Name
	}
	for _, f := range r.Outputs.Fields {
		if other, ok := inputs[snake(f.Name)]; ok && other != f.Name {
			l.report(CodeSimilar, f.Range, scope{where: s.where, path: s.path + ".outputs." + f.Name},
				fmt.Sprintf("the input %q and the output %q have one name in SDKs", other, f.Name),
				"Give both the same name if they are the same property, else rename one.")
		}
	}
}

// snake returns a name as Python's generator folds it, and as Go's does: case and _
// between words do not count.
func snake(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if isUpper(r) && i > 0 && runes[i-1] != '_' && (!isUpper(runes[i-1]) || i+1 < len(runes) && isLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

func isUpper(r rune) bool { return 'A' <= r && r <= 'Z' }
func isLower(r rune) bool { return 'a' <= r && r <= 'z' }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// endless finds types that require a value of themselves, which no program could
// write down.
func (l *linter) endless() {
	for _, key := range slices.Sorted(maps.Keys(l.spec.Types)) {
		named := l.spec.Types[key]
		if l.requires(named.Type, key, nil) {
			l.report(CodeEndless, named.At, scope{where: fmt.Sprintf("type %q", named.Name), path: key},
				fmt.Sprintf("a value of %q must hold another, without end", named.Name),
				"Make the property that leads back optional, or a list.")
		}
	}
}

// requires reports whether every value of the type holds one of the definition.
func (l *linter) requires(t *spec.Type, key string, through []string) bool {
	if t == nil || t.Nullable {
		return false
	}
	if t.Ref != "" {
		if t.Ref == key {
			return true
		}
		named, ok := l.spec.Types[t.Ref]
		if !ok || slices.Contains(through, t.Ref) {
			return false
		}
		return l.requires(named.Type, key, append(through, t.Ref))
	}
	return t.Kind == spec.Object && slices.ContainsFunc(t.Fields, func(f *spec.Property) bool {
		return f.Required && l.requires(f.Type, key, through)
	})
}

// reservedMethods are names of methods that an SDK's classes of resources have
// already.
var reservedMethods = map[string]string{
	"get":         "Python's classes look existing resources up under this name",
	"id":          "every resource has its id under this name",
	"urn":         "every resource has its URN under this name",
	"constructor": "JavaScript's classes have their constructor under this name",
	"elementtype": "Go's resources have a method of this name",
}

// methods looks at the names of a resource's methods: an SDK has each beside the
// resource's properties, and types for its arguments and its result beside the
// provider's functions.
func (l *linter) methods(r *spec.Resource, s scope) {
	seen := map[string]string{}
	for _, t := range []*spec.Type{r.Inputs, r.Outputs} {
		if t == nil {
			continue
		}
		for _, p := range t.Fields {
			seen[snake(p.Name)] = fmt.Sprintf("the property %q", p.Name)
		}
	}
	for _, m := range r.Methods {
		in := scope{where: fmt.Sprintf("%s, method %q", s.where, m.Name), path: s.path + ".methods." + m.Name}
		l.methodName(r, m, in, seen)
		seen[snake(m.Name)] = fmt.Sprintf("the method %q", m.Name)
		l.object(m.Inputs, scope{where: in.where + ", inputs", path: in.path + ".inputs"})
		l.object(m.Outputs, scope{where: in.where + ", outputs", path: in.path + ".outputs"})
		for _, p := range m.Inputs.Fields {
			if p.Name < Self && IsIdentifier(p.Name) {
				l.report(CodeName, p.Range, scope{where: in.where, path: in.path + ".inputs." + p.Name},
					fmt.Sprintf("%q cannot be the name of a method's input", p.Name),
					fmt.Sprintf("Pulumi wants a method's resource before all its inputs, in the order of names. Begin with a small letter: %s.", Suggest(p.Name, false)))
			}
		}
	}
}

func (l *linter) methodName(r *spec.Resource, m *spec.Function, in scope, seen map[string]string) {
	if other, taken := seen[snake(m.Name)]; taken {
		l.report(CodeSimilar, m.Range, in, fmt.Sprintf("%s and the method %q have one name in SDKs", other, m.Name),
			"A class has both under that name. Rename one.")
		return
	}
	if why, reserved := reservedMethods[strings.ToLower(m.Name)]; reserved {
		l.report(CodeReserved, m.Range, in, fmt.Sprintf("the method name %q is reserved", m.Name), capital(why)+". Take another.")
		return
	}
	for _, f := range Functions(l.spec) {
		if strings.EqualFold(Pascal(f.Name), r.Name+Pascal(m.Name)) {
			l.report(CodeSimilar, m.Range, in, fmt.Sprintf("the function %q and the method %q have one name in SDKs", f.Name, m.Name),
				fmt.Sprintf("Go names the arguments of both %s%sArgs. Rename one.", r.Name, Pascal(m.Name)))
		}
	}
}
