// Package graphql reads the documents of GraphQL requests: what an operation does, the
// variables that it declares, and the members that it selects.
package graphql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/declprov/declprov/actions"
)

// Document is a document without mistakes of syntax.
type Document struct{ parsed *ast.QueryDocument }

// mostTokens limits the work of parsing a document.
const mostTokens = 100_000

// Parse parses a document. The error says in which line and column it is wrong.
func Parse(text string) (Document, error) {
	parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, mostTokens)
	var wrong *gqlerror.Error
	if errors.As(err, &wrong) && len(wrong.Locations) > 0 {
		return Document{}, fmt.Errorf("line %d, column %d: %s", wrong.Locations[0].Line, wrong.Locations[0].Column, wrong.Message)
	}
	return Document{parsed}, err
}

// operation returns the operation that the request runs. Its name may be "" if the document has
// one operation.
func (d Document) operation(name string) (*ast.OperationDefinition, error) {
	names := make([]string, len(d.parsed.Operations))
	for i, op := range d.parsed.Operations {
		if names[i] = op.Name; name != "" && op.Name == name {
			return op, nil
		}
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("the document has no operation")
	case name != "":
		return nil, fmt.Errorf("the document has no operation %q", name)
	case len(names) > 1:
		return nil, fmt.Errorf("the document has several operations (%s), and operationName does not say which one to run", strings.Join(names, ", "))
	}
	return d.parsed.Operations[0], nil
}

// EffectOf returns None if the request of the argument `graphql` certainly changes nothing, because
// it runs a query. If it does not name the operation to run, that may be any one.
func EffectOf(argument map[string]any) actions.Effect {
	text, _ := argument["query"].(string)
	name, _ := argument["operationName"].(string)
	d, err := Parse(text)
	if err != nil || len(d.parsed.Operations) == 0 {
		return actions.Write
	}
	for _, op := range d.parsed.Operations {
		if op.Operation != ast.Query && (name == "" || op.Name == name) {
			return actions.Write
		}
	}
	return actions.None
}
