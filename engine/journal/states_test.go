package journal

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestStates has what another process sees of an intent in every state: while its owner works on it, if the owner
// is killed then, once the run has ended and the owner lives on, and once the owner has ended, too.
func TestStates(t *testing.T) {
	const open, underWay, neither = "open", "under way", ""
	type seen struct{ working, killed, concluded, dead string }
	for _, tc := range []struct {
		status  Status
		ongoing bool
		want    seen
		own     string // what the owner itself sees while it works
	}{
		{Begun, false, seen{underWay, open, underWay, open}, underWay},
		{Unknown, true, seen{underWay, open, open, open}, open},
		{Unknown, false, seen{open, open, open, open}, open},
		{Answered, false, seen{neither, neither, neither, neither}, neither},
		{Answered, true, seen{underWay, open, neither, neither}, underWay},
		{Handed, false, seen{neither, neither, neither, neither}, neither},
		{Failed, false, seen{neither, neither, neither, neither}, neither},
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
			if err != nil || len(list) != 1 || list[0].IsUnsettled() && list[0].UnderWay() {
				t.Fatalf("%v, %v", list, err)
			}
			switch {
			case list[0].IsUnsettled():
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
		copied := t.TempDir()
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		got := seen{working: state(other), killed: state(Open(copied))}
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

// TestDistinct has which intents of one subject a reader sees, of those that a dead process has left.
func TestDistinct(t *testing.T) {
	whole := Intent{Key: "whole", Operation: Create, Token: "t", Step: Whole, Status: Begun}
	first := Intent{Key: "first", Operation: Create, Token: "t", Status: Answered, Ongoing: true}
	second := Intent{Key: "second", Operation: Create, Token: "t", Step: 1, Status: Begun}
	another, ended, handed := first, first, whole
	another.Key, another.Token = "another", "another"
	ended.Key, ended.Ongoing = "ended", false
	handed.Status = Handed
	for _, tc := range []struct {
		list []Intent
		want string
	}{
		{[]Intent{first}, "first"},
		{[]Intent{first, whole}, "whole"},
		{[]Intent{first, whole, second}, "whole second"},
		{[]Intent{another, whole}, "another whole"},
		{[]Intent{first, handed}, "first whole"},
		{[]Intent{ended, whole}, "ended whole"},
	} {
		var keys []string
		for _, i := range Distinct(tc.list) {
			keys = append(keys, i.Key)
		}
		if got := strings.Join(keys, " "); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// TestRepeated has which entries go with one that a reader forgets: those that a list of what is left would show in its place.
func TestRepeated(t *testing.T) {
	const made, changed = Create, Update
	entry := func(key string, op Operation, step int, status Status) Intent {
		return Intent{Key: key, Operation: op, Token: "t", Step: step, Status: status, Ongoing: status == Answered}
	}
	whole, first, second := entry("whole", made, Whole, Begun), entry("first", made, 0, Answered), entry("second", made, 1, Begun)
	update, again, step, next := entry("update", changed, Whole, Begun), entry("again", changed, Whole, Begun), entry("step", changed, 0, Unknown), entry("next", changed, 1, Unknown)
	another, handed, failed := update, update, step
	another.Key, another.Token = "another", "another"
	handed.Key, handed.Status = "handed", Handed
	failed.Key, failed.Status = "failed", Failed
	for _, tc := range []struct {
		list   []Intent
		forget string
		want   string
	}{
		{[]Intent{first, whole}, "whole", "first"},
		{[]Intent{first, whole, second}, "whole", "first"},
		{[]Intent{first, whole, second}, "second", ""},
		{[]Intent{first, whole}, "first", ""},
		{[]Intent{update, step}, "step", "update"},
		{[]Intent{update, step}, "update", ""},
		{[]Intent{update, step, next}, "step", ""},
		{[]Intent{update, step, next}, "next", ""},
		{[]Intent{update, again}, "again", "update"},
		{[]Intent{update, again}, "update", ""},
		{[]Intent{update, step, again}, "step", "again update"},
		{[]Intent{another, step}, "step", ""},
		{[]Intent{handed, step}, "step", ""},
		{[]Intent{update, failed}, "failed", ""},
		{[]Intent{update}, "update", ""},
	} {
		var keys, before []string
		for _, i := range Distinct(tc.list) {
			before = append(before, i.Key)
		}
		left := slices.DeleteFunc(slices.Clone(tc.list), func(i Intent) bool { return i.Key == tc.forget })
		for _, i := range Repeated(tc.list, tc.forget) {
			keys = append(keys, i.Key)
			left = slices.DeleteFunc(left, func(o Intent) bool { return o.Key == i.Key })
		}
		if got := strings.Join(keys, " "); got != tc.want {
			t.Errorf("%v without %s: got %q, want %q", before, tc.forget, got, tc.want)
		}
		for _, i := range Distinct(left) {
			if !slices.Contains(before, i.Key) {
				t.Errorf("%v without %s: %s is listed now", before, tc.forget, i.Key)
			}
		}
	}
}

// TestHandEndsIt: a create whose state was returned is not under way any more, and nothing is left to conclude.
func TestHandEndsIt(t *testing.T) {
	book := Open(t.TempDir())
	defer book.Close()
	r := newResource(func() (*Journal, error) { return book, nil }, Subject{Provider: "p", Type: "T", Resource: "urn:it"})
	i, err := r.Begin(Intent{Operation: Create, Token: "t"}, false)
	if err != nil {
		t.Fatal(err)
	}
	i.Status, i.Ongoing = Answered, true
	if err := r.Put(i, false); err != nil {
		t.Fatal(err)
	}
	if len(book.owner.keys) != 1 {
		t.Error("a long wait would release the lock that shows that the process is alive")
	}
	if err := r.Hand("t", "7"); err != nil {
		t.Fatal(err)
	}
	list, err := Open(book.dir).List()
	if err != nil || len(list) != 1 || list[0].Status != Handed || list[0].Ongoing || list[0].UnderWay() || len(book.owner.keys) > 0 {
		t.Errorf("%+v, %v; held are %v", list, err, book.owner.keys)
	}
	if _, ongoing := book.ongoing.Load(i.Subject); ongoing {
		t.Error("something is left to conclude")
	}
}
