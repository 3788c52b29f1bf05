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
	// Pattern means that the argument is a regular expression.
	Pattern bool
}

// Function is the signature of a function, which calls are checked against.
type Function struct {
	Name string
	// Signature is the text of the signature: `replace(s: string, old: string, new:
	// string, count?: int) string`. `?` after a name marks an optional argument, `?`
	// after a type allows null, and `...` allows any number of arguments.
	Signature string
	Params    []Param
	Result    *spec.Type
	// Typed returns the type of the result of a call, if it depends on the arguments.
	Typed func(cl *Call) TypedPart
	// predicate means that the virtual machine runs the function, which applies a
	// predicate to the items of a list.
	predicate bool
}

// Functions are the functions of the language, and the methods of times and
// durations, by name.
type Functions struct {
	Named, OfTimes, OfDurations map[string]*Function
}

// methods returns the methods of a time or duration type.
func (f *Functions) methods(t *spec.Type) map[string]*Function {
	if t.Ref == types.TimeRef {
		return f.OfTimes
	}
	return f.OfDurations
}

// ofTimes reports whether times or durations have a method: an untyped value may be one.
func (f *Functions) ofTimes(name string) bool {
	return f.OfTimes[name] != nil || f.OfDurations[name] != nil
}

// Required returns the minimum number of arguments.
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

// Param returns the parameter for argument i.
func (f *Function) Param(i int) Param { return f.Params[min(i, len(f.Params)-1)] }

// Count returns the number of arguments that a call may have, for messages.
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

// NewFunction parses a signature as the documentation shows it: `pad(s: string,
// width: int, with?: string) string`, `merge(a: map, more...: map) map`. A type is
// any, bool, int, number, string, regexp, predicate, asset, archive, list, map, time, duration, [T]
// (a list), {T} (a map), T|T (one of these) or T? (may be null). It panics if the signature is invalid,
// which a test would find.
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
	if variants := strings.Split(text, "|"); len(variants) > 1 {
		t := &spec.Type{Kind: spec.Union}
		for _, v := range variants {
			t.Variants = append(t.Variants, signatureType(v))
		}
		return t
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
	case "asset":
		return &spec.Type{Kind: spec.Asset}
	case "archive":
		return &spec.Type{Kind: spec.Archive}
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
