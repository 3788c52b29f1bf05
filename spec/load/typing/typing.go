// Package typing makes types of CUE's values, from the way their author wrote them,
// and reads the attributes of their properties.
package typing

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// Extractor makes types of CUE's values, from the way their author wrote them.
type Extractor struct {
	*walk.Walker
	named *namer
	// Wire is the rule for names on the wire of what is walked, SpecWire the spec's.
	Wire, SpecWire string
}

// New returns an extractor whose named types go to types.
func New(w *walk.Walker, types spec.Types) *Extractor {
	x := &Extractor{Walker: w}
	x.named = newNamer(x, types)
	return x
}

// Finish does what needs all types to be there.
func (x *Extractor) Finish() { x.named.finish() }

// Role is what an object type is for: it decides which attributes mean
// something in it, and which names are taken.
type Role uint8

const (
	ConfigRole   Role = 1 << iota
	InputRole         // a resource's inputs
	OutputRole        // a resource's outputs
	ArgumentRole      // of functions, methods, actions, lists, components, ephemerals
	ResultRole        // of the same
)

// Site is where a type stands: whose it is, and how deep.
type Site struct {
	source.Place
	Role  Role
	depth int
	// named says that the type is a definition's: it may stand anywhere.
	named bool
}

func (s Site) at(name string) Site {
	s.Place = s.Place.Member(name)
	s.depth++
	return s
}

// Object returns the type of config, inputs or outputs.
func (x *Extractor) Object(it walk.Item, p source.Place, r Role) *spec.Type {
	// Of what is broken nothing is known: any property may be meant.
	empty := &spec.Type{Kind: spec.Object, Open: true}
	if x.IsHole(it.Expr) {
		return empty
	}
	if k := x.Kind(it); k != cue.StructKind {
		if !x.Broken(it, p) {
			x.Report(source.CodeWrongShape, it.At, p, fmt.Sprintf("%s must be a struct of types, not %s", lastName(p.Path), walk.KindName(k)), "Name each property and its type: {name: string, size?: int}.")
		}
		return empty
	}
	t := x.structure(it, Site{Place: p, Role: r})
	if t.Kind == spec.Map || t.Open {
		x.Report(source.CodeOpenObject, it.At, p, fmt.Sprintf("%s must name its properties", lastName(p.Path)),
			"Leave out the ... or [string]: at the top; a property of its own may be a map: tags?: [string]: string.")
		return &spec.Type{Kind: spec.Object, Fields: t.Fields}
	}
	return t
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// Type extracts the type of a value from the way its author wrote it.
func (x *Extractor) Type(it walk.Item, s Site) *spec.Type {
	if x.IsHole(it.Expr) {
		return &spec.Type{}
	}
	if s.depth > source.MaxDepth {
		x.Report(source.CodeRecursiveType, it.At, s.Place, "the type contains itself", "Give it a name, and refer to the name: #Node: {next?: #Node}.")
		return &spec.Type{}
	}
	if t, ok := x.reference(it, s); ok {
		return t
	}
	if name := libraryValue(it); name != "" {
		return x.validator(it, it.Value, nil, s)
	}
	v := cue.Dereference(it.Value)
	op, args := v.Expr()
	switch op {
	case cue.OrOp:
		return x.disjunction(it, args, s)
	case cue.AndOp:
		return x.conjunction(it, v, args, s)
	case cue.LessThanOp, cue.LessThanEqualOp, cue.GreaterThanOp, cue.GreaterThanEqualOp, cue.NotEqualOp, cue.RegexMatchOp, cue.NotRegexMatchOp:
		return x.bound(it, op, args, s)
	case cue.CallOp:
		return x.validator(it, v, args, s)
	case cue.InterpolationOp:
		if !v.IsConcrete() {
			x.Report(source.CodeInterpolatedType, it.At, s.Place, `\( ) in a type has no value when the spec is loaded`,
				"A default made of other inputs is an attribute: @default(\"${inputs.a}-x\").")
			return &spec.Type{}
		}
	case cue.NoOp:
		if len(args) == 1 && isDisjunction(it.Expr, v) {
			return x.Type(x.Part(it, args[0]), s.deeper())
		}
	}
	return x.plainType(it, v, s)
}

func (s Site) deeper() Site {
	s.depth++
	return s
}

// isDisjunction reports whether an expression is `*default | type`, which CUE
// hands out without the default where the type covers it.
func isDisjunction(e ast.Expr, v cue.Value) bool {
	if f, ok := v.Source().(*ast.Field); ok {
		e = f.Value
	} else if src, ok := v.Source().(ast.Expr); ok {
		e = src
	}
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.BinaryExpr:
			return x.Op == token.OR
		default:
			return false
		}
	}
}

