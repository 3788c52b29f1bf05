package rest

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/source"
)

// With `patch: "object"`, the server replaces the whole object and removes what is not sent. So a request reads the object first, and
// what is sent is the object with the changes: other members, such as those that the spec does not declare, stay as they are.

// patchObject is that value of `patch`.
const patchObject = "object"

// nowStep is the name of the step that reads the object.
const nowStep = "now"

// patchesObject reports whether the author chose it. It can be asked before the options are read.
func patchesObject(s *spec.Rest) bool { return s.Patch != nil && s.Patch.Text == patchObject }

// sendsObject reports whether a request that changes an object that exists replaces it.
func sendsObject(x *options, r requestLine) bool {
	return x.patch == patchObject && r.method != "PATCH"
}

// sendOf returns what a request that changes an object that exists sends after it has read the object: "object" for the whole of it, "patch"
// or "merge" for what differs, or "" if it does not read it. What is recorded does not tell which members a struct has that the spec does not
// know, or that nobody has read yet: a JSON Patch would replace them, and a merge patch would leave entries of maps.
func sendOf(x *options, r requestLine, updates bool) string {
	reads := !x.own["read"] && !x.requests.readsList() && x.s.Form == nil
	switch {
	case sendsObject(x, r):
		return patchObject
	case x.patch == "json" && r.method == "PATCH" && reads && (hasUnknownStructs(x) || !updates && hasMaps(x)):
		return "patch"
	case x.patch == "merge" && x.s.Singleton && !updates && reads && hasMaps(x):
		return "merge"
	}
	return ""
}

// hasUnknownStructs reports whether inputs are in structs that may exist although they are not recorded: those of `@wire(posts.size)`, and
// optional structs.
func hasUnknownStructs(x *options) bool {
	return slices.ContainsFunc(x.r.Inputs.Fields, func(p *spec.Property) bool {
		return len(p.WireParents) > 0 || hasOptionalStruct(x, p, 0)
	})
}

func hasOptionalStruct(x *options, p *spec.Property, depth int) bool {
	const deepest = 5 // of types that contain themselves
	t := x.provider.Types.Resolve(p.Type)
	if t.Kind != spec.Object || depth == deepest {
		return false
	}
	return !p.Required || slices.ContainsFunc(t.Fields, func(f *spec.Property) bool { return hasOptionalStruct(x, f, depth+1) })
}

// hasMaps reports whether inputs have members that a program removes without saying so: entries of maps, and optional members of structs.
func hasMaps(x *options) bool { return completeMembers(&expansion{x}) != nil }

// checkObject checks the options of updates that replace the whole object.
func checkObject(x *options) {
	if n := x.s.Omit; n != nil && n.Kind != 0 && !patchesObject(x.s) {
		x.fail(source.CodeMisplacedKey, n.Range, "omit", "omit has no effect", "It leaves out members of an object that was read. Remove it, or write `patch: \"object\"`.").Suggest(x.s.Without["omit"]...)
		return
	}
	if x.patch != patchObject {
		return
	}
	switch at := x.s.Patch.Range; {
	case x.update.method == "PATCH":
		x.fail(source.CodeBadValue, at, "patch", "a PATCH does not replace the whole object", "Write `update: \"PUT\"`, or the method that replaces it. If the update is a PATCH, remove `patch`.").Suggest(x.s.Without["patch"]...)
	case x.requests.readsList():
		x.fail(source.CodeBadValue, at, "patch", "patch: \"object\" requires a request for one object", "An item of a list may lack members, which the update would remove. Remove `read: \"list\"`, or write the update next to rest.")
	}
	x.omit = omitted(x)
}

// wireMember matches a path of names on the wire.
var wireMember = regexp.MustCompile(`^[^.\s${}\[\]?/]+(\.[^.\s${}\[\]?/]+)*$`)

// omitted returns the paths of the members that are not sent. None of them contains or is in an input, whose value would be lost.
func omitted(x *options) (paths [][]string) {
	n := x.s.Omit
	if n == nil || n.Kind == 0 {
		return nil
	}
	const example = "Write the names of members on the wire, or paths of names: `omit: [\"updated_at\", \"meta.version\"]`."
	items := n.Items
	if n.Kind != spec.ListNode {
		items = []*spec.Node{n}
	}
	if len(items) == 0 {
		x.fail(source.CodeBadValue, n.Range, "omit", "omit has no names", example)
	}
	for _, item := range items {
		if item.Kind != spec.StringNode || !wireMember.MatchString(item.Text) {
			x.fail(source.CodeBadValue, item.Range, "omit", fmt.Sprintf("%q is not a name or path of names on the wire", item.Text), example)
			continue
		}
		path := strings.Split(item.Text, ".")
		for _, p := range x.r.Inputs.Fields {
			at := p.WirePath(x.rule)
			if n := min(len(at), len(path)); slices.Equal(at[:n], path[:n]) {
				x.fail(source.CodeBadValue, item.Range, "omit", fmt.Sprintf("omit would remove the input %q", p.Name), "The server removes what is not sent. Name members that are not inputs, such as times that the server sets.")
			}
		}
		paths = append(paths, path)
	}
	return paths
}

// replaceObject adds to an operation the step that reads the object before the request r, which is its last step, and the lock under
// which both run: otherwise another resource that is part of the same object could change it between them.
func replaceObject(x *expansion, op *spec.Operation, r requestLine) {
	at := x.s.Patch.Range
	read := request(x.options, []spec.Field{field("path", pathOfObject(x, r)), untyped(x)})
	read.As, read.AsRange = nowStep, at
	last := len(op.Steps) - 1
	op.Steps, op.Listed = slices.Insert(op.Steps, last, read), true
	path, _, _ := strings.Cut(x.objectPath(r).Text, "?")
	op.Lock = text(segmentsCall.ReplaceAllString(path, "${string($1)}"), at)
	if x.s.IfMatch != nil && x.s.IfMatch.Text == "true" {
		op.Retry = object(at, field("on", &spec.Node{Kind: spec.ListNode, Items: []*spec.Node{{Kind: spec.NumberNode, Text: "412", Range: at}}, Range: at}),
			field("attempts", &spec.Node{Kind: spec.NumberNode, Text: "5", Range: at}))
	}
}

