package engine_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/printer"
)

// TestRestLaws generates combinations of the options of `rest`, and an API with the
// habits that they are for. The life of an object is the same with the shorthand and
// with the spec that expand prints, request by request. After each change, a refresh
// finds what was sent, so the next update has nothing to do.
func TestRestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := genRest(t)
		short := g.load(t, []byte(g.text()), "cue")
		format, text := "cue", []byte(nil)
		var err error
		if rapid.Bool().Draw(t, "printed as YAML") {
			format = "yaml"
			text, err = printer.YAML(short)
		} else {
			text, err = printer.CUE(short)
		}
		if err != nil {
			t.Fatal(err)
		}
		long := g.load(t, text, format)
		g.keyed(t, short)
		asShort := g.life(t, short)
		asLong := g.life(t, long)
		if diff := cmp.Diff(asShort, asLong); diff != "" {
			t.Fatalf("%s\n%s\nthe requests differ (-rest +expanded):\n%s", g.text(), text, diff)
		}
	})
}

// restGen is a generated API and the spec for it.
type restGen struct {
	api     restHabits
	options []string // of rest
	// defaults are options of all shorthands.
	defaults []string
	typed    bool
	parent   string // "", "input" or "under"
	unique   bool
	found    bool
	own      bool // the create is written next to rest
	lose     bool
	path     string
}

// genRest generates an API and the options for it.
func genRest(t *rapid.T) *restGen {
	pick := func(what string, values ...string) string { return rapid.SampledFrom(values).Draw(t, what) }
	some := func(what string) bool { return rapid.Bool().Draw(t, what) }
	g := &restGen{api: restHabits{id: []string{"id"}, update: "PATCH", number: some("number"), slash: some("slash"), silent: some("silent updates")}}
	option := func(name, value string) { g.options = append(g.options, name+": "+value) }
	path := func(name, dotted string) []string {
		option(name, fmt.Sprintf("%q", dotted))
		return strings.Split(dotted, ".")
	}
	if id := pick("id", "", "uuid", "metadata.uid", "x-id"); id != "" {
		g.api.id = path("id", id)
	}
	if unwrap := pick("unwrap", "", "data", "x.pet", "the-pet"); unwrap != "" {
		g.api.unwrap = path("unwrap", unwrap)
		g.api.items = g.api.unwrap
	}
	if items := pick("items", "", "results", "data.items"); items != "" {
		g.api.items = path("items", items)
	}
	if g.api.update = pick("update", "PATCH", "PUT", "POST", "none"); g.api.update != "PATCH" {
		option("update", fmt.Sprintf("%q", g.api.update))
	}
	if patch := pick("patch", "", "merge", "all"); g.api.update != "none" && patch != "" {
		g.api.merge, g.api.whole = patch == "merge", patch == "all"
		option("patch", fmt.Sprintf("%q", patch))
	}
	switch g.api.pages = pick("pages", "", "page", "cursor", "next"); {
	case g.api.pages == "page":
		option("paginate", `page: param: "page"`)
	case g.api.pages != "" && g.api.items == nil: // the body has no place for it
		g.api.pages = ""
	case g.api.pages == "next":
		option("paginate", `next: "${body.nextURL}"`)
	case g.api.pages == "cursor":
		option("paginate", `cursor: {param: "cursor", next: "${body.next}"}`)
	}
	if g.api.location = pick("location", "", "", "path", "url"); g.api.location != "" {
		option("response", `"none"`)
	}
	if g.api.listOnly = some("list only"); g.api.listOnly {
		option("read", `"list"`)
	}
	if g.typed = some("typed"); g.typed {
		option("returns", "#Pet")
	}
	switch g.api.missing = rapid.SampledFrom([]int{0, 0, 400, 200}).Draw(t, "missing"); {
	case g.api.missing == 400:
		option("gone", `"${status == 400}"`)
	case g.api.missing == 200 && g.typed: // an object has no such member
		g.api.missing = 0
	case g.api.missing == 200:
		option("gone", `"${body.error == 'no such object'}"`)
	}
	if g.own = g.api.location == "" && some("own create"); g.own {
		g.api.keyed = false
	} else if g.api.keyed = some("keyed"); g.api.keyed {
		option("idempotencyKey", "true")
	}
	if !g.own && some("known to run twice") {
		option("idempotent", "false") // only a note is left
	}
	if g.unique = some("unique"); g.unique {
		option("unique", pick("of", `"name"`, `["name", "kind"]`))
	}
	g.found = !g.unique && some("found")
	g.api.named = g.found
	g.lose = (g.unique || g.api.keyed || g.found) && rapid.IntRange(0, 9).Draw(t, "a lost response") == 0
	g.path = "/pets"
	if g.parent = pick("parent", "", "input", "under"); g.parent == "input" {
		g.path = "/stores/${inputs.store}/pets"
	} else if g.parent == "under" {
		g.path = "/stores/${ shop }/pets"
		option("under", `shop: "${inputs.store}"`)
	}
	if g.api.slash {
		g.path += "/"
	}
	object := strings.TrimSuffix(g.path, "/") + "/${id}"
	switch g.api.objectsAt = pick("objects at", "", "", "flat", "slashless"); {
	case g.api.objectsAt == "flat" && g.api.slash:
		object = "/pets/${id}"
		option("object", `"/pets/${id}/"`)
	case g.api.objectsAt == "flat":
		object = "/pets/${id}"
		option("object", `"/pets/${id}"`)
	case g.api.objectsAt == "slashless":
		option("object", fmt.Sprintf("%q", object))
	}
	if g.api.form = pick("form", "", "", "brackets", "indices", "N", "member.N"); g.api.form != "" && !g.own {
		option("form", fmt.Sprintf("%q", g.api.form))
	} else {
		g.api.form = ""
	}
	g.genRequests(t, object, option)
	g.genWait(option, pick)
	g.genLists(t, option)
	g.genMembers(t, option)
	g.genDefaults(t)
	return g
}

