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

// derived are the suffixes with which Pulumi's generators derive further types from a
// type or resource. For Rule, the Go SDK has RuleArgs, RuleArray, … in the same
// package, so no other type may have one of these names.
var derived = []string{
	"", "Args", "State", "Type", "Input", "Output", "Array", "Map", "Ptr",
	"ArrayInput", "ArrayOutput", "MapInput", "MapOutput", "PtrInput", "PtrOutput",
}

// typeNames are the names of types and resources, in lower case. Some SDKs create a
// file for each, and some file systems are case-insensitive.
type typeNames struct{ taken map[string]bool }

func newTypeNames(p *spec.Provider) *typeNames {
	n := &typeNames{taken: map[string]bool{}}
	n.take("Provider")
	for _, r := range p.Resources {
		n.take(r.Name)
		for _, m := range r.Methods {
			n.take(r.Name + names.Pascal(m.Name) + "Result")
			n.take(r.Name + names.Pascal(m.Name)) // for its arguments, with the suffix Args
		}
	}
	for _, m := range p.Components {
		n.take(m.Name)
	}
	for _, f := range names.Functions(p) {
		n.take(names.Pascal(f.Name) + "Result") // the name of the result in SDKs
	}
	return n
}

// isFree reports whether the name is available for a type.
func (n *typeNames) isFree(name string) bool {
	return !slices.ContainsFunc(derived, func(d string) bool { return n.taken[strings.ToLower(name+d)] })
}

func (n *typeNames) take(name string) {
	for _, d := range derived {
		n.taken[strings.ToLower(name+d)] = true
	}
}

// claim takes the name, or the name with a number if it is not available.
func (n *typeNames) claim(name string) string {
	if name == "" {
		name = "Type"
	}
	for i, try := 2, name; ; i, try = i+1, fmt.Sprint(name, i) {
		if n.isFree(try) {
			n.take(try)
			return try
		}
	}
}

func compareNames(a, b string) int { return strings.Compare(a, b) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// equal reports whether two parts of the document are equal as JSON.
func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
