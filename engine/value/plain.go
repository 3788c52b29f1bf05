package value

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// This file converts property.Value to plain Go, and project.go converts back.

// maxExact is 2^53: a float64, and so a number of the host, represents every integer
// up to it exactly.
const maxExact = 1 << 53

// Secrets records which parts of a scope's values are secret.
type Secrets struct {
	Paths [][]string
	// Values are the secret texts, which are masked in all output.
	Values []string
}

// PathTo returns a path with spare capacity, so that appending the names of members
// does not allocate. Callers must copy a path that they keep.
func PathTo(names ...string) []string {
	const depth = 8 // enough for most values
	return append(make([]string, 0, depth), names...)
}

// add marks a path as secret, and adds the texts of its value.
func (s *Secrets) add(path []string, v property.Value) {
	s.Paths = append(s.Paths, append([]string(nil), path...))
	s.AddTexts(v)
}

// AddTexts adds every string and number in a value.
func (s *Secrets) AddTexts(v property.Value) {
	switch {
	case v.IsString():
		s.Values = append(s.Values, v.AsString())
	case v.IsNumber():
		s.Values = append(s.Values, strconv.FormatFloat(v.AsNumber(), 'f', -1, 64))
	case v.IsArray():
		for _, item := range v.AsArray().All {
			s.AddTexts(item)
		}
	case v.IsMap():
		for _, item := range v.AsMap().All {
			s.AddTexts(item)
		}
	case v.IsAsset():
		if a := v.AsAsset(); a.Text != "" {
			s.Values = append(s.Values, a.Text)
		}
	}
}

// AddPlain adds every string and number in a plain value.
func (s *Secrets) AddPlain(v any) { s.addPlain(v, nil) }

// AddResult returns AddPlain for the result of a template. It leaves out what the template contains as a literal: that is
// in the result beside a secret, as in map(entries(inputs.secrets), {op: 'create', name: .key}), and everybody may know it.
func (s *Secrets) AddResult(of *expr.Value) func(v any) {
	return func(v any) { s.addPlain(v, of.Literals()) }
}

func (s *Secrets) addPlain(v any, public map[string]bool) {
	actions.EachScalar(v, func(scalar any) {
		if _, ok := scalar.(bool); ok {
			return // hiding true and false would make messages unreadable
		}
		if text, err := Text(scalar); err == nil && !public[text] {
			s.Values = append(s.Values, text)
		}
	})
}

// MarkSecrets marks the paths of the secrets in a plain value that a template
// returned.
func (s *Secrets) MarkSecrets(v any, path []string) {
	switch v := v.(type) {
	case expr.Secret:
		s.Paths = append(s.Paths, slices.Clone(path))
	case []any:
		for i, item := range v {
			s.MarkSecrets(item, append(path, strconv.Itoa(i)))
		}
	case map[string]any:
		for name, item := range v {
			s.MarkSecrets(item, append(path, name))
		}
	}
}

// Plain converts a value of the type to plain Go. It marks the secrets in it, and
// returns expr.Unknown for unknown values.
func (c *Type) Plain(v property.Value, path []string, secret *Secrets) any {
	if v.Secret() {
		secret.add(path, v)
	}
	switch {
	case v.IsComputed():
		return expr.Unknown{}
	case v.IsBool():
		return v.AsBool()
	case v.IsString():
		return v.AsString()
	case v.IsNumber():
		return c.PlainNumber(v.AsNumber())
	case v.IsArray():
		c = c.resolveVariant(v, path, secret)
		out := make([]any, v.AsArray().Len())
		for i, item := range v.AsArray().All {
			out[i] = c.Child("").Plain(item, append(path, strconv.Itoa(i)), secret)
		}
		return out
	case v.IsMap():
		return c.resolveVariant(v, path, secret).PlainMap(v.AsMap(), path, secret)
	case v.IsAsset():
		return fileOfAsset(v.AsAsset())
	case v.IsArchive():
		return fileOfArchive(v.AsArchive())
	case v.IsResourceReference():
		// Actions can only use the id of a resource.
		return c.Plain(v.AsResourceReference().ID, path, secret)
	default:
		return nil
	}
}

