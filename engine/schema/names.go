package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
)

// derived are the endings under which Pulumi's generators make further types of
// a type or resource: of Rule the Go SDK has RuleArgs, RuleArray, … in the same
// package, so a second type must not have one of these names.
var derived = []string{
	"", "Args", "State", "Type", "Input", "Output", "Array", "Map", "Ptr",
	"ArrayInput", "ArrayOutput", "MapInput", "MapOutput", "PtrInput", "PtrOutput",
}

// names are those of types and resources, without regard to case: some SDKs put
// each into a file, and some file systems do not tell case apart.
type names struct{ taken map[string]bool }

func newNames(p *spec.Provider) *names {
	n := &names{taken: map[string]bool{}}
	n.take("Provider")
	for _, r := range p.Resources {
		n.take(r.Name)
		for _, m := range r.Methods {
			n.take(r.Name + pascal(m.Name) + "Result")
			n.take(r.Name + pascal(m.Name)) // Args, of its arguments
		}
	}
	for _, m := range p.Components {
		n.take(m.Name)
	}
	for _, f := range functionsOf(p) {
		n.take(pascal(f.Name) + "Result") // what SDKs call the answer of one
	}
	return n
}

// free reports whether a type may have the name.
func (n *names) free(name string) bool {
	return !slices.ContainsFunc(derived, func(d string) bool { return n.taken[strings.ToLower(name+d)] })
}

func (n *names) take(name string) {
	for _, d := range derived {
		n.taken[strings.ToLower(name+d)] = true
	}
}

// claim takes the name, or one with a number after it.
func (n *names) claim(name string) string {
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

// pascal makes a type's name of any text: words are what stands between signs,
// each with a capital. A name cannot begin with a digit.
func pascal(s string) string {
	var b strings.Builder
	upper := true
	for _, r := range s {
		if !isWord(r) || r == '_' {
			upper = true
			continue
		}
		if b.Len() == 0 && '0' <= r && r <= '9' {
			b.WriteByte('N')
		}
		if upper {
			r = []rune(strings.ToUpper(string(r)))[0]
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}

func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// isIdentifier reports whether every language can have s as a name.
func isIdentifier(s string) bool {
	return s != "" && !('0' <= s[0] && s[0] <= '9') && !strings.ContainsFunc(s, func(r rune) bool { return !isWord(r) })
}

func compareNames(a, b string) int { return strings.Compare(a, b) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// equal compares parts of the document as they will be written.
func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
