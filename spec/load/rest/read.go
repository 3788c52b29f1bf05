package rest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/template"
)

var (
	// parentNames matches a name that is a whole expression, parentInputs an input, and parentRefs both.
	parentNames  = regexp.MustCompile(`\$\{\s*([A-Za-z_]\w*)\s*\}`)
	parentInputs = regexp.MustCompile(`\$\{\s*inputs\.([A-Za-z_]\w*)\s*\}`)
	parentRefs   = regexp.MustCompile(`\$\{\s*((?:inputs\.)?[A-Za-z_]\w*)\s*\}`)
	// usesBody matches an expression over a member of the body.
	usesBody = regexp.MustCompile(`\bbody\s*(\?\s*)?\.`)
)

// readAll reads and checks the options. It returns false if it reported a mistake.
func (x *options) readAll() bool {
	before := len(x.Diags)
	checkSingleton(x)
	x.checkPaths()
	x.readRequests()
	dropDefaults(x)
	checkBareID(x)
	x.named = x.create.method == "PUT" && x.create.path == nil && !x.s.Singleton || x.s.ID != nil && template.IsTemplate(x.s.ID.Text)
	x.idPath = []string{"id"}
	if path := x.wirePath(x.s.ID, "id"); path != nil {
		x.idPath = path
	}
	x.wrap = x.wirePath(x.s.Wrap, "wrap")
	if x.unwrap = x.wirePath(x.s.Unwrap, "unwrap"); x.unwrap != nil {
		last := &x.unwrap[len(x.unwrap)-1]
		*last, x.unwrapsSome = strings.CutSuffix(*last, "?")
	}
	x.items = x.unwrap
	if path := x.wirePath(x.s.Items, "items"); path != nil {
		x.items = path
		x.items[len(path)-1], x.omitsEmpty = strings.CutSuffix(path[len(path)-1], "?")
	}
	x.patch = x.oneOf(x.s.Patch, "patch", "", block.RestPatches...)
	x.bodiless = x.oneOf(x.s.Response, "response", "", "none") == "none"
	if x.patch != "" && x.update.method == "none" {
		x.fail(source.CodeMisplacedKey, x.s.Patch.Range, "patch", "patch has no effect without updates", "Remove it, or remove `update`.").Suggest(x.s.Without["patch"]...)
	}
	if x.patch == "json" && x.update.method != "PATCH" && x.update.method != "none" {
		x.fail(source.CodeBadValue, x.s.Patch.Range, "patch", "a JSON Patch requires the method PATCH", fmt.Sprintf("The update is a %s. Write `update: \"PATCH\"`, or remove `patch`.", x.update.method)).Suggest(x.s.Without["patch"]...)
		x.patch = ""
	}
	checkForm(x)
	checkObject(x)
	if x.requests.readsList() && !x.lists() {
		x.fail(source.CodeMisplacedKey, x.s.Read.Range, "read", "read requires the list", "Remove `list: \"none\"`, or write the read that the API has next to rest.")
	}
	if x.requests.readsList() && x.s.IfMatch != nil {
		x.fail(source.CodeMisplacedKey, x.s.IfMatch.Range, "ifMatch", "ifMatch requires a request for one object", "An object in a list has no ETag. Remove `ifMatch`, or `read: \"list\"`.")
	}
	x.readReturns()
	checkUnwrapsSome(x)
	x.readUnder()
	checkParent(x)
	x.checkRequests()
	checkWait(x)
	x.readName()
	x.readUnique()
	x.checkItems()
	return len(x.Diags) == before
}

func (x *options) fail(code string, at diag.Range, key, summary, detail string) *diag.Diagnostic {
	return x.Report(code, at, x.placeOf(at, key), summary, detail)
}

// checkPaths checks the paths of the collection and of an object.
func (x *options) checkPaths() {
	x.checkPath(x.s.Path, "path")
	x.checkPath(x.s.Parent, "parent")
	n := x.s.Object
	if n == nil || n.Kind != spec.StringNode {
		return
	}
	x.checkPath(n, "object")
	if !refersToID(n) {
		x.fail(source.CodeBadValue, n.Range, "object", "the path of an object requires its id", "Write where it is: `object: \"/tasks/${id}\"`.")
	}
}

