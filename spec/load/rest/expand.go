// Package rest expands the shorthand `rest` of a resource into the operations that an
// author could have written instead. All parts of them have the positions of the
// shorthand, so that later findings point there.
package rest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/load/source"
)

// family is the family of actions of the operations.
const family = "http"

// Expand adds the id and the operations that the shorthand stands for to a resource that
// does not have them, and reports mistakes in the shorthand. All types of the provider
// must be known.
func Expand(doc *source.Document, place source.Place, p *spec.Provider, r *spec.Resource, s *spec.Rest, defaults *Defaults) {
	x := &expansion{&options{Document: doc, place: place, provider: p, r: r, s: s, rule: cmp.Or(r.Wire, p.Wire)}}
	x.own = ownParts(r)
	defaults.addTo(x.options)
	if !x.readAll() {
		defaults.use(slices.Collect(maps.Keys(x.defaults)))
	} else {
		defaults.use(x.checkUnused())
		x.checkEnvelope()
		checkReturn(x.options)
		checkReset(x.options)
		checkReplaced(x.options)
	}
	x.addOperations()
}

// expansion is the expansion of the shorthand of one resource.
type expansion struct{ *options }

// options are the options of a shorthand.
type options struct {
	*source.Document
	place    source.Place
	provider *spec.Provider
	r        *spec.Resource
	s        *spec.Rest
	rule     string
	// own are the keys of the resource that its author wrote.
	own map[string]bool
	// defaults are the names of the options that are defaults.
	defaults map[*spec.Node]string

	// idPath, wrap, unwrap and items are paths of names on the wire.
	idPath, wrap, unwrap, items []string
	// unwrapsSome is true if only some responses have the member that unwrap names. Others are the object.
	unwrapsSome bool
	// omitsEmpty is true if the response has no items when there are none.
	omitsEmpty bool
	// named is true if the program chooses the name of an object, which consists of inputs.
	named bool
	names []*spec.Property
	requests

	// patch is "merge" if the API merges what an update sends, "all" if it requires all inputs, and "object" if it requires the whole
	// object. omit are the paths of members of the object that are not sent.
	patch string
	omit  [][]string
	// bodiless is true if the response to the create does not contain the object.
	bodiless bool
	// formRule is the rule by which a form writes lists and maps, or "" for that of the defaults.
	formRule string
	// returns is the type of an object, or nil.
	returns *spec.Type
	unique  []*spec.Property
	parents []parent
}

// ownParts returns the keys of a resource that its author wrote, of those that the
// shorthand stands for.
func ownParts(r *spec.Resource) map[string]bool {
	return map[string]bool{
		"id": r.ID != nil, "import": r.Import != nil, "list": r.List != nil, "find": r.Find != nil || r.Unsought, "return": r.Return != nil,
		"create": r.Create != nil, "read": r.Read != nil, "update": r.Update != nil, "delete": r.Delete != nil || r.Kept,
	}
}

// addOperations adds the missing parts to the resource. If the shorthand has a mistake,
// they are broken, so that they are not reported as missing.
func (x *expansion) addOperations() {
	r := x.r
	if x.s.Path == nil || x.s.Path.Kind != spec.StringNode || x.s.Path.Text == "" {
		if r.ID == nil {
			r.ID = &spec.Node{Range: x.s.Range}
		}
		if r.Create == nil {
			r.Create = &spec.Operation{Range: x.s.Range}
		}
		return
	}
	if r.Singleton = x.s.Singleton; r.Singleton {
		addServerValues(r)
	}
	x.addIdentity()
	if r.Create == nil {
		r.Create = x.createOperation()
	}
	if r.Read == nil {
		r.Read = x.readOperation()
	}
	if r.Update == nil && x.update.method != "none" {
		r.Update = x.updateOperation()
	}
	if !x.own["delete"] {
		r.Delete = deleteOperation(x)
		r.Kept = r.Delete == nil
	}
	if r.List == nil && x.lists() {
		r.List = x.lister()
	}
	x.addFind()
}

