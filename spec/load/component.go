package load

import (
	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

var (
	componentKeys = []string{"inputs", "outputs", "children", "return"}
	childKeys     = []string{"type", "inputs", "options", "if", "forEach"}
)

// component is a resource made of others. Of a part whose key is misspelt, which
// is reported, nothing is known: its absence is no further mistake.
func (l *loader) component(it item, p place) *spec.Component {
	meant := misspeltKeys{}
	b, ok := l.block(it, p, "a component", componentKeys, meant.note(componentKeys))
	if !ok {
		return nil
	}
	c := &spec.Component{
		Name: it.name, Doc: l.doc(it), Range: it.nameAt,
		Inputs: l.objectAt(b, "inputs", argumentRole), Outputs: l.objectAt(b, "outputs", resultRole),
	}
	c.Inputs.Open = c.Inputs.Open || meant["inputs"]
	c.Outputs.Open = c.Outputs.Open || meant["outputs"]
	if !meant["children"] {
		l.need(b, "children", "children: KEY: {type: …, inputs: {…}}")
	}
	l.each(b, "children", "child", childName, func(m item, at place) { c.Children = append(c.Children, l.child(m, at)) })
	if m, ok := b.get("return"); ok {
		c.Return = l.node(m, b.at("return").in("return"))
	} else if meant["return"] {
		c.Return = &spec.Node{Range: it.at}
	}
	return c
}

// misspeltKeys are the keys that unknown ones of a block were probably meant to
// be.
type misspeltKeys map[string]bool

// note makes a block's hook that takes no key, and notes which was meant.
func (k misspeltKeys) note(known []string) func(item) bool {
	return func(m item) bool {
		if name := diag.DidYouMean(m.name, known); name != "" {
			k[name] = true
		}
		return false
	}
}

var childName = &namePattern{stepName, "Letters, digits and underscores: %q."}

// child is one resource of a component, or one for each element. It is never
// nil, so that what refers to a broken one is no mistake.
func (l *loader) child(it item, p place) *spec.Child {
	c := &spec.Child{Key: it.name, Range: it.nameAt, Type: &spec.Node{Range: it.at}}
	meant := misspeltKeys{}
	b, ok := l.block(it, p, "a child", childKeys, meant.note(childKeys))
	if !ok {
		return c
	}
	if m, ok := b.get("type"); ok {
		c.Type = l.template(m, b.at("type"))
	} else if !meant["type"] {
		l.need(b, "type", `type: "File" or type: "random:index/randomPet:RandomPet"`)
	}
	for name, part := range map[string]struct {
		into **spec.Node
		read func(*dataReader, item, place) *spec.Node
	}{
		"if": {&c.If, (*dataReader).condition}, "forEach": {&c.ForEach, (*dataReader).forEach}, "inputs": {&c.Inputs, (*dataReader).structOrTemplate},
	} {
		if m, ok := b.get(name); ok {
			*part.into = part.read(l.dataReader, m, b.at(name))
		} else if meant[name] {
			*part.into = &spec.Node{Range: it.at}
		}
	}
	if m, ok := b.get("options"); ok {
		c.Options = l.childOptions(m, b.at("options").in("options"))
	}
	return c
}

// childOption is an option of a child: how its value is read.
type childOption struct {
	name string
	read func(*dataReader, item, place) *spec.Node
}

// childOptions are the options of Pulumi's that a child takes. What they are
// typed as, and which children they may name, is the compiler's to know.
var childOptions = []childOption{
	{"dependsOn", (*dataReader).textList},
	{"protect", (*dataReader).condition},
	{"aliases", (*dataReader).childAliases},
	{"deleteBeforeReplace", (*dataReader).condition},
	{"ignoreChanges", (*dataReader).textList},
	{"replaceOnChanges", (*dataReader).textList},
	{"provider", (*dataReader).template},
	{"version", (*dataReader).template},
	{"pluginDownloadURL", (*dataReader).template},
	{"parent", (*dataReader).template},
	{"additionalSecretOutputs", (*dataReader).textList},
	{"retainOnDelete", (*dataReader).condition},
	{"deletedWith", (*dataReader).template},
	{"customTimeouts", (*dataReader).childTimeouts},
	{"import", (*dataReader).template},
	{"component", (*dataReader).flag},
}

// childOptions reads the options of a child into a struct of templates.
func (r *dataReader) childOptions(it item, p place) *spec.Node {
	return r.structOf(it, p, "the options block", childOptions)
}

// childTimeouts are how long the operations of a child may take.
func (r *dataReader) childTimeouts(it item, p place) *spec.Node {
	return r.structOf(it, p, "customTimeouts", []childOption{
		{"create", (*dataReader).duration}, {"update", (*dataReader).duration}, {"delete", (*dataReader).duration},
	})
}

// childAliases are former names, URNs, or structs that say what was different.
func (r *dataReader) childAliases(it item, p place) *spec.Node {
	n := &spec.Node{Kind: spec.ListNode, Range: it.at}
	if !r.list(it, p, func(m item, at place) {
		if r.kind(m) == cue.StructKind {
			n.Items = append(n.Items, r.structOf(m, at, "an alias", []childOption{
				{"name", (*dataReader).template},
				{"type", (*dataReader).template},
				{"parent", (*dataReader).template},
				{"noParent", (*dataReader).flag},
				{"stack", (*dataReader).template},
				{"project", (*dataReader).template},
			}))
			return
		}
		n.Items = append(n.Items, r.template(m, at))
	}) {
		n.Kind = 0
	}
	return n
}
