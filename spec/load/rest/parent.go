package rest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/template"
)

// parent is a parent of the objects: an input in the path of the collection, or in the request of the
// list.
type parent struct {
	// name is its name in the path and among the inputs of the list.
	name  string
	input *spec.Property
	// inPath is true if it is in the path of the collection, and so not in bodies; inList if it is in
	// the request of the list; and ofObject if it is part of the path of an object, and so of the id
	// for users.
	inPath, inList, ofObject bool
}

// readUnder reads the parents: those of `under`, and inputs in the path.
func (x *options) readUnder() {
	if x.s.Path == nil || x.s.Path.Kind != spec.StringNode {
		return
	}
	named := map[string]spec.Field{}
	if x.s.Under != nil && x.s.Under.Kind == spec.StringNode {
		x.fail(source.CodeWrongShape, x.s.Under.Range, "under", "under must be a struct, got a string", "Write the parents by name: `under: {store: \"${inputs.store}\"}`.")
	} else if x.s.Under != nil {
		for _, f := range x.s.Under.Fields {
			named[f.Name] = f
		}
	}
	used := map[string]bool{}
	add := func(path *spec.Node, inPath, inList bool) {
		for _, m := range parentNames.FindAllStringSubmatch(path.Text, -1) {
			used[m[1]] = true
			if f, ok := named[m[1]]; ok {
				x.addParent(f.Name, f.Value, inPath, inList)
			}
		}
		for _, m := range parentInputs.FindAllStringSubmatch(path.Text, -1) {
			x.addParent(m[1], &spec.Node{Kind: spec.StringNode, Text: m[0], Range: path.Range}, inPath, inList)
		}
	}
	list := x.requests.list.path
	add(x.s.Path, true, list == nil)
	if list != nil {
		add(list, false, true)
		x.checkListed(list)
	}
	if x.s.Under == nil {
		return
	}
	for _, f := range x.s.Under.Fields {
		if !used[f.Name] {
			x.fail(source.CodeBadValue, f.NameRange, "under."+f.Name, fmt.Sprintf("the path does not contain ${%s}", f.Name),
				fmt.Sprintf("Write the parent into the path: `path: \"/stores/${%s}/pets\"`. Or remove it from `under`.", f.Name))
		}
	}
}

// checkParent checks the path of the object that contains the collection.
func checkParent(x *options) {
	n := x.s.Parent
	if n == nil || n.Kind != spec.StringNode {
		return
	}
	for _, m := range parentRefs.FindAllStringSubmatch(n.Text, -1) {
		input, isInput := strings.CutPrefix(m[1], "inputs.")
		switch {
		case isInput && x.r.Inputs.Field(input) != nil: // otherwise the compiler reports it
			x.pathInput(input, "parent", n.Range, true)
		case m[1] == "id":
			x.fail(source.CodeBadValue, n.Range, "parent", "the path of the parent contains the id of the object", "Write the path of the object that contains the collection: `parent: \"/stores/${inputs.store}\"`.")
		}
	}
}

// afterParent adds a request for the parent to an operation, if the author wants one: the operation ends there
// if the parent does not exist.
func afterParent(x *expansion, op *spec.Operation) *spec.Operation {
	if x.s.Parent != nil {
		parent := request(x.options, []spec.Field{field("path", x.withParents(x.s.Parent, "", false))})
		parent.As, parent.AsRange = "parent", x.s.Parent.Range
		op.Steps[0].Gone = goneLater(op.Steps[0].Gone, x.s.Parent.Range)
		op.Steps, op.Listed = slices.Insert(op.Steps, 0, parent), true
	}
	return op
}

// goneLater returns the condition that a step which is not the first one of an operation finds nothing: only a first step
// takes a status alone to mean that. As there, the page of a proxy does not mean it.
func goneLater(gone *spec.Node, at diag.Range) *spec.Node {
	const missing = "status in [404, 410] && not ((headers['content-type'] ?? '') contains 'html')"
	if gone == nil || gone.Kind != spec.StringNode {
		return text("${"+missing+"}", at)
	}
	condition, ok := template.Whole(gone.Text)
	if !ok {
		return gone // a mistake, which the compiler reports
	}
	b := &spec.Splice{File: gone.Range.File}
	end := utf8.RuneCountInString(gone.Text)
	b.Generate("${"+missing+" || (", gone.Range) // first, because a condition over a body fails without one
	b.Copy(gone, end-1-utf8.RuneCountInString(condition), end-1)
	b.Generate(")}", gone.Range)
	return b.Node(gone)
}

