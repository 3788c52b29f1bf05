package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var thing = Subject{Provider: "api", Type: "Thing", Resource: "urn:pulumi:dev::shop::api:index:Thing::rex"}

// inTemp returns the journal of a folder that does not exist yet.
func inTemp(t testing.TB) *Journal {
	j := Open(filepath.Join(t.TempDir(), "deep", "journal"))
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func begin(t testing.TB, j *Journal, i Intent) Intent {
	t.Helper()
	i, err := j.Begin(i, false)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func of(t testing.TB, j *Journal, s Subject) []Intent {
	t.Helper()
	list, err := j.Of(s)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSubjectNames(t *testing.T) {
	cases := []struct{ resource, stack, project, name string }{
		{thing.Resource, "dev", "shop", "rex"},
		{"urn:pulumi:dev::shop::my:Comp$api:index:Thing::a::b", "dev", "shop", "a::b"},
		{"rex", "", "", ""},
		{"urn:pulumi:dev", "", "", ""},
	}
	for _, tc := range cases {
		s := Subject{Resource: tc.resource}
		if diff := cmp.Diff([]string{tc.stack, tc.project, tc.name}, []string{s.Stack(), s.Project(), s.Name()}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.resource, diff)
		}
	}
}

func TestLifeOfAnIntent(t *testing.T) {
	j := inTemp(t)
	if got := of(t, j, thing); got != nil {
		t.Errorf("before anything was begun: %+v", got)
	}
	first, err := j.Begin(Intent{
		Subject: thing, Operation: Create, Step: 1, StepName: "step 2", Hash: "h", Token: "t",
		Inputs: json.RawMessage(`{"name": "<rex>"}`), Withheld: []string{"password"},
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	if first.Key == "" || first.Began.IsZero() || first.Owner.PID != os.Getpid() || !first.UnderWay() || first.Open() {
		t.Errorf("begun: %+v", first)
	}
	first.Looked, first.Sent = true, time.Now()
	if err := j.Put(first, true); err != nil {
		t.Fatal(err)
	}
	second := begin(t, j, Intent{Subject: thing, Operation: Create, Step: 1, Element: "b"})
	got := of(t, j, thing)
	opts := []cmp.Option{cmpopts.IgnoreUnexported(Intent{}), cmp.Transformer("compact", func(m json.RawMessage) string {
		return strings.ReplaceAll(string(m), " ", "")
	})}
	if diff := cmp.Diff([]Intent{first, second}, got, opts...); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	first.Status, first.Error = Unknown, "the connection was lost"
	if err := j.Put(first, true); err != nil {
		t.Fatal(err)
	}
	if got := of(t, j, thing); !got[0].Open() || got[1].Open() {
		t.Errorf("after the first was given up: %+v", got)
	}
	again, err := j.Claim(of(t, j, thing)[0])
	if err != nil || again.Key != first.Key || !again.UnderWay() || !again.Looked {
		t.Errorf("claimed: %+v, %v", again, err)
	}
	if _, err := j.Claim(first); !errors.Is(err, errChanged) {
		t.Errorf("claimed as it was before: %v", err)
	}
	for range 2 {
		if err := j.Settle(thing, func(i Intent) bool { return i.Step == 1 }); err != nil {
			t.Fatal(err)
		}
		if got := of(t, j, thing); got != nil {
			t.Errorf("settled: %+v", got)
		}
	}
	if _, err := os.Stat(filepath.Join(j.dir, thing.file())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	if _, err := j.Claim(again); !errors.Is(err, errChanged) {
		t.Errorf("claimed after it was settled: %v", err)
	}
}

// TestFleeting: a journal on a CI runner is lost with it, unless it is told where.
func TestFleeting(t *testing.T) {
	cases := []struct {
		ci, dir string
		want    bool
	}{{"", "", false}, {"true", "", true}, {"1", "", true}, {"false", "", false}, {"true", "/mnt/journal", false}}
	for _, tc := range cases {
		getenv := func(name string) string { return map[string]string{"CI": tc.ci, "DECLPROV_JOURNAL": tc.dir}[name] }
		if got := IsFleeting(getenv); got != tc.want {
			t.Errorf("CI=%s DECLPROV_JOURNAL=%s: %t", tc.ci, tc.dir, got)
		}
	}
}

// TestForeignFiles: what is no file of the journal is never overwritten, and does
// not hide the rest.
func TestForeignFiles(t *testing.T) {
	for name, text := range map[string]string{
		"of an earlier version": `{"provider": "api", "type": "Thing", "resource": "rex", "inputs": "abc", "step": 0, "key": "K", "owner": {"pid": 1}}` + "\n",
		"of a newer version":    `{"version":3}` + "\n",
		"foreign":               "hello\n",
		"foreign, one line":     "hello",
		"an array":              "[]\n",
		"damaged":               header + "\x00\x00\n" + `{"settled":"K"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			j := inTemp(t)
			other := begin(t, j, Intent{Subject: Subject{Resource: "other"}})
			path := filepath.Join(j.dir, thing.file())
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var bad *UnreadableError
			list, err := j.List()
			if !errors.As(err, &bad) || len(bad.Files) != 1 || bad.Files[0].Path != path || len(list) != 1 || list[0].Key != other.Key {
				t.Errorf("listed: %+v, %v", list, err)
			}
			if _, err := j.Of(thing); !errors.As(err, &bad) {
				t.Errorf("Of: %v", err)
			}
			if _, err := j.Begin(Intent{Subject: thing}, false); !errors.As(err, &bad) || !strings.Contains(err.Error(), "delete the file") {
				t.Errorf("Begin: %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != text {
				t.Errorf("it was overwritten: %q, %v", after, err)
			}
		})
	}
}

// TestTornFile: a file that was cut off anywhere keeps the changes before the cut,
// and the next change goes on from there.
func TestTornFile(t *testing.T) {
	j := inTemp(t)
	path := filepath.Join(j.dir, thing.file())
	var ends []int // of the text after each change
	var keys []string
	for n := range 3 {
		keys = append(keys, begin(t, j, Intent{Subject: thing, Step: n}).Key)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(info.Size()))
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		for _, tail := range []string{"", "\x00\x00\x00"} {
			want := 0
			for want < len(ends) && ends[want] <= cut {
				want++
			}
			if err := os.WriteFile(path, append(whole[:cut:cut], tail...), 0o600); err != nil {
				t.Fatal(err)
			}
			got := of(t, j, thing)
			if len(got) != want {
				t.Fatalf("cut at %d, then %q: %d intents, want %d", cut, tail, len(got), want)
			}
			if cut%41 != 0 {
				continue // repairing waits for the disk
			}
			more := begin(t, j, Intent{Subject: thing, Step: 9})
			var after []string
			for _, i := range of(t, j, thing) {
				after = append(after, i.Key)
			}
			if diff := cmp.Diff(append(keys[:want:want], more.Key), after); diff != "" {
				t.Fatalf("repaired after a cut at %d (-want +got):\n%s", cut, diff)
			}
		}
	}
}

// TestNoSpace: a journal that cannot be written says what to do.
func TestNoSpace(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(blocked).Begin(Intent{Subject: thing}, true); err == nil || !strings.Contains(err.Error(), "DECLPROV_JOURNAL") {
		t.Errorf("%v", err)
	}
	if _, err := Open("/dev/full/journal").Begin(Intent{Subject: thing}, true); err == nil || !strings.Contains(err.Error(), "DECLPROV_JOURNAL") {
		t.Errorf("%v", err)
	}
}

// TestAdvice checks what to do about an error of the file system: another folder would not have the open intents, so it is only
// proposed if the folder cannot be used.
func TestAdvice(t *testing.T) {
	for err, want := range map[error]string{
		syscall.ENOSPC: "free some space there",
		syscall.EDQUOT: "free some space there",
		syscall.EMFILE: "raise the limit of open files (`ulimit -n`)",
		syscall.EIO:    "check the disk",
		syscall.EROFS:  "set DECLPROV_JOURNAL to a writable folder",
		syscall.EACCES: "set DECLPROV_JOURNAL to a writable folder",
	} {
		if got := remedy(&fs.PathError{Op: "write", Path: "/x", Err: err}).Error(); !strings.HasSuffix(got, "; "+want) {
			t.Errorf("%v: expected %q, got %q", err, want, got)
		}
	}
}

// TestLongHistory: a file does not grow with what is over.
func TestLongHistory(t *testing.T) {
	j := inTemp(t)
	kept := begin(t, j, Intent{Subject: thing})
	for range 1000 {
		i := begin(t, j, Intent{Subject: thing, Operation: Update})
		if err := j.Settle(thing, func(o Intent) bool { return o.Key == i.Key }); err != nil {
			t.Fatal(err)
		}
	}
	if got := of(t, j, thing); len(got) != 1 || got[0].Key != kept.Key {
		t.Errorf("%+v", got)
	}
	info, err := os.Stat(filepath.Join(j.dir, thing.file()))
	if err != nil || info.Size() > 64<<10 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	left, err := filepath.Glob(filepath.Join(j.dir, ".new-*"))
	if err != nil || left != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestManyIntents: a journal of ten thousand is listed in about the time that it took to write.
func TestManyIntents(t *testing.T) {
	j, began := inTemp(t), time.Now()
	for n := range 10_000 {
		begin(t, j, Intent{Subject: Subject{Resource: fmt.Sprint(n)}, Inputs: json.RawMessage(`{"name":"rex","tags":{"a":"b"}}`)})
	}
	wrote, began := time.Since(began), time.Now()
	list, err := j.List()
	took := time.Since(began)
	t.Logf("10,000 intents are written in %s, listed in %s", wrote, took)
	if err != nil || len(list) != 10_000 || took > 3*wrote {
		t.Errorf("%d, %v, in %s", len(list), err, took)
	}
}

func benchmarkBegin(b *testing.B, sync bool) {
	j := inTemp(b)
	begin(b, j, Intent{Subject: Subject{Resource: "other"}})
	for b.Loop() {
		i, err := j.Begin(Intent{Subject: thing, Operation: Create, Inputs: json.RawMessage(`{"name":"rex"}`)}, sync)
		if err != nil {
			b.Fatal(err)
		}
		i.Status, i.ID = Answered, "7"
		if err := j.Put(i, false); err != nil {
			b.Fatal(err)
		}
		if err := j.Settle(thing, func(Intent) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSynced(b *testing.B)   { benchmarkBegin(b, true) }
func BenchmarkUnsynced(b *testing.B) { benchmarkBegin(b, false) }

func BenchmarkBeginUnsynced(b *testing.B) {
	j := inTemp(b)
	n := 0
	for b.Loop() {
		n++
		begin(b, j, Intent{Subject: Subject{Resource: fmt.Sprint(n)}, Operation: Create})
	}
}

func BenchmarkOfNothing(b *testing.B) {
	j := inTemp(b)
	begin(b, j, Intent{Subject: Subject{Resource: "other"}})
	for b.Loop() {
		if list, err := j.Of(thing); list != nil || err != nil {
			b.Fatal(list, err)
		}
	}
}

// TestOtherSettings: the files of a resource are found under all settings, and a file with the name that
// earlier versions gave it is that of its subject.
func TestOtherSettings(t *testing.T) {
	j := Open(t.TempDir())
	a := Subject{Provider: "p", Type: "T", Resource: "urn", Settings: "a"}
	b, former, stranger := a, a, a
	b.Settings, former.Settings, stranger.Resource = "b", "former", "another urn"
	for _, s := range []Subject{a, b, former, stranger} {
		if _, err := j.Begin(Intent{Subject: s, Operation: Create}, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(j.path(former), filepath.Join(j.dir, former.formerFile())); err != nil {
		t.Fatal(err)
	}
	others := func(s Subject) (settings []string) {
		list, err := Open(j.dir).Others(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range list {
			settings = append(settings, i.Settings)
		}
		return settings
	}
	if got := others(a); !slices.Equal(got, []string{"b"}) {
		t.Errorf("besides a there are %q", got)
	}
	if got := others(stranger); got != nil {
		t.Errorf("besides the other resource there are %q", got)
	}
	j = Open(j.dir)
	if list, err := j.Of(former); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := j.Settle(former, func(Intent) bool { return true }); err != nil || j.Has(former) {
		t.Errorf("it stays: %v", err)
	}
	if _, err := j.Begin(Intent{Subject: former, Operation: Create}, false); err != nil {
		t.Fatal(err)
	}
	if got := others(a); !slices.Equal(got, []string{"b", "former"}) {
		t.Errorf("besides a there are %q", got)
	}
}