// resolveVariant returns the type of the variant that a value of a union belongs to.
// If the variant is not known and may contain a secret, it marks the whole value as
// secret.
func (c *Type) resolveVariant(v property.Value, path []string, secret *Secrets) *Type {
	if c.Spec.Kind != spec.Union {
		return c
	}
	variant := c.variantOf(v)
	if variant == Untyped && !v.Secret() && types.HoldsSecret(c.Spec, c.types) {
		secret.add(path, v)
	}
	return variant
}

// PlainMap returns the members of an object as plain Go.
func (c *Type) PlainMap(m property.Map, path []string, secret *Secrets) map[string]any {
	out := make(map[string]any, m.Len())
	c.PlainInto(out, m, path, secret)
	return out
}

// PlainInto adds the members of a map to out as plain Go.
func (c *Type) PlainInto(out map[string]any, m property.Map, path []string, secret *Secrets) {
	for name, value := range m.All {
		if len(path) == 1 && strings.HasPrefix(name, "__") {
			continue // reserved for the host
		}
		if value.IsNull() && !mayBeNull(c.Child(name)) {
			continue // absent
		}
		at := append(path, name)
		if member := c.Member(name); member != nil && member.IsSecret() && !value.Secret() {
			secret.add(at, value)
		}
		out[name] = c.Child(name).Plain(value, at, secret)
	}
}

// mayBeNull reports whether null is a value of the type. Elsewhere, it counts as absent.
func mayBeNull(c *Type) bool { return allowsNull(c.Spec, c.types) }

// Untyped is the type of values without a declared type.
var Untyped = &Type{Spec: &spec.Type{}}

// Member returns a property of an object, or nil.
func (c *Type) Member(name string) *Member {
	if c == nil {
		return nil
	}
	return c.ByName[name]
}

// Child returns the type of a member, or of an item if name is "".
func (c *Type) Child(name string) *Type {
	if m := c.Member(name); m != nil && name != "" {
		return m.Check
	}
	if c.elem != nil {
		return c.elem
	}
	return Untyped
}

// PlainNumber returns an integer as int64, so that it prints without a fraction and
// with all digits.
func (c *Type) PlainNumber(n float64) any {
	if c.Spec.Kind != spec.Number && n == math.Trunc(n) && math.Abs(n) <= maxExact {
		return int64(n)
	}
	return n
}

// Whole returns a whole number as an integer; ok reports whether v is one.
func Whole(v any) (n int64, ok bool) {
	if f, isFloat := v.(float64); isFloat {
		v = Untyped.PlainNumber(f)
	}
	if number, isNumber := v.(json.Number); isNumber {
		i, err := number.Int64()
		return i, err == nil
	}
	n, ok = v.(int64)
	return n, ok
}

// fileOfAsset returns an asset as a file.
func fileOfAsset(a property.Asset) *spec.File {
	f := &spec.File{Path: a.Path, URI: a.URI, Hash: a.Hash}
	if a.Path == "" && a.URI == "" && (a.Text != "" || a.Hash == emptyHash || a.Hash == "") {
		text := a.Text
		f.Text = &text
	}
	return f
}

// emptyHash is the SHA-256 of no bytes. It distinguishes an empty text asset from one
// whose content the host omitted.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// fileOfArchive returns an archive as a file.
func fileOfArchive(a property.Archive) *spec.File {
	f := &spec.File{Archive: true, Path: a.Path, URI: a.URI, Hash: a.Hash}
	if len(a.Assets) > 0 {
		f.Members = map[string]*spec.File{}
	}
	for name, m := range a.Assets {
		switch m := m.(type) {
		case *asset.Asset:
			f.Members[name] = fileOfAsset(m)
		case *archive.Archive:
			f.Members[name] = fileOfArchive(m)
		}
	}
	return f
}

