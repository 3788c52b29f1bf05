package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test binary is also the other processes: JOURNAL_CHILD says what it does
// with the journal in JOURNAL_DIR.
func TestMain(m *testing.M) {
	j := Open(os.Getenv("JOURNAL_DIR"))
	switch os.Getenv("JOURNAL_CHILD") {
	case "":
		os.Exit(m.Run())
	case "hold":
		if _, err := j.Begin(Intent{Subject: thing, Operation: Create}, false); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("begun")
		_, _ = io.Copy(io.Discard, os.Stdin) // until the parent lets go
	case "churn":
		churn(j)
	}
}

// churn begins and settles intents for good, and says what it does before and
// after.
func churn(j *Journal) {
	var mine []Intent
	for n := 0; ; n++ {
		if len(mine) > 3 {
			i := mine[0]
			mine = mine[1:]
			fmt.Println("settling", i.Key)
			if err := j.Settle(i.Subject, func(o Intent) bool { return o.Key == i.Key }); err != nil {
				fmt.Println("error", err)
			}
			fmt.Println("settled", i.Key)
		}
		i, err := j.Begin(Intent{Subject: Subject{Resource: fmt.Sprint(n % 5)}, Element: fmt.Sprint(os.Getpid(), n)}, n%8 == 0)
		if err != nil {
			fmt.Println("error", err)
			continue
		}
		fmt.Println("begun", i.Key)
		if n%3 == 0 {
			i.Status, i.Error = Unknown, strings.Repeat("x", n%500)
			if err := j.Put(i, false); err != nil {
				fmt.Println("error", err)
			}
		}
		mine = append(mine, i)
	}
}

// child starts another process.
func child(t *testing.T, dir, what string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "JOURNAL_CHILD="+what, "JOURNAL_DIR="+dir)
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c, bufio.NewScanner(out)
}

func holder(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	c, out := child(t, dir, "hold")
	if !out.Scan() || out.Text() != "begun" {
		t.Fatalf("the other process: %q, %v", out.Text(), out.Err())
	}
	return c
}

// TestOwners: what a living process works on is left to it; what a dead one began
// is open, and whoever comes next goes on with it.
func TestOwners(t *testing.T) {
	j := inTemp(t)
	other := holder(t, j.dir)
	i := of(t, j, thing)[0]
	if !i.UnderWay() || i.Open() || i.Owner.PID != other.Process.Pid {
		t.Errorf("of a living process: %+v", i)
	}
	var busy *BusyError
	if _, err := j.Claim(i); !errors.As(err, &busy) || !strings.Contains(err.Error(), fmt.Sprintf("process %d is creating this Thing", other.Process.Pid)) {
		t.Errorf("claimed from a living process: %v", err)
	}
	if _, err := j.Begin(Intent{Subject: thing, Operation: Create}, false); !errors.As(err, &busy) {
		t.Errorf("begun beside a living process: %v", err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// It is not waited for: a zombie is dead, too.
	for deadline := time.Now().Add(time.Minute); of(t, j, thing)[0].UnderWay() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	i = of(t, j, thing)[0]
	if !i.Open() {
		t.Fatalf("of a dead process: %+v", i)
	}
	claimed, err := j.Claim(i)
	if err != nil || claimed.Key != i.Key || claimed.Owner.PID != os.Getpid() {
		t.Errorf("claimed from a dead process: %+v, %v", claimed, err)
	}
	begin(t, Open(j.dir), Intent{Subject: Subject{Resource: "another"}})
	if files, err := filepath.Glob(filepath.Join(j.owner.dir, "*")); err != nil || len(files) != 2 {
		t.Errorf("the next process sweeps away the dead one's file: %v, %v", files, err)
	}
}

// rewrite changes the owner of the one intent of the subject, as another system
// would have recorded it.
func rewrite(t *testing.T, j *Journal, change func(*Process)) {
	t.Helper()
	i := of(t, j, thing)[0]
	change(&i.Owner)
	if err := Open(j.dir).Put(i, false); err != nil {
		t.Fatal(err)
	}
}

// TestContainers: a journal that is shared by containers, in each of which
// processes are numbered from 1.
func TestContainers(t *testing.T) {
	t.Run("the number is of nobody here, and the process lives", func(t *testing.T) {
		j := inTemp(t)
		holder(t, j.dir)
		rewrite(t, j, func(p *Process) { p.PID, p.Namespace, p.Host = 1<<22+1, "pid:[1]", "other" })
		if i := of(t, j, thing)[0]; !i.UnderWay() {
			t.Errorf("%+v", i)
		}
		_, err := j.Begin(Intent{Subject: thing, Operation: Create}, false)
		if err == nil || !strings.Contains(err.Error(), "on other is creating") {
			t.Errorf("the container is named: %v", err)
		}
	})
	t.Run("the number is of somebody else here, and the process is dead", func(t *testing.T) {
		j := inTemp(t)
		other := holder(t, j.dir)
		_ = other.Process.Kill()
		_ = other.Wait()
		rewrite(t, j, func(p *Process) { p.PID, p.Start = os.Getpid(), current().Start })
		if i := of(t, j, thing)[0]; !i.Open() {
			t.Errorf("%+v", i)
		}
	})
}

// TestMachines: the lock of another machine may not be seen here; its heartbeat is.
func TestMachines(t *testing.T) {
	elsewhere := func(p *Process) { p.Boot, p.Machine, p.Host = "another boot", "another machine", "elsewhere" }
	rebooted := func(p *Process) { p.Boot = "another boot" }
	unlocked := func(p *Process) { p.Unlocked = true }
	inContainer := func(p *Process) { p.Unlocked, p.Namespace = true, "pid:[1]" }
	cases := []struct {
		name   string
		change func(*Process)
		silent time.Duration
		alive  bool
	}{
		{"here, and unlocked", func(*Process) {}, 0, false},
		{"elsewhere, and touched", elsewhere, 20 * time.Second, true},
		{"elsewhere, and silent", elsewhere, 2 * time.Minute, false},
		{"before this machine started", rebooted, time.Since(booted()) + time.Hour, false},
		{"without locks, and running", unlocked, time.Hour, true},
		{"without locks, in a container, and touched", inContainer, 20 * time.Second, true},
		{"without locks, in a container, and silent", inContainer, 2 * time.Minute, false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			j := inTemp(t)
			i := begin(t, j, Intent{Subject: thing})
			if err := j.owner.file.Close(); err != nil { // the lock is not seen
				t.Fatal(err)
			}
			defer func() { j.owner.file = nil }()
			rewrite(t, j, tc.change)
			at := time.Now().Add(-tc.silent)
			if err := os.Chtimes(filepath.Join(j.owner.dir, i.Owner.Name), at, at); err != nil {
				t.Fatal(err)
			}
			list, err := Open(j.dir).Of(thing)
			if err != nil || list[0].UnderWay() != tc.alive {
				t.Errorf("alive: %t, want %t (%v)", list[0].UnderWay(), tc.alive, err)
			}
		})
	}
}

// TestHeartbeat: while something is under way the file is touched; when nothing
// is, it goes.
func TestHeartbeat(t *testing.T) {
	j := inTemp(t)
	i := begin(t, j, Intent{Subject: thing})
	path := filepath.Join(j.owner.dir, i.Owner.Name)
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	j.owner.beat()
	if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) > time.Minute {
		t.Errorf("%v, %v", info, err)
	}
	i.Status = Answered
	if err := j.Put(i, false); err != nil {
		t.Fatal(err)
	}
	j.owner.beat()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it stays: %v", err)
	}
	if again := begin(t, j, Intent{Subject: thing}); again.Owner.Name == i.Owner.Name || !of(t, j, thing)[1].UnderWay() {
		t.Errorf("begun after that: %+v", again)
	}
}

