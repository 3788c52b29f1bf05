package spec

import "github.com/declprov/declprov/spec/diag"

// Kind is the basic kind of a Type.
type Kind uint8

// The kinds. Any is the zero value: a type without constraints.
const (
	Any Kind = iota
	Bool
	Int
	Number
	String
	List
	Map
	Object
	Union
	Asset
	Archive
)

// String returns the name of the kind as authors write it.
func (k Kind) String() string {
	names := [...]string{"any", "bool", "int", "number", "string", "list", "map", "struct", "union", "asset", "archive"}
	if int(k) < len(names) {
		return names[k]
	}
	return "invalid"
}

// Type is the type of configuration, inputs, outputs, and of the arguments and
// results of actions. They share one struct, so that one type checker, one
// assignability rule and one schema generator serve them all.
//
// Literals in it (enums, defaults) are nil, bool, string, json.Number, []any or
// map[string]any.
type Type struct {
	Kind Kind `json:"kind,omitempty"`
	// Nullable means that null is a value, distinct from an absent property.
	Nullable bool `json:"nullable,omitempty"`
	// Ref is the name of a definition (a key of Types). If it is set, only Nullable
	// is the type's own; everything else comes from the definition. See
	// Types.Resolve.
	Ref string `json:"ref,omitempty"`

	// Elem is the type of the items of a list or of the values of a map.
	Elem *Type `json:"elem,omitempty"`
	// Keys are regular expressions that the keys of a map must match.
	Keys []string `json:"keys,omitempty"`
	// Fields are the properties of an object, in the order of the document.
	Fields []*Property `json:"fields,omitempty"`
	// Open means that an object may have properties that are not in Fields. Their
	// type is Elem, or any if Elem is nil.
	Open bool `json:"open,omitempty"`
	// Variants are the types of a union. If they are objects, Tag is the name of the
	// property whose literal value identifies the variant.
	Variants []*Type `json:"variants,omitempty"`
	Tag      string  `json:"tag,omitempty"`

	// Enum lists the allowed literals, in the order of the document.
	Enum []any `json:"enum,omitempty"`
	// Not lists the excluded literals (`!=`).
	Not []any `json:"not,omitempty"`
	// Min and Max bound a number, or a string in lexical order.
	Min *Bound `json:"min,omitempty"`
	Max *Bound `json:"max,omitempty"`
	// MultipleOf is a decimal literal, or "".
	MultipleOf string `json:"multipleOf,omitempty"`
	// MinLen and MaxLen bound the number of code points of a string, items of a list,
	// or entries of a map or object. A nil MaxLen is no limit.
	MinLen int  `json:"minLen,omitempty"`
	MaxLen *int `json:"maxLen,omitempty"`
	// Unique means that the items of a list must be distinct.
	Unique bool `json:"unique,omitempty"`
	// Patterns are regular expressions (RE2) that a string must match, or must not
	// match if Negated is set.
	Patterns []Pattern `json:"patterns,omitempty"`
}

// Bound is a lower or upper bound.
type Bound struct {
	// Value is a literal: json.Number or string.
	Value any `json:"value"`
	// Exclusive excludes the bound's own value.
	Exclusive bool `json:"exclusive,omitempty"`
}

// Pattern is a regular expression that constrains a string.
type Pattern struct {
	Regexp  string `json:"regexp"`
	Negated bool   `json:"negated,omitempty"`
}

// Property is a named member of an object: an input, an output, a setting, an
// argument.
type Property struct {
	Name string `json:"name"`
	Doc  string `json:"doc,omitempty"`
	Type *Type  `json:"type"`
	// Required means that an input must be given, or that an output is always
	// present. A property with a default is not required.
	Required bool `json:"required,omitempty"`
	// Default is the literal that is used if no value is given; nil means no default.
	Default any `json:"default,omitempty"`

	// The attributes, such as @replace() and @secret().
	Replace     bool              `json:"replace,omitempty"`
	Secret      bool              `json:"secret,omitempty"`
	NoRead      bool              `json:"noRead,omitempty"`
	Ephemeral   bool              `json:"ephemeral,omitempty"`
	Stable      bool              `json:"stable,omitempty"`
	Set         bool              `json:"set,omitempty"`
	Key         string            `json:"key,omitempty"`
	Env         []string          `json:"env,omitempty"`
	Wire        string            `json:"wire,omitempty"`
	WireParents []string          `json:"wireParents,omitempty"` // the members that Wire is within: see WirePath
	Deprecated  string            `json:"deprecated,omitempty"`
	Names       map[string]string `json:"names,omitempty"`
	Autoname    *Autoname         `json:"autoname,omitempty"`
	Equal       string            `json:"equal,omitempty"`     // fold, trim, json or path
	EqualExpr   *Node             `json:"equalExpr,omitempty"` // a template over old and new
	DefaultExpr *Node             `json:"defaultExpr,omitempty"`

	// Range is the position of the property's name.
	Range diag.Range `json:"range"`
}

// Autoname derives a default from the name of the resource: the name, Sep and seven
// random hexadecimal digits, at most Max code points in total (0: no limit).
type Autoname struct {
	Max int    `json:"max,omitempty"`
	Sep string `json:"sep"`
}

// Field returns the property of an object with that name, or nil.
func (t *Type) Field(name string) *Property {
	if t == nil {
		return nil
	}
	for _, f := range t.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// FieldNames returns the names of an object's properties, in the order of the
// document.
func (t *Type) FieldNames() []string {
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		names[i] = f.Name
	}
	return names
}

// Named is a definition of the author's that generated schemas refer to by name.
type Named struct {
	Name string     `json:"name"`
	Doc  string     `json:"doc,omitempty"`
	Type *Type      `json:"type"`
	At   diag.Range `json:"range"`
}

// Types are the definitions of a spec, by name. They may refer to each other and to
// themselves.
type Types map[string]*Named

// Resolve follows a reference to the type that it names, and keeps the reference's
// nullability. It returns a type without a reference unchanged, and Any for nil and
// for a definition that only refers to itself (#A: #B, #B: #A).
func (ts Types) Resolve(t *Type) *Type {
	if t == nil {
		return &Type{}
	}
	for hops := 0; t.Ref != ""; hops++ {
		named, ok := ts[t.Ref]
		if !ok || hops > len(ts) {
			return &Type{}
		}
		if t.Nullable && !named.Type.Nullable {
			resolved := *named.Type
			resolved.Nullable = true
			t = &resolved
			continue
		}
		t = named.Type
	}
	return t
}