func (x *options) checkPath(n *spec.Node, key string) {
	if n == nil || n.Kind != spec.StringNode {
		return // which was reported
	}
	if key == "path" && x.s.Singleton {
		checkPathOfSingleton(x, n)
		n = x.s.Path
	}
	ending := objectSegment.FindStringSubmatch(n.Text)
	switch {
	case key == "path" && ending != nil && (&wrongName{x}).isID(ending[2]):
		collection := strings.TrimSuffix(n.Text, ending[1])
		d := x.fail(source.CodeBadValue, n.Range, key, "the path of rest ends with the id", fmt.Sprintf("rest adds the id itself. Write the path of the collection: `path: %q`.", collection))
		d.Replace(n.Text, collection)
		cut := *n
		cut.Text = collection
		x.s.Path = &cut // of which nothing else is wrong
	case n.Text == "":
		x.fail(source.CodeBadValue, n.Range, key, "the path of rest is empty", "Write the path of the collection: `rest: \"/pets\"`.")
	case requestText.MatchString(n.Text):
		path := requestText.FindStringSubmatch(n.Text)[1]
		x.fail(source.CodeBadValue, n.Range, key, fmt.Sprintf("%s requires a path, got a request", key), fmt.Sprintf("Write the path only: `%s: %q`.", key, path)).Replace(n.Text, path)
	case strings.Contains(n.Text, "://"):
		x.fail(source.CodeBadValue, n.Range, key, "rest requires a path, got a URL", "Write the path only, and put the beginning of the URL into the defaults: `"+family+": baseURL: \"https://…\"`.")
		if _, rest, _ := strings.Cut(n.Text, "://"); key == "path" {
			_, rest, _ = strings.Cut(rest, "/")
			x.s.Path = text("/"+rest, n.Range) // what follows takes the path for the one that is meant
		}
	case strings.ContainsAny(withoutTemplates(n.Text), "?#") && !x.s.Singleton:
		x.fail(source.CodeBadValue, n.Range, key, "the path of rest must not contain a query", "The id is appended to it. Write the query into the defaults (`"+family+": query: {…}`), or write the operation that needs it next to rest.")
	}
}

// requestText matches a method and a path.
var requestText = regexp.MustCompile(`^[A-Za-z]+ +(/.*)$`)

// objectSegment matches a placeholder, of this or another notation, at the end of a path.
var objectSegment = regexp.MustCompile(`.(/(?:\$?\{\{?\s*\.?|:|<|\$|\$\()([A-Za-z_]\w*)(?:\s*\}?\}|>|\))?/?)$`)

// isID reports whether a placeholder has the name of the id, and not that of an input.
func (x *wrongName) isID(name string) bool {
	if x.r.Inputs.Field(name) != nil || x.s.Under.Get(name) != nil {
		return false
	}
	return name == "id" || x.s.ID != nil && name == x.s.ID.Text
}

// templates matches the expressions in a text, unless they contain braces.
var templates = regexp.MustCompile(`\$\{[^{}]*\}`)

func withoutTemplates(text string) string { return templates.ReplaceAllString(text, "") }

// wirePath reads a path of names on the wire. It returns nil if there is none.
func (x *options) wirePath(n *spec.Node, key string) []string {
	if n == nil || n.Kind == 0 {
		return nil
	}
	path := strings.Split(n.Text, ".")
	if x.named && key == "id" {
		return nil // see readName
	}
	name := n.Text
	if mayBeAbsent := key == "items" || key == "unwrap"; mayBeAbsent {
		name = strings.TrimSuffix(name, "?")
	}
	if name == "" || slices.Contains(path, "") || strings.ContainsAny(name, "${}[]/? ") {
		example := fmt.Sprintf("meta.%s", map[string]string{"id": "uuid", "wrap": "data", "unwrap": "data", "items": "results"}[key])
		own, ok := foreign.WirePath(n.Text)
		if key == "id" || key == "wrap" {
			own = strings.TrimSuffix(own, "?")
		}
		if !ok {
			own = example
		}
		d := x.fail(source.CodeBadValue, n.Range, key, fmt.Sprintf("%q is not a name or path of names on the wire", n.Text),
			fmt.Sprintf("Write the name of a member, or a path of names, without an expression: `%s: %q`.", key, own))
		if ok {
			d.Replace(n.Text, own)
		}
		return nil
	}
	return path
}

// oneOf reads an option that has one of several values. It returns the default for one
// that is absent or invalid.
func (x *options) oneOf(n *spec.Node, key, def string, values ...string) string {
	switch {
	case n == nil || n.Kind == 0:
		return def
	case !slices.Contains(values, n.Text):
		given := n.Text
		own, ok := foreign.Patch(given)
		if !ok || !slices.Contains(values, own) {
			x.fail(source.CodeBadValue, n.Range, key, fmt.Sprintf("%q is not a value of %s", given, key), "").Meant(given, values)
			return def
		}
		x.fail(source.CodeBadValue, n.Range, key, fmt.Sprintf("%q is not a value of %s", given, key), fmt.Sprintf("Write `%s: %q`.", key, own)).Replace(given, own)
		return own
	default:
		return n.Text
	}
}

