package container

import (
	"testing"

	"github.com/declprov/declprov/spec"
)

// FuzzReader reads text as it stands behind a checksum, which FuzzOpen seldom
// gets past. What can be read can be written, and read again the same.
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
		once, err := w.blob(first)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		second := &spec.Resource{}
		rd = reader{shapes: sh, text: string(once), files: w.files}
		if err := rd.into(second); err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		again, err := w.blob(second)
		if err != nil {
			t.Fatal(err)
		}
		if string(once) != string(again) {
			t.Errorf("it changes by being written:\n%s\n%s", once, again)
		}
	})
}
