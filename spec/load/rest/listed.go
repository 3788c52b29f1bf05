package rest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/template"
)

var (
	// wholeInput matches an expression that is an input, and wholeSetting one that every operation can evaluate.
	wholeInput   = regexp.MustCompile(`^\s*inputs\.([A-Za-z_]\w*)\s*$`)
	wholeSetting = regexp.MustCompile(`^\s*config(\.[A-Za-z_]\w*)+\s*$`)
	// ofProgram matches a name of what the program gives, ofServer one of a response, and wholeMember a member of a response.
	ofProgram   = regexp.MustCompile(`\b(inputs|config)\b`)
	ofServer    = regexp.MustCompile(`\b(steps|result|body|headers)\b`)
	wholeMember = regexp.MustCompile(`^\s*(?:result\.|steps\.[A-Za-z_]\w*\.)?body((?:\.[A-Za-z_]\w*)+)\s*$`)
)

// listed is the expansion of a resource whose objects are listed.
type listed struct{ *expansion }

// idOfItem returns the template for the id of an object in a list: that by which users import it.
func (x listed) idOfItem() *spec.Node {
	at := cmp.Or(x.s.ID, x.s.Path).Range
	if !x.own["id"] && !x.own["import"] {
		return text(x.parentsOfItem()+x.nameInItem(), at)
	}
	key, written := "id", x.r.ID
	if x.r.Import != nil {
		key, written = "import", x.r.Import
	}
	id, ok := x.ofItem(written)
	switch {
	case ok && id == "": // a mistake in the template, which is reported there
		return &spec.Node{Range: at}
	case ok:
		return text(id, at)
	}
	x.Warn(source.CodeListedID, written.Range, source.Place{Context: x.place.Context, Path: strings.TrimSuffix(x.place.Path, ".rest") + "." + key}, "the ids of listed objects are not those by which users import them",
		"The list of rest makes them of members of its items, and cannot know what this template is in an item. Write a `list` next to rest, whose `id` is the id for an import, or `list: \"none\"` in rest.")
	return text(x.parentsOfItem()+x.nameInItem(), at)
}

// sameID returns the condition that an item of the list has the id: the member that is the id, or what the template next to rest
// makes of the item.
func (x listed) sameID() condition {
	member := "#" + x.inItem(x.idPath)
	same := condition{same: []string{"string(" + member + ") == id"}, lacks: []string{""}, members: []string{strings.Join(x.idPath, ".")}}
	if x.own["id"] && x.r.ID != nil {
		return x.sameOwnID()
	}
	if x.returns == nil {
		same.lacks[0] = lacks(member)
	}
	return same
}

// sameOwnID is sameID for the template next to rest.
func (x listed) sameOwnID() condition {
	id, ok := x.ofItem(x.r.ID)
	if !ok {
		x.fail(source.CodeBadValue, x.r.ID.Range, "read", "the read looks for the id in a list, and cannot know what this template is in an item",
			"Write a `read` next to rest, or an `id` of inputs and members of the object.")
	}
	pieces, _ := template.Scan(id)
	var parts, lacking, members []string
	for _, p := range pieces {
		member, isMember := strings.CutPrefix(p.Text, "each.value")
		input := wholeInput.FindStringSubmatch(p.Text)
		switch {
		case !p.Expr:
			parts = append(parts, fmt.Sprintf("%q", p.Text))
		case isMember && x.returns == nil:
			parts = append(parts, fmt.Sprintf("string(#%s ?? '')", member))
			lacking, members = append(lacking, lacks("#"+member)), append(members, strings.TrimPrefix(member, "."))
		case isMember:
			parts = append(parts, "string(#"+member+")")
		case input != nil:
			parts = append(parts, "string(inputs."+x.inputOfParent(input[1])+")")
		default:
			parts = append(parts, "string("+p.Text+")")
		}
	}
	return condition{
		same:  []string{strings.Join(parts, " + ") + " == id"},
		lacks: []string{strings.Join(lacking, " || ")}, members: []string{strings.Join(members, " or ")},
	}
}

// inputOfParent returns the input of the resource that is an input of its list.
func (x listed) inputOfParent(name string) string {
	for _, p := range x.parents {
		if p.name == name {
			return p.input.Name
		}
	}
	return name
}

// parentsOfItem returns the parents in the id of an object in a list.
func (x listed) parentsOfItem() (id string) {
	for _, p := range x.parents {
		if p.ofObject || x.named && p.inPath {
			id += "${inputs." + p.name + "}/"
		}
	}
	return id
}

// nameInItem returns the template of the id that the server has given an object in a list, or of its name.
func (x listed) nameInItem() string {
	if x.named {
		return x.nameOfItem()
	}
	return "${each.value" + x.inItem(x.idPath) + "}"
}

// ofItem returns a template for an id, as the author wrote it, for an item of a list. ok is false if it is not known what a part of
// it is there.
func (x listed) ofItem(n *spec.Node) (id string, ok bool) {
	pieces, bad := template.Scan(n.Text)
	wrong := func(p template.Piece) bool { return p.Expr && !parse.CanParse(p.Text) }
	if n.Kind != spec.StringNode || bad != nil || slices.ContainsFunc(pieces, wrong) {
		return "", true // a mistake, which is reported elsewhere
	}
	chosen := 0 // the parts that the server chooses, and that are no members of the response to the create
	for _, p := range pieces {
		part, known := strings.ReplaceAll(p.Text, "${", "$${"), true
		switch m := wholeInput.FindStringSubmatch(p.Text); {
		case !p.Expr:
		case m != nil:
			part, known = x.inputOfItem(m[1])
		case wholeSetting.MatchString(p.Text):
			part = "${" + p.Text + "}"
		case ofProgram.MatchString(p.Text) && !ofServer.MatchString(p.Text): // otherwise it finds what the server has chosen
			known = false
		case strings.TrimSpace(p.Text) == "id" && x.own["import"]:
			part, known = x.ofItem(x.r.ID)
		default:
			var member bool
			if part, member = x.memberOfItem(p.Text); !member {
				chosen++
			}
		}
		if !known {
			return "", false
		}
		id += part
	}
	return id, chosen <= 1
}

// inputOfItem returns the template for an input of an object in a list: a parent that the list is requested of, or a member of the
// item.
func (x listed) inputOfItem(name string) (string, bool) {
	for _, p := range x.parents {
		if p.inList && p.input.Name == name {
			return "${inputs." + p.name + "}", true
		}
	}
	p := x.r.Inputs.Field(name)
	if p == nil {
		return "", true // which is reported
	}
	suffix, ok := memberOf(x.returns, p.WirePath(x.rule), x.rule, x.provider.Types)
	return "${each.value" + suffix + "}", ok || x.returns == nil
}

// memberOfItem returns the template for what the server chooses in an object in a list. ok is false if it is not a member of the
// object in the response to the create: then it is the member that is the id.
func (x listed) memberOfItem(expression string) (template string, ok bool) {
	if m := wholeMember.FindStringSubmatch(expression); m != nil && !x.own["create"] {
		member, inObject := strings.CutPrefix(m[1], accessAll(x.inBody(x.unwrap)))
		if (inObject || x.unwrapsSome) && strings.HasPrefix(member, ".") {
			return "${each.value" + member + "}", true
		}
	}
	return "${each.value" + x.inItem(x.idPath) + "}", false
}
