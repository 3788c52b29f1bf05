package load

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
)

// readComponent reads a component. If one of its keys is misspelt, that is reported, and
// the absence of the meant key is not reported again.
func (l *loader) readComponent(it walk.Item, p source.Place) *spec.Component {
	b, ok := l.openSection(it, p, block.Component, nil)
	if !ok {
		return nil
	}
	c := &spec.Component{
		Name: it.Name, Doc: l.Doc(it), Range: it.NameAt,
		Inputs: l.readObject(b, "inputs", typing.ArgumentRole), Outputs: l.readObject(b, "outputs", typing.ResultRole),
	}
	l.fill(b, c)
	if c.Return == nil && b.has("return") {
		c.Return = &spec.Node{Range: it.At}
	}
	l.readMembers(b, "children", "child", func(m walk.Item, at source.Place) { c.Children = append(c.Children, l.readChild(m, at)) })
	return c
}

// readChild reads one child of a component. It never returns nil, so that references to a
// broken child are not reported as mistakes.
func (l *loader) readChild(it walk.Item, p source.Place) *spec.Child {
	c := &spec.Child{Key: it.Name, Range: it.NameAt, Type: &spec.Node{Range: it.At}}
	b, ok := l.openSection(it, p, block.Child, nil)
	if !ok {
		return c
	}
	l.fill(b, c)
	for name, part := range map[string]**spec.Node{"if": &c.If, "forEach": &c.ForEach, "inputs": &c.Inputs} {
		if *part == nil && b.has(name) {
			*part = &spec.Node{Range: it.At}
		}
	}
	return c
}
