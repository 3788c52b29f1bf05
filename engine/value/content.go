package value

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
)

// Assets and archives are what they hold, wherever they come from: a text, a path
// or a URL. A host names that by a hash, and leaves the contents out of what it
// recorded; so the hash is all that two of them can be compared by.

// contentOf is a text that is the same for files with the same content only, as
// far as that can be told without reading any.
func contentOf(f *spec.File) string {
	switch {
	case f == nil:
		return ""
	case f.Hash != "":
		return kindOfFile(f) + f.Hash
	case f.Text != nil && !f.Archive:
		sum := sha256.Sum256([]byte(*f.Text))
		return kindOfFile(f) + hex.EncodeToString(sum[:])
	case len(f.Members) == 0:
		return fmt.Sprintf("%sof %q %q", kindOfFile(f), f.Path, f.URI)
	}
	var b strings.Builder
	b.WriteString(kindOfFile(f))
	for _, name := range slices.Sorted(maps.Keys(f.Members)) {
		fmt.Fprintf(&b, "%q:%s,", name, contentOf(f.Members[name]))
	}
	return b.String()
}

func kindOfFile(f *spec.File) string {
	if f.Archive {
		return "archive "
	}
	return "asset "
}

// byContent is a plain value with each file in it as its content. Lists and maps
// without files stay as they are.
func byContent(v any) any {
	switch v := v.(type) {
	case *spec.File:
		return map[string]string{"file": contentOf(v)}
	case []any:
		for i, item := range v {
			v[i] = byContent(item) // plain has made them for us
		}
		return v
	case map[string]any:
		for name, item := range v {
			v[name] = byContent(item)
		}
		return v
	default:
		return v
	}
}
