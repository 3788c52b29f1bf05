package rest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/source"
)

// If `id` is a template over inputs, the program chooses the name of an object, which is the end of
// the object's path. The id of the resource is the parents and the name, so that it can be imported
// by its id alone.

// readName reads the template of the name, and checks that it consists of inputs that identify an
// object.
func (x *options) readName() {
	n := x.s.ID
	if x.s.IfNoneMatch != nil && x.create.method != "PUT" {
		x.fail(source.CodeMisplacedKey, x.s.IfNoneMatch.Range, "ifNoneMatch", "ifNoneMatch requires a create by PUT", "Add `create: \"PUT\"` and the name of the object: `id: \"${inputs.name}\"`.")
	}
	if !x.named {
		return
	}
	if n == nil || n.Kind != spec.StringNode || strings.Contains(parentInputs.ReplaceAllString(n.Text, ""), "${") || !parentInputs.MatchString(n.Text) {
		x.fail(source.CodeBadValue, cmp.Or(n, x.s.Create).Range, "id", "the name of an object must consist of inputs",
			"With a create by PUT, and wherever the program chooses the name, write it as in the path of the object: `id: \"${inputs.name}\"`. If the server chooses the id, write the name of a member of its response, without an expression: `id: \"uuid\"`.")
		return
	}
	for _, m := range parentInputs.FindAllStringSubmatch(n.Text, -1) {
		input := x.pathInput(m[1], "id", n.Range, true)
		if input == nil {
			continue
		}
		if slices.ContainsFunc(x.parents, func(p parent) bool { return p.input == input && p.inPath }) {
			x.fail(source.CodeBadValue, n.Range, "id", fmt.Sprintf("the input %q is part of the path of the collection as well", input.Name),
				"`path` is the path of the collection, and `id` is appended to it. Remove the input from `path`, or name the input that is the object's own name.")
		}
		x.names = append(x.names, input)
	}
	if x.s.Unique != nil {
		x.fail(source.CodeMisplacedKey, x.s.Unique.Range, "unique", "unique has no effect", "The name identifies an object. Remove `unique`.")
	}
	x.checkListedNames()
}

// checkListedNames reports a list whose objects do not have the inputs that the name consists of.
func (x *options) checkListedNames() {
	if !x.lists() || x.returns == nil || x.own["list"] {
		return
	}
	for _, p := range x.names {
		wire := p.WirePath(x.rule)
		if _, ok := memberOf(x.returns, wire, x.rule, x.provider.Types); !ok {
			x.fail(source.CodeBadValue, x.s.ID.Range, "id", fmt.Sprintf("%s has no member %q on the wire, which is part of the name", x.s.Returns.Text, strings.Join(wire, ".")),
				"Declare it in the type, or write `list: \"none\"`.")
		}
	}
}

// nameTemplate returns the template of the name; if whole is true, with the parents before it.
func (x *expansion) nameTemplate(whole bool) *spec.Node {
	if x.s.ID == nil {
		return text("", x.s.Range) // which was reported
	}
	name := ""
	for _, p := range x.parents {
		if whole && (p.inPath || p.ofObject) {
			name += "${inputs." + p.input.Name + "}/"
		}
	}
	return text(name+x.s.ID.Text, x.s.ID.Range)
}

// nameOfItem returns the template of the name of an object in a list.
func (x *expansion) nameOfItem() string {
	return parentInputs.ReplaceAllStringFunc(x.nameTemplate(false).Text, func(ref string) string {
		p := x.r.Inputs.Field(parentInputs.FindStringSubmatch(ref)[1])
		if p == nil {
			return ref
		}
		return "${each.value" + x.inItem(p.WirePath(x.rule)) + "}"
	})
}
