// Package typing converts CUE values to types, based on the expressions that their
// author wrote, and reads the attributes of properties.
package typing

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/jsonschema"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// Extractor converts CUE values to types, based on the expressions that their author
// wrote.
type Extractor struct {
	*walk.Walker
	named *namer
	// Wire is the naming rule for names on the wire of the block being read. SpecWire
	// is the default of the spec.
	Wire, SpecWire string
	// patterns are the fields [key]: T with attributes, and whether a property has read these.
	patterns map[*ast.Field]*patternField
}

// patternField is a field [key]: T with attributes, in the order in which they were found.
type patternField struct {
	item  walk.Item
	site  Site
	order int
	read  bool
}

// New returns an extractor that adds named types to types.
func New(w *walk.Walker, types spec.Types) *Extractor {
	x := &Extractor{Walker: w, patterns: map[*ast.Field]*patternField{}}
	x.named = newNamer(x, types)
	return x
}

// Finish runs the tasks that require all types.
func (x *Extractor) Finish() {
	x.named.finish()
	x.checkPatterns()
}

// Role is the purpose of an object type. It determines which attributes may be used
// and which names are reserved.
type Role uint8

const (
	ConfigRole   Role = 1 << iota
	InputRole         // a resource's inputs
	OutputRole        // a resource's outputs
	ArgumentRole      // of functions, methods, actions, lists, components, ephemerals
	ResultRole        // of functions, methods, actions, components, ephemerals
)

// Site is the position of a type in the document: its place, its role and its depth.
type Site struct {
	source.Place
	Role  Role
	depth int
	// named means that the type is a definition, which may be used with any role.
	named bool
}

func (s Site) at(name string) Site {
	s.Place = s.Place.Member(name)
	s.depth++
	return s
}

