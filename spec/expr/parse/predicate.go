package parse

import (
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// MapValues is a function with a predicate that expr-lang does not have. Its parser only
// accepts predicates in calls of its own functions, so it parses calls of this function
// as calls of standIn, whose name has the same length and the same parameters.
const (
	MapValues = "mapValues"
	standIn   = "findIndex"
)

// standInCalls returns the source with standIn for the name in each call of MapValues, and
// the positions of these calls.
func standInCalls(source string) (string, map[int]bool) {
	if !strings.Contains(source, MapValues) {
		return source, nil
	}
	tokens, err := lexer.Lex(file.NewSource(source))
	if err != nil {
		return source, nil // the parser reports it
	}
	text, calls := []rune(source), map[int]bool{}
	for i, t := range tokens {
		member := i > 0 && tokens[i-1].Is(lexer.Operator, ".", "?.")
		if t.Is(lexer.Identifier, MapValues) && !member && i+1 < len(tokens) && tokens[i+1].Is(lexer.Bracket, "(") {
			copy(text[t.From:], []rune(standIn))
			calls[t.From] = true
		}
	}
	return string(text), calls
}

// renamer gives calls that were parsed as calls of standIn the name MapValues.
type renamer struct{ calls map[int]bool }

// Visit implements ast.Visitor.
func (r renamer) Visit(n *ast.Node) {
	if call, ok := (*n).(*ast.BuiltinNode); ok && call.Name == standIn && r.calls[call.Location().From] {
		call.Name = MapValues
	}
}
