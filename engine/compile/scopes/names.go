// Package scopes makes the scopes of templates: which names a template may use at a place of the
// spec, and of which types they are.
package scopes

import (
	"fmt"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/foreign"
)

// languageNames are all names of the language, and where each is available. If that is "", the
// families say so.
var languageNames = []struct{ name, where string }{
	{"inputs", "in resources, functions and methods"},
	{"config", "everywhere"},
	{"session", "in the operations of specs that have `configure`"},
	{"state", "in read, update, delete and methods"},
	{"made", "in read, update and delete of resources whose create names (`as`) a step with an effect"},
	{"changes", "in update"},
	{"id", "in read, update, delete and methods, and in create once it is known"},
	{"steps", "after a step that is named with `as`"},
	{"result", "after the first step, and in a step's own until, refused, fail, progress, gone and retry"},
	{"body", ""},
	{"status", ""},
	{"headers", ""},
	{"errors", "after a GraphQL request, and in its own refused, fail, gone, until, retry and error"},
	{"each", "in a step or child with forEach, and in list"},
	{"children", "in the children and the return of a component"},
	{"resource", "in resources and components"},
	{"old", "in upgrade and in @equal"},
	{"new", "in @equal"},
	{"error", "in retry.if, and in undo steps"},
	{"now", "in expressions that sign a request (`auth: sign`)"},
	{"request", "in expressions that sign a request (`auth: sign`)"},
}

// absences are the messages about languageNames in other places, "" where the families say so.
var absences = sync.OnceValue(func() []string {
	var all []string
	for _, name := range languageNames {
		text := ""
		if name.where != "" {
			text = absence(name.name, name.where)
		}
		all = append(all, text)
	}
	return all
})

func absence(name, where string) string {
	return fmt.Sprintf("%q is available %s, not here.", name, where)
}

// Names are the names that the spec as a whole has.
type Names struct {
	Spec     *spec.Provider
	Families []*actions.Family
	// Session is the type of `session`, or nil if the spec has no `configure`.
	Session *spec.Type
	// SessionSecret reports whether the session is secret as a whole.
	SessionSecret bool

	resources *expr.Resources
}

// New returns the names of a spec.
func New(p *spec.Provider, families []*actions.Family) *Names {
	byName := sync.OnceValue(func() map[string]string { return namesOfResources(p) })
	return &Names{Spec: p, Families: families, resources: &expr.Resources{Named: func(name string) string {
		all := byName()
		if own := all[name]; own != "" {
			return own
		}
		plain := foreign.PlainName(name)
		for _, form := range []string{plain, strings.TrimSuffix(plain, "s"), strings.TrimPrefix(plain, foreign.PlainName(p.Name))} {
			if own := all[form]; own != "" {
				return own
			}
		}
		return ""
	}}}
}

// namesOfResources returns the resources of a spec by their names, also those without style.
func namesOfResources(p *spec.Provider) map[string]string {
	all := make(map[string]string, 2*len(p.Resources))
	for _, r := range p.Resources {
		all[r.Name] = r.Name
		if plain := foreign.PlainName(r.Name); all[plain] == "" {
			all[plain] = r.Name
		}
	}
	return all
}

// Of returns a scope as that of a resource.
func Of(s *expr.Scope, resource string) *expr.Scope {
	if s.Resources != nil {
		of := *s.Resources
		of.Own = resource
		s.Resources = &of
	}
	return s
}

// Scope returns the scope with these names. Of the other names of the language it knows where
// they are available.
func (n *Names) Scope(present ...expr.Name) *expr.Scope {
	s := &expr.Scope{Types: n.Spec.Types, Resources: n.resources}
	here := map[string]bool{}
	for _, name := range present {
		here[name.Name] = true
		s.Names = append(s.Names, name)
	}
	for i, name := range languageNames {
		if here[name.name] {
			continue
		}
		absent := absences()[i]
		if absent == "" {
			absent = absence(name.name, "after a step of "+n.familiesWithShorthands())
		}
		s.Names = append(s.Names, expr.Name{Name: name.name, Absent: absent})
	}
	return s
}

// familiesWithShorthands names the families whose results have shorthands.
func (n *Names) familiesWithShorthands() string {
	var all []string
	for _, f := range n.Families {
		if f.Shorthands {
			all = append(all, f.Name)
		}
	}
	if all == nil {
		return "an action that has it (there is none)"
	}
	return diag.Or(all)
}

// ConfigScope returns the scope of templates that see the configuration alone.
func (n *Names) ConfigScope() *expr.Scope { return n.Scope(n.ConfigName()) }

// ConfigName returns the name `config`, with its members as Check leaves them: settings have their
// defaults, and only optional ones may be absent.
func (n *Names) ConfigName() expr.Name {
	return expr.Name{Name: "config", Type: CheckedType(n.Spec.Config)}
}

// CommonScope returns the scope with these names and those that every operation has.
func (n *Names) CommonScope(names ...expr.Name) *expr.Scope {
	names = append(names, n.ConfigName())
	if n.Session != nil {
		names = append(names, expr.Name{Name: "session", Type: n.Session, Secret: n.SessionSecret})
	}
	return n.Scope(names...)
}

// ResourceName returns the name `resource`. Its name may be null: a host need not have one.
func ResourceName() expr.Name {
	return expr.Name{Name: "resource", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "name", Type: OptionalString, Required: true},
		{Name: "type", Type: StringType, Required: true},
	}}}
}

// Untyped returns a scope with every name of the language, of any type. It serves to find the
// references of a template.
func Untyped() *expr.Scope {
	s := &expr.Scope{}
	for _, n := range languageNames {
		s.Names = append(s.Names, expr.Name{Name: n.name})
	}
	return s
}