// Object returns the type of config, inputs or outputs.
func (x *Extractor) Object(it walk.Item, p source.Place, r Role) *spec.Type {
	// If the block is broken, its properties are unknown, so any name is allowed.
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
	if jsonschema.HasProperties(it.Expr) && x.ReportSchema(it.NameAt, it.Expr, p) {
		return empty
	}
	t := x.structType(it, Site{Place: p, Role: r})
	if t.Kind == spec.Map || t.Open {
		x.Report(source.CodeOpenObject, it.At, p, fmt.Sprintf("%s must name its properties", lastName(p.Path)),
			"Remove the ... or [string]: from the block. A single property may be a map: tags?: [string]: string.")
		return &spec.Type{Kind: spec.Object, Fields: t.Fields}
	}
	return t
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// Type extracts the type of a value from the expression that its author wrote.
func (x *Extractor) Type(it walk.Item, s Site) *spec.Type {
	if x.IsHole(it.Expr) {
		return &spec.Type{}
	}
	if s.depth > source.MaxDepth {
		x.Report(source.CodeRecursiveType, it.At, s.Place, "the type contains itself", "Make it a definition, and refer to that: #Node: {next?: #Node}.")
		return &spec.Type{}
	}
	checkNullDefault(x, it, s)
	if t, ok := x.referenceType(it, s); ok {
		return t
	}
	if name := libraryValue(it); name != "" {
		return x.validatorType(it, it.Value, nil, s)
	}
	v := cue.Dereference(it.Value)
	op, args := v.Expr()
	switch op {
	case cue.OrOp:
		return x.disjunctionType(it, args, s)
	case cue.AndOp:
		return x.conjunctionType(it, v, args, s)
	case cue.LessThanOp, cue.LessThanEqualOp, cue.GreaterThanOp, cue.GreaterThanEqualOp, cue.NotEqualOp, cue.RegexMatchOp, cue.NotRegexMatchOp:
		return x.boundType(it, op, args, s)
	case cue.CallOp:
		return x.validatorType(it, v, args, s)
	case cue.InterpolationOp:
		if !v.IsConcrete() {
			x.Report(source.CodeInterpolatedType, it.At, s.Place, `the interpolation \( ) in this type cannot be evaluated when the spec is loaded`,
				"To compute a default from other inputs, write an attribute: @default(\"${inputs.a}-x\").")
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

// isDisjunction reports whether an expression is written as a disjunction. For
// `*default | type`, if the type covers the default, CUE's Expr leaves the default out: it
// returns no operator, and only the type.
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

// plainType returns a type that is not a combination of other types.
func (x *Extractor) plainType(it walk.Item, v cue.Value, s Site) *spec.Type {
	if x.Broken(it, s.Place) {
		return &spec.Type{}
	}
	switch k := x.Kind(walk.Item{Value: v, Expr: it.Expr}); k {
	case cue.StructKind:
		return x.structType(walk.Item{Value: v, Expr: it.Expr, Name: it.Name, At: it.At, NameAt: it.NameAt, Decl: it.Decl}, s)
	case cue.ListKind:
		return x.listType(it, v, s)
	case cue.BytesKind:
		reportBytes(x, s, []walk.Item{it})
		return &spec.Type{}
	case cue.NullKind:
		return &spec.Type{Nullable: true, Enum: []any{nil}}
	case cue.TopKind:
		return &spec.Type{}
	default:
		return x.scalarType(it, v, k, s)
	}
}

// scalarType returns a scalar type or the type of a literal.
func (x *Extractor) scalarType(it walk.Item, v cue.Value, k cue.Kind, s Site) *spec.Type {
	kind, nullable, ok := scalarKind(k)
	if !ok {
		x.Report(source.CodeUnsupportedType, it.At, s.Place, "this type is not supported", "Write it as a disjunction of basic types: string | int.")
		return &spec.Type{}
	}
	t := &spec.Type{Kind: kind, Nullable: nullable}
	if v.IsConcrete() {
		t.Enum = []any{plainValue(v)}
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

// listType returns the type of a list.
func (x *Extractor) listType(it walk.Item, v cue.Value, s Site) *spec.Type {
	elem := v.LookupPath(cue.MakePath(cue.AnyIndex))
	if !elem.Exists() {
		remedy, edits := tupleRemedy(x, it)
		x.Report(source.CodeTupleType, it.At, s.Place, "a list of fixed length cannot be a property's type", remedy).Suggest(edits...)
		return &spec.Type{Kind: spec.List, Elem: &spec.Type{}}
	}
	least := 0
	for list, err := v.List(); err == nil && list.Next(); least++ {
		if first := list.Value(); first.Subsume(elem) != nil || elem.Subsume(first) != nil {
			x.Report(source.CodeTupleType, it.At, s.Place, "a list whose first items differ cannot be a property's type", "Write [...T] for a list of T, or [T, ...T] for one that is not empty.")
			break
		}
	}
	inner := x.Part(it, elem)
	inner.Name, inner.NameAt = "", inner.At
	return &spec.Type{Kind: spec.List, Elem: x.Type(inner, s.at("*")), MinLen: least}
}

// structType returns the type of an object or a map.
func (x *Extractor) structType(it walk.Item, s Site) *spec.Type {
	t := &spec.Type{Kind: spec.Object}
	var patterns []walk.Item
	for _, m := range x.Members(it, cue.Patterns(true)) {
		if m.Pattern {
			patterns = append(patterns, m)
			continue
		}
		if p := x.readProperty(m, it, s); p != nil {
			t.Fields = append(t.Fields, p)
		}
	}
	x.UnusedHelpers(it, s.Place)
	x.checkUniqueWires(t, s)
	open := len(patterns) == 0 && it.Value.LookupPath(cue.MakePath(cue.AnyString)).Exists()
	switch {
	case len(patterns) > 0:
		x.addPatterns(t, patterns, s)
	case open && len(t.Fields) == 0:
		t.Kind, t.Elem = spec.Map, &spec.Type{}
	case open:
		t.Open = true
	}
	return t
}

// addPatterns adds the fields of the form `[key]: T` to a type, which makes it a map or
// an open object.
func (x *Extractor) addPatterns(t *spec.Type, patterns []walk.Item, s Site) {
	for i, m := range patterns {
		if m.Field != nil && x.patterns[m.Field] == nil {
			x.patterns[m.Field] = &patternField{item: m, site: s, order: len(x.patterns)}
		}
		elem := x.Type(walk.Item{Value: m.Value, Expr: m.Expr, At: m.At, NameAt: m.At}, s.at("*"))
		if i == 0 {
			t.Elem = elem
		} else if !sameType(t.Elem, elem) {
			x.Report(source.CodeUnsupportedType, m.At, s.Place, "the values of a map must have one type", "Use one pattern, or a disjunction of the types.")
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

// keyPattern returns the regular expression for the keys of a pattern, and none if
// any string is a key.
func (x *Extractor) keyPattern(m walk.Item, s Site) []string {
	key := x.Type(x.Part(m, m.Key), Site{Place: s.Place, Role: s.Role, depth: s.depth})
	var keys []string
	for _, p := range key.Patterns {
		if !p.Negated {
			keys = append(keys, p.Regexp)
		}
	}
	if key.Kind != spec.String && key.Kind != spec.Any || len(keys) != len(key.Patterns) || key.Enum != nil || key.MinLen > 0 || key.MaxLen != nil {
		x.Report(source.CodeUnsupportedType, m.At, s.Place, "the keys of a map can only be restricted by a regular expression", `Write [=~"^[a-z]+$"]: T.`)
	}
	return keys
}

func sameType(a, b *spec.Type) bool {
	return fmt.Sprintf("%+v", *a) == fmt.Sprintf("%+v", *b)
}

// reservedNames are names that the properties of a resource cannot have. Pulumi
// reserves id, urn, and every name that begins with two underscores.
var reservedNames = []string{"id", "urn", "pulumi"}

// readProperty returns one property of an object.
func (x *Extractor) readProperty(m, parent walk.Item, s Site) *spec.Property {
	at := s.at(m.Name)
	x.checkPropertyName(m, at, s.depth == 0)
	p := &spec.Property{Name: m.Name, Doc: x.Doc(m), Range: m.NameAt, TypeRange: typeRange(x, m)}
	if x.ReportSchema(m.NameAt, m.Expr, at.Place) {
		return &spec.Property{Name: m.Name, Range: m.NameAt, Type: &spec.Type{}, Required: !m.Optional}
	}
	checkQuotedType(x, m, at)
	before := len(x.Diags)
	p.Type = x.Type(m, at)
	broken := x.IsHole(m.Expr) || len(x.Diags) > before
	def, has := x.defaultOf(m, p.Type, at)
	p.Default = def
	p.Required = !m.Optional && !has
	(&attributeReader{Extractor: x, prop: p, item: m, site: at, top: s.depth == 0, broken: broken}).read()
	if p.DefaultExpr != nil || p.Autoname != nil {
		p.Required = false
	}
	checkUnmarkedSecret(x, p, m, at)
	checkLiteralSetting(x, p, m, at)
	checkAlternative(x, m, at)
	checkDefaultType(x, p, m, at)
	checkConstant(x, p, m, at)
	return p
}

// checkPropertyName checks the name of a property.
func (x *Extractor) checkPropertyName(m walk.Item, s Site, top bool) {
	if !block.Identifiers.Pattern.MatchString(m.Name) {
		x.Report(names.CodeName, m.NameAt, s.Place, fmt.Sprintf("%q is not a valid name for a property", m.Name),
			fmt.Sprintf("Use letters, digits and underscores. Name it %s, and set its name on the wire: @wire(%q).", names.Suggest(m.Name, false), m.Name))
		return
	}
	switch {
	case strings.HasPrefix(m.Name, "__"):
		x.Report(names.CodeReserved, m.NameAt, s.Place, fmt.Sprintf("%s is a reserved name", m.Name), "Pulumi reserves names that begin with two underscores.")
	case !top || s.named:
	case s.Role&(InputRole|OutputRole) != 0 && slices.Contains(reservedNames, m.Name):
		name := lastContext(s.Context) + names.Pascal(m.Name)
		d := x.Report(names.CodeReserved, m.NameAt, s.Place, fmt.Sprintf("%s is a reserved name", m.Name),
			fmt.Sprintf("Every resource already has it. Choose another name, such as %s, with @wire(%s).", name, m.Name))
		if at := typeRange(x, m); s.Role == OutputRole && len(m.Value.Attributes(cue.ValueAttr)) == 0 && !at.IsZero() {
			at.Start = at.End
			d.Suggest(diag.Edit{At: m.NameAt, Old: m.Name, Text: name}, diag.Edit{At: at, Text: " @wire(" + m.Name + ")"})
		}
	case s.Role == ConfigRole && (m.Name == "version" || m.Name == "pluginDownloadURL" || m.Name == "pulumi"):
		x.Report(names.CodeReserved, m.NameAt, s.Place, fmt.Sprintf("%s is a reserved name", m.Name), "Pulumi defines it for every provider. Choose another name, such as apiVersion.")
	}
}

// lastContext returns the last name of a context, which suggests a prefix for another
// name.
func lastContext(context string) string {
	_, rest, ok := strings.Cut(context, `"`)
	name, _, closed := strings.Cut(rest, `"`)
	if !ok || !closed || name == "" {
		return "own"
	}
	return strings.ToLower(name[:1]) + name[1:]
}
