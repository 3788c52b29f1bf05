package check

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// Param is a parameter of a function.
type Param struct {
	name               string
	T                  *spec.Type
	optional, variadic bool
	// Pattern says that it is a regular expression.
	Pattern bool
}

// Function is what a call of a function is checked against.
type Function struct {
	Name string
	// Signature is how it is called: `replace(s: string, old: string, new:
	// string, count?: int) string`. `?` behind a name is an optional argument,
	// behind a type it says that null is allowed, `...` is any number.
	Signature string
	Params    []Param
	Result    *spec.Type
	// Typed returns the type of a call's result, where it depends on the arguments.
	Typed func(cl *Call) Typed
	// predicate says that the machine runs it: it goes over a list with a predicate.
	predicate bool
}

// Functions are the functions of the language, and the methods of times and
// durations, by name.
type Functions struct {
	Named, OfTimes, OfDurations map[string]*Function
}

// methods returns the methods of a type of time.
func (f *Functions) methods(t *spec.Type) map[string]*Function {
	if t.Ref == types.TimeRef {
		return f.OfTimes
	}
	return f.OfDurations
}

// Required returns how many arguments a call has at least.
func (f *Function) Required() int {
	n := 0
	for _, p := range f.Params {
		if !p.optional && !p.variadic {
			n++
		}
	}
	return n
}

func (f *Function) variadic() bool { return len(f.Params) > 0 && f.Params[len(f.Params)-1].variadic }

// Param returns the parameter that argument i stands for.
func (f *Function) Param(i int) Param { return f.Params[min(i, len(f.Params)-1)] }

// Count returns how many arguments a call has.
func (f *Function) Count() string {
	least, most := f.Required(), len(f.Params)
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

// newPrototype returns the prototype that the documentation shows: `pad(s: string,
// width: int, with?: string) string`, `merge(a: map, more...: map) map`. A type may be
// any, bool, int, number, string, regexp, predicate, list, map, time, duration, [T] (a
// list), {T} (a map), T? (may be null). It panics on what it cannot read, which a test
// would find.
func NewFunction(signature string) *Function {
	open, end := strings.IndexByte(signature, '('), strings.LastIndexByte(signature, ')')
	f := &Function{Name: signature[:open], Signature: signature, Result: signatureType(strings.TrimSpace(signature[end+1:]))}
	for _, text := range strings.Split(signature[open+1:end], ", ") {
		name, typ, ok := strings.Cut(text, ": ")
		if !ok {
			continue
		}
		p := Param{T: signatureType(typ), Pattern: typ == "regexp"}
		name, p.variadic = strings.CutSuffix(name, "...")
		p.name, p.optional = strings.CutSuffix(name, "?")
		f.Params = append(f.Params, p)
		f.predicate = f.predicate || typ == "predicate"
	}
	return f
}

func signatureType(text string) *spec.Type {
	if inner, ok := strings.CutSuffix(text, "?"); ok {
		return types.Nullable(signatureType(inner))
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		return types.ListOf(signatureType(strings.TrimSuffix(inner, "]")))
	}
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		return types.MapOf(signatureType(strings.TrimSuffix(inner, "}")))
	}
	switch text {
	case "any", "predicate":
		return types.Any()
	case "bool":
		return types.Bool()
	case "int":
		return types.Int()
	case "number":
		return types.Number()
	case "string", "regexp":
		return types.String()
	case "list":
		return types.List()
	case "map":
		return types.Map()
	case "time":
		return types.Time()
	case "duration":
		return types.Duration()
	default:
		panic("no such type in a signature: " + text)
	}
}
