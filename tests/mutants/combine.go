package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/declprov/declprov/tests/mutants/mutant"
)

// numbered is a row with the number that disables its mechanism.
type numbered struct {
	mutant.Mutant
	number int
}

// The package that tells a combined source file which mechanism is disabled. It is not in
// the repository: the compiler gets it as an overlay.
const (
	switchFolder = "spec/mutant"
	switchImport = "github.com/declprov/declprov/" + switchFolder
	// switchMark occurs once in every program that was compiled with the package. The
	// digits after it are the number of the disabled mechanism.
	switchMark = "declprov mechanism switched off: "
	noneOff    = "0000"
)

// switchSource returns the source of the package. It reads the number once, at start, and opens a
// file of that name in the folder, because the process may be confined later. The file is empty
// until an edit runs.
func switchSource(reached string) string {
	return fmt.Sprintf(switchText, reached)
}

const switchText = `// Package mutant says which mechanism is switched off.
package mutant

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

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

var reached = open()

func open() *os.File {
	if number == 0 {
		return nil
	}
	file, _ := os.OpenFile(filepath.Join(%q, strconv.Itoa(number)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	return file
}

var once sync.Once

// Off reports whether it is the mechanism of that number.
func Off(n int) bool {
	if number != n {
		return false
	}
	once.Do(func() {
		if reached != nil {
			reached.WriteString("x")
		}
	})
	return true
}
`

// combine returns a source file that contains the edits of all rows, each behind a
// condition: a function begins with its edited body, followed by the original one. An
// edit outside a function, or in a function with labels, cannot be combined; combine
// returns these rows as alone.
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

// trim removes the common beginning and end of both texts of an edit, which may only make
// the place unique. skipped is the length of the common beginning.
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

// lineMark, followed by the number of a row, is the file name in compiler errors about an
// edit.
const lineMark = "mutant-"

// enclosing returns the function whose body contains a part of a file, or nil if the body
// has labels, which would be duplicated.
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
