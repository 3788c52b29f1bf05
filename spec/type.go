package spec

import "github.com/declprov/declprov/spec/diag"

// Kind is the broad sort of a Type.
type Kind uint8

// The kinds. Any is the zero value: a type that says nothing allows anything.
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

// String names the kind as an author would write or say it.
func (k Kind) String() string {
	names := [...]string{"any", "bool", "int", "number", "string", "list", "map", "struct", "union", "asset", "archive"}
	if int(k) < len(names) {
		return names[k]
	}
	return "invalid"
}

// Type is what values are allowed: of configuration, inputs, outputs, and of
// the arguments and results of actions. One struct serves them all, so that one
// checker, one assignability rule and one schema generator do.
//
// Literals in it (enums, defaults) are nil, bool, string, json.Number, []any or
// map[string]any.
type Type struct {
	Kind Kind `json:"kind,omitempty"`
	// Nullable says that null is a value of its own here, not an absence.
	Nullable bool `json:"nullable,omitempty"`
	// Ref names the definition this is (a key of Types); everything but
	// Nullable is then the definition's. See Types.Resolve.
	Ref string `json:"ref,omitempty"`

	// Elem is the type of a list's items or a map's values.
	Elem *Type `json:"elem,omitempty"`
	// Keys are regular expressions that a map's keys match.
	Keys []string `json:"keys,omitempty"`
	// Fields are an object's properties, in the order of the document.
	Fields []*Property `json:"fields,omitempty"`
	// Open says that an object may have properties beyond Fields, of type
	// Elem (any, where that is nil).
	Open bool `json:"open,omitempty"`
	// Variants are a union's types. Where they are objects, Tag names the
	// property whose literal value tells them apart.
	Variants []*Type `json:"variants,omitempty"`
	Tag      string  `json:"tag,omitempty"`

	// Enum lists the literals that are allowed, in the order of the document.
	Enum []any `json:"enum,omitempty"`
	// Not lists literals that are not (`!=`).
	Not []any `json:"not,omitempty"`
	// Min and Max bound a number, or a string by its order.
	Min *Bound `json:"min,omitempty"`
	Max *Bound `json:"max,omitempty"`
	// MultipleOf is a decimal literal, or "".
	MultipleOf string `json:"multipleOf,omitempty"`
	// MinLen and MaxLen bound a string's code points, a list's items, a map's
	// or object's entries. MaxLen nil is unbounded.
	MinLen int  `json:"minLen,omitempty"`
	MaxLen *int `json:"maxLen,omitempty"`
	// Unique says that a list has no two equal items.
	Unique bool `json:"unique,omitempty"`
	// Patterns are regular expressions (RE2) that a string matches, or with
	// Negated must not match.
	Patterns []Pattern `json:"patterns,omitempty"`
}

// Bound is one end of a range.
type Bound struct {
	// Value is a literal: json.Number or string.
	Value any `json:"value"`
	// Exclusive leaves the value itself out.
	Exclusive bool `json:"exclusive,omitempty"`
}

// Pattern is a regular expression of a string type.
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
	// Required says that the value must be given (inputs), or is always there
	// (outputs). A property with a default is not required.
	Required bool `json:"required,omitempty"`
	// Default is the literal that stands in when none is given; nil is none.
	Default any `json:"default,omitempty"`

	// The attributes of LANGUAGE.md section 2.
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

	// Range is where the property's name stands.
	Range diag.Range `json:"range"`
}

// Autoname derives a default from the resource's name: NAME, Sep and seven
// random hexadecimal digits, at most Max code points in all (0: no limit).
type Autoname struct {
	Max int    `json:"max,omitempty"`
	Sep string `json:"sep"`
}

// Field is the object's property of that name, or nil.
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

// FieldNames are the names of an object's properties, in the document's order.
func (t *Type) FieldNames() []string {
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		names[i] = f.Name
	}
	return names
}

// Named is a definition of the author's that generated schemas show by name.
type Named struct {
	Name string     `json:"name"`
	Doc  string     `json:"doc,omitempty"`
	Type *Type      `json:"type"`
	At   diag.Range `json:"range"`
}

// Types are the definitions of a spec, by name. They may refer to each other
// and to themselves.
type Types map[string]*Named

// Resolve follows a reference to the type it names, keeping the reference's own
// nullability. A type that is no reference is returned as it is, nil as Any; a
// definition that is nothing but itself (#A: #B, #B: #A) is Any, too.
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