// plainType returns a type that is no combination of others.
func (x *Extractor) plainType(it walk.Item, v cue.Value, s Site) *spec.Type {
	if x.Broken(it, s.Place) {
		return &spec.Type{}
	}
	switch k := x.Kind(walk.Item{Value: v, Expr: it.Expr}); k {
	case cue.StructKind:
		return x.structure(walk.Item{Value: v, Expr: it.Expr, Name: it.Name, At: it.At, NameAt: it.NameAt, Decl: it.Decl}, s)
	case cue.ListKind:
		return x.listType(it, v, s)
	case cue.BytesKind:
		x.Report(source.CodeBytesType, it.At, s.Place, "bytes cannot be a property's type", "Use string and base64, or #Asset for a file that the user hands over.")
		return &spec.Type{}
	case cue.NullKind:
		return &spec.Type{Nullable: true, Enum: []any{nil}}
	case cue.TopKind:
		return &spec.Type{}
	default:
		return x.scalarType(it, v, k, s)
	}
}

// scalarType returns a basic type, or one literal.
func (x *Extractor) scalarType(it walk.Item, v cue.Value, k cue.Kind, s Site) *spec.Type {
	kind, nullable, ok := scalarKind(k)
	if !ok {
		x.Report(source.CodeUnsupportedType, it.At, s.Place, "this type cannot be extracted", "Write it as a disjunction of plain types: string | int.")
		return &spec.Type{}
	}
	t := &spec.Type{Kind: kind, Nullable: nullable}
	if v.IsConcrete() {
		t.Enum = []any{plain(v)}
	}
	return t
}

func scalarKind(k cue.Kind) (kind spec.Kind, nullable, ok bool) {
	if k&cue.NullKind != 0 && k != cue.NullKind {
		k &^= cue.NullKind
		nullable = true
	}
	switch k {
	case cue.BoolKind:
		return spec.Bool, nullable, true
	case cue.IntKind:
		return spec.Int, nullable, true
	case cue.FloatKind, cue.NumberKind:
		return spec.Number, nullable, true
	case cue.StringKind:
		return spec.String, nullable, true
	default:
		return spec.Any, nullable, false
	}
}

// listType returns the type of a list of any length.
func (x *Extractor) listType(it walk.Item, v cue.Value, s Site) *spec.Type {
	elem := v.LookupPath(cue.MakePath(cue.AnyIndex))
	if !elem.Exists() {
		x.Report(source.CodeTupleType, it.At, s.Place, "a list of fixed length cannot be a property's type",
			"Write [...T] for a list of T (with list.MaxItems for its length), or a struct that names the parts.")
		return &spec.Type{Kind: spec.List, Elem: &spec.Type{}}
	}
	if list, err := v.List(); err == nil && list.Next() {
		x.Report(source.CodeTupleType, it.At, s.Place, "a list whose first items differ cannot be a property's type", "Write [...T] for a list of T.")
	}
	inner := x.Part(it, elem)
	inner.Name, inner.NameAt = "", inner.At
	return &spec.Type{Kind: spec.List, Elem: x.Type(inner, s.at("*"))}
}

// structure returns the type of an object or a map.
func (x *Extractor) structure(it walk.Item, s Site) *spec.Type {
	t := &spec.Type{Kind: spec.Object}
	var patterns []walk.Item
	for _, m := range x.Members(it, cue.Patterns(true)) {
		if m.Pattern {
			patterns = append(patterns, m)
			continue
		}
		if p := x.property(m, it, s); p != nil {
			t.Fields = append(t.Fields, p)
		}
	}
	x.UnusedHelpers(it, s.Place)
	x.uniqueWires(t, s)
	open := len(patterns) == 0 && it.Value.LookupPath(cue.MakePath(cue.AnyString)).Exists()
	switch {
	case len(patterns) > 0:
		x.patterns(t, patterns, s)
	case open && len(t.Fields) == 0:
		t.Kind, t.Elem = spec.Map, &spec.Type{}
	case open:
		t.Open = true
	}
	return t
}

