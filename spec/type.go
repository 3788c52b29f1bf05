package spec

import (
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
)

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
	Kind Kind `json:"kind,omitzero"`
	// Nullable means that null is a value, distinct from an absent property.
	Nullable bool `json:"nullable,omitzero"`
	// Ref is the name of a definition (a key of Types). If it is set, only Nullable
	// is the type's own; everything else comes from the definition. See
	// Types.Resolve.
	Ref string `json:"ref,omitzero"`

	// Elem is the type of the items of a list or of the values of a map.
	Elem *Type `json:"elem,omitzero"`
	// Keys are regular expressions that the keys of a map must match.
	Keys []string `json:"keys,omitzero"`
	// Fields are the properties of an object, in the order of the document.
	Fields []*Property `json:"fields,omitzero"`
	// Open means that an object may have properties that are not in Fields. Their
	// type is Elem, or any if Elem is nil.
	Open bool `json:"open,omitzero"`
	// Variants are the types of a union. If they are objects, Tag is the name of the
	// property whose literal value identifies the variant.
	Variants []*Type `json:"variants,omitzero"`
	Tag      string  `json:"tag,omitzero"`

	// Sent is how a map or list is sent, if that differs from its type. Only static types of expressions have it.
	Sent *Sent `json:"sent,omitzero"`
	// Lost is a type that a value may be of as well, without the type telling its names and types on the wire: that of
	// inputs.pet in `body.pet ?? inputs.pet`. Such a value cannot be sent. Only static types of expressions have it.
	Lost *Type `json:"lost,omitzero"`

	// OnWire is the kind that a scalar has in requests and responses: Int for a string that is an
	// integer there, String for an integer, number or boolean that is text. Any means the same kind.
	OnWire Kind `json:"onWire,omitzero"`
	// Enum lists the allowed literals, in the order of the document.
	Enum []any `json:"enum,omitzero"`
	// Not lists the excluded literals (`!=`).
	Not []any `json:"not,omitzero"`
	// Min and Max bound a number, or a string in lexical order.
	Min *Bound `json:"min,omitzero"`
	Max *Bound `json:"max,omitzero"`
	// MultipleOf is a decimal literal, or "".
	MultipleOf string `json:"multipleOf,omitzero"`
	// MinLen and MaxLen bound the number of code points of a string, items of a list,
	// or entries of a map or object. A nil MaxLen is no limit.
	MinLen int  `json:"minLen,omitzero"`
	MaxLen *int `json:"maxLen,omitzero"`
	// Unique means that the items of a list must be distinct.
	Unique bool `json:"unique,omitzero"`
	// Patterns are regular expressions (RE2) that a string must match, or must not
	// match if Negated is set.
	Patterns []Pattern `json:"patterns,omitzero"`
}

// Sent is how a map or a list is sent.
type Sent struct {
	// Struct declares members of a map, such as those of inputs in `merge(inputs, body)`. Its other members are as they are.
	Struct *Type `json:"struct,omitzero"`
	// Beneath means that the declared members count, if another one has the same name on the wire.
	Beneath bool `json:"beneath,omitzero"`
	// Items are the types of the items of a list, one by one.
	Items []*Type `json:"items,omitzero"`
}

// Bound is a lower or upper bound.
type Bound struct {
	// Value is a literal: json.Number or string.
	Value any `json:"value,omitzero"`
	// Exclusive excludes the bound's own value.
	Exclusive bool `json:"exclusive,omitzero"`
}

// Pattern is a regular expression that constrains a string.
type Pattern struct {
	Regexp  string `json:"regexp,omitzero"`
	Negated bool   `json:"negated,omitzero"`
	// Means describes the strings that match, for messages, if the pattern was generated: "an integer in digits".
	Means string `json:"means,omitzero"`
}

// Property is a named member of an object: an input, an output, a setting, an
// argument.
type Property struct {
	Name string `json:"name,omitzero"`
	Doc  string `json:"doc,omitzero"`
	Type *Type  `json:"type,omitzero"`
	// Required means that an input must be given, or that an output is always
	// present. A property with a default is not required.
	Required bool `json:"required,omitzero"`
	// Default is the literal that is used if no value is given; nil means no default.
	Default any `json:"default,omitzero"`

	// The attributes, such as @replace() and @secret().
	Replace     bool              `json:"replace,omitzero"`
	Moves       bool              `json:"moves,omitzero"` // @replace(false): another value of the setting leads to the same objects
	Secret      bool              `json:"secret,omitzero"`
	NoRead      bool              `json:"noRead,omitzero"`
	Normalised  bool              `json:"normalised,omitzero"`
	Ephemeral   bool              `json:"ephemeral,omitzero"`
	Stable      bool              `json:"stable,omitzero"`
	Set         bool              `json:"set,omitzero"`
	Key         string            `json:"key,omitzero"`
	Env         []string          `json:"env,omitzero"`
	Wire        string            `json:"wire,omitzero"`
	WireParents []string          `json:"wireParents,omitzero"` // the members that Wire is within: see WirePath
	WireItem    []string          `json:"wireItem,omitzero"`    // where a list's items are in objects on the wire: [name] for `@wire(tags[].name)`
	Deprecated  string            `json:"deprecated,omitzero"`
	Names       map[string]string `json:"names,omitzero"`
	Autoname    *Autoname         `json:"autoname,omitzero"`
	Equal       string            `json:"equal,omitzero"`     // fold, trim, json or path
	EqualExpr   *Node             `json:"equalExpr,omitzero"` // a template over old and new
	DefaultExpr *Node             `json:"defaultExpr,omitzero"`

	// Range is the position of the property's name.
	Range diag.Range `json:"range,omitzero"`
	// TypeRange is the position of the type, without the quotes of YAML. Only vet uses it.
	TypeRange diag.Range `json:"-"`
}

// IsSecret reports whether values of the property are secret: encrypted in the state, and masked
// everywhere else. An ephemeral one is.
func (p *Property) IsSecret() bool { return p.Secret || p.Ephemeral }

// Optional reports whether the property may be absent after Check, which applies defaults.
func (p *Property) Optional() bool {
	return !p.Required && p.Default == nil && p.DefaultExpr == nil && p.Autoname == nil
}

// WithAttribute returns the edit that adds an attribute after the type.
func (p *Property) WithAttribute(attribute string) diag.Edit {
	at := p.TypeRange
	at.Start = at.End
	return diag.Edit{At: at, Text: " @" + attribute}
}

// Autoname derives a default from the name of the resource: the name, Sep and seven
// random hexadecimal digits, at most Max code points in total (0: no limit).
type Autoname struct {
	Max int    `json:"max,omitzero"`
	Sep string `json:"sep,omitzero"`
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
	return lists.Map(t.Fields, func(f *Property) string { return f.Name })
}

// Named is a definition of the author's that generated schemas refer to by name.
type Named struct {
	Name string     `json:"name,omitzero"`
	Doc  string     `json:"doc,omitzero"`
	Type *Type      `json:"type,omitzero"`
	At   diag.Range `json:"range,omitzero"`
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