// addParent adds a parent, whose template must be an input, or what else is known of one.
func (x *options) addParent(name string, template *spec.Node, inPath, inList bool) {
	if template.Kind == 0 {
		return
	}
	key := "under." + name
	m := parentInputs.FindStringSubmatch(template.Text)
	if template.Kind != spec.StringNode || m == nil || m[0] != template.Text {
		own, found := (&wrongName{x}).meantParent(name, template)
		d := x.fail(source.CodeBadValue, template.Range, key, "a parent must be an input", fmt.Sprintf("Write `%s: \"${inputs.%s}\"`. Other values, such as ${config.org}, belong into the path itself.", name, own))
		if !found {
			return
		}
		d.Replace(template.Text, "${inputs."+own+"}")
		m = []string{"", own}
	}
	if i := slices.IndexFunc(x.parents, func(p parent) bool { return p.input.Name == m[1] }); i >= 0 {
		x.parents[i].inList = x.parents[i].inList || inList
		return
	}
	if x.r.Inputs.Field(m[1]) == nil && x.s.Under.Get(name) == nil {
		return // the compiler reports it in the path
	}
	p := parent{name: name, inPath: inPath, inList: inList}
	p.ofObject = x.requests.isOfObject(p, m[1], x.s, x.own)
	if p.input = x.pathInput(m[1], key, template.Range, inPath || p.ofObject); p.input != nil {
		x.parents = append(x.parents, p)
	}
}

// meantParent returns the input that the value of a parent means: one whose name it is, or one that has the
// name of the parent.
func (x *wrongName) meantParent(name string, template *spec.Node) (input string, found bool) {
	own, _ := foreign.Path("$"+strings.TrimPrefix(template.Text, "$"), "inputs")
	if template.Kind == spec.StringNode && x.r.Inputs.Field(own) != nil {
		return own, true
	}
	return name, template.Kind == spec.StringNode && !strings.Contains(template.Text, "config") && x.r.Inputs.Field(name) != nil
}

// checkListed reports parents that the path of the collection has and the request of the list has
// not: objects of all parents would be in the list.
func (x *options) checkListed(list *spec.Node) {
	for _, p := range x.parents {
		if p.inPath && !p.inList {
			x.fail(source.CodeBadValue, list.Range, "list", fmt.Sprintf("the request of the list does not contain the parent ${inputs.%s}", p.input.Name),
				fmt.Sprintf("The objects of other parents would be in it. Write it into the path or the query: `list: \"%s /…?%s=${inputs.%[2]s}\"`. If the API cannot do that, write `list` and `find` next to rest.", x.requests.list.method, p.input.Name))
		}
	}
}

// isOfObject reports whether a parent is part of the path of an object.
func (r *requests) isOfObject(p parent, input string, s *spec.Rest, own map[string]bool) bool {
	paths, conventional := r.paths(s.Object, own)
	if conventional && p.inPath || r.readsList() {
		return true // the path of the collection is in it, or the object is only in the list
	}
	if s.Parent != nil && (!own["read"] || !own["delete"]) {
		paths = append(paths, s.Parent)
	}
	return slices.ContainsFunc(paths, func(path *spec.Node) bool {
		return slices.ContainsFunc(parentRefs.FindAllStringSubmatch(path.Text, -1), func(m []string) bool {
			return m[1] == "inputs."+input || m[1] == p.name && s.Under.Get(p.name) != nil
		})
	})
}

// parentOf returns the parent that a path refers to, by the name that `under` gives it or as an
// input; or nil.
func parentOf(ref string, parents []parent, under *spec.Node) *parent {
	input, isInput := strings.CutPrefix(ref, "inputs.")
	for i, p := range parents {
		if isInput && p.input.Name == input || p.name == ref && under.Get(ref) != nil {
			return &parents[i]
		}
	}
	return nil
}
