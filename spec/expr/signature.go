package expr

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
)

// param is a parameter of a function.
type param struct {
	name               string
	t                  *spec.Type
	optional, variadic bool
	// pattern says that it is a regular expression.
	pattern bool
}

// required is how many arguments a call has at least.
func (f *function) required() int {
	n := 0
	for _, p := range f.params {
		if !p.optional && !p.variadic {
			n++
		}
	}
	return n
}

func (f *function) variadic() bool { return len(f.params) > 0 && f.params[len(f.params)-1].variadic }

// param is the parameter that argument i stands for.
func (f *function) param(i int) param { return f.params[min(i, len(f.params)-1)] }

// count says how many arguments a call has.
func (f *function) count() string {
	least, most := f.required(), len(f.params)
	unit := "arguments"
	if most == 1 && !f.variadic() || least == 1 && f.variadic() {
		unit = "argument"
	}
	switch {
	case f.variadic():
		return fmt.Sprintf("at least %d %s", least, unit)
	case least == most:
		return fmt.Sprintf("%d %s", least, unit)
	default:
		return fmt.Sprintf("%d to %d arguments", least, most)
	}
}

// parseSignature fills in parameters and result from what the documentation
// shows: `pad(s: string, width: int, with?: string) string`, `merge(a: map,
// more...: map) map`. A type may be any, bool, int, number, string, regexp,
// list, map, time, duration, [T] (a list), {T} (a map), T? (may be null). It
// panics on what it cannot read, which a test would find.
func (f *function) parseSignature() {
	open, end := strings.IndexByte(f.Signature, '('), strings.LastIndexByte(f.Signature, ')')
	f.Name = f.Signature[:open]
	f.result = signatureType(strings.TrimSpace(f.Signature[end+1:]))
	for _, text := range strings.Split(f.Signature[open+1:end], ", ") {
		name, typ, ok := strings.Cut(text, ": ")
		if !ok {
			continue
		}
		p := param{t: signatureType(typ), pattern: typ == "regexp"}
		name, p.variadic = strings.CutSuffix(name, "...")
		p.name, p.optional = strings.CutSuffix(name, "?")
		f.params = append(f.params, p)
	}
}

func signatureType(text string) *spec.Type {
	s := static()
	if inner, ok := strings.CutSuffix(text, "?"); ok {
		return nullable(signatureType(inner))
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		return listOf(signatureType(strings.TrimSuffix(inner, "]")))
	}
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		return mapOf(signatureType(strings.TrimSuffix(inner, "}")))
	}
	switch text {
	case "any", "predicate":
		return s.any
	case "bool":
		return s.bool
	case "int":
		return s.int
	case "number":
		return s.number
	case "string", "regexp":
		return s.string
	case "list":
		return s.list
	case "map":
		return s.dict
	case "time":
		return s.time
	case "duration":
		return s.duration
	default:
		panic("no such type in a signature: " + text)
	}
}
