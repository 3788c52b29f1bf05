package load_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

// FuzzLoad gives anything as a spec: it never panics, never hangs, and always
// says where.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"../../examples/files.cue", "../../examples/files.yaml"} {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content), uint8(len(name)))
	}
	f.Add(loadtest.InInputs("a: {t: \"x\"} | {t: \"y\"}, b?: [string]: #R @set()")+"#R: {r?: #R}", uint8(0))
	f.Add(yamlInputs("a: '*\"x\" | =~\"^a\"'\nb: &a >\n  x\n\n  y\nc: *a"), uint8(1))
	f.Add(`{"name":"xy", "config": {"a": "\"\u00e4\" & int"}}`, uint8(2))
	f.Fuzz(func(t *testing.T, src string, n uint8) {
		if len(src) > 4096 {
			return // CUE's own time is bounded by the process that loads
		}
		format := []string{"cue", "yaml", "json"}[n%3]
		done := make(chan struct{})
		go func() {
			defer close(done)
			doc, diags := load.Load(context.Background(), load.Source{Path: "-", Stdin: []byte(src), Format: format})
			if doc == nil || doc.Provider == nil || doc.Provider.Config == nil {
				t.Errorf("no document of %q", src)
			}
			for _, d := range diags {
				if d.Code == source.CodeInternal || d.Summary == "" || d.Severity == 0 {
					t.Errorf("%s: %v", src, d)
				}
				if s := d.Subject; s.File == "" || s.Start.Line > 0 && s.End.Compare(s.Start) <= 0 {
					t.Errorf("%q: %s[%s] %s: range %v", src, d.Severity, d.Code, d.Summary, s)
				}
			}
		}()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			// CUE evaluates for long and cannot be stopped: the process that
			// loads is what bounds it.
			t.Logf("%q takes long", src)
		}
	})
}