// addIdentity adds the id and the import to the resource.
func (x *expansion) addIdentity() {
	r := x.r
	switch {
	case r.ID != nil:
	case x.named:
		r.ID = x.nameTemplate(true)
	case x.s.Singleton:
		r.ID = idOfSingleton(x)
	default:
		r.ID = text("${"+x.idOfObject()+"}", cmp.Or(x.s.ID, x.s.Path).Range)
	}
	if r.Import == nil && !x.own["id"] && !x.named && !x.s.Singleton {
		r.Import = x.importTemplate()
	}
}

// idOfObject returns the expression for the id that the server chooses.
func (x *expansion) idOfObject() string {
	result := resultOfCreate(x)
	id := ofCreate(x).objectIn(result+".body") + ofCreate(x).inItem(x.idPath)
	if !x.bodiless {
		return id
	}
	otherwise := idOfLocation(x)
	if i := slices.IndexFunc(x.r.Inputs.Fields, func(p *spec.Property) bool {
		return p.Replace && p.Required && slices.Equal(p.WirePath(x.rule), x.idPath)
	}); i >= 0 {
		otherwise = "inputs." + x.r.Inputs.Fields[i].Name
	}
	return result + ".body != null ? " + id + " : " + otherwise
}

// lister returns the list of the existing objects.
func (x *expansion) lister() *spec.Lister {
	step, items := x.listStep(x.list, true)
	inputs := &spec.Type{Kind: spec.Object}
	for _, p := range x.parents {
		if p.inList {
			inputs.Fields = append(inputs.Fields, &spec.Property{Name: p.name, Doc: p.input.Doc, Type: p.input.Type, Required: true, Range: p.input.Range})
		}
	}
	return &spec.Lister{
		Range: x.s.Range, Inputs: inputs, Step: step, Items: text("${"+items+"}", x.itemsRange()),
		ID: listed{x}.idOfItem(),
	}
}

// listStep returns the step that requests a list, by default the collection, and the expression for
// its items.
func (x *expansion) listStep(r requestLine, inList bool) (step *spec.Step, items string) {
	switch {
	case x.omitsEmpty:
		items = "(body" + accessAll(x.inBody(x.items)) + " ?? [])" // the rule of absent members requires what contains the member
	case x.s.Items == nil:
		items = x.objectIn("body") // of which unwrap is the member, too
	default:
		items = "body" + accessAll(x.inBody(x.items))
	}
	path := x.path("", inList)
	if r.path != nil {
		path = x.withParents(r.path, "", inList)
	}
	arguments := []spec.Field{field("path", path), x.returning(x.listType(), "List")}
	if r.method == "POST" { // a search
		arguments = append(arguments, field("method", text(r.method, path.Range)), bodyArgument(x.options, object(path.Range)), field("effect", text("none", path.Range)))
	}
	if x.s.Paginate != nil {
		arguments = append(arguments, field("items", text("${"+items+"}", x.itemsRange())), field("paginate", x.s.Paginate))
		items = "result.items"
	}
	return request(x.options, arguments), items
}

// importTemplate returns the template for imported ids, or nil if the path of an object has no
// parents.
func (x *expansion) importTemplate() *spec.Node {
	template := ""
	for _, p := range x.parents {
		if p.ofObject {
			template += "${inputs." + p.input.Name + "}/"
		}
	}
	if template == "" {
		return nil
	}
	return text(template+"${id}", cmp.Or(x.s.Under, x.s.Path).Range)
}

// isIn reports whether a path contains an input.
func isIn(input *spec.Property, path *spec.Node) bool {
	return slices.ContainsFunc(parentRefs.FindAllStringSubmatch(path.Text, -1), func(m []string) bool { return m[1] == "inputs."+input.Name })
}

// objectPath returns the path of a request for an object.
func (x *expansion) objectPath(r requestLine) *spec.Node {
	if r.path != nil {
		return x.withParents(r.path, "", false)
	}
	name := "${id}"
	if x.named {
		name = x.nameTemplate(false).Text
	}
	switch {
	case x.s.Object != nil && x.s.Object.Kind == spec.StringNode:
		return x.withParents(x.s.Object, "", false)
	case x.s.Singleton:
		return x.path("", false)
	case strings.HasSuffix(x.s.Path.Text, "/"):
		return x.path(name+"/", false)
	default:
		return x.path("/"+name, false)
	}
}

