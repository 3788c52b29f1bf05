package journal

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var thing = What{Provider: "lab", Type: "Thing", Resource: "urn:1", Inputs: "hash", Step: 0}

func begin(t *testing.T, j *Journal, w What) (Intent, bool) {
	t.Helper()
	i, adopted, err := j.Begin(w)
	if err != nil {
		t.Fatal(err)
	}
	return i, adopted
}

func TestLifeOfAnIntent(t *testing.T) {
	j := In(filepath.Join(t.TempDir(), "deep", "journal"))
	first, adopted := begin(t, j, thing)
	if adopted || first.Key == "" {
		t.Fatalf("a new intent: %+v, adopted %t", first, adopted)
	}
	again, adopted := begin(t, j, thing)
	if !adopted || again.Key != first.Key {
		t.Errorf("the same create goes on under the same key: %+v, adopted %t", again, adopted)
	}
	for name, other := range map[string]What{
		"inputs":   {Provider: "lab", Type: "Thing", Resource: "urn:1", Inputs: "other"},
		"resource": {Provider: "lab", Type: "Thing", Resource: "urn:2", Inputs: "hash"},
		"step":     {Provider: "lab", Type: "Thing", Resource: "urn:1", Inputs: "hash", Step: 1},
	} {
		if i, adopted := begin(t, j, other); adopted || i.Key == first.Key {
			t.Errorf("other %s are another create", name)
		}
	}
	if err := j.Answer(first, "7"); err != nil {
		t.Fatal(err)
	}
	list, err := j.List()
	if err != nil || len(list) != 4 || list[0].ID != "7" || list[0].Open() {
		t.Errorf("list: %+v, %v", list, err)
	}
	for range 2 {
		if err := j.Settle(thing); err != nil {
			t.Errorf("settled, and settled again: %v", err)
		}
	}
	if i, adopted := begin(t, j, thing); adopted || i.Key == first.Key {
		t.Error("what is settled is begun anew")
	}
}

// An intent of a process that has died, or has given up, is open, and whoever
// comes next goes on with it; that of a live one is not touched.
func TestOwners(t *testing.T) {
	j := In(t.TempDir())
	if os.Getenv("JOURNAL_DIR") != "" {
		_, _, err := In(os.Getenv("JOURNAL_DIR")).Begin(thing)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString("begun\n")
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the parent lets go
		return
	}
	child := exec.Command(os.Args[0], "-test.run=TestOwners$")
	child.Env = append(os.Environ(), "JOURNAL_DIR="+j.dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 6)
	if _, err := out.Read(buf); err != nil || string(buf) != "begun\n" {
		t.Fatalf("%q, %v", buf, err)
	}
	if _, _, err := j.Begin(thing); err == nil || !strings.Contains(err.Error(), "at this moment") {
		t.Errorf("a live process's intent: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" {
		// Nobody has asked yet what became of it: it stays listed, and is dead.
		defer func() { _ = child.Wait() }()
	} else {
		_ = child.Wait()
	}
	list, err := j.List()
	for deadline := time.Now().Add(10 * time.Second); err == nil && !list[0].Open() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
		list, err = j.List()
	}
	if err != nil || len(list) != 1 || !list[0].Open() {
		t.Fatalf("a dead process's intent is open: %+v, %v", list, err)
	}
	taken, adopted := begin(t, j, thing)
	if !adopted || taken.Key != list[0].Key {
		t.Errorf("and is gone on with: %+v", taken)
	}
	if err := j.Lose(taken); err != nil {
		t.Fatal(err)
	}
	if list, _ := j.List(); !list[0].Open() {
		t.Error("an intent that was given up is open")
	}
}

func TestDamage(t *testing.T) {
	j := In(t.TempDir())
	if err := os.WriteFile(j.file(thing), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := j.Begin(thing); err == nil || !strings.Contains(err.Error(), "no intent of declprov's") {
		t.Errorf("a file that is no intent is never overwritten: %v", err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := In(blocked).Begin(thing); err == nil || !strings.Contains(err.Error(), "DECLPROV_JOURNAL") {
		t.Errorf("a folder that cannot be had: %v", err)
	}
}
