package plan

import "strings"

// PackageOf is the package whose plugin makes what has a type, which is a token.
func PackageOf(token string) string {
	if pkg, ok := strings.CutPrefix(token, ProviderType); ok {
		return pkg
	}
	pkg, _, _ := strings.Cut(token, ":")
	return pkg
}