// path returns the path of the list with a suffix.
func (x *expansion) path(suffix string, inList bool) *spec.Node {
	return x.withParents(x.s.Path, suffix, inList)
}

// withParents returns a path with a suffix. In it, the names of parents are replaced by inputs: of
// the list if inList is true, otherwise of the resource; and ${id} by the name that the program
// chooses, if it does, or the id of a singleton.
func (x *expansion) withParents(n *spec.Node, suffix string, inList bool) *spec.Node {
	b := &spec.Splice{File: n.Range.File}
	at, count := 0, func(bytes int) int { return utf8.RuneCountInString(n.Text[:bytes]) }
	for _, m := range parentRefs.FindAllStringSubmatchIndex(n.Text, -1) {
		from, to, becomes := m[2], m[3], ""
		ref := n.Text[from:to]
		if p := parentOf(ref, x.parents, x.s.Under); p != nil && inList {
			becomes = "inputs." + p.name
		} else if p != nil {
			becomes = "inputs." + p.input.Name
		} else if x.named && ref == "id" {
			from, to, becomes = m[0], m[1], x.nameTemplate(false).Text
		} else if x.s.Singleton && ref == "id" && !x.own["id"] {
			from, to, becomes = m[0], m[1], idOfSingleton(x).Text
		}
		if becomes == "" || becomes == ref {
			continue
		}
		b.Copy(n, count(at), count(from))
		b.Generate(becomes, n.At(count(from), count(to)))
		at = to
	}
	end := count(len(n.Text))
	b.Copy(n, count(at), end)
	b.Generate(suffix, n.At(end-1, end))
	return b.Node(n)
}

// returning returns the argument that declares the type of a response. The name of a
// type that is not the author's definition ends in what it is.
func (x *expansion) returning(t *spec.Type, what string) spec.Field {
	if t == nil {
		return spec.Field{}
	}
	n := *x.s.Returns
	n.Type = t
	if t.Ref == "" {
		n.Text += what
	}
	return field("returns", &n)
}

// objectType returns the type of a response with one object, or nil.
func (x *expansion) objectType() *spec.Type {
	if x.returns == nil {
		return nil
	}
	return wrap(x.returns, x.unwrap, x.rule)
}

// listType returns the type of the response of the list, or nil.
func (x *expansion) listType() *spec.Type {
	if x.returns == nil {
		return nil
	}
	list := wrap(&spec.Type{Kind: spec.List, Elem: x.returns}, x.items, x.rule)
	if x.omitsEmpty {
		last := list
		for range x.items[1:] {
			last = last.Fields[0].Type
		}
		last.Fields[0].Required = false
	}
	return list
}

// inBody returns the names by which a path of names on the wire is accessed in a body.
func (x *expansion) inBody(path []string) []string {
	if x.returns == nil {
		return path
	}
	return declaredNames(path)
}

// objectIn returns the expression for the object in the body of a response.
func (x *expansion) objectIn(body string) string {
	if x.unwrapsSome {
		return unwrapIfThere(body, x.unwrap, body+accessAll(x.unwrap), body)
	}
	return body + accessAll(x.inBody(x.unwrap))
}

// unwrapIfThere returns the expression for a value if a body has the member at a path, and for another one otherwise.
func unwrapIfThere(body string, path []string, value, otherwise string) string {
	holder, last := body, len(path)-1
	if last > 0 {
		holder += "?" + strings.Join(lists.Map(path[:last], func(name string) string { return accessAll([]string{name}) }), "?")
	}
	return fmt.Sprintf("(%q in (%s ?? {}) ? %s : %s)", path[last], holder, value, otherwise)
}

// inItem returns the expression suffix for a member of an object.
func (x *options) inItem(path []string) string {
	suffix, _ := memberOf(x.returns, path, x.rule, x.provider.Types)
	return suffix
}

// itemsRange returns the position of what says where the items are.
func (x *options) itemsRange() diag.Range { return cmp.Or(x.s.Items, x.s.Unwrap, x.s.Path).Range }
