// Package names checks the names in a spec against the rules of schemas and SDKs, and
// converts them to other naming styles.
package names

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// The codes of findings about names. The loader uses them as well.
const (
	// CodeName is a name that no SDK can have, because of its characters or its length.
	// Pulumi's own binder accepts such names, but the generators then write code that
	// does not compile.
	CodeName = "bad-name"
	// CodeReserved is a name that Pulumi or an SDK reserves.
	CodeReserved = "reserved-name"
	// CodeSimilar are two names that are the same name in some SDK.
	CodeSimilar = "similar-names"
	// CodeEndless is a type that requires a value of itself.
	CodeEndless = "endless-type"
	// CodeLanguage are options of an SDK generator that are not a struct.
	CodeLanguage = "bad-language"
)

// The reserved names, with the reason for each. Keywords of languages (class, from)
// and the parameters of Python's constructors (opts, self) are not reserved, because
// the generators escape them.
var (
	reservedAnywhere = map[string]string{
		"pulumi": "Pulumi reserves it in every object",
	}
	reservedInResources = map[string]string{
		"id":          "every resource has its id under this name",
		"urn":         "every resource has its URN under this name",
		"constructor": "it is the constructor of JavaScript classes",
	}
	reservedInConfig = map[string]string{
		"version":     "Pulumi passes the provider's own version under this name",
		"id":          "every provider resource has its id under this name",
		"urn":         "every provider resource has its URN under this name",
		"constructor": "it is the constructor of JavaScript classes",
	}
	packageName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z][-a-zA-Z0-9_]*$`) })
	resourceName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`) })
)

// Self is the name of the argument with which Pulumi passes the resource of a method.
// Pulumi's binder requires this name.
const Self = "__self__"

// linter collects the findings about the names of a spec.
type linter struct {
	spec     *spec.Provider
	findings diag.List
}

// Lint finds names that are invalid in a schema or an SDK. It does not repeat
// findings in known (same code and place), and ignores names that could not be read.
// p may be incomplete, so that one run reports all mistakes.
func Lint(p *spec.Provider, known diag.List) diag.List {
	return slices.DeleteFunc(lint(p), func(d diag.Diagnostic) bool {
		return d.Path == "name" && p.Name == "" && known.HasErrors() || slices.ContainsFunc(known, func(k diag.Diagnostic) bool {
			return k.Code == d.Code && k.Subject.File == d.Subject.File && k.Subject.Start == d.Subject.Start
		})
	})
}

func lint(p *spec.Provider) diag.List {
	l := &linter{spec: p}
	l.checkPackageName()
	l.checkLanguages()
	l.checkObject(p.Config, scope{where: "config", path: "config", reserved: reservedInConfig})
	for _, key := range slices.Sorted(maps.Keys(SchemaTypes(p))) {
		l.checkObject(p.Types[key].Type, scope{where: fmt.Sprintf("type %q", p.Types[key].Name), path: key})
	}
	l.checkResourceNames()
	for _, r := range p.Resources {
		where, path := fmt.Sprintf("resource %q", r.Name), "resources."+r.Name
		l.checkObject(r.Inputs, scope{where: where + ", inputs", path: path + ".inputs", reserved: reservedInResources})
		l.checkObject(r.Outputs, scope{where: where + ", outputs", path: path + ".outputs", reserved: reservedInResources})
		l.checkInputsAgainstOutputs(r, scope{where: where, path: path})
		l.checkMethods(r, scope{where: where, path: path})
		if r.List != nil {
			l.checkObject(r.List.Inputs, scope{where: where + ", list", path: path + ".list.inputs"})
		}
	}
	l.checkFunctionNames()
	for _, m := range p.Components {
		where, path := fmt.Sprintf("component %q", m.Name), "components."+m.Name
		l.checkObject(m.Inputs, scope{where: where + ", inputs", path: path + ".inputs", reserved: reservedInResources})
		l.checkObject(m.Outputs, scope{where: where + ", outputs", path: path + ".outputs", reserved: reservedInResources})
	}
	for _, f := range p.Functions {
		l.checkFunction(f, scope{where: fmt.Sprintf("function %q", f.Name), path: "functions." + f.Name})
	}
	for _, e := range p.Ephemerals {
		l.checkFunction(e.Opener(), scope{where: fmt.Sprintf("ephemeral %q", e.Name), path: "ephemerals." + e.Name})
	}
	l.checkEndless()
	return l.findings.Sorted()
}

// scope is the position of the linter, as diagnostics show it.
type scope struct {
	where, path string
	reserved    map[string]string
}

func (l *linter) report(code string, at diag.Range, s scope, summary, detail string) {
	l.findings = append(l.findings, diag.Diagnostic{
		Severity: diag.Error, Code: code, Summary: summary, Detail: detail, Subject: at, Context: s.where, Path: s.path,
	})
}