// readReturns reads the type of an object, and checks that it has an id if the server chooses that.
func (x *options) readReturns() {
	n := x.s.Returns
	if n == nil || n.Kind == 0 {
		return
	}
	if n.Type == nil {
		if text := x.Files.TextAt(n.Range); x.Raw && n.Kind == spec.NullNode && text != "null" && text != "~" {
			return // a comment of YAML in its place was reported
		}
		x.fail(source.CodeBadValue, n.Range, "returns", "returns requires a type", "Write the name of a definition: `returns: #Pet`. In YAML, declare it in `types`, and quote it: `returns: '#Pet'`.")
		return
	}
	t := x.provider.Types.Resolve(n.Type)
	if t.Kind != spec.Object && t.Kind != spec.Union && t.Kind != spec.Any {
		x.fail(source.CodeBadValue, n.Range, "returns", fmt.Sprintf("returns requires the type of one object, got %s", t.Kind), "Declare a struct: the type of the list follows from it.")
		return
	}
	if i := slices.IndexFunc(x.unwrap, isIndex); i >= 0 {
		x.fail(source.CodeBadValue, n.Range, "returns", fmt.Sprintf("returns has no effect on a list: %q in unwrap is an index", x.unwrap[i]), "Remove `returns`, or write the operations next to rest.")
	}
	x.returns = n.Type
	if _, ok := memberOf(x.returns, x.idPath, x.rule, x.provider.Types); !ok && !x.own["id"] && !x.named && !x.s.Singleton {
		at, wire := cmp.Or(x.s.ID, n).Range, strings.Join(x.idPath, ".")
		x.fail(source.CodeBadValue, at, "id", fmt.Sprintf("%s has no member %q on the wire, which is the id", n.Text, wire),
			"Declare it in the type, such as `petId: string @wire("+wire+")`, or name the member that is the id. "+diag.Remedy(wire, wireNames(x.returns, x.rule, x.provider.Types)))
	}
}

// checkUnwrapsSome checks that a response shows whether it has the member that unwrap names.
func checkUnwrapsSome(x *options) {
	switch n := x.s.Unwrap; {
	case !x.unwrapsSome:
	case slices.ContainsFunc(x.unwrap, isIndex):
		x.fail(source.CodeBadValue, n.Range, "unwrap", "an item of a list cannot be absent in some responses", "Only a member can, such as `unwrap: \"data?\"`. Write the operations that differ next to rest, each with a `return` of its own.")
	case x.returns != nil:
		x.fail(source.CodeBadValue, n.Range, "unwrap", "the responses of rest have one type, so all of them have the member, or none",
			"Remove the question mark, and write the operations whose responses differ next to rest, with their own `returns` and `return`; or remove `returns`.")
	default:
		if p := propertyAt(x, x.unwrap); p != nil {
			x.fail(source.CodeBadValue, n.Range, "unwrap", fmt.Sprintf("a %s itself has %s, so a response that has it may be the object or contain it", x.r.Name, strings.Join(p.WirePath(x.rule), ".")),
				fmt.Sprintf("It is the property %q. Remove the question mark, and write the operations whose responses differ next to rest, each with a `return` of its own.", p.Name))
		}
	}
}

// propertyAt returns a property that is at a path on the wire, contains it or is in it, or nil.
func propertyAt(x *options, path []string) *spec.Property {
	for _, p := range append(slices.Clone(x.r.Inputs.Fields), x.r.Outputs.Fields...) {
		at := p.WirePath(x.rule)
		if n := min(len(at), len(path)); slices.Equal(at[:n], path[:n]) {
			return p
		}
	}
	return nil
}

// isIndex reports whether a part of a path is the index of an item of a list.
func isIndex(name string) bool { return strings.Trim(name, "0123456789") == "" }

// pathInput returns an input in a path, which must have a value. It returns nil if there is none of
// that name. If identifies is true, the path is that of an object, which the input must not change.
func (x *options) pathInput(name, key string, at diag.Range, identifies bool) *spec.Property {
	input := x.r.Inputs.Field(name)
	switch {
	case input == nil:
		x.fail(source.CodeBadValue, at, key, fmt.Sprintf("there is no input %q", name), "Declare the input.").Meant(name, x.r.Inputs.FieldNames())
		return nil
	case identifies && !input.Replace:
		x.fail(source.CodeBadValue, input.Range, key, fmt.Sprintf("input %q is part of the path of rest, but may change", input.Name),
			"A change would address another object. Mark the input @replace().").Suggest(input.WithAttribute("replace()"))
	case input.Optional():
		x.fail(source.CodeBadValue, input.Range, key, fmt.Sprintf("input %q is part of the path of rest, but optional", input.Name), "Make it required, or give it a default.")
	}
	return input
}

