package rest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/foreign"
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
		(&wrongName{x}).report(n)
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
		x.fail(source.CodeMisplacedKey, x.s.Unique.Range, "unique", "unique has no effect", "The name identifies an object. Remove `unique`.").Suggest(x.s.Without["unique"]...)
	}
	x.checkListedNames()
}

// checkBareID reports an id that is a reference to an input without ${ and }: it would be the path of a member of the response. What
// follows takes it for the name that is meant.
func checkBareID(x *options) {
	n := x.s.ID
	if n == nil {
		return
	}
	name, ok := strings.CutPrefix(n.Text, "inputs.")
	if !ok || x.r.Inputs.Field(name) == nil {
		return
	}
	x.fail(source.CodeBadValue, n.Range, "id", fmt.Sprintf("%q would be a member of the response", n.Text),
		fmt.Sprintf("For a name that the program chooses, write `id: \"${%s}\"`.", n.Text)).Replace(n.Text, "${"+n.Text+"}")
	x.s.ID = text("${"+n.Text+"}", n.Range)
}

// wrongName reports names of objects, and says which input is meant.
type wrongName struct{ *options }

// report reports a name that does not consist of inputs. What follows takes the id for one that the
// server chooses.
func (x *wrongName) report(n *spec.Node) {
	const summary = "the name of an object must consist of inputs"
	x.named = false
	if x.create.path == nil {
		x.create.method = "POST"
	}
	chosen := x.nameInput()
	switch {
	case n == nil:
		x.fail(source.CodeBadValue, x.s.Create.Range, "id", "a create by PUT requires the name of the object", fmt.Sprintf("PUT sends to the path of the object, whose name the program chooses. Add it to rest: `id: \"${inputs.%s}\"`.", chosen))
		return
	case n.Kind != spec.StringNode:
		x.fail(source.CodeBadValue, n.Range, "id", summary, fmt.Sprintf("Write it as in the path of the object: `id: \"${inputs.%s}\"`.", chosen))
		return
	}
	if own, ok := foreign.WirePath(n.Text); ok && x.create.method != "PUT" && !strings.Contains(n.Text, "inputs") {
		x.fail(source.CodeBadValue, n.Range, "id", summary, fmt.Sprintf("The server chooses this id. Write the name of the member of its response, without an expression: `id: %q`.", own)).Replace(n.Text, own)
		x.idPath = strings.Split(own, ".")
		return
	}
	x.fail(source.CodeBadValue, n.Range, "id", summary,
		fmt.Sprintf("With a create by PUT, and wherever the program chooses the name, write it as in the path of the object: `id: \"${inputs.%s}\"`. If the server chooses the id, write the name of a member of its response, without an expression: `id: \"uuid\"`.", chosen))
}

// nameInput returns the name of an input that is likely to be the name of an object.
func (x *wrongName) nameInput() string {
	if x.s.Unique != nil && x.r.Inputs.Field(x.s.Unique.Text) != nil {
		return x.s.Unique.Text
	}
	likely := "name"
	for _, p := range slices.Backward(x.r.Inputs.Fields) {
		if p.Required && x.provider.Types.Resolve(p.Type).Kind == spec.String {
			likely = p.Name
		}
	}
	return likely
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