// assetOfFile is the inverse of fileOfAsset.
func assetOfFile(f *spec.File) property.Asset {
	a := &asset.Asset{Sig: sig.AssetSig, Path: f.Path, URI: f.URI, Hash: f.Hash}
	if f.Text != nil {
		a.Text = *f.Text
	}
	return a
}

// archiveOfFile is the inverse of fileOfArchive.
func archiveOfFile(f *spec.File) property.Archive {
	a := &archive.Archive{Sig: sig.ArchiveSig, Path: f.Path, URI: f.URI, Hash: f.Hash}
	if f.Members != nil {
		a.Assets = map[string]any{}
	}
	for name, m := range f.Members {
		if m.Archive {
			a.Assets[name] = archiveOfFile(m)
		} else {
			a.Assets[name] = assetOfFile(m)
		}
	}
	return a
}

// Text returns a scalar as text, as in an id or a message.
func Text(v any) (string, error) {
	return actions.TextOf(v)
}

// Seal returns a recorded value in which everything that the type declares secret is
// secret. It reports whether that changed the value.
func (c *Type) Seal(v property.Value) (_ property.Value, changed bool) {
	switch c = c.variantOf(v); {
	case v.IsMap():
		out := copyOnWrite{original: v.AsMap()}
		for name, value := range v.AsMap().All {
			value, changed := c.Child(name).Seal(value)
			if m := c.Member(name); m != nil && m.IsSecret() && !value.Secret() {
				value, changed = value.WithSecret(true), true
			}
			if changed {
				out.set(name, value)
			}
		}
		return out.value(v)
	case v.IsArray() && c.elem != nil:
		items := v.AsArray().AsSlice()
		for i, item := range items {
			var is bool
			items[i], is = c.elem.Seal(item)
			changed = changed || is
		}
		return property.WithGoValue(v, property.NewArray(items)), changed
	default:
		return v, false
	}
}

// HoldsSecret reports whether a part of a value of the type is declared secret.
func HoldsSecret(c *Type) bool { return types.HoldsSecret(c.Spec, c.types) }

// Forget removes the marks at a path and below it.
func (s *Secrets) Forget(path ...string) {
	under := func(p []string) bool { return len(p) >= len(path) && slices.Equal(p[:len(path)], path) }
	if !slices.ContainsFunc(s.Paths, under) {
		return
	}
	kept := make([][]string, 0, len(s.Paths))
	for _, p := range s.Paths {
		if !under(p) {
			kept = append(kept, p)
		}
	}
	s.Paths = kept
}

// AddMarked adds the strings and numbers in the secret parts of a value.
func (s *Secrets) AddMarked(v property.Value) {
	switch {
	case v.Secret():
		s.AddTexts(v)
	case v.IsArray():
		for _, item := range v.AsArray().All {
			s.AddMarked(item)
		}
	case v.IsMap():
		for _, item := range v.AsMap().All {
			s.AddMarked(item)
		}
	}
}

// Canonical returns a text that is equal for equal values, and different for
// different ones.
func Canonical(v property.Value) string {
	below := []string{"", ""} // so deep that no key is reserved for the host; see PlainInto
	b, err := json.Marshal(replaceFiles(Untyped.Plain(v, below, &Secrets{})))
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(b)
}

// MapLeaves returns a copy of a value in which f of each value replaces it that is neither a list nor a map.
func MapLeaves(v any, f func(leaf any) any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = MapLeaves(item, f)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = MapLeaves(item, f)
		}
		return out
	default:
		return f(v)
	}
}

// Restore returns a result as it was before it was stored as JSON, which has no
// integers.
func Restore(v any) any { return MapLeaves(v, restoreNumber) }

func restoreNumber(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil && strconv.FormatFloat(f, 'g', -1, 64) == v.String() {
			return f
		}
	case float64:
		return Untyped.PlainNumber(v)
	}
	return v
}
