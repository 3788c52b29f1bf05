// Package block declares the language: the blocks of a spec, their keys, and the
// values of the keys. The loader reads documents by these declarations. The CUE
// schema and docs/keys.md are generated from them.
package block

import (
	"regexp"
	"strings"

	"github.com/declprov/declprov/spec/lists"
)

// Block is a struct of the language.
type Block struct {
	// Name is the name of the definition in the CUE schema. A block with an empty
	// name is inlined where it is used.
	Name string
	// What is the noun for the block in messages: "a resource".
	What string
	Doc  string
	// Has are other blocks whose keys are also allowed.
	Has  []string
	Keys []Key
}

// Key is one key of a block.
type Key struct {
	Name string
	Kind Kind
	Doc  string
	// Required means that the block must have the key. Example is what the remedy
	// suggests.
	Required bool
	Example  string
	// Remedy says how to write a value of the wrong kind, as a sentence, if that of the kind
	// does not tell enough. Only a Body and parts with named members have one.
	Remedy string
	// Of is the block of a Struct, a List or Members. Or is a CUE type that items of
	// a List may also have.
	Of *Block
	Or string
	// Whole is the range of a Count.
	Whole *Whole
	// Members is the rule for the names of Members.
	Members *Names
	// InData means that only specs in YAML and JSON have the key.
	InData bool
	// CUE is the type in the schema, if it is more specific than that of the kind.
	CUE string
	// Part means that messages about the value name the key: `resource "A", create`.
	Part bool
	// Undo means that the steps of the operation may have `onFailure`.
	Undo bool
	// Null means that the key may be null, which removes a default.
	Null bool
	// Into returns a pointer to the field of a model that keeps the value. It is nil
	// for a key with its own reader.
	Into func(model any) any
}

// Kind is the kind of the value of a key.
type Kind uint8

// The kinds. Their CUE types are in cueTypes.
const (
	Text       Kind = iota + 1 // a string without a template
	Texts                      // a list of such strings
	Template                   // a string that may contain ${…}
	Templates                  // a list of templates
	Bool                       // a boolean
	Condition                  // a boolean or "${…}"
	Duration                   // a duration, such as "90s", or "${…}"
	Count                      // a whole number; if the model keeps a node, also "${…}"
	Failures                   // a list of statuses and error classes
	Collection                 // a list, a struct or "${…}"
	Body                       // a struct or "${…}"
	Data                       // any value
	Types                      // properties and their types
	Struct                     // the keys of another block
	Short                      // a struct, or a string for its first key
	List                       // a list of such structs
	Members                    // named structs of one block
	Steps                      // a list of steps
	Special                    // a struct that a dedicated function reads; see CUE
)

// cueTypes maps kinds to their types in the CUE schema.
var cueTypes = map[Kind]string{
	Text: "string", Texts: "[...string]", Template: "#Text", Templates: "[...string]", Bool: "bool", Condition: "bool | string",
	Duration: "string", Failures: "[...int | " + oneOf(FailureClasses) + "]", Collection: "string | [...] | {...}", Body: "string | {...}", Data: "_", Types: "_", Steps: "[...#Step]",
}

// FailureClasses are the failures without a status that Failures can name.
var FailureClasses = []string{"connection", "timeout"}

// oneOf returns the CUE type of the strings in texts.
func oneOf(texts []string) string { return `"` + strings.Join(texts, `" | "`) + `"` }

// Whole is the range of a Count. A Most of 0 is no limit.
type Whole struct {
	Least, Most int
	// Range describes the range in messages, and Remedy is the detail.
	Range, Remedy string
}

// Names is a rule for the names of members.
type Names struct {
	Pattern *regexp.Regexp
	// Remedy is a format with a %q for a suggested name. Capital means that names
	// begin with a capital letter.
	Remedy  string
	Capital bool
}

// The rules for names.
var (
	CapitalNames = &Names{Pattern: regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`), Remedy: "Use a capital letter, then letters and digits: %q.", Capital: true}
	SmallNames   = &Names{Pattern: regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`), Remedy: "Use a lower-case letter, then letters and digits: %q."}
	Identifiers  = &Names{Pattern: regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`), Remedy: "Use letters, digits and underscores: %q."}
)

// Names returns the names of the keys of a block, without those of Has.
func (b *Block) Names() []string {
	return lists.Map(b.Keys, func(k Key) string { return k.Name })
}

// Key returns the key with a name, or nil.
func (b *Block) Key(name string) *Key {
	for i := range b.Keys {
		if b.Keys[i].Name == name {
			return &b.Keys[i]
		}
	}
	return nil
}

// HoldsTypes reports whether the block at a path of a spec contains properties with
// their types, such as `config` or `resources.Pet.inputs`.
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

// to converts a function that returns a field of a model to the Into of a key.
func to[T any](member func(*T) any) func(any) any {
	return func(model any) any { return member(model.(*T)) }
}