// genWait generates what the API does after it has responded.
func (g *restGen) genWait(option func(name, value string), pick func(what string, values ...string) string) {
	g.api.async = pick("async", "", "", "object") == "object" && !g.own && !g.api.listOnly
	if !g.api.async {
		return
	}
	member := "body"
	for _, name := range g.api.unwrap {
		member += fmt.Sprintf("[%q]", name)
	}
	if g.typed {
		member = strings.ReplaceAll(member, `["the-pet"]`, ".thePet")
	}
	option("wait", fmt.Sprintf("{until: %q, every: \"1ms\"}", "${"+member+".status == 'available'}"))
}

// genMembers generates what requests have beside the inputs, and what is asked before them.
func (g *restGen) genMembers(t *rapid.T, option func(name, value string)) {
	some := func(what string) bool { return rapid.Bool().Draw(t, what) }
	if g.own && g.api.update == "none" {
		return
	}
	if some("members") {
		g.api.members = map[bool]string{true: "updates", false: "all"}[g.own]
		option("body", `{source: "declprov", labels: of: "${inputs.name}"}`)
	}
	if g.api.guarded = !g.api.listOnly && some("guarded"); g.api.guarded {
		option("ifMatch", "true")
	}
	if g.api.strict = g.parent != "" && some("strict"); g.api.strict {
		option("parent", map[string]string{"input": `"/stores/${inputs.store}"`, "under": `"/stores/${shop}"`}[g.parent])
	}
}

// defaults are the options that may be defaults, unless they contain a path.
var defaults = []string{"id", "unwrap", "items", "update", "patch", "form", "paginate", "response", "read", "gone", "idempotencyKey", "idempotent", "body", "ifMatch", "wait"}

