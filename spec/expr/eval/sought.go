package eval

import (
	"errors"
	"strings"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/expr-lang/expr/ast"
)

// Where a template looks for the object of a resource (see check.Sought), two items that fit are an error: the first of them may
// be somebody else's. The rewriter adds this check to the calls and indices that take one item of several.

// seeks reports whether a predicate is about the object of the resource: it refers to what the program or the state names.
func (w *rewriter) seeks(predicate ast.Node) bool {
	if w.sought == nil || w.loops > 0 {
		return false
	}
	names := mentionedNames{}
	ast.Walk(&predicate, &names)
	for _, name := range append([]string{"inputs", "id", "state", "resource"}, w.bound...) {
		if names[name] {
			return true
		}
	}
	return false
}

// mentionedNames are the names that occur in a part of an expression.
type mentionedNames map[string]bool

// Visit implements ast.Visitor.
func (m *mentionedNames) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		(*m)[id.Value] = true
	}
}

// makeUnique returns a list of which the template takes one item.
func (w *rewriter) makeUnique(at, list ast.Node) ast.Node {
	return w.makeCall(at, "unique", list, constant(strings.Join(w.sought.ID, ".")))
}

// rewriteOneOf rewrites a list of which the template takes one item: with the check, if the item is the object.
func (w *rewriter) rewriteOneOf(list ast.Node) ast.Node {
	unique := w.isSought(list)
	list = w.rewrite(list)
	if unique {
		list = w.makeUnique(list, list)
	}
	return list
}

// isSought reports whether a list consists of what may be the object: it was filtered by what the program names, or it is the
// response to a request that asks for that.
func (w *rewriter) isSought(list ast.Node) bool {
	switch n := list.(type) {
	case *ast.ChainNode:
		return w.isSought(n.Node)
	case *ast.BinaryNode:
		return n.Operator == "??" && w.isSought(n.Left)
	case *ast.BuiltinNode:
		return n.Name == "filter" && len(n.Arguments) > 1 && w.seeks(n.Arguments[1])
	default:
		return w.sought != nil && w.sought.Responses && w.result == list && isOfResponse(list)
	}
}

// listOfResult returns the list of which the value of an expression is an item, or the member of one: of `first(body)?.pet`
// and `body[0].pet` body. It returns nil if the value is something else.
func listOfResult(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.ChainNode:
		return listOfResult(n.Node)
	case *ast.BinaryNode:
		if n.Operator == "??" {
			return listOfResult(n.Left)
		}
	case *ast.MemberNode:
		if isIndex(n.Property) {
			return withoutDefault(n.Node)
		}
		return listOfResult(n.Node)
	case *ast.CallNode:
		if id, ok := n.Callee.(*ast.IdentifierNode); ok && takesOne(id.Value) && len(n.Arguments) > 0 {
			return withoutDefault(n.Arguments[0])
		}
	}
	return nil
}

// withoutDefault returns a list without `?? []`.
func withoutDefault(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.ChainNode:
		return withoutDefault(n.Node)
	case *ast.BinaryNode:
		if n.Operator == "??" {
			return withoutDefault(n.Left)
		}
	}
	return n
}

// takesOne reports whether a function takes one item of a list by its position.
func takesOne(function string) bool { return function == "first" || function == "last" }

// isIndex reports whether a property is the position of an item.
func isIndex(property ast.Node) bool {
	if minus, ok := property.(*ast.UnaryNode); ok && minus.Operator == "-" {
		property = minus.Node
	}
	_, ok := property.(*ast.IntegerNode)
	return ok
}

// isOfResponse reports whether a part is a response, or a member of one.
func isOfResponse(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ChainNode:
		return isOfResponse(n.Node)
	case *ast.MemberNode:
		_, known := parse.StepOf(n.Property)
		return known && isOfResponse(n.Node)
	case *ast.IdentifierNode:
		return n.Value == "body" || n.Value == "result" || n.Value == "steps"
	default:
		return false
	}
}

// takesOneOfResponse reports whether an expression is an item of a response that must be the only one.
func takesOneOfResponse(of *check.Result) bool {
	return of.Scope != nil && of.Scope.Sought != nil && of.Scope.Sought.Responses && isOfResponse(listOfResult(of.Tree))
}

// ErrSeveral is the error of a template that looks for one object, if several fit.
var ErrSeveral = errors.New("several objects fit")

// opUnique returns the list of its first argument if its items are one object. The second argument is the path of the id in an
// item, or "". Items with the same id are one object, which a list in pages shows twice if it has changed in between.
func opUnique(r *Run, a []any) (any, error) {
	list, ok := a[0].([]any)
	if !ok || len(list) < 2 {
		return a[0], nil
	}
	path, _ := a[1].(string)
	for _, item := range list[1:] {
		same, err := r.isSameObject(list[0], item, path)
		if err != nil {
			return nil, err
		}
		if !same {
			return nil, severalFault(list[0], item, path)
		}
	}
	return list, nil
}

// isSameObject reports whether two items of a list are the same object.
func (r *Run) isSameObject(a, b any, path string) (bool, error) {
	x, y := idOf(a, path), idOf(b, path)
	if x != nil && y != nil {
		return r.Equal(x, y)
	}
	return r.Equal(a, b)
}

// severalFault returns the error of two items that both fit.
func severalFault(a, b any, path string) error {
	failed := faultf("%s, such as %s and %s, and nothing shows which of them is meant: import the one that is, or remove the other. "+
		"If they may exist side by side, look by more: by more inputs in `unique`, or in the condition of `find` and `read`", ErrSeveral.Error(), describeObject(a, path), describeObject(b, path))
	failed.is = ErrSeveral
	return failed
}

// describeObject returns what tells an object from others in a message.
func describeObject(v any, path string) Quoted {
	for _, name := range []string{path, "id", "uid", "uuid", "key"} {
		if id := idOf(v, name); id != nil && name != "" {
			return Quote(id)
		}
	}
	return Quote(v)
}

// idOf returns the scalar at a path of names, or nil. An item of a list may lack the first names, such as `data`,
// in which the response to the create has the object.
func idOf(item any, path string) any {
	for path != "" {
		v := item
		for name := range strings.SplitSeq(path, ".") {
			members, _ := v.(map[string]any)
			v = members[name]
		}
		if text, err := ScalarText(v); err == nil && v != nil && text != "" {
			return v
		}
		_, path, _ = strings.Cut(path, ".")
	}
	return nil
}
