package journal

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// model is what a journal should hold: by key, what was recorded last, and which
// of the journals' owners works on it.
type model struct {
	intents map[string]Intent
	worker  map[string]int // of those that are begun
}

// TestModel: two owners of one folder do what they like; the journal holds what a
// map would.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "journal-*")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		journals := []*Journal{Open(dir), Open(dir)}
		for _, j := range journals {
			defer j.Close()
		}
		m := model{intents: map[string]Intent{}, worker: map[string]int{}}
		subjects := []Subject{{Resource: "a"}, {Resource: "b"}, {Resource: "a", Settings: "other"}}
		who := rapid.IntRange(0, 1)
		pick := func(t *rapid.T) Intent {
			if len(m.intents) == 0 {
				t.Skip("nothing is there")
			}
			return m.intents[rapid.SampledFrom(slices.Sorted(maps.Keys(m.intents))).Draw(t, "key")]
		}
		t.Repeat(map[string]func(*rapid.T){
			"begin": func(t *rapid.T) {
				n := who.Draw(t, "who")
				want := Intent{
					Subject: rapid.SampledFrom(subjects).Draw(t, "subject"), Operation: rapid.SampledFrom([]Operation{Create, Update}).Draw(t, "operation"),
					Step: rapid.IntRange(0, 1).Draw(t, "step"), Element: rapid.SampledFrom([]string{"", "x"}).Draw(t, "element"),
				}
				busy := false
				for key, worker := range m.worker {
					busy = busy || worker != n && m.intents[key].Subject == want.Subject && m.intents[key].sameEffect(want)
				}
				got, err := journals[n].Begin(want, false)
				var b *BusyError
				if errors.As(err, &b) != busy || err != nil && !busy {
					t.Fatalf("begin: %v, want busy %t", err, busy)
				}
				if err == nil {
					m.intents[got.Key], m.worker[got.Key] = got, n
				}
			},
			"claim": func(t *rapid.T) {
				n, i := who.Draw(t, "who"), pick(t)
				stale := rapid.Bool().Draw(t, "stale")
				read := i
				if stale {
					read.Error += "no longer"
				}
				worker, begun := m.worker[i.Key]
				got, err := journals[n].Claim(read)
				var b *BusyError
				switch {
				case begun && worker != n:
					if !errors.As(err, &b) {
						t.Fatalf("claim of what another works on: %v", err)
					}
				case stale:
					if !errors.Is(err, errChanged) {
						t.Fatalf("claim of what was changed: %v", err)
					}
				case err != nil:
					t.Fatalf("claim: %v", err)
				default:
					m.intents[i.Key], m.worker[i.Key] = got, n
				}
			},
			"put": func(t *rapid.T) {
				i := pick(t)
				n, begun := m.worker[i.Key]
				i.ID = rapid.StringN(0, 5, -1).Draw(t, "id")
				if rapid.Bool().Draw(t, "over") || !begun {
					i.Status = rapid.SampledFrom([]Status{Answered, Failed, Unknown}).Draw(t, "status")
					delete(m.worker, i.Key)
				}
				if err := journals[n].Put(i, false); err != nil {
					t.Fatal(err)
				}
				m.intents[i.Key] = i
			},
			"settle": func(t *rapid.T) {
				s, step := rapid.SampledFrom(subjects).Draw(t, "subject"), rapid.IntRange(0, 1).Draw(t, "step")
				gone := func(i Intent) bool { return i.Step == step }
				if err := journals[who.Draw(t, "who")].Settle(s, gone); err != nil {
					t.Fatal(err)
				}
				for key, i := range m.intents {
					if i.Subject == s && gone(i) {
						delete(m.intents, key)
						delete(m.worker, key)
					}
				}
			},
			"end": func(t *rapid.T) {
				n := who.Draw(t, "who")
				if err := journals[n].Close(); err != nil {
					t.Fatal(err)
				}
				maps.DeleteFunc(m.worker, func(_ string, worker int) bool { return worker == n })
			},
			"": func(t *rapid.T) {
				j := Open(dir) // a third process
				list, err := j.List()
				if err != nil {
					t.Fatal(err)
				}
				want, got := map[string]string{}, map[string]string{}
				for key, i := range m.intents {
					_, i.live = m.worker[key]
					want[key] = picture(i)
				}
				for _, s := range subjects {
					of, err := j.Of(s)
					if err != nil {
						t.Fatal(err)
					}
					for _, i := range of {
						if i.Subject != s {
							t.Fatalf("%+v is not of %+v", i, s)
						}
						got[i.Key] = picture(i)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				if len(list) != len(want) || !slices.IsSortedFunc(list, func(a, b Intent) int { return a.Began.Compare(b.Began) }) {
					t.Fatalf("listed: %+v", list)
				}
			},
		})
	})
}

func picture(i Intent) string {
	return fmt.Sprint(i.Subject, i.Operation, i.Step, i.Element, i.ID, i.Status, i.Began.Format(time.RFC3339Nano), i.Owner.Name, i.Open(), i.UnderWay())
}
