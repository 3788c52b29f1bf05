package load

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
)

// component reads a resource made of others. Of a part whose key is misspelt, which
// is reported, nothing is known: its absence is no further mistake.
func (l *loader) component(it walk.Item, p source.Place) *spec.Component {
	b, ok := l.open(it, p, block.Component, nil)
	if !ok {
		return nil
	}
	c := &spec.Component{
		Name: it.Name, Doc: l.Doc(it), Range: it.NameAt,
		Inputs: l.objectAt(b, "inputs", typing.ArgumentRole), Outputs: l.objectAt(b, "outputs", typing.ResultRole),
	}
	l.fill(b, c)
	if c.Return == nil && b.given("return") {
		c.Return = &spec.Node{Range: it.At}
	}
	l.each(b, "children", "child", func(m walk.Item, at source.Place) { c.Children = append(c.Children, l.child(m, at)) })
	return c
}

// child reads one resource of a component, or one for each element. It is never
// nil, so that what refers to a broken one is no mistake.
func (l *loader) child(it walk.Item, p source.Place) *spec.Child {
	c := &spec.Child{Key: it.Name, Range: it.NameAt, Type: &spec.Node{Range: it.At}}
	b, ok := l.open(it, p, block.Child, nil)
	if !ok {
		return c
	}
	l.fill(b, c)
	for name, part := range map[string]**spec.Node{"if": &c.If, "forEach": &c.ForEach, "inputs": &c.Inputs} {
		if *part == nil && b.given(name) {
			*part = &spec.Node{Range: it.At}
		}
	}
	return c
}