func (l *linter) checkPackageName() {
	s := scope{path: "name"}
	switch name := l.spec.Name; {
	case !packageName().MatchString(name):
		l.report(CodeName, l.spec.Range, s, fmt.Sprintf("%q cannot be the name of a provider", name),
			"Use letters, digits, - and _, and begin with a letter.")
	case name == "pulumi" || name == "input":
		l.report(CodeReserved, l.spec.Range, s, fmt.Sprintf("the name %q is reserved", name), "Pulumi uses it. Choose another name.")
	}
}

func (l *linter) checkLanguages() {
	for _, name := range slices.Sorted(maps.Keys(l.spec.Language)) {
		if _, ok := l.spec.Language[name].(map[string]any); !ok {
			l.report(CodeLanguage, l.spec.Range, scope{path: "language." + name}, fmt.Sprintf("the options for %s must be a struct", name),
				"Write the options of an SDK generator by name: language: nodejs: packageName: \"@me/x\".")
		}
	}
}

func (l *linter) checkResourceNames() {
	seen := map[string]string{}
	for _, r := range l.spec.Resources {
		l.checkClassName(r.Name, "resource", r.Range, seen)
	}
	for _, m := range l.spec.Components {
		l.checkClassName(m.Name, "component", m.Range, seen)
	}
}

// checkFunctionNames reports functions, including those that open ephemerals, whose names
// differ at most in case from that of a resource, a component or another function.
func (l *linter) checkFunctionNames() {
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
			l.report(CodeSimilar, f.Range, s, fmt.Sprintf("the function %q and %q differ at most in case", f.Name, other),
				"Pulumi does not distinguish their tokens. Rename one"+remedy)
		}
		seen[lower] = f.Name
	}
	for _, f := range l.spec.Functions {
		name(f, scope{where: fmt.Sprintf("function %q", f.Name), path: "functions." + f.Name}, ", such as get"+Pascal(f.Name)+".")
	}
	for _, e := range l.spec.Ephemerals {
		name(e.Opener(), scope{where: fmt.Sprintf("ephemeral %q", e.Name), path: "ephemerals." + e.Name}, ": Pulumi opens the ephemeral by a function with that name.")
	}
}

// checkFunction checks the properties of a function.
func (l *linter) checkFunction(f *spec.Function, s scope) {
	l.checkObject(f.Inputs, scope{where: s.where + ", inputs", path: s.path + ".inputs"})
	l.checkObject(f.Outputs, scope{where: s.where + ", outputs", path: s.path + ".outputs"})
}

// checkClassName checks the name of a resource or component. seen maps the previous names
// in lower case to the names as written.
func (l *linter) checkClassName(name, what string, at diag.Range, seen map[string]string) {
	s := scope{where: fmt.Sprintf("%s %q", what, name), path: what + "s." + name}
	lower := strings.ToLower(name)
	switch other, taken := seen[lower]; {
	case !resourceName().MatchString(name):
		l.report(CodeName, at, s, fmt.Sprintf("%q cannot be the name of a %s", name, what),
			"SDKs declare a class with this name. Use letters, digits and _, and begin with a letter.")
	case lower == "provider" || lower == "pulumi":
		l.report(CodeReserved, at, s, fmt.Sprintf("the %s name %q is reserved", what, name),
			"Every SDK declares a class with this name. Choose another name.")
	case taken && other != name: // the loader reports duplicate names
		l.report(CodeSimilar, at, s, fmt.Sprintf("%q and the %s %q only differ in case", other, what, name),
			"SDKs name files after them, and Pulumi rejects both. Rename one.")
	}
	seen[lower] = name
}

// checkObject checks the properties of a type, including those of nested types.
func (l *linter) checkObject(t *spec.Type, s scope) {
	if t == nil || t.Ref != "" {
		return // a definition is checked once, where it is declared
	}
	seen := map[string]string{}
	for _, f := range t.Fields {
		in := scope{where: s.where, path: s.path + "." + f.Name}
		l.checkProperty(f, in, s.reserved)
		key := snake(f.Name)
		if other, taken := seen[key]; taken && other != f.Name {
			l.report(CodeSimilar, f.Range, in, fmt.Sprintf("the properties %q and %q have the same name in SDKs", other, f.Name),
				fmt.Sprintf("Python names both %s. Rename one. If the API uses the name %s, keep it there with @wire(%[2]s).", key, f.Name))
		}
		seen[key] = f.Name
		l.checkObject(f.Type, in)
	}
	l.checkObject(t.Elem, scope{where: s.where, path: s.path})
	for _, v := range t.Variants {
		l.checkObject(v, scope{where: s.where, path: s.path})
	}
}

