package plan

import "strings"

// PackageOf returns the package of a type token. For the type of a provider resource
// it is the package of that provider.
func PackageOf(token string) string {
	if pkg, ok := strings.CutPrefix(token, ProviderType); ok {
		return pkg
	}
	pkg, _, _ := strings.Cut(token, ":")
	return pkg
}
