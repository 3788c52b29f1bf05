package openapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
)

// resource is a resource of the spec.
type resource struct {
	name, doc       string
	inputs, outputs []property
	rest            []option
	// keys are further keys of the resource.
	keys []option
	// notes are comments about what the document leaves open.
	notes []string
}

// option is a key with its value in CUE.
type option struct{ key, value string }

// builder builds the resource of one endpoint.
type builder struct {
	*types
	endpoint
	resource
	create operation
	update operation
	// object is what the API shows of an object, made what it shows in the response to the create, and body what the create sends.
	object, made, body view
	// changed is what an update sends. ByBody means that it names the object in its body.
	changed view
	byBody  bool
	// list is the request for all objects, if any, and items the member of its response that has them, or "".
	list  part
	items string
	// constants are the members of the body that have one value only.
	constants []option
	// wrap and unwrap are the members of bodies and responses that contain the object, or "".
	wrap, unwrap string
	id           *member
	// madeID is the member of the response to the create that is the id, if the object is not in it, or "".
	madeID string
	// chosen means that the program chooses the id.
	chosen bool
}

// build returns the resource of an endpoint, or the reason why there can be none.
func (t *types) build(e endpoint, name string) (*resource, string) {
	b := &builder{types: t, endpoint: e, resource: resource{name: name}, update: e.change()}
	if reason := b.findCreate(); reason != "" {
		return nil, reason
	}
	if reason := b.findObject(); reason != "" {
		return nil, reason
	}
	if e.collection != "" {
		if reason := cmp.Or(b.findID(), b.findList()); reason != "" {
			return nil, reason
		}
	}
	b.object, b.made, b.body = b.object.flattened(), b.made.flattened(), b.body.flattened()
	b.findUpdate()
	if b.update.exists() && isForm(b.create.part) != isForm(b.update.part) && bodyOf(b.update.part).exists() && bodyOf(b.create.part).exists() {
		return nil, "the create and the update have bodies in different formats: JSON and a form"
	}
	b.addParents()
	b.addInputs()
	b.addOutputs()
	b.addRest()
	b.doc = firstOf(b.object.description, b.create.get("summary").text())
	return &b.resource, ""
}

func firstOf(texts ...string) string {
	i := slices.IndexFunc(texts, func(s string) bool { return strings.TrimSpace(s) != "" })
	if i < 0 {
		return ""
	}
	return texts[i]
}

// findObject finds what the API shows of an object.
func (b *builder) findObject() string {
	shown := responseOf(b.endpoint.object.get("get"))
	made := responseOf(b.create.part)
	if !shown.exists() && !has(b.endpoint.object, "get") {
		shown = b.listed()
	}
	if !shown.exists() {
		shown = made
	}
	switch {
	case !shown.exists() && isMembership(b):
		b.object = view{kind: objectKind}
		return ""
	case !shown.exists():
		return "the document does not say what GET returns"
	}
	b.object = objectOf(shown)
	if b.collection == "" {
		if b.object.kind != objectKind || len(b.object.members) == 0 {
			return "the document does not say what GET returns"
		}
		b.made = b.object
		return ""
	}
	b.object, b.unwrap = identifierOf(b).opened(b.object, b.body)
	if b.object.kind != objectKind {
		return "GET returns no object"
	}
	if reason := openMade(b, made); reason != "" {
		return reason
	}
	if len(b.body.members) == 1 {
		only := b.body.members[0]
		if of := viewOf(only.schema); of.kind == objectKind && len(of.members) > 0 && b.object.member(only.name) == nil {
			b.body, b.wrap = of, only.name
		}
	}
	return ""
}

