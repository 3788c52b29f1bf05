// Package block declares the language: which blocks a spec has, what keys each of
// them has, and what each key takes. The loader reads documents by these
// declarations; the CUE schema and docs/keys.md are generated from them.
package block

import (
	"regexp"
	"strings"
)

// Block is a struct of the language.
type Block struct {
	// Name is that of its definition in the CUE schema; "" is a block that is
	// written out where it is used.
	Name string
	// What is how messages call it: "a resource".
	What string
	Doc  string
	// Has are blocks whose keys it has beside its own.
	Has  []string
	Keys []Key
}

// Key is one key of a block.
type Key struct {
	Name string
	Kind Kind
	Doc  string
	// Required says that the block must have it; Example is what to write then.
	Required bool
	Example  string
	// Of is the block that a Struct, a List or Members are of; Or is what else an
	// item of the list may be, as a CUE type.
	Of *Block
	Or string
	// Whole bounds a Count.
	Whole *Whole
	// Members is what Members may be called.
	Members *Names
	// InData says that only specs in YAML and JSON have it.
	InData bool
	// CUE is the type in the schema, where that of the kind says too little.
	CUE string
	// Part says that messages about its value name the key: `resource "A", create`.
	Part bool
	// Undo says that the steps of an operation may have `onFailure`.
	Undo bool
	// Into returns a pointer to the member of a model that the value is kept in. Nil
	// is a key that has a reader of its own.
	Into func(model any) any
}

// Kind is what the value of a key is.
type Kind uint8

// The kinds. What they take is in kinds.
const (
	Text       Kind = iota + 1 // text that is known when the spec is loaded
	Texts                      // a list of such
	Template                   // text, which may hold ${…}
	Templates                  // a list of such
	Bool                       // true or false
	Condition                  // true, false or "${…}"
	Duration                   // a length of time: "90s", or "${…}"
	Count                      // a whole number; where a node is kept, or "${…}"
	Failures                   // a list of statuses and classes of errors
	Collection                 // a list, a struct or "${…}"
	Body                       // a struct or "${…}"
	Data                       // any value
	Types                      // properties and their types
	Struct                     // the keys of another block
	List                       // a list of such
	Members                    // structs of one block, by name
	Steps                      // a list of steps
	Special                    // a struct of a form of its own, which CUE describes
)

// cueTypes are the types of the kinds in the CUE schema.
var cueTypes = map[Kind]string{
	Text: "string", Texts: "[...string]", Template: "#Text", Templates: "[...string]", Bool: "bool", Condition: "bool | string",
	Duration: "string", Failures: "[...int | " + oneOf(FailureClasses) + "]", Collection: "string | [...] | {...}", Body: "string | {...}", Data: "_", Types: "{...}", Steps: "[...#Step]",
}

// FailureClasses are the failures that have no status, as a Failures names them.
var FailureClasses = []string{"connection", "timeout"}

// oneOf returns the CUE type of one of several texts.
func oneOf(texts []string) string { return `"` + strings.Join(texts, `" | "`) + `"` }

// Whole says which whole numbers a Count may be: Most of 0 is any.
type Whole struct {
	Least, Most int
	// Range says so in words; Remedy is what to write.
	Range, Remedy string
}

// Names says what the members of a part may be called.
type Names struct {
	Pattern *regexp.Regexp
	// Remedy has a %q for a name that is allowed; Capital says how that begins.
	Remedy  string
	Capital bool
}

// The names of the language.
var (
	CapitalNames = &Names{Pattern: regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`), Remedy: "A capital letter, then letters and digits: %q.", Capital: true}
	SmallNames   = &Names{Pattern: regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`), Remedy: "A small letter, then letters and digits: %q."}
	Identifiers  = &Names{Pattern: regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`), Remedy: "Letters, digits and underscores: %q."}
)

// Names returns the names of a block's own keys.
func (b *Block) Names() []string {
	names := make([]string, len(b.Keys))
	for i, k := range b.Keys {
		names[i] = k.Name
	}
	return names
}

// Key returns the key of a name, or nil.
func (b *Block) Key(name string) *Key {
	for i := range b.Keys {
		if b.Keys[i].Name == name {
			return &b.Keys[i]
		}
	}
	return nil
}

// HoldsTypes reports whether the block at a path of a spec holds properties and
// their types: `config`, or `resources.Pet.inputs`.
func HoldsTypes(path []string) bool {
	b := Provider
	for len(path) > 0 {
		key := b.Key(path[0])
		path = path[1:]
		switch {
		case key == nil:
			return false
		case key.Kind == Types:
			return len(path) == 0
		case key.Kind == Members && len(path) > 0:
			path = path[1:]
		case key.Kind != Struct:
			return false
		}
		b = key.Of
	}
	return false
}

// to makes the Into of a key from a function of its model.
func to[T any](member func(*T) any) func(any) any {
	return func(model any) any { return member(model.(*T)) }
}
