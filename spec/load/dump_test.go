package load

import (
	"context"
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
	doc, diags := Load(context.Background(), Source{Path: p})
	for _, d := range diags {
		fmt.Printf("%s-%d:%d [%s] %s | %s | %s | %s\n", d.Subject, d.Subject.End.Line, d.Subject.End.Column, d.Code, d.Summary, d.Detail, d.Context, d.Path)
	}
	if os.Getenv("JSON") != "" {
		for _, r := range doc.Provider.Resources {
			out, _ := json.MarshalIndent(r.Inputs, "", " ")
			fmt.Println(r.Name, string(out))
		}
		out, _ := json.MarshalIndent(doc.Provider.Types, "", " ")
		fmt.Println(string(out))
	}
	for _, f := range doc.Files {
		fmt.Println(f.Path, len(f.Content))
	}
	fmt.Println(doc.Dirs)
}
