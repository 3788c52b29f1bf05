package rest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/template"
)

// checkReset warns of members of `reset` that are none of the resource, or that have a value of another kind: the API would ignore them, and
// nobody would see that the delete resets nothing.
func checkReset(x *options) {
	if x.s.Reset == nil || x.own["delete"] {
		return
	}
	members := &spec.Type{Kind: spec.Object, Fields: slices.Concat(x.r.Inputs.Fields, x.r.Outputs.Fields)}
	if x.returns != nil {
		returned := x.provider.Types.Resolve(x.returns)
		members.Open = returned.Open
		members.Fields = append(members.Fields, returned.Fields...)
	}
	(&resetCheck{x, x.place.Member("reset")}).members(x.s.Reset, nil, members)
}

// resetCheck compares the members of `reset` with those of the resource.
type resetCheck struct {
	*options
	place source.Place
}

// members checks the members of a struct of reset. path is where it is within the members of the type.
func (c *resetCheck) members(n *spec.Node, path []string, t *spec.Type) {
	if n.Kind != spec.MapNode {
		return // an expression, or null
	}
	for _, f := range n.Fields {
		at := append(slices.Clone(path), f.Name)
		var names []string // of the members next to this one
		known, contains := t.Open, false
		for _, p := range t.Fields {
			wire := p.WirePath(c.rule)
			if len(wire) <= len(path) || !slices.Equal(wire[:len(path)], path) {
				continue
			}
			names = append(names, wire[len(path)])
			switch {
			case slices.Equal(wire, at):
				known = true
				c.value(f, p)
			case wire[len(path)] == f.Name:
				known, contains = true, true
			}
		}
		if contains {
			c.members(f.Value, at, t)
		}
		if !known {
			c.unknown(f, path, names, t)
		}
	}
}

// value checks the value of a member.
func (c *resetCheck) value(f spec.Field, p *spec.Property) {
	t := c.provider.Types.Resolve(p.Type)
	if t.Kind == spec.Object {
		c.members(f.Value, nil, t)
	}
	kinds := map[spec.Kind]spec.NodeKind{
		spec.Bool: spec.BoolNode, spec.Int: spec.NumberNode, spec.Number: spec.NumberNode, spec.String: spec.StringNode,
		spec.List: spec.ListNode, spec.Map: spec.MapNode, spec.Object: spec.MapNode,
	}
	want, known := kinds[t.Kind]
	if t.OnWire != spec.Any {
		want, known = kinds[t.OnWire]
	}
	if n := f.Value; known && n.Kind != 0 && n.Kind != spec.NullNode && n.Kind != want && !template.IsTemplate(n.Text) {
		c.Warn(source.CodeResetMember, n.Range, c.place.Member(f.Name), fmt.Sprintf("reset has %s for %s, which is %s", n.Kind, f.Name, want),
			"The API may refuse it when a resource is deleted. Write the value that an object has which nobody has changed.")
	}
}

// unknown reports a member that the resource does not have.
func (c *resetCheck) unknown(f spec.Field, path, names []string, t *spec.Type) {
	at := f.NameRange
	if at.IsZero() {
		at = f.Value.Range
	}
	d := c.Warn(source.CodeResetMember, at, c.place.Member(f.Name), fmt.Sprintf("%s of reset is no member of the settings", f.Name),
		"reset has names on the wire. What every request contains is written in `body`; a member that no program sets, as an optional input.")
	if i := slices.IndexFunc(t.Fields, func(p *spec.Property) bool { return p.Name == f.Name && len(path) == 0 }); i >= 0 {
		wire := t.Fields[i].WirePath(c.rule)
		d.Detail = fmt.Sprintf("reset has names on the wire: write `%s`.", strings.Join(wire, ": "))
		if len(wire) == 1 {
			d.Replace(f.Name, wire[0])
		}
		return
	}
	if diag.DidYouMean(f.Name, names) != "" {
		d.Detail = ""
		d.Meant(f.Name, names)
	}
}

// Settings are a resource with `singleton: true`, for ReportShared. Rule is the naming rule of the spec.
type Settings struct {
	Resource *spec.Resource
	Rest     *spec.Rest
	Rule     string
	Place    source.Place
}

// ReportShared warns of a delete of settings that resets what another resource sets: their paths are the same.
func ReportShared(doc *source.Document, all []Settings) {
	for i, a := range all {
		for j, b := range all {
			if what := a.resets(b); i != j && what != "" {
				doc.Warn(source.CodeSharedReset, a.resetsBy().Range, a.Place.Member("reset"), fmt.Sprintf("the delete of a %s resets %s of %s", a.Resource.Name, what, b.Resource.Name),
					"Both have the same path. Let one resource have each of the settings, and reset its own only.")
			}
		}
	}
}

// resetsBy returns what makes a delete reset the settings at their own path, or nil.
func (s Settings) resetsBy() *spec.Node {
	switch {
	case s.Resource.Delete == nil || !s.Resource.Delete.Rest:
		return nil
	case s.Rest.Reset != nil:
		return s.Rest.Reset
	case s.Rest.Delete != nil && !strings.Contains(s.Rest.Delete.Text, "/"):
		return s.Rest.Delete
	}
	return nil
}

// resets returns what of other settings the delete resets, or "".
func (s Settings) resets(other Settings) string {
	by := s.resetsBy()
	if by == nil || s.Rest.Path == nil || other.Rest.Path == nil || s.Rest.Path.Text != other.Rest.Path.Text {
		return ""
	}
	if by == s.Rest.Delete || replacesAll(s.Resource.Delete, s.Rest.Patch) {
		return "all settings"
	}
	for _, p := range other.Resource.Inputs.Fields {
		n := by
		for _, name := range p.WirePath(cmp.Or(other.Resource.Wire, other.Rule)) {
			n = n.Get(name)
		}
		if n != nil {
			return p.Name
		}
	}
	return ""
}

// replacesAll reports whether the last request of an operation is a PUT that replaces the settings.
func replacesAll(op *spec.Operation, patch *spec.Node) bool {
	last := op.Steps[len(op.Steps)-1]
	for _, a := range last.Actions {
		if m := a.Value.Get("method"); m != nil && m.Text == "PUT" {
			return patch == nil || patch.Text != "changes"
		}
	}
	return false
}

// checkReplaced warns of a PUT of settings that removes what the program does not set, although the value of the server is to stay.
func checkReplaced(x *options) {
	creates := !x.own["create"] && x.create.method == "PUT"
	updates := !x.own["update"] && x.update.method == "PUT"
	if !x.s.Singleton || !creates && !updates || x.patch == "changes" || updates && x.patch != "" {
		return
	}
	var names []string
	for _, p := range x.r.Inputs.Fields {
		if p.Optional() && !p.Normalised {
			names = append(names, p.Name)
		}
	}
	if names == nil {
		return
	}
	key, at, remedy := "update", x.s.Update, "Write `patch: \"object\"`, which reads the object and sends it with the changes, or `patch: \"changes\"` if the API keeps what a PUT does not contain"
	if !updates || at == nil {
		key, at = "create", x.s.Create
	}
	if !updates {
		remedy = "If a PATCH may do it as well, remove `create`"
	}
	x.Warn(source.CodeReplacedSettings, cmp.Or(at, x.s.Path).Range, x.placeOf(cmp.Or(at, x.s.Path).Range, key),
		fmt.Sprintf("a PUT may remove %s, if the program does not set it", diag.And(names)),
		remedy+". If the API then takes its own value for them, give each a default, or write `patch: \"all\"` to say that this is meant.")
}
