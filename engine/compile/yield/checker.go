// Package yield checks what operations yield, by `return` or by their last step, against the
// properties that are made of it.
package yield

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// Checker compiles and checks yields.
type Checker struct {
	*finding.Collector
	Types spec.Types
	// Wire is the rule for names on the wire.
	Wire value.WireRule
}

// Target are the properties that are made of a yield, by name.
type Target struct {
	// Name is the name of the resource, function or component; Source names what yields: "read".
	Name, Source    string
	Outputs, Inputs *spec.Type
	// SetsInputs reports whether the yield also sets inputs, as that of a read does.
	SetsInputs bool
	// ReadLater reports whether an output that is missing may still be set by a read.
	ReadLater bool
}

// Compile compiles what is written as `return`. If nothing is, it checks the result of the last
// step.
func (c *Checker) Compile(to Target, op *plan.Operation, written *spec.Node, t *scopes.Trail) {
	if written != nil {
		op.Return, op.Meant = c.compileReturn(to, written, t.Scope)
		op.Broken = op.Return == nil
		return
	}
	if s := plan.Last(t.Steps); s != nil && s.ForEach == nil {
		c.checkObject(to, s.Yields(), func(p *spec.Property) diag.Range { return p.Range })
	}
}

// compileReturn compiles a `return`. It returns the properties that unknown members of it probably
// mean, too.
func (c *Checker) compileReturn(to Target, written *spec.Node, s *expr.Scope) (v *expr.Value, meant []string) {
	v = c.Template(written, s, &spec.Type{Kind: spec.Object, Open: true, Nullable: true}, "return")
	if v == nil {
		return nil, nil
	}
	if written.Kind != spec.MapNode {
		c.checkObject(to, v.Type(), func(*spec.Property) diag.Range { return written.Range })
		return v, c.checkKeys(v, "return", to.Outputs, to.Inputs)
	}
	for _, f := range written.Fields {
		if set := to.properties(f.Name); len(set) > 0 {
			c.checkMember(to, set, f, s)
			continue
		}
		if names, ok := c.reportResult(to, written, f); ok {
			meant = append(meant, names...)
			continue
		}
		meant = append(meant, c.checkName(to, f.Name, f.NameRange)...)
	}
	return v, meant
}

// checkName checks the name of a member that is written out. If it is unknown, checkName returns
// the property that it probably means.
func (c *Checker) checkName(to Target, name string, at diag.Range) (meant []string) {
	if to.Outputs.Field(name) != nil || to.Inputs.Field(name) != nil || to.Outputs.Open || to.Inputs != nil && to.Inputs.Open {
		return nil // also an input that only a read sets, where operations share a return
	}
	known := to.Outputs.FieldNames()
	if to.Inputs != nil {
		known = slices.Concat(known, to.Inputs.FieldNames())
	}
	c.Fail(finding.CodeUnknownProperty, at, "return."+name, fmt.Sprintf("no property %q to return", name),
		fmt.Sprintf("%s has no property of that name.", to.Name)).Meant(name, known)
	return []string{diag.DidYouMean(name, known)}
}

// reportResult reports a member of a `return` that is a part of the result of dynamic providers: the id, or
// the outputs in a struct of their own. It returns the outputs in it.
func (c *Checker) reportResult(to Target, written *spec.Node, f spec.Field) (meant []string, ok bool) {
	if to.Outputs.Field(f.Name) != nil || to.Outputs.Open || to.Inputs != nil && (to.Inputs.Field(f.Name) != nil || to.Inputs.Open) {
		return nil, false
	}
	summary, path := fmt.Sprintf("no property %q to return", f.Name), "return."+f.Name
	switch f.Name {
	case "outs", "outputs", "outputProperties", "properties", "state":
		if f.Value.Kind != spec.MapNode || len(f.Value.Fields) == 0 {
			return nil, false
		}
		d := c.Fail(finding.CodeUnknownProperty, f.NameRange, path, summary, fmt.Sprintf("The members of `return` are the outputs themselves. Write `return: {%s: …}`.", f.Value.Fields[0].Name))
		first, last := f.Value.Fields[0], f.Value.Fields[len(f.Value.Fields)-1]
		if f.Value.Range.Start.Line == f.Value.Range.End.Line {
			open, end := f.NameRange, f.Value.Range
			open.End, end.Start = first.NameRange.Start, last.Value.Range.End
			d.Suggest(diag.Edit{At: open}, diag.Edit{At: end})
		}
		for _, inner := range f.Value.Fields {
			meant = append(meant, inner.Name)
		}
		return meant, true
	case "id":
		if to.Source != "create" && to.Source != "update" && to.Source != "read" {
			return nil, false
		}
		text := "…"
		if f.Value.Kind == spec.StringNode {
			text = f.Value.Text
		}
		d := c.Fail(finding.CodeUnknownProperty, f.NameRange, path, summary, fmt.Sprintf("The id of a resource is a key of its own, next to create: `id: %q`. Remove it here.", text))
		if i := slices.IndexFunc(written.Fields, func(o spec.Field) bool { return o.Name == "id" }); i+1 < len(written.Fields) && written.Range.Start.Line == written.Range.End.Line {
			at := f.NameRange
			at.End = written.Fields[i+1].NameRange.Start
			d.Suggest(diag.Edit{At: at})
		}
		return nil, true
	default:
		return nil, false
	}
}

