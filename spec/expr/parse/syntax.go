// Package parse parses templates: it splits them into text and expressions, parses
// each expression into a tree, and returns the positions of the parts in the
// document. The parser for expressions is that of expr-lang.
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

	"github.com/declprov/declprov/spec/template"
)

// The codes of this package's diagnostics. They never change once released.
const (
	// CodeSyntax: an expression cannot be parsed.
	CodeSyntax = "template-syntax"
	// CodeTooLarge: a template or a pattern exceeds the limits.
	CodeTooLarge = "template-too-large"
)

// The limits of a template.
const (
	MaxTemplate = 64 << 10 // bytes of a template
	maxNodes    = 10_000   // nodes of an expression's tree
)

// Fault is the error of an expression that cannot be parsed. From and To are code points of the
// expression.
type Fault = template.Fault

// syntaxFault returns the fault of an expression. Its detail is the remedy for common
// mistakes.
func syntaxFault(from, to int, message string) *Fault {
	f := &Fault{Code: CodeSyntax, Summary: message, From: from, To: to}
	switch message {
	case `unexpected ":"`:
		f.Detail = "A struct in a predicate requires parentheses: map(list, ({name: .name}))."
	case `unexpected "="`:
		f.Detail = "To compare two values, use ==."
	case "literal not terminated":
		f.Detail = "Close the quotes. A string of an expression ends on its line: for a line break in it, write \\n, which is '\\\\n' in a string of the spec in double quotes."
	}
	return f
}

// disabledFunctions disables the functions of expr-lang, except those with predicates, which
// its virtual machine runs. Package functions replaces them.
var disabledFunctions = sync.OnceValue(func() map[string]bool {
	off := make(map[string]bool, len(builtin.Builtins))
	for _, f := range builtin.Builtins {
		off[f.Name] = !f.Predicate
	}
	return off
})

// Config returns a configuration of expr-lang. Each expression requires its own,
// because a configuration contains a cache.
func Config() *conf.Config {
	return &conf.Config{MaxNodes: maxNodes, Disabled: disabledFunctions(), ShortCircuit: true}
}

// Expression returns the tree of an expression.
func Expression(source string) (node ast.Node, fault *Fault) {
	end := utf8.RuneCountInString(source)
	defer func() {
		// A panic in the parser of expr-lang is reported as a syntax error.
		if r := recover(); r != nil {
			node, fault = nil, syntaxFault(0, end, "the expression cannot be parsed")
		}
	}()
	text, calls := standInCalls(source)
	tree, err := parser.ParseWithConfig(text, Config())
	if err == nil {
		if len(calls) > 0 {
			ast.Walk(&tree.Node, renamer{calls})
		}
		return tree.Node, nil
	}
	var at *file.Error
	if !errors.As(err, &at) {
		return nil, syntaxFault(0, end, err.Error())
	}
	return nil, syntaxFault(at.From, max(at.To, at.From+1), syntaxMessage(at.Message))
}

// tokenNames matches tokens in the parser's messages (`Operator(")")`) and the text
// in them.
var tokenNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:Operator|Bracket|Identifier|Number|String|Bytes)\((".*")\)`)
})

// syntaxMessage converts a message of the parser to a message for authors.
func syntaxMessage(m string) string {
	m = strings.ReplaceAll(m, "unexpected token EOF", "unexpected end of the expression")
	m = tokenNames().ReplaceAllString(m, "$1")
	m = strings.Replace(m, "unexpected token ", "unexpected ", 1)
	switch {
	case strings.Contains(m, "maximum allowed nodes"):
		return fmt.Sprintf("the expression has more than %d parts", maxNodes)
	case strings.Contains(m, "expected at least"):
		return strings.Replace(m, "expected at least", "this call requires at least", 1)
	case strings.Contains(m, "integer literal"), strings.Contains(m, "hex literal"):
		return "this number does not fit in a 64-bit integer"
	case strings.HasPrefix(m, `unexpected "#"`):
		return "# is an item, and is only available within map, filter and other functions over items"
	case strings.Contains(m, "cannot be mixed"):
		return "?? combined with another operator requires parentheses: write (a ?? b) + c"
	}
	return LowerFirst(m)
}

// LowerFirst returns a message with its first letter in lower case, unless it begins
// with an abbreviation.
func LowerFirst(s string) string {
	if s == "" || len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
