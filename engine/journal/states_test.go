package journal

import "testing"

// TestStates has what another process sees of an intent in every state: while its owner works on it, once the run has ended
// and the owner lives on, and once the owner is dead.
func TestStates(t *testing.T) {
	const open, underWay, neither = "open", "under way", ""
	type seen struct{ working, concluded, dead string }
	for _, tc := range []struct {
		status  Status
		ongoing bool
		want    seen
		own     string // what the owner itself sees while it works
	}{
		{Begun, false, seen{underWay, underWay, open}, underWay},
		{Unknown, true, seen{underWay, open, open}, open},
		{Unknown, false, seen{open, open, open}, open},
		{Answered, false, seen{neither, neither, neither}, neither},
		{Answered, true, seen{neither, neither, neither}, neither},
		{Handed, false, seen{neither, neither, neither}, neither},
		{Failed, false, seen{neither, neither, neither}, neither},
	} {
		dir := t.TempDir()
		book, other := Open(dir), Open(dir)
		r := newResource(func() (*Journal, error) { return book, nil }, Subject{Provider: "p", Type: "T", Resource: "urn:it"})
		i, err := r.Begin(Intent{Operation: Create}, false)
		if err != nil {
			t.Fatal(err)
		}
		i.Status, i.Ongoing = tc.status, tc.ongoing
		if err := r.Put(i, false); err != nil {
			t.Fatal(err)
		}
		state := func(j *Journal) string {
			list, err := j.List()
			if err != nil || len(list) != 1 || list[0].Open() && list[0].UnderWay() {
				t.Fatalf("%v, %v", list, err)
			}
			switch {
			case list[0].Open():
				return open
			case list[0].UnderWay():
				return underWay
			default:
				return neither
			}
		}
		if got := state(book); got != tc.own {
			t.Errorf("%s, ongoing %v: the owner sees %q, want %q", tc.status, tc.ongoing, got, tc.own)
		}
		got := seen{working: state(other)}
		if err := r.Conclude(); err != nil {
			t.Fatal(err)
		}
		got.concluded = state(other)
		if err := book.Close(); err != nil {
			t.Fatal(err)
		}
		if got.dead = state(other); got != tc.want {
			t.Errorf("%s, ongoing %v: got %+v, want %+v", tc.status, tc.ongoing, got, tc.want)
		}
	}
}