// openMade finds the object in the response to the create. It returns the reason if the responses have it in different members.
func openMade(b *builder, made part) string {
	b.made = objectOf(made)
	if made.exists() {
		inner := ""
		b.made, inner = identifierOf(b).opened(b.made, b.body)
		switch {
		case inner == b.unwrap:
		case (inner == "" || b.unwrap == "") && b.object.member(inner+b.unwrap) != nil:
			if !b.chosen {
				return "the object is in a member of only some responses, and has a member of the same name"
			}
			ignoreResponse(b)
		case inner == "" && identifierOf(b).member(b.made) != nil && identifierOf(b).member(b.made).name != identifierOf(b).member(b.object).name:
			// It has the id only.
		case inner == "" || b.unwrap == "":
			b.unwrap = inner + b.unwrap + "?"
		default:
			return fmt.Sprintf("the responses have the object in different members: %s and %s", inner, b.unwrap)
		}
	}
	return ""
}

// ignoreResponse says that the response to the create, if there is one, is not the object.
func ignoreResponse(b *builder) {
	if responseOf(b.create.part).exists() {
		b.made = view{}
		b.rest = append(b.rest, option{"response", `"none"`})
	}
}

// listed returns the schema of the items of the list, or nil.
func (b *builder) listed() part {
	response := responseOf(b.objects.get("get"))
	name, ok := itemsOf(response)
	if !ok {
		return part{}
	}
	list := viewOf(response)
	if name != "" {
		list = viewOf(list.member(name).schema)
	}
	return list.items
}

// findID finds the member that is the id, and whether the program chooses it.
func (b *builder) findID() string {
	b.id = identifierOf(b).member(b.object)
	if b.id == nil && !b.chosen {
		return fmt.Sprintf("the response does not have a member for {%s}", b.param)
	}
	if b.id == nil || b.chosen {
		if b.id != nil && viewOf(b.id.schema).readOnly && !canBeChosen(b.param) {
			return "it has no POST that creates an object, and the server chooses the id"
		}
		return ""
	}
	if b.sendsID() {
		b.chosen = true
		return ""
	}
	if b.made.member(b.id.name) == nil {
		if m := identifierOf(b).member(b.made); m != nil && b.wrap == "" && !strings.Contains(b.unwrap, "?") && viewOf(m.schema).kind == viewOf(b.id.schema).kind {
			b.madeID = m.name
			return ""
		}
		if responseOf(b.create.part).exists() || !hasLocation(b.create.part) {
			if b.body.takes(b.id.name) && !isOwnNumber(b) { // nothing else can tell it
				b.chosen = true
				ignoreResponse(b)
				return ""
			}
			return fmt.Sprintf("the response to %s does not have the member %s, the id", b.create.method, b.id.name)
		}
		b.rest = append(b.rest, option{"response", `"none"`})
	}
	return ""
}

// sendsID reports whether the program chooses the id: a name that the body has, or a member that it requires. Many documents have one
// schema for what is sent and received, in which a required id says nothing about the create.
func (b *builder) sendsID() bool {
	if !b.body.takes(b.id.name) {
		return false
	}
	m, of := b.body.member(b.id.name), words(b.id.name)
	generic := slices.Contains(usualIDs, of[len(of)-1])
	return isName(b.id.name) || m.required && (!generic || viewOf(m.schema).kind == stringKind && (b.body.name == "" || b.body.name != b.object.name))
}

// isName reports whether a member has a name of those that people choose, and not a server.
func isName(member string) bool {
	return slices.ContainsFunc([]string{"name", "slug", "login", "handle", "email"}, func(end string) bool {
		return strings.HasSuffix(strings.ToLower(member), end)
	})
}