// segmentsCall matches an expression for several segments of a path, which is not a text.
var segmentsCall = regexp.MustCompile(`\$\{\s*segments\((.*?)\)\s*\}`)

// pathOfObject returns the path at which the object is read before the request r: that of read, unless the author wrote one that is
// not known here.
func pathOfObject(x *expansion, r requestLine) *spec.Node {
	if x.own["read"] {
		return x.objectPath(r)
	}
	return x.objectPath(x.read)
}

// untyped returns the argument that removes the type of responses that the defaults declare: it would leave out other members.
func untyped(x *expansion) spec.Field {
	for _, f := range x.provider.Families {
		if f.Name == family && f.Value.Get("returns") != nil {
			return field("returns", &spec.Node{Kind: spec.NullNode, Text: "null", Range: x.s.Patch.Range})
		}
	}
	return spec.Field{}
}

// objectRead returns the expression for the object that was read.
func objectRead(x *expansion) string {
	plain := *x.options
	plain.returns = nil
	for i, name := range x.unwrap {
		if isIndex(name) {
			return "steps." + nowStep + ".body" + accessAll(x.unwrap[:i]) + "[" + name + "]" + accessAll(x.unwrap[i+1:])
		}
	}
	return (&expansion{&plain}).objectIn("steps." + nowStep + ".body")
}

// changedObject returns the argument with the object that was read, and its changes since what is recorded in old, which is nil if nothing
// is. members are the further members of bodies.
func changedObject(x *expansion, send string, changes, old, members *spec.Node) spec.Field {
	at := x.s.Patch.Range
	if send == "patch" {
		members = nil // it has none
	}
	update := object(at, field("object", text("${"+objectRead(x)+"}", at)), field("changes", changes))
	complete := completeMembers(x)
	unseen := unseenMembers(x)
	if send != patchObject {
		update.Fields = append(update.Fields, field("send", text(send, at)))
	} else {
		unseen = nil
	}
	if unseen != nil {
		update.Fields = append(update.Fields, field("unseen", texts(unseen, at)))
	}
	if old != nil && (complete != nil || unseen != nil) {
		update.Fields = append(update.Fields, field("old", old))
	}
	if members != nil {
		update.Fields = append(update.Fields, field("add", text("${restBody}", members.Range)))
	}
	pointers := func(name string, list []string) {
		if list != nil {
			update.Fields = append(update.Fields, field(name, texts(list, at)))
		}
	}
	var omit []string
	for _, path := range x.omit {
		omit = append(omit, pointerTo(path))
	}
	pointers("omit", omit)
	pointers("complete", complete)
	if x.wrap != nil {
		update.Fields = append(update.Fields, field("at", text(pointerTo(x.wrap), x.s.Wrap.Range)))
	}
	return field("jsonUpdate", update)
}

// unseenMembers returns the pointers to the inputs that the API does not show.
func unseenMembers(x *expansion) (pointers []string) {
	for _, p := range x.r.Inputs.Fields {
		if p.NoRead {
			pointers = append(pointers, pointerTo(p.WirePath(x.rule)))
		}
	}
	return pointers
}

// changesOfObject returns what an update changes, and what is recorded. The server does not show inputs with @noRead(), so they are not in the object that was
// read, and are always sent.
func changesOfObject(x *expansion, path *spec.Node) (changes, recorded *spec.Node) {
	inPath := inputsInPath(x, path)
	var hidden []string
	for _, p := range x.r.Inputs.Fields {
		if p.NoRead && !slices.Contains(inPath, p.Name) {
			hidden = append(hidden, strconv.Quote(p.Name))
		}
	}
	old, changed := "state", "changes"
	if names := strings.Join(hidden, ", "); names != "" {
		old, changed = "omit(state, "+names+")", "merge(pick(inputs, "+names+"), changes)"
	}
	at := cmp.Or(x.s.Update, x.s.Path).Range
	return text("${deepChanges("+old+", "+changed+")}", at), text("${"+old+"}", at)
}

// completeMembers returns pointers to the members within inputs that are removed if a program does not set them: the entries of maps, and
// the optional members of structs.
func completeMembers(x *expansion) []string {
	found := map[string]bool{}
	var within func(t *spec.Type, at string, depth int, either bool)
	within = func(t *spec.Type, at string, depth int, either bool) {
		const deepest = 5 // of types that contain themselves
		if t == nil || depth == deepest {
			return
		}
		switch t = x.provider.Types.Resolve(t); t.Kind {
		case spec.Map:
			found[at+"/*"] = true
			within(t.Elem, at+"/*", depth+1, false)
		case spec.Union:
			for _, v := range t.Variants {
				within(v, at, depth+1, true)
			}
		case spec.Object:
			for _, p := range t.Fields {
				member := at + pointerTo(p.WirePath(x.rule))
				if !p.Required || either { // another variant may have it
					found[member] = true
				}
				within(p.Type, member, depth+1, false)
			}
		}
	}
	for _, p := range x.r.Inputs.Fields {
		within(p.Type, pointerTo(p.WirePath(x.rule)), 0, false)
	}
	if len(found) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(found))
}

// pointerTo returns the JSON Pointer to the member at a path.
func pointerTo(path []string) string {
	pointer := ""
	for _, name := range path {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return pointer
}
