package encodings

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// ClearTexts returns the texts in a value that are not marked secret, nor part of a secret
// value.
func ClearTexts(v property.Value) string {
	switch {
	case v.Secret():
		return ""
	case v.IsString():
		return v.AsString() + "\n"
	case v.IsArray():
		var b strings.Builder
		for _, item := range v.AsArray().All {
			b.WriteString(ClearTexts(item))
		}
		return b.String()
	case v.IsMap():
		var b strings.Builder
		for name, item := range v.AsMap().AllStable {
			b.WriteString(name + "\n" + ClearTexts(item))
		}
		return b.String()
	default:
		return ""
	}
}