// findUpdate finds the members that an update sends, and an update that names the object in its body: PUT /pet.
func (b *builder) findUpdate() {
	if !b.update.exists() && b.id != nil {
		for _, o := range []operation{operationOf(b.objects, http.MethodPatch), operationOf(b.objects, http.MethodPut)} {
			if viewOf(bodyOf(o.part)).member(b.id.name) != nil {
				b.update, b.byBody = o, true
				break
			}
		}
	}
	b.changed = objectOf(bodyOf(b.update.part))
	if b.wrap != "" && b.changed.member(b.wrap) != nil {
		b.changed = viewOf(b.changed.member(b.wrap).schema)
	}
	b.changed = b.changed.flattened()
	if len(b.changed.members) > 0 && b.collection != "" && !slices.ContainsFunc(b.changed.members, func(m member) bool { return b.body.member(m.name) != nil }) {
		b.update, b.changed = operation{}, view{} // it is an action
		delete(b.elsewhere, "update")
	}
	if b.id == nil {
		return
	}
	if sentAs := b.changed.member(b.id.name); sentAs != nil && !b.byBody && sentAs.required && sent.has(viewOf(sentAs.schema)) {
		id := `"${id}"`
		switch {
		case b.chosen:
			id = literalOf("${inputs." + nameOfID(b) + "}") // rest leaves it out of updates, because it is in the path
		case viewOf(sentAs.schema).kind == integerKind:
			id = `"${int(id)}"`
		}
		b.constants = append(b.constants, option{b.id.name, id})
	}
}

// addParents adds an input for each parameter before the id.
func (b *builder) addParents() {
	named := b.parentNames()
	for _, param := range b.parents {
		b.inputs = append(b.inputs, property{
			name: named[param], wire: named[param], typ: "string", attributes: []string{"@replace()"},
			doc: firstOf(b.describe(param), "The "+strings.Join(words(named[param]), " ")+", in the path."),
		})
	}
	if !b.chosen {
		return
	}
	if b.id == nil || b.body.member(b.id.name) == nil {
		p := property{name: b.declaredName(b.param), typ: "string", attributes: []string{"@replace()"}, doc: b.describe(b.param)}
		p.wire = b.param
		if b.id != nil {
			p.name, p.wire = b.declaredName(b.id.name), b.id.name
			if viewOf(b.id.schema).kind == integerKind {
				p.typ = "int"
			}
			if spec.WireName(b.rule, p.name) != p.wire {
				p.attributes = append(p.attributes, member{name: p.wire}.wireAttribute())
			}
		}
		b.inputs = append(b.inputs, p)
	}
}

// identifierOf returns what the path calls the id.
func identifierOf(b *builder) identifier {
	id := identifier{param: withoutLookup(b.param), resource: b.name}
	for _, o := range operationsOf(b.endpoint.object) {
		for _, p := range parametersOf(o) {
			if p.get("in").text() == "path" && p.get("name").text() == b.param {
				id.kind = cmp.Or(id.kind, p.get("type").text(), viewOf(p.get("schema")).kind)
			}
		}
	}
	return id
}

// describe returns the description of a parameter of the path.
func (b *builder) describe(param string) string {
	text := ""
	for _, o := range append(operationsOf(b.endpoint.object), b.create.part) {
		for _, p := range parametersOf(o) {
			if p.get("in").text() == "path" && p.get("name").text() == param {
				text = cmp.Or(text, p.get("description").text())
			}
		}
	}
	return text
}

