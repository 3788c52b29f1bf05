package encodings

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// InClear are the texts of a value that are not marked secret, nor within what
// is.
func InClear(v property.Value) string {
	switch {
	case v.Secret():
		return ""
	case v.IsString():
		return v.AsString() + "\n"
	case v.IsArray():
		var b strings.Builder
		for _, item := range v.AsArray().All {
			b.WriteString(InClear(item))
		}
		return b.String()
	case v.IsMap():
		var b strings.Builder
		for name, item := range v.AsMap().AllStable {
			b.WriteString(name + "\n" + InClear(item))
		}
		return b.String()
	default:
		return ""
	}
}