// TestOwnersSideBySide: nobody sweeps away the file of one that is beginning.
func TestOwnersSideBySide(t *testing.T) {
	dir := inTemp(t).dir
	var all sync.WaitGroup
	for n := range 64 {
		all.Go(func() {
			j := Open(dir)
			s := Subject{Resource: fmt.Sprint(n)}
			if _, err := j.Begin(Intent{Subject: s}, false); err != nil {
				t.Error(err)
				return
			}
			list, err := Open(dir).Of(s)
			if err != nil || len(list) != 1 || !list[0].UnderWay() {
				t.Errorf("%+v, %v", list, err)
			}
			if err := j.Close(); err != nil {
				t.Error(err)
			}
			if list, err = Open(dir).Of(s); err != nil || len(list) != 1 || !list[0].Open() {
				t.Errorf("after it closed: %+v, %v", list, err)
			}
		})
	}
	all.Wait()
}

// TestKills: of processes that are killed at any moment, everything that was begun
// is there, and nothing that was settled.
func TestKills(t *testing.T) {
	dir := inTemp(t).dir
	began := map[string]string{} // the last word on a key
	for range 6 {
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 4 {
			c, out := child(t, dir, "churn")
			// From its first word on: a busy machine may take long to start it.
			kill := sync.OnceFunc(func() {
				time.AfterFunc(rand.N(200*time.Millisecond), func() { _ = c.Process.Kill() })
			})
			all.Go(func() {
				for out.Scan() {
					kill()
					word, key, _ := strings.Cut(out.Text(), " ")
					mu.Lock()
					began[key] = word
					mu.Unlock()
					if word == "error" {
						t.Error(out.Text())
					}
				}
			})
		}
		all.Wait()
	}
	list, err := Open(dir).List()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, i := range list {
		there[i.Key] = true
		if !i.Open() {
			t.Errorf("of a dead process: %+v", i)
		}
	}
	count := map[string]int{}
	for key, word := range began {
		count[word]++
		if word == "begun" && !there[key] || word == "settled" && there[key] {
			t.Errorf("%s was %s, and in the journal: %t", key, word, there[key])
		}
	}
	t.Logf("%v, %d in the journal", count, len(list))
	if count["begun"] == 0 || count["settled"] == 0 {
		t.Errorf("too little was done: %v", count)
	}
}

// TestOwnerFile: what is in an owner's file is that process.
func TestOwnerFile(t *testing.T) {
	j := inTemp(t)
	i := begin(t, j, Intent{Subject: thing})
	text, err := os.ReadFile(filepath.Join(j.owner.dir, i.Owner.Name))
	var p Process
	if err != nil || json.Unmarshal(text, &p) != nil || p != i.Owner {
		t.Errorf("%s, %v", text, err)
	}
}