// declaredName returns the declared name of a member. Pulumi reserves id and urn.
func (b *builder) declaredName(wire string) string {
	name := declared(wire)
	if name == "id" || name == "urn" {
		name = declared(b.name) + strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

// addInputs adds the members of the body.
func (b *builder) addInputs() {
	for _, m := range b.body.members {
		v := viewOf(m.schema)
		isID := b.id != nil && m.name == b.id.name
		if !sent.has(v) || isID && !b.chosen || isChosenByServer(b, m) {
			continue
		}
		if only := v.constant(); only != "" && m.required && m.last == "" && !isID {
			b.constants = append(b.constants, option{m.name, only})
			continue
		}
		p := b.member(m, v, sent)
		if b.takes(p.name) {
			continue
		}
		switch {
		case isID:
			p.optional = false
			p.typ = strings.TrimPrefix(p.typ, "null | ")
			p.attributes = append(slices.DeleteFunc(p.attributes, func(a string) bool { return a == "@secret()" }), "@replace()")
		case b.update.exists() && b.collection != "" && b.changed.member(m.name) == nil && len(b.changed.members) > 0:
			p.attributes = append(p.attributes, "@replace()")
		}
		if !isID {
			p.attributes = append(p.attributes, comparison(v, b.shows(m.name, v))...)
		}
		if b.collection == "" && strings.HasPrefix(p.typ, "*") { // settings keep the values of the server
			_, p.typ, _ = strings.Cut(p.typ, " | ")
			p.typ, p.optional = b.of(v, sent, b.name, 1), true
		}
		b.inputs = append(b.inputs, p)
	}
}

// sameTime is the attribute of a time: servers write it in a form of their own.
const sameTime = `@equal("${old == new || parsetime(old) == parsetime(new)}")`

// comparison returns the attributes that say how an input is compared with what the API shows.
func comparison(v view, shown bool) []string {
	switch {
	case !shown:
		return []string{"@noRead()"}
	case v.kind == stringKind && v.format == "date-time":
		return []string{sameTime}
	}
	return nil
}

// member returns the property for a member of the object.
func (b *builder) member(m member, v view, d direction) property {
	p := b.property(m, v, d, b.name, 1)
	if name := b.declaredName(cmp.Or(m.last, m.name)); name != p.name {
		p.name = name
		if !slices.ContainsFunc(p.attributes, func(a string) bool { return strings.HasPrefix(a, "@wire(") }) {
			p.attributes = append([]string{m.wireAttribute()}, p.attributes...)
		}
	}
	return p
}

// takes reports whether the resource has an input of a name.
func (b *builder) takes(name string) bool {
	return slices.ContainsFunc(b.inputs, func(p property) bool { return p.name == name })
}

// shows reports whether the API shows an input, as a value of the same kind.
func (b *builder) shows(name string, as view) bool {
	m := b.object.member(name)
	if m == nil {
		return false
	}
	shown := viewOf(m.schema)
	number := []string{integerKind, numberKind}
	return received.has(shown) && !as.writeOnly &&
		(shown.kind == as.kind || shown.kind == anyKind || as.kind == anyKind || slices.Contains(number, shown.kind) && slices.Contains(number, as.kind)) &&
		(as.kind != arrayKind || viewOf(shown.items).kind == viewOf(as.items).kind)
}

// hasSpelling reports whether a property has a name in any spelling: SDKs do not tell labelID from labelId.
func hasSpelling(properties []property, name string) bool {
	return slices.ContainsFunc(properties, func(p property) bool { return strings.EqualFold(p.name, name) })
}

// omittable makes an output optional if it is a list or a map: many servers omit empty ones that their documents require.
func omittable(p *property, v view) {
	if isCollection(v) {
		p.optional, p.typ = true, strings.TrimPrefix(p.typ, "null | ")
	}
}

// addOutputs adds the members that the API shows and the program does not set.
func (b *builder) addOutputs() {
	members := slices.Clone(b.object.members)
	for _, m := range b.made.members {
		if b.object.member(m.name) == nil {
			members = append(members, m)
		}
	}
	for _, m := range members {
		v := viewOf(m.schema)
		isID := b.id != nil && m.name == b.id.name
		if !received.has(v) || isID && b.chosen || v.constant() != "" {
			continue
		}
		p := b.member(m, v, received)
		isInput := b.takes(p.name)
		if isInput && !b.fills(p, m) || !isInput && hasSpelling(b.inputs, p.name) || hasSpelling(b.outputs, p.name) || m.name == b.madeID {
			continue
		}
		if isInput {
			p.doc = ""
		}
		omittable(&p, v)
		switch {
		case isID:
			p.optional, p.typ = false, strings.TrimPrefix(p.typ, "null | ")
			// Hosts show ids, so they cannot be secret.
			p.attributes = append(slices.DeleteFunc(p.attributes, func(a string) bool { return a == "@secret()" }), "@stable()")
		case b.object.member(m.name) == nil:
			p.optional = true
			p.attributes = append(p.attributes, "@noRead()")
		}
		b.outputs = append(b.outputs, p)
	}
}
