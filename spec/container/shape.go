package container

import (
	"reflect"
	"strings"
	"sync"
	"unicode"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// The model is written as JSON by its Go shape: a struct is an object of its
// fields that are not zero, under their json tag or their name in lower case.
// encoding/json would do the same, but it cannot keep file names apart from
// ranges (they are most of a spec's bytes), tells null from absent only with
// help, and takes four times as long; a provider's start is a budget.
//
// What stands apart: a diag.Range is [line, column, line, column], after the
// index of its file unless that is 0; marks are one flat list of offset, line
// and column; a literal (any) is itself, its numbers digit by digit.
var (
	rangeType = reflect.TypeFor[diag.Range]()
	marksType = reflect.TypeFor[[]spec.Mark]()
)

// maxDepth bounds how deep values nest, in what is written and what is read:
// hostile bytes shall not exhaust the stack.
const maxDepth = 1000

// shape is how a struct is written.
type shape struct {
	fields []shapeField
	byName map[string]int
}

type shapeField struct {
	name  string
	index int
}

// shapes remembers those that were needed; a container has one.
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

// lowerFirst returns a Go name as JSON has it: Range is range, ID is id.
func lowerFirst(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	r := []rune(name)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}
