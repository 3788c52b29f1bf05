package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
)

// derived are the endings under which Pulumi's generators make further types of
// a type or resource: of Rule the Go SDK has RuleArgs, RuleArray, … in the same
// package, so a second type must not have one of these names.
var derived = []string{
	"", "Args", "State", "Type", "Input", "Output", "Array", "Map", "Ptr",
	"ArrayInput", "ArrayOutput", "MapInput", "MapOutput", "PtrInput", "PtrOutput",
}

// typeNames are those of types and resources, without regard to case: some SDKs put
// each into a file, and some file systems do not tell case apart.
type typeNames struct{ taken map[string]bool }

func newTypeNames(p *spec.Provider) *typeNames {
	n := &typeNames{taken: map[string]bool{}}
	n.take("Provider")
	for _, r := range p.Resources {
		n.take(r.Name)
		for _, m := range r.Methods {
			n.take(r.Name + names.Pascal(m.Name) + "Result")
			n.take(r.Name + names.Pascal(m.Name)) // Args, of its arguments
		}
	}
	for _, m := range p.Components {
		n.take(m.Name)
	}
	for _, f := range names.Functions(p) {
		n.take(names.Pascal(f.Name) + "Result") // what SDKs call the answer of one
	}
	return n
}

// free reports whether a type may have the name.
func (n *typeNames) free(name string) bool {
	return !slices.ContainsFunc(derived, func(d string) bool { return n.taken[strings.ToLower(name+d)] })
}

func (n *typeNames) take(name string) {
	for _, d := range derived {
		n.taken[strings.ToLower(name+d)] = true
	}
}

// claim takes the name, or one with a number after it.
func (n *typeNames) claim(name string) string {
	if name == "" {
		name = "Type"
	}
	for i, try := 2, name; ; i, try = i+1, fmt.Sprint(name, i) {
		if n.free(try) {
			n.take(try)
			return try
		}
	}
}

func compareNames(a, b string) int { return strings.Compare(a, b) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// equal compares parts of the document as they will be written.
func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
