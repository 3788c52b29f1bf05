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

// Inside an operation values are plain Go; at the edges they are
// property.Value. This file is the way in, project.go the way out.

// maxExact is the largest integer that a float64, and so a host's number, holds
// exactly: 2^53.
const maxExact = 1 << 53

// Secrets are where secrets are in a scope's values.
type Secrets struct {
	Paths [][]string
	// values are the secret texts, to be masked wherever text gets out.
	Values []string
}

// PathTo returns a path with room for those of members, so that going down to them
// allocates nothing. It is copied where it is kept.
func PathTo(names ...string) []string {
	const depth = 8 // most values are no deeper
	return append(make([]string, 0, depth), names...)
}

func (s *Secrets) add(path []string, v property.Value) {
	s.Paths = append(s.Paths, append([]string(nil), path...))
	s.Texts(v)
}

// Texts collects every text and number in a secret value.
func (s *Secrets) Texts(v property.Value) {
	switch {
	case v.IsString():
		s.Values = append(s.Values, v.AsString())
	case v.IsNumber():
		s.Values = append(s.Values, strconv.FormatFloat(v.AsNumber(), 'f', -1, 64))
	case v.IsArray():
		for _, item := range v.AsArray().All {
			s.Texts(item)
		}
	case v.IsMap():
		for _, item := range v.AsMap().All {
			s.Texts(item)
		}
	case v.IsAsset():
		if a := v.AsAsset(); a.Text != "" {
			s.Values = append(s.Values, a.Text)
		}
	}
}

// Saw collects every text and number in a secret that a template computed.
func (s *Secrets) Saw(v any) {
	switch v := v.(type) {
	case bool: // is no secret by itself, and a word of many sentences
	case []any:
		for _, item := range v {
			s.Saw(item)
		}
	case map[string]any:
		for _, item := range v {
			s.Saw(item)
		}
	default:
		if text, err := Text(v); err == nil {
			s.Values = append(s.Values, text)
		}
	}
}

// Within notes where secrets are in what a template computed.
func (s *Secrets) Within(v any, path []string) {
	switch v := v.(type) {
	case expr.Secret:
		s.Paths = append(s.Paths, slices.Clone(path))
	case []any:
		for i, item := range v {
			s.Within(item, append(path, strconv.Itoa(i)))
		}
	case map[string]any:
		for name, item := range v {
			s.Within(item, append(path, name))
		}
	}
}

// Plain converts a value of the type to plain Go, notes what of it is secret,
// and keeps unknowns as expr.Unknown.
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
		c = c.within(v, path, secret)
		out := make([]any, v.AsArray().Len())
		for i, item := range v.AsArray().All {
			out[i] = c.Under("").Plain(item, append(path, strconv.Itoa(i)), secret)
		}
		return out
	case v.IsMap():
		return c.within(v, path, secret).PlainMap(v.AsMap(), path, secret)
	case v.IsAsset():
		return fileOfAsset(v.AsAsset())
	case v.IsArchive():
		return fileOfArchive(v.AsArchive())
	case v.IsResourceReference():
		// What an action can use of a resource is its id.
		return c.Plain(v.AsResourceReference().ID, path, secret)
	default:
		return nil
	}
}

// within is the checker of the variant that a union's value is. Where none is told,
// the whole is secret that may have a secret in it.
func (c *Type) within(v property.Value, path []string, secret *Secrets) *Type {
	if c.Spec.Kind != spec.Union {
		return c
	}
	variant := c.variantOf(v)
	if variant == Untyped && !v.Secret() && types.HoldsSecret(c.Spec, c.types) {
		secret.add(path, v)
	}
	return variant
}

// PlainMap returns the plain members of an object.
func (c *Type) PlainMap(m property.Map, path []string, secret *Secrets) map[string]any {
	out := make(map[string]any, m.Len())
	c.PlainInto(out, m, path, secret)
	return out
}

