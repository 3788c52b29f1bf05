package engine

import (
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
)

// Inside an operation values are plain Go; at the edges they are
// property.Value. This file is the way in, project.go the way out.

// maxExact is the largest integer that a float64, and so a host's number, holds
// exactly: 2^53.
const maxExact = 1 << 53

// secretPaths are where secrets are in a scope's values.
type secretPaths struct {
	paths [][]string
	// values are the secret texts, to be masked wherever text gets out.
	values []string
}

// pathTo returns a path with room for those of members, so that going down to them
// allocates nothing. It is copied where it is kept.
func pathTo(names ...string) []string {
	const depth = 8 // most values are no deeper
	return append(make([]string, 0, depth), names...)
}

func (s *secretPaths) add(path []string, v property.Value) {
	s.paths = append(s.paths, append([]string(nil), path...))
	s.texts(v)
}

// texts collects every text and number in a secret value.
func (s *secretPaths) texts(v property.Value) {
	switch {
	case v.IsString():
		s.values = append(s.values, v.AsString())
	case v.IsNumber():
		s.values = append(s.values, strconv.FormatFloat(v.AsNumber(), 'f', -1, 64))
	case v.IsArray():
		for _, item := range v.AsArray().All {
			s.texts(item)
		}
	case v.IsMap():
		for _, item := range v.AsMap().All {
			s.texts(item)
		}
	case v.IsAsset():
		if a := v.AsAsset(); a.Text != "" {
			s.values = append(s.values, a.Text)
		}
	}
}

// saw collects every text and number in a secret that a template computed.
func (s *secretPaths) saw(v any) {
	switch v := v.(type) {
	case bool: // is no secret by itself, and a word of many sentences
	case []any:
		for _, item := range v {
			s.saw(item)
		}
	case map[string]any:
		for _, item := range v {
			s.saw(item)
		}
	default:
		if text, err := textOf(v); err == nil {
			s.values = append(s.values, text)
		}
	}
}

// within notes where secrets are in what a template computed.
func (s *secretPaths) within(v any, path []string) {
	switch v := v.(type) {
	case expr.Secret:
		s.paths = append(s.paths, slices.Clone(path))
	case []any:
		for i, item := range v {
			s.within(item, append(path, strconv.Itoa(i)))
		}
	case map[string]any:
		for name, item := range v {
			s.within(item, append(path, name))
		}
	}
}

// plain converts a value of the type to plain Go, notes what of it is secret,
// and keeps unknowns as expr.Unknown.
func (c *checker) plain(v property.Value, path []string, secret *secretPaths) any {
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
		return c.plainNumber(v.AsNumber())
	case v.IsArray():
		c = c.within(v, path, secret)
		out := make([]any, v.AsArray().Len())
		for i, item := range v.AsArray().All {
			out[i] = c.under("").plain(item, append(path, strconv.Itoa(i)), secret)
		}
		return out
	case v.IsMap():
		return c.within(v, path, secret).plainMap(v.AsMap(), path, secret)
	case v.IsAsset():
		return fileOfAsset(v.AsAsset())
	case v.IsArchive():
		return fileOfArchive(v.AsArchive())
	case v.IsResourceReference():
		// What an action can use of a resource is its id.
		return c.plain(v.AsResourceReference().ID, path, secret)
	default:
		return nil
	}
}

// within is the checker of the variant that a union's value is. Where none is told,
// the whole is secret that may have a secret in it.
func (c *checker) within(v property.Value, path []string, secret *secretPaths) *checker {
	if c.t.Kind != spec.Union {
		return c
	}
	variant := c.variantOf(v)
	if variant == untyped && !v.Secret() && c.types.HoldsSecret(c.t) {
		secret.add(path, v)
	}
	return variant
}

func (c *checker) plainMap(m property.Map, path []string, secret *secretPaths) map[string]any {
	out := make(map[string]any, m.Len())
	c.plainInto(out, m, path, secret)
	return out
}

// plainInto adds a map's members, as plain Go, to out.
func (c *checker) plainInto(out map[string]any, m property.Map, path []string, secret *secretPaths) {
	for name, value := range m.All {
		if len(path) == 1 && strings.HasPrefix(name, "__") {
			continue // the host's own
		}
		if value.IsNull() {
			if member := c.member(name); member == nil || !member.check.t.Nullable && member.check.t.Kind != spec.Any {
				continue // absent
			}
		}
		at := append(path, name)
		if member := c.member(name); member != nil && member.Secret && !value.Secret() {
			secret.add(at, value)
		}
		out[name] = c.under(name).plain(value, at, secret)
	}
}

// untyped is the checker of what no type is known of.
var untyped = &checker{t: &spec.Type{}}

// member is an object's property, or nil.
func (c *checker) member(name string) *member {
	if c == nil {
		return nil
	}
	return c.byName[name]
}

// under is the checker of a member or item.
func (c *checker) under(name string) *checker {
	if m := c.member(name); m != nil && name != "" {
		return m.check
	}
	if c.elem != nil {
		return c.elem
	}
	return untyped
}

// plainNumber keeps integers integers: they print without a fraction, and their
// digits stay.
func (c *checker) plainNumber(n float64) any {
	if c.t.Kind != spec.Number && n == math.Trunc(n) && math.Abs(n) <= maxExact {
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

// textOf is a scalar as text: how an id, or a part of a sentence, is written.
func textOf(v any) (string, error) {
	text, err := actions.TextOf(v)
	if err != nil {
		return "", fmt.Errorf("it %w", err)
	}
	return text, nil
}
