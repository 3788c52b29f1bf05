package container

import (
	"reflect"
	"strings"
	"sync"
	"unicode"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// The model is written as JSON based on its Go types: a struct is an object with its
// nonzero fields, named by their json tags or their names in lower case.
// encoding/json could do the same, but it cannot separate file names from ranges
// (which are most of a spec's bytes), does not distinguish null from absent without
// help, and takes four times as long, which would exceed the budget for a provider's
// start.
//
// Exceptions: a diag.Range is [line, column, line, column], preceded by the index of
// its file unless that is 0. Marks are one flat list of offsets, lines and columns. A
// literal (any) is the JSON value itself, and its numbers keep their digits.
var (
	rangeType = reflect.TypeFor[diag.Range]()
	marksType = reflect.TypeFor[[]spec.Mark]()
)

// maxDepth is the maximum nesting depth of values that are written or read. It
// protects the stack against hostile input.
const maxDepth = 1000

// shape describes how a struct is written.
type shape struct {
	fields []shapeField
	byName map[string]int
}

type shapeField struct {
	name  string
	index int
}

// shapes caches shapes. Each container has its own cache.
type shapes struct{ byType sync.Map }

func (s *shapes) of(t reflect.Type) *shape {
	if known, ok := s.byType.Load(t); ok {
		return known.(*shape)
	}
	sh := &shape{byName: map[string]int{}}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = lowerFirst(f.Name)
		}
		sh.byName[name] = len(sh.fields)
		sh.fields = append(sh.fields, shapeField{name: name, index: i})
	}
	s.byType.Store(t, sh)
	return sh
}

// lowerFirst returns a Go name in the form for JSON: Range becomes range, ID becomes
// id.
func lowerFirst(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	r := []rune(name)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}
