package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/declprov/declprov/tests/mutants/table"
)

// numbered is a row, and the number that switches its mechanism off.
type numbered struct {
	table.Mutant
	number int
}

// The package that a combined source file asks which mechanism is off. It is in no
// folder: the compiler gets it as an overlay.
const (
	switchFolder = "spec/mutant"
	switchImport = "github.com/declprov/declprov/" + switchFolder
	// switchMark stands in every program that was compiled with the package, once.
	// The digits behind it are the number of the mechanism that is off.
	switchMark = "declprov mechanism switched off: "
	noneOff    = "0000"
)

// switchSource is the package. The number is read once, while the program starts.
const switchSource = `// Package mutant says which mechanism is switched off.
package mutant

var mark = "` + switchMark + noneOff + `"

var number = read()

//go:noinline
func read() int {
	n := 0
	for _, digit := range mark[len(mark)-4:] {
		n = 10*n + int(digit-'0')
	}
	return n
}

// Off reports whether it is the mechanism of that number.
func Off(n int) bool { return number == n }
`

// combine returns a source file with every edit of these rows in it, each behind a
// condition: the function that an edit is in has the edited body first, and its own
// one after that. An edit outside a function's body, or in one with labels, cannot be
// combined with others; those rows are returned as alone.
func combine(source string, rows []numbered) (combined string, alone []numbered, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	name := offset(parsed.Name.End())
	inserted := map[int]string{name: "; import mutant " + fmt.Sprintf("%q", switchImport)}
	for _, m := range rows {
		find, replace, skipped := trim(m.Find, m.Replace)
		from := strings.Index(source, m.Find) + skipped
		to := from + len(find)
		f := enclosing(parsed, offset, from, to)
		if f == nil {
			alone = append(alone, m)
			continue
		}
		open, end := offset(f.Body.Lbrace)+1, offset(f.Body.Rbrace)
		body := source[open:from] + replace + source[to:end]
		if f.Type.Results == nil {
			body += "\nreturn"
		}
		inserted[open] += fmt.Sprintf("\n//line %s%d:1\nif mutant.Off(%d) {%s\n}", lineMark, m.number, m.number, body)
	}
	if len(alone) == len(rows) {
		return source, alone, nil
	}
	var b strings.Builder
	for i := range len(source) {
		if text := inserted[i]; text != "" {
			b.WriteString(text)
			if i != name {
				fmt.Fprintf(&b, "\n//line combined.go:%d\n", 1+strings.Count(source[:i], "\n"))
			}
		}
		b.WriteByte(source[i])
	}
	return b.String(), alone, nil
}

// trim returns what an edit changes, without what both texts begin and end with, which
// may only be there to make the place unique; skipped is how much that is in front.
func trim(find, replace string) (changed, to string, skipped int) {
	for skipped < min(len(find), len(replace)) && find[skipped] == replace[skipped] {
		skipped++
	}
	find, replace = find[skipped:], replace[skipped:]
	for find != "" && replace != "" && find[len(find)-1] == replace[len(replace)-1] {
		find, replace = find[:len(find)-1], replace[:len(replace)-1]
	}
	return find, replace, skipped
}

// lineMark is what the compiler says, with the row's number, of an edit that does not
// compile.
const lineMark = "mutant-"

// enclosing returns the function whose body holds a part of a file, unless there are
// labels in it: they would be there twice.
func enclosing(file *ast.File, offset func(token.Pos) int, from, to int) *ast.FuncDecl {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || from <= offset(f.Body.Lbrace) || to > offset(f.Body.Rbrace) {
			continue
		}
		labels := false
		ast.Inspect(f.Body, func(n ast.Node) bool {
			_, label := n.(*ast.LabeledStmt)
			labels = labels || label
			return true
		})
		if !labels {
			return f
		}
	}
	return nil
}