// genDefaults makes some options defaults.
func (g *restGen) genDefaults(t *rapid.T) {
	g.options = slices.DeleteFunc(g.options, func(o string) bool {
		name, value, _ := strings.Cut(o, ": ")
		isDefault := slices.Contains(defaults, name) && !strings.Contains(value, " /") && rapid.IntRange(0, 3).Draw(t, name+" as a default") == 0
		if isDefault {
			g.defaults = append(g.defaults, o)
		}
		return isDefault
	})
}

// genLists generates requests for lists that are not GET with the path of the collection.
func (g *restGen) genLists(t *rapid.T, option func(name, value string)) {
	g.api.lists = rapid.SampledFrom([]string{"", "", "all", "search"}).Draw(t, "lists")
	store := map[string]string{"input": "store=${inputs.store}", "under": rapid.SampledFrom([]string{"store=${shop}", "store=${inputs.store}"}).Draw(t, "store")}[g.parent]
	switch g.api.lists {
	case "all":
		option("list", fmt.Sprintf("%q", strings.TrimSuffix("GET /all?"+store, "?")))
	case "search":
		option("list", fmt.Sprintf("%q", "POST "+strings.TrimSuffix(g.path, "/")+"/search"))
		if at := slices.Index(g.options, `paginate: page: param: "page"`); at >= 0 && !g.unique && rapid.Bool().Draw(t, "pages in the body") {
			g.options[at] = `paginate: page: {param: "at.page", in: "body"}`
		}
	}
	if g.api.matching = g.unique && rapid.Bool().Draw(t, "matching"); g.api.matching {
		option("find", fmt.Sprintf("%q", "GET /matching?name=${inputs.name}&"+store))
	}
}

// genRequests generates requests whose paths do not follow from those of the collection and of an
// object.
func (g *restGen) genRequests(t *rapid.T, object string, option func(name, value string)) {
	collection := strings.TrimSuffix(g.path, "/")
	slash := map[bool]string{true: "/"}
	if g.found {
		option("find", fmt.Sprintf("%q", "GET "+collection+"/named/${inputs.name}"+slash[g.api.slash]))
	}
	g.api.verbs = map[string]string{}
	for _, op := range []string{"create", "read", "update", "delete"} {
		if op == "create" && g.own || op == "read" && g.api.listOnly || op == "update" && g.api.update == "none" || rapid.IntRange(0, 2).Draw(t, "path of "+op) > 0 {
			continue
		}
		method, path := "POST", object
		switch {
		case op == "create" && g.parent == "under" && g.api.objectsAt == "flat":
			path = collection // vet cannot tell the parent of a PUT from the object's name
		case op == "create":
			method, path = rapid.SampledFrom([]string{"POST", "PUT"}).Draw(t, "method"), collection
		case op == "read":
			method = "GET"
		case op == "update":
			method = g.api.update
		}
		g.api.verbs[op] = method
		end := slash[g.api.slash && (op == "create" || g.api.objectsAt != "slashless")]
		g.options = slices.DeleteFunc(g.options, func(o string) bool { return strings.HasPrefix(o, op+":") })
		option(op, fmt.Sprintf("%q", method+" "+path+"/"+verbOf[op]+end))
	}
	if own := g.api.verbs; g.api.location == "" && (own["read"] != "" || g.api.listOnly) && (own["update"] != "" || g.api.update == "none") && own["delete"] != "" {
		g.options = slices.DeleteFunc(g.options, func(o string) bool { return strings.HasPrefix(o, "object:") }) // no effect
	}
	// The default of updates follows the method of the create.
	if g.api.verbs["create"] == "PUT" && g.api.update == "PATCH" && g.api.verbs["update"] == "" {
		option("update", `"PATCH"`)
	}
}