// checkKeys checks the keys that are written in an expression, whose value some of the types take:
// a member that none of them has would be lost. It returns the names that unknown keys probably
// mean.
func (c *Checker) checkKeys(v *expr.Value, path string, to ...*spec.Type) (meant []string) {
	for _, k := range v.Keys() {
		var known []string
		taken := false
		for _, t := range to {
			if t != nil {
				names, ok := c.Wire.Takes(v.Type(), t, k.Path, c.Types)
				known, taken = append(known, names...), taken || ok
			}
		}
		if taken || known == nil {
			continue
		}
		name := k.Path[len(k.Path)-1]
		d := c.Fail(types.CodeUnknownMember, k.Range, path+"."+strings.Join(k.Path, "."), fmt.Sprintf("nothing takes the member %q", name), "Its value would be lost.")
		if rule, declared := c.ruleOf(name, known); rule != "" {
			d.Detail = fmt.Sprintf("Its value would be lost. It is %s in %s: if the API has such names, add `wire: %q` to the spec or the resource; if it is the only one, declare `%s: … @wire(%s)`.", declared, rule, rule, declared, name)
		} else {
			d.Meant(name, known)
		}
		meant = append(meant, diag.DidYouMean(name, known))
	}
	return meant
}

// ruleOf returns the rule by which a name on the wire means a declared one, if no rule is declared:
// concurrency_limit is concurrencyLimit in snake_case.
func (c *Checker) ruleOf(name string, known []string) (rule, declared string) {
	if c.Wire != "" {
		return "", ""
	}
	for _, rule := range []string{"snake_case", "kebab-case", "PascalCase"} {
		for _, declared := range known {
			if declared != name && spec.WireName(rule, declared) == name {
				return rule, declared
			}
		}
	}
	return "", ""
}

// properties returns the properties that a member of the yield sets.
func (to Target) properties(name string) []*spec.Property {
	var out []*spec.Property
	if p := to.Outputs.Field(name); p != nil {
		out = append(out, p)
	}
	if p := to.Inputs.Field(name); p != nil && to.SetsInputs {
		out = append(out, p)
	}
	return out
}

// checkMember checks one member of a `return` that is written out. Its own members must fit by
// name, unless it is a template: then unknown ones are left out.
func (c *Checker) checkMember(to Target, set []*spec.Property, f spec.Field, s *expr.Scope) {
	value := c.Template(f.Value, s, nil, "return."+f.Name)
	if value == nil {
		return
	}
	takers := lists.Map(set, func(p *spec.Property) *spec.Type { return p.Type })
	if c.checkKeys(value, "return."+f.Name, takers...) != nil {
		return
	}
	for _, p := range set {
		writtenOut := f.Value.Kind != spec.StringNode
		if types.Projectable(value.Type(), p.Type, c.Types) == nil && (!writtenOut || types.Assignable(value.Type(), p.Type, c.Types) == nil) {
			continue
		}
		// The template reports the difference, of the type that it must have: null stands for
		// absence, which a required output only permits if a read can still set it.
		expected := p.Type
		if !p.Required || to.ReadLater || to.Outputs.Field(p.Name) != p {
			expected = plan.OrNull(p.Type)
		}
		c.Template(f.Value, s, expected, "return."+f.Name)
	}
	out := to.Outputs.Field(f.Name)
	if out != nil && !out.Secret && !out.Ephemeral && value.Secret() && (value.Hidden() || !keepsSecrets(value.Type(), out.Type, c.Types)) {
		c.failExposed(out, f.Value.Range, "return."+f.Name)
	}
}

// checkObject checks an object as a whole. at returns the range of a finding about a property.
func (c *Checker) checkObject(to Target, t *spec.Type, at func(*spec.Property) diag.Range) {
	t = c.Types.Resolve(t)
	if t.Kind != spec.Object {
		return
	}
	for _, f := range t.Fields {
		for _, p := range to.properties(f.Name) {
			present := *f.Type
			present.Nullable = false
			if out := to.Outputs.Field(f.Name); out == p && !p.IsSecret() && (f.IsSecret() || !keepsSecrets(f.Type, p.Type, c.Types)) {
				c.failExposed(p, at(p), p.Name)
				continue
			}
			unread := (p.NoRead || p.Ephemeral) && to.Inputs.Field(f.Name) == p // nothing is taken of it
			if unread || types.Projectable(&present, p.Type, c.Types) == nil {
				continue
			}
			c.Fail(finding.CodeTypeMismatch, at(p), p.Name, fmt.Sprintf("%s gives %s for %q, which is declared as %s", to.Source, value.Describe(f.Type), p.Name, value.Describe(p.Type)),
				"Declare the type that is given, or convert the value in a `return`.")
		}
	}
}

// failExposed reports a secret that an output would show.
func (c *Checker) failExposed(out *spec.Property, at diag.Range, path string) {
	c.Fail(finding.CodeSecretExposed, at, path, fmt.Sprintf("output %q contains a secret, and is not @secret()", out.Name),
		"Hosts show outputs. Mark it @secret(), or return something else.")
}
