package sdk

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// PackageIndex serves the packages of the tests' Python environment on loopback until the test
// ends, as PyPI does ("Simple repository API"), and returns the address.
func PackageIndex(t testing.TB) string {
	t.Helper()
	wheels := filepath.Join(tools.Need(t, tools.PythonEnvironment), "wheels")
	names, err := filepath.Glob(filepath.Join(wheels, "*.whl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("the packages: %q, %v", names, err)
	}
	separators := regexp.MustCompile(`[-_.]+`)
	pages := map[string]string{}
	for _, path := range names {
		file := filepath.Base(path)
		project, _, _ := strings.Cut(file, "-")
		project = strings.ToLower(separators.ReplaceAllString(project, "-"))
		pages[project] += fmt.Sprintf("<a href=\"/wheels/%s\">%[1]s</a>\n", html.EscapeString(file))
	}
	mux := http.NewServeMux()
	mux.Handle("/wheels/", http.StripPrefix("/wheels/", http.FileServer(http.Dir(wheels))))
	mux.HandleFunc("/simple/{project}/", func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.PathValue("project")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html>\n", page)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/simple/"
}
