package spec_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
)

// TestCheckDownloadURL lists URLs that Pulumi 3.259 downloads plugins from, and others.
func TestCheckDownloadURL(t *testing.T) {
	for text, want := range map[string]string{ // what the problem contains; "" if there is none
		"https://plugins.example.com":                         "",
		"https://plugins.example.com/notes/":                  "",
		"https://plugins.example.com:8443/notes":              "",
		"http://localhost/notes":                              "",
		"https://plugins.example.com/${NAME}/${VERSION}":      "",
		"https://plugins.example.com/${OS}-${ARCH}":           "",
		"github://api.github.com/me":                          "",
		"github://api.github.com/me/providers":                "",
		"gitlab://gitlab.com/1234":                            "",
		"":                                                    "cannot download",
		"https://":                                            "cannot download",
		" https://plugins.example.com":                        "cannot download",
		"plugins.example.com/notes":                           "cannot download",
		"file:///tmp/notes":                                   "cannot download",
		"ftp://plugins.example.com/notes":                     "cannot download",
		"git://github.com/me/notes":                           "cannot download",
		"https://me@plugins.example.com/notes":                "login",
		"https://me:secret@plugins.example.com/notes":         "login",
		"github://token@api.github.com/me":                    "login",
		"https://plugins.example.com/notes?token=secret":      "query",
		"https://plugins.example.com/notes?":                  "query",
		"https://plugins.example.com/notes#top":               "query",
		"https://plugins.example.com/notes#":                  "query",
		"github://api.github.com":                             "github://HOST/OWNER",
		"github://api.github.com/":                            "github://HOST/OWNER",
		"github://api.github.com/me/notes/releases":           "github://HOST/OWNER",
		"gitlab://gitlab.com":                                 "gitlab://HOST/PROJECT",
		"gitlab://gitlab.com/me/notes":                        "gitlab://HOST/PROJECT",
		"https://plugins.example.com/${PLATFORM}":             "${PLATFORM}",
		"https://plugins.example.com/${NAME}/${config.token}": "${config.token}",
		"https://plugins.example.com/${}":                     "${}",
	} {
		problem, remedy := spec.CheckDownloadURL(text)
		if (problem == "") != (want == "") || !strings.Contains(problem, want) || (problem == "") != (remedy == "") {
			t.Errorf("%q: %q (%q), want %q", text, problem, remedy, want)
		}
		if strings.Contains(problem+remedy, "secret") {
			t.Errorf("%q: the message repeats the secret: %s %s", text, problem, remedy)
		}
	}
}
