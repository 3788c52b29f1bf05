package assets

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// TestImportOfUnreadFiles: `pulumi import` prints code for each type with a file that the API does not
// return. A placeholder in it is refused; the first file of the program replaces nothing.
func TestImportOfUnreadFiles(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"name": %q}`, path.Base(r.URL.Path))
	}))
	t.Cleanup(server.Close)
	s := pulumitest.New(t, pulumitest.Providers{"unread": provider.Folder(t, "unread", "tests/assets/testdata/unread.cue")}, "UNREAD_ENDPOINT="+server.URL)
	s.Write("f.txt", "hello")
	s.Write("d/f.txt", "hello")
	const file, folder = "{fn::fileAsset: ./f.txt}", "{fn::fileArchive: ./d}"
	types := []struct{ typ, placeholder, content string }{
		{"Asset", "fn::stringAsset", file},
		{"Archive", "fn::assetArchive", folder},
		{"Optional", "", file},
		{"List", "content: []", "[" + file + "]"},
		{"Map", "content: {}", "{a: " + file + "}"},
		{"Struct", "fn::stringAsset", "{title: t, file: " + file + "}"},
		{"Deep", "fn::assetArchive", "{in: {file: " + folder + "}}"},
	}
	var program strings.Builder
	program.WriteString("resources:\n")
	for _, c := range types {
		r, err := s.Run(t.Context(), "import", "unread:index:"+c.typ, "my"+c.typ, "x", "--yes", "--skip-preview", "--protect=false")
		if err != nil {
			t.Fatal(err)
		}
		_, code, printed := strings.Cut(r.Stdout, "\nresources:\n")
		if r.ExitCode != 0 || !printed || !strings.Contains(code, c.placeholder) || c.placeholder == "" && strings.Contains(code, "content") {
			t.Errorf("the import of %s exits with %d and prints\n%s%s", c.typ, r.ExitCode, r.Stdout, r.Stderr)
		}
		if c.typ == "Asset" {
			s.Program("resources:\n" + code)
			if failed, err := s.Project.Up(t.Context()); err != nil || failed.ExitCode == 0 || !strings.Contains(failed.Stdout+failed.Stderr, "is the placeholder of `pulumi import`") {
				t.Errorf("the placeholder is not refused: %v\n%s", err, failed.Stdout)
			}
		}
		fmt.Fprintf(&program, "  my%s: {type: unread:%s, properties: {name: x, content: %s}}\n", c.typ, c.typ, c.content)
	}
	s.Refresh("same Archive myArchive", "same Asset myAsset", "same Deep myDeep", "same List myList", "same Map myMap", "same Optional myOptional", "same Struct myStruct")
	s.Program(program.String())
	s.Up("update=7")
	s.Up("same=7")
	s.Destroy("delete=7")
}
