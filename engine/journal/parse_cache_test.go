package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestParsed changes files in any way, also in ways that a Journal does not. What the cache returns is what the whole
// text says.
func TestParsed(t *testing.T) {
	same := cmp.AllowUnexported(content{}, Intent{})
	rapid.Check(t, func(t *rapid.T) {
		var p parseCache
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
			want.text = text
			if diff := cmp.Diff(want, got, same); wantErr == nil && diff != "" {
				t.Fatalf("%q: %s", text, diff)
			}
			for n := range got.intents { // what the caller does with them is its own matter
				got.intents[n].Status = Failed
			}
		}
	})
}

// TestWhatIsKeptIsInTheFile changes a journal in any way. What is known of a file after each change is what its text says.
func TestWhatIsKeptIsInTheFile(t *testing.T) {
	same := cmp.AllowUnexported(content{}, Intent{})
	dir := t.TempDir()
	journals := []*Journal{Open(dir), Open(dir)}
	defer journals[0].Close()
	defer journals[1].Close()
	resources := 0
	rapid.Check(t, func(rt *rapid.T) {
		resources++
		s := Subject{Provider: "p", Type: "T", Resource: fmt.Sprint(resources)}
		var known []Intent
		for range rapid.IntRange(1, 12).Draw(rt, "changes") {
			j := rapid.SampledFrom(journals).Draw(rt, "journal")
			var err error
			switch rapid.SampledFrom([]string{"begin", "put", "put", "hand", "revise", "settle", "claim"}).Draw(rt, "change") {
			case "begin":
				var i Intent
				i, err = j.Begin(Intent{
					Subject: s, Operation: Create, Token: "t", Step: len(known), Inputs: json.RawMessage(`{"a":"<b>"}`), Withheld: []string{"c"},
					Error: rapid.SampledFrom([]string{"", "<é&>", "\u2028\n"}).Draw(rt, "error"),
				}, false)
				known = append(known, i)
			case "put":
				if known == nil {
					continue
				}
				i := rapid.SampledFrom(known).Draw(rt, "intent")
				i.Status, i.Ongoing, i.Sent = rapid.SampledFrom([]Status{Answered, Failed, Unknown}).Draw(rt, "status"), rapid.Bool().Draw(rt, "ongoing"), time.Now().UTC()
				err = j.Put(i, false)
			case "hand":
				err = j.Hand(s, "t", "7")
			case "revise":
				err = j.Revise(s, func(list []Intent) []Intent {
					for n := range list {
						list[n].Given, list[n].Made = nil, json.RawMessage(`{"x":1}`)
					}
					return list
				})
			case "settle":
				step := rapid.IntRange(0, 5).Draw(rt, "step")
				err = j.Settle(s, func(i Intent) bool { return i.Step == step })
			case "claim":
				list, _ := j.Of(s)
				if len(list) == 0 {
					continue
				}
				_, _ = j.Claim(list[0]) // the other one may work on it
			}
			if err != nil {
				rt.Fatal(err)
			}
			text, _ := os.ReadFile(j.path(s))
			want, err := parse(text)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := j.read(j.path(s))
			if err != nil {
				rt.Fatal(err)
			}
			if want.text = text; len(text) == 0 {
				want.text = nil
			}
			if diff := cmp.Diff(want, got, same); diff != "" {
				rt.Fatalf("%s: %s", text, diff)
			}
		}
	})
}

// TestParsedIsBounded reads many files, and large ones.
func TestParsedIsBounded(t *testing.T) {
	var p parseCache
	for n := range 3 * maxKept {
		if _, err := p.parse(fmt.Sprint(n), []byte(header)); err != nil {
			t.Fatal(err)
		}
		if len(p.byPath) > maxKept {
			t.Fatalf("%d files are kept", len(p.byPath))
		}
	}
	large := append([]byte(header), fmt.Sprintf("{\"put\":{\"key\":\"k\",\"error\":%q}}\n", bytes.Repeat([]byte("x"), maxKeptText))...)
	if c, err := p.parse("0", large); err != nil || len(c.intents) != 1 {
		t.Fatalf("%d intents, %v", len(c.intents), err)
	}
	if _, kept := p.byPath["0"]; kept {
		t.Error("a large file is kept")
	}
}
