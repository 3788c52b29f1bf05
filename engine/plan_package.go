package engine

import (
	"strings"

	"github.com/declprov/declprov/actions/grant"
)

// packageOf is the package whose plugin makes what has a type, which is a token.
func packageOf(token string) string {
	if pkg, ok := strings.CutPrefix(token, providerType); ok {
		return pkg
	}
	pkg, _, _ := strings.Cut(token, ":")
	return pkg
}

// pluginOrigin is the origin that Pulumi downloads a plugin from, by its
// pluginDownloadURL, or "" (sdk/go/common/workspace/plugins.go, newPluginSource).
func pluginOrigin(url string) string {
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

const pluginSchemes = "https://, http://, github:// or gitlab://"