// text returns the spec.
func (g *restGen) text() string {
	id, outputs := strings.Join(quoted(g.api.id), "."), "petId: "+map[bool]string{true: "int", false: "string"}[g.api.number]+" @wire(ID)"
	outputs = strings.Replace(outputs, "ID", id, 1)
	rest := "{path: " + fmt.Sprintf("%q", g.path) + ", " + strings.Join(g.options, ", ") + "}"
	if g.options == nil {
		rest = fmt.Sprintf("%q", g.path)
	}
	create := ""
	if g.own {
		create = fmt.Sprintf("\tcreate: http: {path: %q, json: \"${pick(inputs, 'name', 'kind', 'tags')}\"}\n", strings.Replace(g.path, "${ shop }", "${inputs.store}", 1))
	}
	store, named := "", ""
	if g.parent != "" {
		store = "\t\tstore: string @replace()\n"
	}
	if parent := ""; g.typed {
		if g.api.objectsAt == "flat" && g.parent != "" {
			parent = ", store: string"
		}
		named = "#Pet: {" + outputs + parent + ", name: string, kind: string, tags?: [string]: string, status: string}\n"
	}
	common := ""
	if g.defaults != nil {
		common = "rest: {" + strings.Join(g.defaults, ", ") + "}\n"
	}
	return "name: \"pets\"\nversion: \"1.0.0\"\nconfig: endpoint: string\nhttp: baseURL: \"${config.endpoint}\"\n" + common + named +
		"resources: Pet: {\n\tinputs: {\n" + store + "\t\tname: string\n\t\tkind: *\"dog\" | \"cat\"\n\t\ttags?: [string]: string\n\t}\n\toutputs: {" + outputs + ", status: string}\n\trest: " + rest + "\n" + create + "}\n"
}

func quoted(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return list
}

// load loads a spec that must not have mistakes.
func (g *restGen) load(t *rapid.T, text []byte, format string) *spec.Provider {
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: text, Format: format})
	if len(diags) > 0 {
		t.Fatalf("%s\n%+v", text, diags)
	}
	return doc.Provider
}

// keyed checks that vet warns about creates that may run twice, and nothing else.
func (g *restGen) keyed(t *rapid.T, p *spec.Provider) {
	_, diags := engine.Compile(p, builtin.Families())
	var codes []string
	for _, d := range diags {
		codes = append(codes, d.Code)
	}
	var want []string
	if !g.unique && !g.api.keyed && !g.found {
		want = []string{"at-least-once"}
	}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Fatalf("%s\n%+v\n%s", g.text(), diags, diff)
	}
}

// serverAddress matches what differs from server to server.
var serverAddress = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// life plays the life of an object, and returns the requests.
func (g *restGen) life(t *rapid.T, p *spec.Provider) []string {
	api := &restAPI{restHabits: g.api}
	server := api.serve()
	defer server.Close()
	program, diags := engine.Compile(p, builtin.Families())
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	journal, err := os.MkdirTemp("", "rest")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(journal)
	e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: journal, Journal: journal})
	if err != nil {
		t.Fatal(err)
	}
	api.lose = g.lose
	g.play(t, e, api)
	var log []string
	for _, line := range api.requests() {
		log = append(log, serverAddress.ReplaceAllString(line, "SERVER"))
	}
	return log
}

