package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTrySingleton tries settings that always exist: only if the user asks for it, and in the end they are what they were.
func TestTrySingleton(t *testing.T) {
	const writes = "rest: {path: \"/settings\", singleton: true"
	for name, c := range map[string]struct {
		rest, args string
		fails      string // the code of the finding
		then       map[string]any
		written    int // requests that change something
	}{
		"not asked":              {writes + "}", "title=Trial", "exists-already", nil, 0},
		"kept":                   {writes + "}", "title=Trial --overwrite --then title=Other", "", nil, 3},
		"reset":                  {writes + ", reset: title: \"\"}", "title=Trial --overwrite", "", nil, 3},
		"deleted":                {writes + ", delete: \"DELETE\"}", "title=Trial zones=7 --overwrite", "", nil, 3},
		"refused":                {writes + ", create: \"POST /refused\"}", "title=Trial --overwrite", "failed", nil, 1},
		"kept by the user":       {writes + "}", "title=Trial --overwrite --keep", "", map[string]any{"title": "Trial"}, 1},
		"absent before":          {writes + "}", "title=Trial motto=x --overwrite", "not-restored", map[string]any{"motto": "x"}, 2},
		"not read":               {writes + "}", "title=Trial key=x --overwrite", "not-restored", map[string]any{"key": "x"}, 2},
		"a read that fails":      {writes + ", read: \"GET /broken\"}", "title=Trial --overwrite", "failed", nil, 0},
		"a whole object":         {writes + ", patch: \"object\"}", "title=Trial --overwrite", "", nil, 2},
		"another one afterwards": {"rest: {path: \"/${inputs.of}\", singleton: true}\n\tinputs: of: *\"settings\" | string @replace()", "title=Trial --overwrite --then of=others", "", nil, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := func() map[string]any { return map[string]any{"title": "Site", "zones": 10.0, "token": "t"} } // which is never shown
			settings := map[string]map[string]any{"/settings": at(), "/others": at()}
			written := 0
			var mu sync.Mutex
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				text, _ := io.ReadAll(r.Body)
				now := settings[r.URL.Path]
				if r.Method != http.MethodGet {
					written++
				}
				switch {
				case now == nil:
					w.WriteHeader(http.StatusBadRequest)
					return
				case r.Method == http.MethodDelete:
					settings[r.URL.Path] = map[string]any{"title": "", "zones": 0.0, "token": "t"}
				case r.Method == http.MethodPatch:
					_ = json.Unmarshal(text, &now)
				case r.Method == http.MethodPut:
					var whole map[string]any
					_ = json.Unmarshal(text, &whole)
					if whole["token"] == "***" { // like servers that show masks
						whole["token"] = now["token"]
					}
					settings[r.URL.Path] = whole
				}
				shown := maps.Clone(settings[r.URL.Path])
				delete(shown, "key")
				shown["token"] = "***"
				reply(w, shown)
			}))
			t.Cleanup(server.Close)
			cmd := command(t, built(t), append([]string{"try", "site.cue", "Settings"}, strings.Fields(c.args)...)...)
			cmd.Dir = layOut(t, map[string]string{"site.cue": "name: \"site\"\nversion: \"0.1.0\"\nhttp: baseURL: \"" + server.URL + "\"\n" +
				"resources: Settings: {\n\tinputs: {title: string, zones?: int, motto?: string, key?: string @noRead(), token?: string}\n\t" + c.rest + "\n}\n"})
			out, err := cmd.Output()
			if (err != nil) != (c.fails != "") || !strings.Contains(string(out), c.fails) {
				t.Errorf("%v\n%s", err, out)
			}
			mu.Lock() // the requests of the trial are over, which the race detector does not know
			want := at()
			maps.Copy(want, c.then)
			if diff := cmp.Diff(want, settings["/settings"]); diff != "" {
				t.Errorf("settings in the end (-want +got):\n%s\n%s", diff, out)
			}
			if diff := cmp.Diff(at(), settings["/others"]); diff != "" {
				t.Errorf("other settings in the end (-want +got):\n%s\n%s", diff, out)
			}
			if written != c.written {
				t.Errorf("%d requests that change something, and not %d:\n%s", written, c.written, out)
			}
			mu.Unlock()
			if c.fails != "" || c.then != nil {
				return
			}
			again := command(t, cmd.Path, cmd.Args[1:]...)
			again.Dir, again.Env = cmd.Dir, cmd.Env
			if out, err := again.CombinedOutput(); err != nil || strings.Contains(string(out), "warning") {
				t.Errorf("the same trial again: %v\n%s", err, out)
			}
		})
	}
}

// TestTryImportConfirms reads objects by what users type: by another text than that of an import, it fails as the import does, and the text
// that it names succeeds.
func TestTryImportConfirms(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply(w, map[string]any{"id": "4", "shop": "7", "title": "Site"})
	}))
	t.Cleanup(server.Close)
	dir := layOut(t, map[string]string{"site.cue": "name: \"site\"\nversion: \"0.1.0\"\nhttp: baseURL: \"" + server.URL + "\"\n" + `
resources: Settings: {inputs: title: string, rest: {path: "/settings", singleton: true}}
resources: Thing: {inputs: {shop: string @replace(), title: string}, rest: {path: "/shops/${inputs.shop}/things", idempotencyKey: true}}
`})
	for _, c := range []struct{ resource, text, says string }{
		{"Settings", "settings", ""},
		{"Settings", "settings/", `import it as "settings"`},
		{"Thing", "7/4", ""},
		{"Thing", "7/04", `import it as "7/4"`},
		{"Thing", "8/4", `import it as "7/4"`},
	} {
		t.Run(c.resource+" "+c.text, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, built(t), "try", "site.cue", c.resource, "--import", c.text)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if (err != nil) != (c.says != "") || !strings.Contains(string(out), c.says) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
