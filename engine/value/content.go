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

// Assets and archives are compared by content, regardless of its source (a text, a path
// or a URL). Hosts record a hash instead of the content, so only hashes are compared.

// contentOf returns a text that identifies the content of a file, as far as possible
// without reading it.
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

// replaceFiles replaces each file in a plain value by the text that identifies its
// content. It modifies lists and maps in place.
func replaceFiles(v any) any {
	switch v := v.(type) {
	case *spec.File:
		return map[string]string{"file": contentOf(v)}
	case []any:
		for i, item := range v {
			v[i] = replaceFiles(item) // Plain has copied the list
		}
		return v
	case map[string]any:
		for name, item := range v {
			v[name] = replaceFiles(item)
		}
		return v
	default:
		return v
	}
}
