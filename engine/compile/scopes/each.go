package scopes

import (
	"fmt"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// EachOver returns the name `each` in a loop over a value, the compiled `forEach`. It reports a
// value that is neither a list nor a map; does says what forEach does.
func EachOver(c *finding.Collector, named spec.Types, n *spec.Node, over *expr.Value, does string) expr.Name {
	key, elem := &spec.Type{Kind: spec.Int}, (*spec.Type)(nil)
	if over != nil {
		switch t := named.Resolve(over.Type()); t.Kind {
		case spec.List:
			elem = t.Elem
		case spec.Map:
			key, elem = StringType, t.Elem
		case spec.Object:
			key = StringType
		case spec.Any:
			key = &spec.Type{}
		default:
			key = &spec.Type{}
			c.Fail(finding.CodeWrongType, n.Range, "forEach", fmt.Sprintf("forEach requires a list or a map, not %s", types.Describe(t)), does)
		}
	}
	if elem == nil {
		elem = &spec.Type{}
	}
	return EachOf(key, elem, over != nil && over.Hidden())
}

// EachOf returns the name `each` with these types. In a loop over a value that is secret as a
// whole, each element is secret, and each key that is not an index.
func EachOf(key, value *spec.Type, secret bool) expr.Name {
	return expr.Name{Name: "each", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "key", Type: key, Required: true, Secret: secret && key.Kind != spec.Int},
		{Name: "value", Type: value, Required: true, Secret: secret},
	}}}
}

// LoopKind returns whether a loop over a value yields its results as a list or as a map; or
// spec.Any if only the value shows that.
func LoopKind(named spec.Types, over *expr.Value) spec.Kind {
	if over == nil {
		return spec.Any
	}
	switch t := named.Resolve(over.Type()); t.Kind {
	case spec.List:
		return spec.List
	case spec.Map, spec.Object:
		return spec.Map
	default:
		return spec.Any
	}
}
