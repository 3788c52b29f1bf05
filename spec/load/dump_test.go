package load

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	p := os.Getenv("SPEC")
	if p == "" {
		return
	}
	doc, diags := Load(t.Context(), Source{Path: p})
	for _, d := range diags {
		fmt.Printf("%s-%d:%d [%s] %s | %s | %s | %s\n", d.Subject, d.Subject.End.Line, d.Subject.End.Column, d.Code, d.Summary, d.Detail, d.Context, d.Path)
	}
	for _, r := range doc.Provider.Resources {
		p := doc.Provider
		p.Resources = nil
		var tree any
		b, _ := json.Marshal(r)
		_ = json.Unmarshal(b, &tree)
		b, _ = json.Marshal(withoutNoise(tree))
		fmt.Println(string(b))
	}
	fmt.Println(doc.Dirs)
}
