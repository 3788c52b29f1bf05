package container

import (
	"testing"

	"github.com/declprov/declprov/spec"
)

// FuzzReader reads arbitrary text without a checksum, which FuzzOpen seldom passes. A
// value that can be read can be written, and reading it again gives the same value.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		`{}`,
		`{"name":"A","range":[1,2,3,4],"inputs":{"kind":7,"fields":[{"name":"x","type":{"kind":4,"enum":["a",1e3,null]},"default":{"a":[true]}}]}}`,
		`{"id":{"k":4,"t":"a\n\u0000\"","r":[1,2,3,4],"m":[0,1,2,3,4,5]},"upgrade":{"1":{"k":1}},"aliases":[]}`,
		`[[[[`, `{"name":"`, `{"schemaVersion":-99999999999999999999}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sh := &shapes{}
		first := &spec.Resource{}
		rd := reader{shapes: sh, text: text, files: []string{"a.cue", "b.cue"}}
		if rd.into(first) != nil {
			return
		}
		w := writer{shapes: sh, files: []string{"a.cue", "b.cue"}}
		once, err := w.writeBlob(first)
		if err != nil {
			t.Fatalf("cannot write the value: %v", err)
		}
		second := &spec.Resource{}
		rd = reader{shapes: sh, text: string(once), files: w.files}
		if err := rd.into(second); err != nil {
			t.Fatalf("cannot read the written value: %v\n%s", err, once)
		}
		again, err := w.writeBlob(second)
		if err != nil {
			t.Fatal(err)
		}
		if string(once) != string(again) {
			t.Errorf("the value changes when it is written:\n%s\n%s", once, again)
		}
	})
}