// patterns makes a map, or an open object, of `[key]: T` fields.
func (x *Extractor) patterns(t *spec.Type, patterns []walk.Item, s Site) {
	for i, m := range patterns {
		elem := x.Type(walk.Item{Value: m.Value, Expr: m.Expr, At: m.At, NameAt: m.At}, s.at("*"))
		if i == 0 {
			t.Elem = elem
		} else if !sameType(t.Elem, elem) {
			x.Report(source.CodeUnsupportedType, m.At, s.Place, "a map's values have one type", "Use one pattern, or a disjunction of the types.")
		}
		t.Keys = append(t.Keys, x.keyPattern(m, s)...)
	}
	if len(patterns) > 1 && len(t.Keys) > 1 {
		t.Keys = []string{"(" + strings.Join(t.Keys, ")|(") + ")"}
	}
	if len(t.Fields) == 0 {
		t.Kind = spec.Map
		return
	}
	t.Open = true
}

// keyPattern returns the regular expression of a pattern's key: none for any string.
func (x *Extractor) keyPattern(m walk.Item, s Site) []string {
	key := x.Type(x.Part(m, m.Key), Site{Place: s.Place, Role: s.Role, depth: s.depth})
	var keys []string
	for _, p := range key.Patterns {
		if !p.Negated {
			keys = append(keys, p.Regexp)
		}
	}
	if key.Kind != spec.String && key.Kind != spec.Any || len(keys) != len(key.Patterns) || key.Enum != nil || key.MinLen > 0 || key.MaxLen != nil {
		x.Report(source.CodeUnsupportedType, m.At, s.Place, "a map's keys can be limited by a regular expression only", `Write [=~"^[a-z]+$"]: T.`)
	}
	return keys
}

func sameType(a, b *spec.Type) bool {
	return fmt.Sprintf("%+v", *a) == fmt.Sprintf("%+v", *b)
}

// reservedNames are names that a resource's properties cannot have. Pulumi keeps id and urn for
// itself, and every name with two underscores.
var reservedNames = []string{"id", "urn", "pulumi"}

// property returns one member of an object.
func (x *Extractor) property(m, parent walk.Item, s Site) *spec.Property {
	at := s.at(m.Name)
	x.propertyName(m, at, s.depth == 0)
	p := &spec.Property{Name: m.Name, Doc: x.Doc(m), Range: m.NameAt}
	p.Type = x.Type(m, at)
	def, has := x.defaultOf(m, p.Type, at)
	p.Default = def
	p.Required = !m.Optional && !has
	(&attributeReader{Extractor: x, prop: p, item: m, site: at, top: s.depth == 0}).read()
	if p.DefaultExpr != nil || p.Autoname != nil {
		p.Required = false
	}
	return p
}

// propertyName checks what a property is called.
func (x *Extractor) propertyName(m walk.Item, s Site, top bool) {
	if !block.Identifiers.Pattern.MatchString(m.Name) {
		x.Report(names.CodeName, m.NameAt, s.Place, fmt.Sprintf("%q is not a valid name for a property", m.Name),
			fmt.Sprintf("Letters, digits and underscores. Name it %s, and give its name on the wire: @wire(%q).", names.Suggest(m.Name, false), m.Name))
		return
	}
	switch {
	case strings.HasPrefix(m.Name, "__"):
		x.Report(names.CodeReserved, m.NameAt, s.Place, fmt.Sprintf("%s is a reserved name", m.Name), "Names with two underscores in front belong to Pulumi.")
	case !top || s.named:
	case s.Role&(InputRole|OutputRole) != 0 && slices.Contains(reservedNames, m.Name):
		x.Report(names.CodeReserved, m.NameAt, s.Place, fmt.Sprintf("%s is a reserved name", m.Name),
			fmt.Sprintf("Every resource has one already. Give it another name, such as %sId, with @wire(%s).", lastContext(s.Context), m.Name))
	case s.Role == ConfigRole && (m.Name == "version" || m.Name == "pluginDownloadURL" || m.Name == "pulumi"):
		x.Report(names.CodeReserved, m.NameAt, s.Place, fmt.Sprintf("%s is a reserved name", m.Name), "Pulumi gives it to every provider. Name it apiVersion, or the like.")
	}
}

// lastContext returns a name to make another of: the resource's.
func lastContext(context string) string {
	_, rest, ok := strings.Cut(context, `"`)
	name, _, closed := strings.Cut(rest, `"`)
	if !ok || !closed || name == "" {
		return "own"
	}
	return strings.ToLower(name[:1]) + name[1:]
}