// play creates, changes, lists, imports and deletes an object.
func (g *restGen) play(t *rapid.T, e *engine.Engine, api *restAPI) {
	inputs := []any{"name", "Rex"}
	if g.parent != "" {
		inputs = append(inputs, "store", "s1")
	}
	want := g.checked(t, e, object(append(inputs, "tags", property.New(object("likes", "bones")))...))
	made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: want})
	if made.Err != nil && g.lose {
		made = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: want})
	}
	if made.Err != nil {
		t.Fatalf("%s\n%v\n%v", g.text(), made.Err, api.requests())
	}
	state := g.refreshed(t, e, *made.State, want)

	api.mu.Lock()
	if len(api.objects) != 1 {
		t.Errorf("%s\n%d objects were made", g.text(), len(api.objects))
	}
	api.mu.Unlock()
	for _, changed := range []property.Map{
		object(append(slices.Clone(inputs), "kind", "cat", "tags", property.New(object("likes", "mice", "fears", "dogs")))...),
		object(append(slices.Clone(inputs), "kind", "cat", "tags", property.New(object("fears", "dogs")))...),
		object(append(slices.Clone(inputs), "kind", "cat")...),
	} {
		if g.api.update == "none" {
			break
		}
		next := g.checked(t, e, changed)
		out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: state, Inputs: next})
		if out.Err != nil {
			t.Fatalf("%s\n%v\n%v", g.text(), out.Err, api.requests())
		}
		if last := api.last(); !g.api.silent && !g.typed && !g.api.async && g.api.location == "" && strings.HasPrefix(last, "GET ") {
			t.Fatalf("%s\nthe API responds to an update with the object, and yet there is another request: %s", g.text(), last)
		}
		want, state = next, g.refreshed(t, e, *out.State, next)
	}
	state = g.imported(t, e, state, want)
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Pet"), State: state}); err != nil {
		t.Fatal(err)
	}
	if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: state}); out.Err != nil || !out.Gone {
		t.Fatalf("%s\nthe object is still there: %v", g.text(), out.Err)
	}
	if !g.api.strict {
		return
	}
	api.mu.Lock()
	api.storeless = true
	api.mu.Unlock()
	if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: state}); out.Err != nil || !out.Gone {
		t.Fatalf("%s\nthe store does not exist, and the object does: %v", g.text(), out.Err)
	}
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Pet"), State: state}); err != nil {
		t.Fatalf("%s\nthe store does not exist: %v", g.text(), err)
	}
}

func (g *restGen) checked(t *rapid.T, e *engine.Engine, inputs property.Map) property.Map {
	out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Pet"), New: inputs})
	if err != nil || len(out.Failures) > 0 {
		t.Fatalf("%s\n%v %+v", g.text(), err, out.Failures)
	}
	return out.Inputs
}

// refreshed reads an object, which must be as the program has it.
func (g *restGen) refreshed(t *rapid.T, e *engine.Engine, state engine.State, want property.Map) engine.State {
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: state, Reason: engine.Refresh})
	if out.Err != nil || out.State == nil {
		t.Fatalf("%s\nread: %v, %v", g.text(), out.State, out.Err)
	}
	for _, s := range []engine.State{state, *out.State} {
		diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Pet"), State: s, New: want})
		if err != nil || len(diff.Changes) > 0 || diff.Force {
			t.Fatalf("%s\nthe next update would change %+v, %v", g.text(), diff, err)
		}
	}
	if out.State.Outputs.Get("status").AsString() != "available" || out.State.ID != state.ID {
		t.Fatalf("%s\nid %q, then %q; outputs %v", g.text(), state.ID, out.State.ID, out.State.Outputs)
	}
	return *out.State
}

// imported lists the objects, and imports the one by the id that the list has.
func (g *restGen) imported(t *rapid.T, e *engine.Engine, state engine.State, want property.Map) engine.State {
	query := property.Map{}
	switch g.parent {
	case "input":
		query = object("store", "s1")
	case "under":
		query = object("shop", "s1")
	}
	var ids []string
	for listed, err := range e.List(t.Context(), engine.ListRequest{Ref: ref("Pet"), Query: query}) {
		if err != nil {
			t.Fatalf("%s\nlist: %v", g.text(), err)
		}
		ids = append(ids, listed.ID)
	}
	if len(ids) != 1 {
		t.Fatalf("%s\nlisted: %q", g.text(), ids)
	}
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: engine.State{ID: ids[0]}, Reason: engine.Import})
	if out.Err != nil || out.State == nil || out.State.ID != state.ID {
		t.Fatalf("%s\nimport of %q: %+v, %v", g.text(), ids[0], out.State, out.Err)
	}
	if diff := cmp.Diff(want, out.State.Inputs, values); diff != "" {
		t.Fatalf("%s\nimported (-want +got):\n%s", g.text(), diff)
	}
	return *out.State
}
