// Package parse takes templates apart: text and expressions, the tree of each expression,
// and where the parts of a tree stand in the document. The parser is expr-lang's.
package parse

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// The codes of this package's diagnostics. They never change once released.
const (
	// CodeSyntax: an expression cannot be parsed.
	CodeSyntax = "template-syntax"
	// CodeUnterminated: a `${` has no `}`.
	CodeUnterminated = "template-unterminated"
	// CodeEmpty: `${}` holds nothing.
	CodeEmpty = "template-empty"
	// CodeTooLarge: a template or a pattern is beyond the limits.
	CodeTooLarge = "template-too-large"
)

// Limits of what an author may write.
const (
	MaxTemplate = 64 << 10 // bytes of a template
	maxNodes    = 10_000   // nodes of an expression's tree
)

// Fault is why a template cannot be parsed: from and to are code points, of the
// template or of the expression.
type Fault struct {
	Code, Summary, Detail string
	From, To              int
}

// unparsed returns the fault of an expression. Its detail is the remedy for what often has
// one reason.
func unparsed(from, to int, message string) *Fault {
	f := &Fault{Code: CodeSyntax, Summary: message, From: from, To: to}
	switch message {
	case `unexpected ":"`:
		f.Detail = "A struct that a predicate makes needs parentheses: map(list, ({name: .name}))."
	case `unexpected "="`:
		f.Detail = "Two values are compared with ==."
	}
	return f
}

// disabled turns expr-lang's own functions off, but for those with predicates, which
// its virtual machine runs: ours stand in for them.
var disabled = sync.OnceValue(func() map[string]bool {
	off := make(map[string]bool, len(builtin.Builtins))
	for _, f := range builtin.Builtins {
		off[f.Name] = !f.Predicate
	}
	return off
})

// Config returns a configuration of expr-lang: each has a cache that it writes to, so
// each expression has its own.
func Config() *conf.Config {
	return &conf.Config{MaxNodes: maxNodes, Disabled: disabled(), ShortCircuit: true}
}

// Expression returns the tree of an expression.
func Expression(source string) (node ast.Node, fault *Fault) {
	end := utf8.RuneCountInString(source)
	defer func() {
		// The parser is a library's: a panic of it is a syntax error to us.
		if r := recover(); r != nil {
			node, fault = nil, unparsed(0, end, "this cannot be parsed")
		}
	}()
	tree, err := parser.ParseWithConfig(source, Config())
	if err == nil {
		return tree.Node, nil
	}
	var at *file.Error
	if !errors.As(err, &at) {
		return nil, unparsed(0, end, err.Error())
	}
	return nil, unparsed(at.From, max(at.To, at.From+1), syntaxMessage(at.Message))
}

// tokenNames turns the parser's tokens (`Operator(")")`) into what was written.
var tokenNames = regexp.MustCompile(`(?:Operator|Bracket|Identifier|Number|String|Bytes)\((".*")\)`)

// syntaxMessage returns a message of the parser's in an author's words.
func syntaxMessage(m string) string {
	m = strings.ReplaceAll(m, "unexpected token EOF", "the expression ends too early")
	m = tokenNames.ReplaceAllString(m, "$1")
	m = strings.Replace(m, "unexpected token ", "unexpected ", 1)
	switch {
	case strings.Contains(m, "maximum allowed nodes"):
		return fmt.Sprintf("the expression has more than %d parts", maxNodes)
	case strings.Contains(m, "expected at least"):
		return strings.Replace(m, "expected at least", "this call needs", 1)
	case strings.Contains(m, "integer literal"), strings.Contains(m, "hex literal"):
		return "this number does not fit an integer of 64 bits"
	case strings.Contains(m, "cannot be mixed"):
		return "?? and another operator need parentheses: write (a ?? b) + c"
	}
	return LowerFirst(m)
}

// LowerFirst returns a message that begins in lower case, unless with an abbreviation.
func LowerFirst(s string) string {
	if s == "" || len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
