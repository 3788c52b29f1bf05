package schema

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
)

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
			if p.Name < selfKey && isIdentifier(p.Name) {
				l.report(CodeName, p.Range, scope{where: in.where, path: in.path + ".inputs." + p.Name},
					fmt.Sprintf("%q cannot be the name of a method's input", p.Name),
					fmt.Sprintf("Pulumi wants a method's resource before all its inputs, in the order of names. Begin with a small letter: %s.", suggestion(p.Name)))
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
	for _, f := range functionsOf(l.spec) {
		if strings.EqualFold(pascal(f.Name), r.Name+pascal(m.Name)) {
			l.report(CodeSimilar, m.Range, in, fmt.Sprintf("the function %q and the method %q have one name in SDKs", f.Name, m.Name),
				fmt.Sprintf("Go names the arguments of both %s%sArgs. Rename one.", r.Name, pascal(m.Name)))
		}
	}
}
