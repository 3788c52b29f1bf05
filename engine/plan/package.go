package plan

import (
	"strings"

	"github.com/declprov/declprov/actions/grant"
)

// PackageOf is the package whose plugin makes what has a type, which is a token.
func PackageOf(token string) string {
	if pkg, ok := strings.CutPrefix(token, ProviderType); ok {
		return pkg
	}
	pkg, _, _ := strings.Cut(token, ":")
	return pkg
}

// PluginOrigin is the origin that Pulumi downloads a plugin from, by its
// pluginDownloadURL, or "" (sdk/go/common/workspace/plugins.go, newPluginSource).
func PluginOrigin(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	switch strings.ToLower(scheme) {
	case "github", "gitlab":
		scheme = "https"
	case "http", "https":
	default:
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	if o, err := grant.ParseOrigin(scheme + "://" + host); err == nil {
		return o.String()
	}
	return ""
}

const PluginSchemes = "https://, http://, github:// or gitlab://"
