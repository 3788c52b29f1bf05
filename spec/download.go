package spec

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// downloadSchemes are the schemes of the URLs that Pulumi downloads plugins from
// (pulumi/pulumi v3.259.0, sdk/go/common/workspace/plugins.go, newPluginSource).
var downloadSchemes = []string{"https", "http", "github", "gitlab"}

// placeholder matches what Pulumi replaces in a URL, if the name is one of placeholders.
var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

var placeholders = []string{"NAME", "VERSION", "OS", "ARCH"}

// CheckDownloadURL returns why Pulumi cannot download plugins from a pluginDownloadURL, and what to
// write instead. Both are "" if it can.
func CheckDownloadURL(text string) (problem, remedy string) {
	const write = "Write the URL of the folder with the archives, https://HOST/PATH, or github://api.github.com/OWNER for the releases of the repository pulumi-NAME."
	// Go refuses ${NAME} in a host, where Pulumi does not replace it either.
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains(downloadSchemes, u.Scheme) {
		return "Pulumi cannot download a plugin from " + strconv.Quote(text), write
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case u.User != nil:
		return "pluginDownloadURL contains a login", "Remove it: everybody who uses the provider can read the URL. " +
			"For private releases, write github:// or gitlab://: there, Pulumi sends GITHUB_TOKEN or GITLAB_TOKEN of the user's environment."
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return "pluginDownloadURL contains a query or a fragment", "Remove what follows ? or #: Pulumi adds the file name of the archive to the end of the URL, and everybody who uses the provider can read it."
	case u.Scheme == "github" && (parts[0] == "" || len(parts) > 2):
		return "Pulumi expects github://HOST/OWNER or github://HOST/OWNER/REPOSITORY", "Write github://api.github.com/OWNER for the releases of the repository pulumi-NAME."
	case u.Scheme == "gitlab" && (parts[0] == "" || len(parts) > 1):
		return "Pulumi expects gitlab://HOST/PROJECT", "Write the number of the project, which GitLab shows on its page: gitlab://gitlab.com/1234."
	}
	for _, found := range placeholder.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(placeholders, found[1]) {
			return "Pulumi does not replace " + found[0], "It replaces only ${NAME}, ${VERSION}, ${OS} and ${ARCH}."
		}
	}
	return "", ""
}