// readUnique reads the inputs that identify an object in the list, or in the response to `find`.
func (x *options) readUnique() {
	n := x.s.Unique
	if n == nil || n.Kind == 0 {
		return
	}
	if !x.lists() && x.find.path == nil {
		x.fail(source.CodeMisplacedKey, n.Range, "unique", "unique requires a list", "It looks for an object in the list. Remove `list: \"none\"`, or write the request whose response is a list, such as `find: \"GET /pets?name=${inputs.name}\"`.")
		return
	}
	items := n.Items
	if n.Kind == spec.StringNode {
		items = []*spec.Node{n}
	}
	if len(items) == 0 {
		x.fail(source.CodeBadValue, n.Range, "unique", "unique requires the name of an input, or a list of names", `Write the input whose value no two objects share: unique: "name".`)
	}
	for _, item := range items {
		if p := x.uniqueInput(item); p != nil {
			x.unique = append(x.unique, p)
		}
	}
}

// uniqueInput returns an input that `unique` names, or nil.
func (x *options) uniqueInput(n *spec.Node) *spec.Property {
	input := x.r.Inputs.Field(n.Text)
	refuse := func(summary, detail string) *spec.Property {
		x.fail(source.CodeBadValue, n.Range, "unique", summary, detail)
		return nil
	}
	isParent := func(name *spec.Node) bool {
		return slices.ContainsFunc(x.parents, func(p parent) bool { return p.input.Name == name.Text })
	}
	switch {
	case n.Kind == 0:
		return nil
	case n.Kind != spec.StringNode || input == nil:
		if own, ok := foreign.Path(n.Text, "inputs"); ok && x.r.Inputs.Field(own) != nil {
			x.fail(source.CodeBadValue, n.Range, "unique", fmt.Sprintf("%q is not the name of an input", n.Text), fmt.Sprintf("Write the name, without an expression: `unique: %q`.", own)).Replace(n.Text, own)
			return nil
		}
		x.fail(source.CodeBadValue, n.Range, "unique", fmt.Sprintf("there is no input %q", n.Text), "unique names inputs.").Meant(n.Text, x.r.Inputs.FieldNames())
		return nil
	case input.WireItem != nil:
		return refuse(fmt.Sprintf("input %q is a list whose items are in objects on the wire", input.Name), "Name an input that has the same value in the list.")
	case input.Optional():
		return refuse(fmt.Sprintf("input %q is optional", input.Name), "Without a value it identifies no object. Make the input required, give it a default, or name another one.")
	case input.Equal == "json" || input.Equal == "path":
		return refuse(fmt.Sprintf("unique compares input %q exactly, and @equal(%s) does not", input.Name, input.Equal),
			"What the server has normalised would not be found, and made again. Name another input, or write a `find` of your own.")
	case input.Normalised && input.Equal == "" && input.EqualExpr == nil:
		return refuse(fmt.Sprintf("the server may rewrite input %q, which is @normalised()", input.Name),
			"What it has rewritten would not be found, and made again. Say by `@equal` which values are the same, such as `@equal(fold)` or `@equal(trim)`; or name another input, or write a `find` of your own.")
	case isParent(n) && !slices.ContainsFunc(x.s.Unique.Items, func(other *spec.Node) bool { return !isParent(other) }):
		return refuse(fmt.Sprintf("input %q is part of the path", input.Name), "Most lists have only objects with this value in common. Name an input that tells them apart, too. A request that searches for one object is the `find`.")
	}
	if x.returns == nil {
		return input
	}
	if _, ok := memberOf(x.returns, input.WirePath(x.rule), x.rule, x.provider.Types); !ok {
		wire := strings.Join(input.WirePath(x.rule), ".")
		return refuse(fmt.Sprintf("%s has no member %q on the wire, which input %q is compared with", x.s.Returns.Text, wire, input.Name),
			"Declare it in the type. "+diag.Remedy(wire, wireNames(x.returns, x.rule, x.provider.Types)))
	}
	return input
}

// checkItems reports a list whose items cannot be the body.
func (x *options) checkItems() {
	if x.items != nil || x.s.Items != nil || !lists.Find(x.optionsOfLists(), func(o option) bool { return o.name == "paginate" }).used {
		return
	}
	for _, n := range []*spec.Node{x.s.Paginate.Get("next"), x.s.Paginate.Get("cursor").Get("next")} {
		if n != nil && usesBody.MatchString(n.Text) {
			x.fail(source.CodeMissingKey, n.Range, "items", "rest requires items", "The body of the list has members, so it is not an array. Name the member that contains the objects: `items: \"results\"`.")
		}
	}
}
