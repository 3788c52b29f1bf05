package openapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// addRest adds the options of `rest`.
func (b *builder) addRest() {
	more := b.rest
	b.rest = []option{{"path", literalOf(b.path(b.collection))}}
	if b.collection == "" {
		b.rest[0].value = literalOf(b.path(b.item))
		b.add("singleton", "true")
		b.addUpdate(http.MethodPatch)
		addForm(b)
		b.addBody()
		return
	}
	if trimmed := strings.TrimSuffix(b.collection, "/"); b.item != trimmed+"/{"+b.param+"}"+b.collection[len(trimmed):] {
		b.add("object", literalOf(b.path(b.item[:strings.LastIndex(b.item, "{")])+"${id}"+b.item[strings.LastIndex(b.item, "}")+1:]))
	}
	switch {
	case b.chosen:
		b.add("id", literalOf("${inputs."+nameOfID(b)+"}"))
	case b.id.name != "id":
		b.add("id", literalOf(b.id.name))
	}
	usual := http.MethodPatch
	if b.create.method == http.MethodPut {
		b.add("create", `"PUT"`)
		usual = http.MethodPut
	}
	for _, kind := range []string{"create", "read", "list", "delete"} {
		if at, ok := b.elsewhere[kind]; ok && (kind != "create" || b.madeID == "") {
			b.add(kind, literalOf(at.method+" "+pathOfObject(b, at.path)))
		}
	}
	if b.unwrap != "" {
		b.add("unwrap", literalOf(b.unwrap))
	}
	if b.wrap != "" {
		b.add("wrap", literalOf(b.wrap))
	}
	b.addUpdate(usual)
	addForm(b)
	b.addBody()
	b.rest = append(b.rest, more...)
	if b.madeID != "" {
		b.keys = append(b.keys, option{"create", "{as: \"made\", http: {method: \"POST\", path: " + literalOf(b.path(cmp.Or(b.elsewhere["create"].path, b.collection))) + ", " + bodyArgument(b, sentToCreate(b), false) + "}}"},
			option{"id", literalOf("${steps.made.body." + b.madeID + "}")})
		if len(b.parents) > 0 {
			way := ""
			for _, param := range b.parents {
				way += "${inputs." + b.parentNames()[param] + "}/"
			}
			b.keys = append(b.keys, option{"import", literalOf(way + "${id}")})
		}
	}
	b.addList()
	if !has(b.endpoint.object, "delete") {
		b.keys = append(b.keys, option{"delete", "null"})
		b.notes = append(b.notes, "The document has no DELETE, so a resource that is deleted remains.")
	}
	if b.create.get("deprecated").isTrue() {
		b.keys = append(b.keys, option{"deprecated", `"The API has deprecated it."`})
	}
	if len(b.others) > 0 {
		b.notes = append(b.notes, "The document has other requests that create such an object: POST "+strings.Join(b.others, ", POST ")+".")
	}
	b.noteRequired()
}

func (b *builder) add(key, value string) { b.rest = append(b.rest, option{key, value}) }

func (b *builder) addBody() {
	if len(b.constants) > 0 {
		b.add("body", "{"+joined(b.constants)+"}")
	}
}

// path returns a path of the document as a template.
func (b *builder) path(path string) string {
	named := b.parentNames()
	out := strings.Split(path, "/")
	for i, s := range out {
		if name := parameterIn(s); name != "" {
			out[i] = "${inputs." + named[name] + "}" + extensionOf(s)
		}
	}
	return strings.Join(out, "/")
}

// pathOfObject returns a path of the document, which may have the id of the object, as a template.
func pathOfObject(b *builder, path string) string {
	id := "${id}"
	if b.chosen {
		id = "${inputs." + nameOfID(b) + "}"
	}
	return strings.ReplaceAll(b.path(strings.ReplaceAll(path, "{"+b.param+"}", "\x00")), "\x00", id)
}

// nameOfID returns the name of the input that is the id.
func nameOfID(b *builder) string {
	if b.id != nil {
		return b.declaredName(b.id.name)
	}
	return b.declaredName(b.param)
}

