package value

import (
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
)

// placeholderText is the content of the file that stands for one that an import has not shown.
const placeholderText = "write the file in place of this text, which declprov gave to `pulumi import`"

// placeholders are the file and the folder that stand for such. They have hashes, by which Pulumi compares
// what it records: it need not send the contents back.
var placeholders = sync.OnceValue(func() (p struct {
	file   *asset.Asset
	folder *archive.Archive
},
) {
	// A text can always be hashed.
	p.file, _ = asset.FromText(placeholderText)
	p.folder, _ = archive.FromAssetsWithWD(map[string]any{"placeholder": p.file}, "/")
	return p
})

// Placeholders returns a value for each required member that is absent and that is an asset or
// archive, or an object that requires one. `pulumi import` writes a value of its own for all other
// types, such as "", and null for these, which it then refuses.
func Placeholders(c *Type, given property.Map) map[string]property.Value {
	const deepest = 20 // as a type may require itself
	return missingFiles(c, given, deepest)
}

func missingFiles(c *Type, given property.Map, depth int) map[string]property.Value {
	out := map[string]property.Value{}
	for _, m := range c.Fields {
		hasDefault := m.Default != nil || m.DefaultExpr != nil || m.Autoname != nil
		if !m.Required || hasDefault || !given.Get(m.Name).IsNull() {
			continue
		}
		if v := placeholder(m.Check, depth); !v.IsNull() {
			out[m.Name] = v
		}
	}
	return out
}

// placeholder returns a value of an asset or archive, or of an object that requires one, or null.
func placeholder(c *Type, depth int) property.Value {
	switch c.Spec.Kind {
	case spec.Asset:
		return property.New(placeholders().file)
	case spec.Archive:
		return property.New(placeholders().folder)
	case spec.Object:
		if depth == 0 {
			break
		}
		if inner := missingFiles(c, property.Map{}, depth-1); len(inner) > 0 {
			return property.New(inner)
		}
	}
	return property.Value{}
}

// isPlaceholder reports whether a value is or contains a file that stands for one that an import has not
// shown.
func isPlaceholder(v property.Value) bool {
	switch {
	case v.IsAsset():
		return v.AsAsset().Hash == placeholders().file.Hash || v.AsAsset().Text == placeholderText
	case v.IsArchive():
		if v.AsArchive().Hash != "" {
			return v.AsArchive().Hash == placeholders().folder.Hash
		}
		file, _ := v.AsArchive().Assets["placeholder"].(*asset.Asset)
		return file != nil && file.Text == placeholderText
	case v.IsMap():
		for _, inner := range v.AsMap().All {
			if isPlaceholder(inner) {
				return true
			}
		}
	}
	return false
}

// WithoutPlaceholders returns recorded inputs without those of names, separated by spaces, that are
// placeholders: nothing is known of these.
func WithoutPlaceholders(inputs property.Map, names string) property.Map {
	for _, name := range strings.Fields(names) {
		if v, given := inputs.GetOk(name); given && isPlaceholder(v) {
			inputs = inputs.Delete(name)
		}
	}
	return inputs
}