// PlainInto adds a map's members, as plain Go, to out.
func (c *Type) PlainInto(out map[string]any, m property.Map, path []string, secret *Secrets) {
	for name, value := range m.All {
		if len(path) == 1 && strings.HasPrefix(name, "__") {
			continue // the host's own
		}
		if value.IsNull() {
			if member := c.Member(name); member == nil || !member.Check.Spec.Nullable && member.Check.Spec.Kind != spec.Any {
				continue // absent
			}
		}
		at := append(path, name)
		if member := c.Member(name); member != nil && member.Secret && !value.Secret() {
			secret.add(at, value)
		}
		out[name] = c.Under(name).Plain(value, at, secret)
	}
}

// untyped is the checker of what no type is known of.
var Untyped = &Type{Spec: &spec.Type{}}

// Member is an object's property, or nil.
func (c *Type) Member(name string) *Member {
	if c == nil {
		return nil
	}
	return c.ByName[name]
}

// Under is the checker of a member or item.
func (c *Type) Under(name string) *Type {
	if m := c.Member(name); m != nil && name != "" {
		return m.Check
	}
	if c.elem != nil {
		return c.elem
	}
	return Untyped
}

// PlainNumber keeps integers integers: they print without a fraction, and their
// digits stay.
func (c *Type) PlainNumber(n float64) any {
	if c.Spec.Kind != spec.Number && n == math.Trunc(n) && math.Abs(n) <= maxExact {
		return int64(n)
	}
	return n
}

func fileOfAsset(a property.Asset) *spec.File {
	f := &spec.File{Path: a.Path, URI: a.URI, Hash: a.Hash}
	if a.Path == "" && a.URI == "" && (a.Text != "" || a.Hash == emptyHash || a.Hash == "") {
		text := a.Text
		f.Text = &text
	}
	return f
}

// emptyHash is the SHA-256 of nothing: what tells an empty text asset from one
// whose contents the host left out.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

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

// assetOfFile is the way back of fileOfAsset.
func assetOfFile(f *spec.File) property.Asset {
	a := &asset.Asset{Sig: sig.AssetSig, Path: f.Path, URI: f.URI, Hash: f.Hash}
	if f.Text != nil {
		a.Text = *f.Text
	}
	return a
}

// archiveOfFile is the way back of fileOfArchive.
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

// Text is a scalar as text: how an id, or a part of a sentence, is written.
func Text(v any) (string, error) {
	return actions.TextOf(v)
}

// Sealed is a recorded value in which all is secret that is declared so by now. It
// reports whether that changed anything.
func (c *Type) Sealed(v property.Value) (_ property.Value, changed bool) {
	switch c = c.variantOf(v); {
	case v.IsMap():
		out := rebuilt{of: v.AsMap()}
		for name, value := range v.AsMap().All {
			value, changed := c.Under(name).Sealed(value)
			if m := c.Member(name); m != nil && (m.Secret || m.Ephemeral) && !value.Secret() {
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
			items[i], is = c.elem.Sealed(item)
			changed = changed || is
		}
		return property.WithGoValue(v, property.NewArray(items)), changed
	default:
		return v, false
	}
}

// Forget takes away the marks at a path and below it.
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

// Marked collects the texts and numbers in what is marked as secret.
func (s *Secrets) Marked(v property.Value) {
	switch {
	case v.Secret():
		s.Texts(v)
	case v.IsArray():
		for _, item := range v.AsArray().All {
			s.Marked(item)
		}
	case v.IsMap():
		for _, item := range v.AsMap().All {
			s.Marked(item)
		}
	}
}

// Canonical is a text that is the same for equal values only.
func Canonical(v property.Value) string {
	below := []string{"", ""} // deep enough that no key is the host's own: see plainMap
	b, err := json.Marshal(byContent(Untyped.Plain(v, below, &Secrets{})))
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(b)
}

// Restored is a result as it was before it was stored: JSON knows no integers.
func Restored(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil && strconv.FormatFloat(f, 'g', -1, 64) == v.String() {
			return f
		}
		return v
	case float64:
		return Untyped.PlainNumber(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[k] = Restored(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = Restored(item)
		}
		return out
	default:
		return v
	}
}
