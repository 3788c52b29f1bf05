package styles

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

// startWebDAV starts WsgiDAV with one user.
func startWebDAV(t *testing.T) []style {
	t.Helper()
	program, port, dir := tools.Need(t, tools.WebDAV), daemon.FreePort(t), t.TempDir()
	root, password := filepath.Join(dir, "files"), "caf\u00e9 7"
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{
		"host": "127.0.0.1", "port": port, "provider_mapping": map[string]any{"/": root}, "property_manager": true, "lock_storage": false,
		"simple_dc":          map[string]any{"user_mapping": map[string]any{"*": map[string]any{"ada": map[string]any{"password": password}}}},
		"http_authenticator": map[string]any{"accept_basic": true, "accept_digest": false, "default_to_digest": false},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "wsgidav.json")
	if err := os.WriteFile(file, config, 0o644); err != nil {
		t.Fatal(err)
	}
	daemon.Start(t, dir, port, program, "-c", file)
	api := daemon.API{Base: "http://" + daemon.Loopback(port), Headers: map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:"+password))}}
	return []style{{
		page: "webdav", provider: "shelf", resource: "Text",
		env:     []string{"SHELF_ENDPOINT=" + api.Base, "SHELF_USER=ada", "SHELF_PASSWORD=" + password},
		created: `name: "a b.txt", text: "one <1>", label: "x & y"`, updated: `name: "a b.txt", text: two, label: "x & z"`, replaced: `name: c.txt, text: two, label: z`,
		had: [3][]string{{"a b.txt: one <1>"}, {"a b.txt: two"}, {"c.txt: two"}},
		things: func(t *testing.T) (out []string) {
			files, err := os.ReadDir(root)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				text, err := os.ReadFile(filepath.Join(root, f.Name()))
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, f.Name()+": "+string(text))
			}
			return out
		},
		drift: func(t *testing.T) {
			api.Send(t, "PROPPATCH", "/a%20b.txt", `<propertyupdate xmlns="DAV:"><set><prop><label xmlns="urn:shelf">changed</label></prop></set></propertyupdate>`)
		},
	}}
}
