package rest

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/template"
)

// ofCreate returns the expansion for what has the form of a response to the create: if the author
// wrote that without a type, its members have their names on the wire.
func ofCreate(x *expansion) *expansion {
	if !x.own["create"] || declaresResponse(x.r.Create) {
		return x
	}
	untyped := *x.options
	untyped.returns = nil
	return &expansion{&untyped}
}

// addFind adds the find to the resource, if an object can be found by its inputs.
func (x *expansion) addFind() {
	r := x.r
	x = ofCreate(x)
	switch {
	case r.Find != nil, r.Unsought:
	case x.s.Unique != nil && x.unique == nil:
		r.Find = &spec.Operation{Range: x.s.Range} // a mistake, which was reported
	case x.unique != nil:
		r.Find = x.findInList(x.sameInputs(x.unique), x.s.Unique.Range, true)
	case x.find.path != nil:
		r.Find = x.findByRequest(x.find)
	case x.named && !x.own["create"] && x.requests.readsList():
		r.Find = x.findInList(x.sameInputs(x.names), x.s.Read.Range, true)
	case x.named && !x.own["create"]:
		r.Find = x.findByRequest(x.read)
	}
}

// findByRequest returns the find that requests one object.
func (x *expansion) findByRequest(r requestLine) *spec.Operation {
	op := x.operation(false, field("path", x.objectPath(r)), x.returning(x.objectType(), "Response"))
	op.Steps[0].Gone = x.s.Gone
	return op
}

// findInList returns the operation that looks for the object in the list, by a condition over an
// item. If asCreated is true, it is a find: the list is the response to its request, if the author
// wrote one, and its result has the form of a response to create. Otherwise the result is the item.
func (x *expansion) findInList(of condition, at diag.Range, asCreated bool) *spec.Operation {
	list := x.list
	if asCreated && x.find.path != nil {
		list = x.find
	}
	step, items := x.listStep(list, false)
	found := of.find(items)
	if declared := x.inBody(x.unwrap); declared != nil && asCreated && !x.unwrapsSome {
		value := "found"
		for i := range declared {
			value = fmt.Sprintf("{%q: %s}", declared[len(declared)-1-i], value)
		}
		found = fmt.Sprintf("let found = %s; found == null ? null : %s", found, value)
	}
	return &spec.Operation{Range: x.s.Range, Rest: true, Steps: []*spec.Step{step}, Return: text("${"+found+"}", at)}
}

// condition is a condition that an item of a list is the object. Each part compares one member.
type condition struct {
	same, lacks []string
	members     []string
}

// add adds a comparison. item is the expression for the member of an item that it compares. If mayLack is true, an item
// without the member has not another value: the server may not list it.
func (c *condition) add(same, item, member string, mayLack bool) {
	c.same, c.members = append(c.same, same), append(c.members, member)
	without := ""
	if mayLack {
		without = lacks(item)
	}
	c.lacks = append(c.lacks, without)
}

// lacks returns the condition that a member is absent.
func lacks(member string) string { return fmt.Sprintf("(%s ?? null) == null", member) }

// find returns the expression for the object in a list. If nothing is the object, and an item may be it,
// as far as it is listed, the expression fails.
func (c *condition) find(items string) string {
	found := fmt.Sprintf("find(%s, %s)", items, strings.Join(c.same, " && "))
	var may, members []string
	for i, lacks := range c.lacks {
		part := c.same[i]
		if lacks != "" {
			part = fmt.Sprintf("(%s || %s)", lacks, part)
			members = append(members, c.members[i])
		}
		may = append(may, part)
	}
	if members == nil {
		return found
	}
	listed := strings.Join(members, " or ")
	return fmt.Sprintf("%s ?? expectNull(findIndex(%s, %s), 'an item of the list has no %s, so it is not known whether it is the object. If it is there under another name, declare that of the input: `@wire(NAME)`. Else write a `find` for a list or request that shows it; or, if other objects have none, declare the items by `returns`, with %s as an optional member')",
		found, items, strings.Join(may, " && "), listed, listed)
}

// sameInputs returns the condition that an item of the list has the values of some inputs. Untyped
// scalars are compared as text, because the server may write 7 for the program's "7", or the reverse.
// In a typed list, the type says whether an item may have no value.
func (x *expansion) sameInputs(some []*spec.Property) condition {
	var same condition
	for _, p := range some {
		path := p.WirePath(x.rule)
		member, input := "#"+x.inItem(path), "inputs."+p.Name
		item := member
		if x.returns == nil && isScalar(x.provider.Types.Resolve(p.Type)) {
			item, input = fmt.Sprintf("string(%s ?? '')", item), fmt.Sprintf("string(%s)", input)
		} else if p.Equal != "" || p.EqualExpr != nil {
			item = fmt.Sprintf("(%s ?? '')", item)
		}
		same.add(equal(p, item, input), member, strings.Join(path, "."), x.returns == nil)
	}
	return same
}

// equal returns the condition that two expressions have values that count as equal by the property's
// @equal: otherwise find would not see what the server has normalised, and the object would be made
// again.
func equal(p *spec.Property, a, b string) string {
	rule, isRule := "", false
	if p.EqualExpr != nil {
		rule, isRule = template.Whole(p.EqualExpr.Text)
	}
	switch {
	case isRule:
		return fmt.Sprintf("(let old = %s; let new = %s; %s)", a, b, rule)
	case p.Equal == "fold":
		return fmt.Sprintf("lower(%s) == lower(%s)", a, b)
	case p.Equal == "trim":
		return fmt.Sprintf("trim(%s) == trim(%s)", a, b)
	default:
		return a + " == " + b
	}
}

func isScalar(t *spec.Type) bool {
	return t.Kind == spec.String || t.Kind == spec.Int || t.Kind == spec.Number || t.Kind == spec.Bool
}