// addUpdate adds how an object is changed, unless it is the usual way.
func (b *builder) addUpdate(usual string) {
	switch {
	case !b.update.exists():
		b.add("update", `"none"`)
		return
	case b.byBody:
		b.keys = append(b.keys, option{"update", "{http: {method: " + literalOf(b.update.method) + ", path: " + literalOf(b.path(b.collection)) + ", " + bodyArgument(b, b.whole(), true) + "}}"})
		return
	case b.elsewhere["update"].path != "":
		b.add("update", literalOf(b.update.method+" "+pathOfObject(b, b.elsewhere["update"].path)))
	case b.update.method != usual:
		b.add("update", literalOf(b.update.method))
	}
	if b.update.method == http.MethodPost && b.elsewhere["create"].path == b.item {
		b.add("patch", `"all"`) // the same request creates
	}
	if b.update.method != http.MethodPatch {
		return
	}
	switch _, media := inJSON(b.update.get("requestBody").get("content")); {
	case strings.HasPrefix(media, "application/merge-patch+json"):
		b.add("patch", `"merge"`)
	case strings.HasPrefix(media, "application/json-patch+json"):
		b.add("patch", `"json"`)
	}
}

// withoutParents returns the expression for the inputs without the parents.
func withoutParents(b *builder) string {
	if len(b.parents) == 0 {
		return "inputs"
	}
	var names []string
	for _, name := range sortedKeys(b.parentNames()) {
		names = append(names, "'"+b.parentNames()[name]+"'")
	}
	return "omit(inputs, " + strings.Join(names, ", ") + ")"
}

// sentToCreate returns the body of a create as a template.
func sentToCreate(b *builder) string {
	inputs := withoutParents(b)
	if len(b.constants) > 0 {
		inputs = "merge(" + inputs + ", {" + joined(b.constants) + "})"
	}
	return "${" + inputs + "}"
}

// whole returns the body of an update that names the object.
func (b *builder) whole() string {
	inputs := withoutParents(b)
	if b.chosen {
		return "${" + inputs + "}"
	}
	id := "id"
	if viewOf(b.id.schema).kind == integerKind {
		id = "int(id)"
	}
	whole := "merge(" + inputs + ", {" + literalOf(b.id.name) + ": " + id + "})"
	if b.wrap != "" {
		return "${{" + literalOf(b.wrap) + ": " + whole + "}}"
	}
	return "${" + whole + "}"
}

// findList finds the list of the objects, from which they are read if the API has no request for one.
func (b *builder) findList() string {
	if list := b.objects.get("get"); list.exists() && requiredIn(list, "query") == nil {
		name, ok := itemsOf(responseOf(list))
		items := viewOf(b.listed())
		shows := b.id == nil || items.kind == anyKind || items.member(b.id.name) != nil
		if ok && shows && (name != "" || b.unwrap == "") {
			b.list, b.items = list, name
		}
	}
	if !has(b.endpoint.object, "get") && (!b.list.exists() || b.id == nil) {
		return "the document has no request that reads an object, and no list that shows it"
	}
	return ""
}

// addList adds where the objects are in the response to the list, and how it reads one object if the API has no request for that.
func (b *builder) addList() {
	if !has(b.endpoint.object, "get") {
		b.add("read", `"list"`)
	}
	if !b.list.exists() {
		b.rest = slices.DeleteFunc(b.rest, func(o option) bool { return o.key == "list" })
		b.add("list", `"none"`)
		return
	}
	if b.items != "" && b.items != strings.TrimSuffix(b.unwrap, "?") {
		b.add("items", literalOf(b.items))
	}
	if pages := pagesOf(b.list, viewOf(responseOf(b.list))); pages != "" {
		b.add("paginate", pages)
	}
}

// noteRequired notes parameters without which the API refuses a request.
func (b *builder) noteRequired() {
	var queries, headers []string
	for _, o := range append(operationsOf(b.endpoint.object), b.create.part) {
		for _, in := range []struct {
			place string
			names *[]string
		}{{"query", &queries}, {"header", &headers}} {
			for _, name := range requiredIn(o, in.place) {
				if !slices.Contains(*in.names, name) {
					*in.names = append(*in.names, name)
				}
			}
		}
	}
	if queries != nil {
		b.notes = append(b.notes, "The API requires parameters in the query: "+strings.Join(queries, ", ")+". Add them to rest: query.")
	}
	if headers != nil {
		b.notes = append(b.notes, "The API requires headers: "+strings.Join(headers, ", ")+". Add them to http: headers.")
	}
}

// requiredIn returns the names of the parameters that an operation requires in the query or in headers.
func requiredIn(o part, place string) []string {
	var out []string
	for _, p := range parametersOf(o) {
		if name := p.get("name").text(); p.get("in").text() == place && p.get("required").isTrue() && !strings.EqualFold(name, "Authorization") {
			out = append(out, name)
		}
	}
	return out
}