func (l *linter) checkProperty(f *spec.Property, s scope, reserved map[string]string) {
	why, isReserved := reserved[f.Name]
	if why2, ok := reservedAnywhere[f.Name]; ok {
		why, isReserved = why2, true
	}
	switch {
	case !IsIdentifier(f.Name):
		l.report(CodeName, f.Range, s, fmt.Sprintf("%q cannot be the name of a property", f.Name),
			fmt.Sprintf("SDKs declare a variable with this name. Use letters, digits and _, and do not begin with a digit: %s @wire(%q).", Suggest(f.Name, false), f.Name))
	case isReserved:
		l.report(CodeReserved, f.Range, s, fmt.Sprintf("the property name %q is reserved", f.Name),
			fmt.Sprintf("%s. Choose another name, with @wire(%s) if the API uses this one.", diag.UpperFirst(why), f.Name))
	case strings.HasPrefix(f.Name, "__"):
		l.report(CodeReserved, f.Range, s, fmt.Sprintf("the property name %q is reserved", f.Name),
			fmt.Sprintf("Pulumi hides properties that begin with __. Name it %s @wire(%s).", strings.TrimLeft(f.Name, "_"), f.Name))
	}
}

// checkInputsAgainstOutputs reports an input and an output that are different properties, but have
// the same name in SDKs.
func (l *linter) checkInputsAgainstOutputs(r *spec.Resource, s scope) {
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
				fmt.Sprintf("the input %q and the output %q have the same name in SDKs", other, f.Name),
				"If they are the same property, use one name. Otherwise rename one.")
		}
	}
}

// snake returns the key under which the generators for Python and Go compare names:
// case and _ between words are ignored.
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

// checkEndless reports types that require a value of themselves, and therefore have no
// finite value.
func (l *linter) checkEndless() {
	for _, key := range slices.Sorted(maps.Keys(l.spec.Types)) {
		named := l.spec.Types[key]
		if l.requires(named.Type, key, nil) {
			l.report(CodeEndless, named.At, scope{where: fmt.Sprintf("type %q", named.Name), path: key},
				fmt.Sprintf("%q requires a value of itself, so no value is finite", named.Name),
				"Make the recursive property optional, or a list.")
		}
	}
}

// requires reports whether every value of a type contains a value of the definition
// key.
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

// reservedMethods are names of methods that the resource classes of an SDK already
// have.
var reservedMethods = map[string]string{
	"get":         "Python classes look up existing resources with this method",
	"id":          "every resource has its id under this name",
	"urn":         "every resource has its URN under this name",
	"constructor": "it is the constructor of JavaScript classes",
	"elementtype": "Go resources have a method with this name",
}

// checkMethods checks the names of the methods of a resource. In an SDK, they share a
// namespace with the properties of the resource, and their argument and result types
// share one with the functions of the provider.
func (l *linter) checkMethods(r *spec.Resource, s scope) {
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
		l.checkMethodName(r, m, in, seen)
		seen[snake(m.Name)] = fmt.Sprintf("the method %q", m.Name)
		l.checkObject(m.Inputs, scope{where: in.where + ", inputs", path: in.path + ".inputs"})
		l.checkObject(m.Outputs, scope{where: in.where + ", outputs", path: in.path + ".outputs"})
		for _, p := range m.Inputs.Fields {
			if p.Name < Self && IsIdentifier(p.Name) {
				l.report(CodeName, p.Range, scope{where: in.where, path: in.path + ".inputs." + p.Name},
					fmt.Sprintf("%q cannot be the name of a method's input", p.Name),
					fmt.Sprintf("Pulumi requires the names of inputs to sort after __self__. Begin with a lower-case letter: %s.", Suggest(p.Name, false)))
			}
		}
	}
}

func (l *linter) checkMethodName(r *spec.Resource, m *spec.Function, in scope, seen map[string]string) {
	if other, taken := seen[snake(m.Name)]; taken {
		l.report(CodeSimilar, m.Range, in, fmt.Sprintf("%s and the method %q have the same name in SDKs", other, m.Name),
			"Both are members of the same class. Rename one.")
		return
	}
	if why, reserved := reservedMethods[strings.ToLower(m.Name)]; reserved {
		l.report(CodeReserved, m.Range, in, fmt.Sprintf("the method name %q is reserved", m.Name), diag.UpperFirst(why)+". Choose another name.")
		return
	}
	for _, f := range Functions(l.spec) {
		if strings.EqualFold(Pascal(f.Name), r.Name+Pascal(m.Name)) {
			l.report(CodeSimilar, m.Range, in, fmt.Sprintf("the function %q and the method %q have the same name in SDKs", f.Name, m.Name),
				fmt.Sprintf("Go names the arguments of both %s%sArgs. Rename one.", r.Name, Pascal(m.Name)))
		}
	}
}
