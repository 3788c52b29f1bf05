package grant

import "strings"

// SplitPackage splits a grant of packages: NAME, or NAME@VERSION with an optional v before
// the version. The version is "" if any is granted.
func SplitPackage(pattern string) (name, version string) {
	name, version, _ = strings.Cut(pattern, "@")
	return name, strings.TrimPrefix(version, "v")
}

// PackageIncludes reports whether a grant of packages allows everything that another one
// allows.
func PackageIncludes(pattern, other string) bool {
	name, _ := SplitPackage(other)
	return pattern == other || pattern == name
}

// PluginOrigin returns the origin that Pulumi downloads a plugin from, given its
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
	if o, err := ParseOrigin(scheme + "://" + host); err == nil {
		return o.String()
	}
	return ""
}
