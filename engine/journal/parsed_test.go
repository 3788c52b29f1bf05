package journal

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestParsed changes files in any way, also in ways that a Journal does not. What parsed returns is what the whole
// text says.
func TestParsed(t *testing.T) {
	same := cmp.AllowUnexported(content{}, Intent{})
	rapid.Check(t, func(t *rapid.T) {
		var p parsed
		files := map[string][]byte{}
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			path := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "file")
			text := bytes.Clone(files[path])
			line := func() []byte {
				var b bytes.Buffer
				r := record{Put: &Intent{Key: rapid.SampledFrom([]string{"k", "l"}).Draw(t, "key"), Status: rapid.SampledFrom([]Status{Begun, Handed}).Draw(t, "status")}}
				if rapid.IntRange(0, 3).Draw(t, "settled") == 0 {
					r = record{Settled: r.Put.Key}
				}
				if err := encode(&b, r); err != nil {
					t.Fatal(err)
				}
				return b.Bytes()
			}
			switch rapid.SampledFrom([]string{"append", "append", "append", "replace", "cut", "damage", "empty", "same"}).Draw(t, "change") {
			case "append":
				if len(text) == 0 {
					text = []byte(header)
				}
				text = append(text, line()...)
			case "replace":
				text = append([]byte(header), line()...)
			case "cut":
				text = text[:rapid.IntRange(0, len(text)).Draw(t, "at")]
			case "damage":
				text = append(text, "{\n"...)
			case "empty":
				text = nil
			}
			files[path] = text
			got, gotErr := p.parse(path, text)
			want, wantErr := parse(text)
			if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Fatalf("%q: the error is %v, want %v", text, gotErr, wantErr)
			}
			if diff := cmp.Diff(want, got, same); wantErr == nil && diff != "" {
				t.Fatalf("%q: %s", text, diff)
			}
			for n := range got.intents { // what the caller does with them is its own matter
				got.intents[n].Status = Failed
			}
		}
	})
}

// TestParsedIsBounded reads many files, and large ones.
func TestParsedIsBounded(t *testing.T) {
	var p parsed
	for n := range 3 * maxReadings {
		if _, err := p.parse(fmt.Sprint(n), []byte(header)); err != nil {
			t.Fatal(err)
		}
		if len(p.byPath) > maxReadings {
			t.Fatalf("%d files are kept", len(p.byPath))
		}
	}
	large := append([]byte(header), fmt.Sprintf("{\"put\":{\"key\":\"k\",\"error\":%q}}\n", bytes.Repeat([]byte("x"), maxReading))...)
	if c, err := p.parse("0", large); err != nil || len(c.intents) != 1 {
		t.Fatalf("%d intents, %v", len(c.intents), err)
	}
	if _, kept := p.byPath["0"]; kept {
		t.Error("a large file is kept")
	}
}
