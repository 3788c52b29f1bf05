package source

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
)

// translateConflict translates an error about two values of which one is in a field that others
// share: that looks like an override, which CUE does not have. A default can be replaced.
func (d *Document) translateConflict(e errors.Error) (translation, bool) {
	if d.Raw || !strings.HasPrefix(messageOf(e), "conflicting values") {
		return translation{}, false
	}
	var shared *ast.BasicLit
	var name string
	others := 0
	for _, pos := range errors.Positions(e) {
		switch lit, of := d.Syntax.literalAt(pos); {
		case lit == nil:
		case of != "" && shared == nil:
			shared, name = lit, of
		default:
			others++
		}
	}
	kind := kindOf(shared)
	if kind == "" || others != 1 {
		return translation{}, false
	}
	at := d.Files.RangeOf(shared)
	text := fmt.Sprintf("*%s | %s", shared.Value, kind)
	return translation{
		at: at, remedy: fmt.Sprintf("CUE unifies values, and overrides none. If this value of %s may be replaced, make it a default: %s.", name, text),
		edits: []diag.Edit{{At: at, Old: shared.Value, Text: text}},
	}, true
}

// kindOf returns the type of a literal, or "".
func kindOf(lit *ast.BasicLit) string {
	switch {
	case lit == nil:
		return ""
	case lit.Kind == token.STRING && strings.HasPrefix(lit.Value, `"`):
		return "string"
	case lit.Kind == token.INT:
		return "int"
	case lit.Kind == token.FLOAT:
		return "number"
	case lit.Kind == token.TRUE, lit.Kind == token.FALSE:
		return "bool"
	default:
		return ""
	}
}

// letPrefix is what the name of a let clause is written with.
const letPrefix = "let "

// literalAt returns the literal at a position, and the name of the hidden field, definition or let
// clause that contains it, or "".
func (s *Syntax) literalAt(pos token.Pos) (found *ast.BasicLit, name string) {
	for _, f := range s.files {
		if f.Filename != pos.Filename() {
			continue
		}
		var within []string
		ast.Walk(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				within = append(within, LabelOf(n))
			case *ast.LetClause:
				within = append(within, letPrefix+n.Ident.Name)
			case *ast.BasicLit:
				if n.Pos().Offset() == pos.Offset() {
					found, name = n, sharedName(within)
				}
			}
			return found == nil
		}, func(n ast.Node) {
			switch n.(type) {
			case *ast.Field, *ast.LetClause:
				within = within[:len(within)-1]
			}
		})
	}
	return found, name
}

// sharedName returns the first of some names that is that of something shared, or "".
func sharedName(names []string) string {
	for _, name := range names {
		if strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") || strings.HasPrefix(name, letPrefix) {
			return name
		}
	}
	return ""
}
