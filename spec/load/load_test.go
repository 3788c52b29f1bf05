package load

import (
	"context"
	"encoding/json"
	"testing"
)

func TestX(t *testing.T) {
	doc, diags := Load(context.Background(), Source{Path: "../../examples/files.cue"})
	for _, d := range diags {
		t.Logf("%s[%s] %s %s: %s | %s | %s", d.Severity, d.Code, d.Subject, d.Path, d.Summary, d.Detail, d.Context)
	}
	out, _ := json.MarshalIndent(doc.Provider, "", " ")
	t.Logf("%s", out)
	for _, f := range doc.Files { t.Log(f.Path, len(f.Content)) }
	t.Log(doc.Dirs)
}
