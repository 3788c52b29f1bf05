package container

import (
	"testing"

	"github.com/declprov/declprov/spec"
)

// FuzzUnmarshal reads arbitrary text without a checksum, which FuzzOpen seldom passes.
// A value that can be read can be written, and reading it again gives the same value.
func FuzzUnmarshal(f *testing.F) {
	for _, seed := range []string{
		`{}`,
		`{"Name":"A","Range":"a.cue:1:2:3:4","Inputs":{"kind":7,"fields":[{"name":"x","type":{"kind":4,"enum":["a",1e3,null]},"default":{"a":[true]}}]}}`,
		`{"ID":{"k":4,"t":"a\n\u0000\"","r":"C:\\a.cue:1:2:3:4","m":[{"o":1,"p":{"line":1,"column":2}}]},"Upgrade":{"1":{"k":1}},"Aliases":[]}`,
		`[[[[`, `{"Name":"`, `{"SchemaVersion":-99999999999999999999}`, `{"Range":"1:2:3:4"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, second := &spec.Resource{}, &spec.Resource{}
		if unmarshal([]byte(text), first) != nil {
			return
		}
		once, err := marshal(first)
		if err != nil {
			t.Fatalf("cannot write the value: %v", err)
		}
		if err := unmarshal(once, second); err != nil {
			t.Fatalf("cannot read the written value: %v\n%s", err, once)
		}
		again, err := marshal(second)
		if err != nil {
			t.Fatal(err)
		}
		if string(once) != string(again) {
			t.Errorf("the value changes when it is written:\n%s\n%s", once, again)
		}
	})
}
