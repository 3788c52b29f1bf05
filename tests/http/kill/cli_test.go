package kill

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

var ups = flag.Int("ups", 4, "number of ups with a kill for each stack (make model uses 10)")

const (
	// stacks is how many stacks run concurrently.
	stacks = 3
	// newPerUp is how many resources an up creates. It updates those of the previous up, and
	// deletes those before.
	newPerUp = 5
	// soonAfter is the maximum time from the first request of an up to the kill. anyTime is
	// the maximum time from the start of the up.
	soonAfter, anyTime = 40 * time.Millisecond, 1200 * time.Millisecond
)

// TestKilledUnderTheCLI kills the provider during `pulumi up`, and sometimes the CLI with it,
// and then follows the messages of the CLI, as a user would. After each round, the objects on
// the server match the state and the program, and nothing was created twice.
func TestKilledUnderTheCLI(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var hit, all atomic.Int64
	t.Run("stacks", func(t *testing.T) {
		for i := range stacks {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				v := newVictim(t, rand.New(rand.NewPCG(seed, uint64(i))))
				for range *ups {
					if v.round() {
						hit.Add(1)
					}
					all.Add(1)
				}
				v.destroy()
			})
		}
	})
	t.Logf("%d of %d ups were hit", hit.Load(), all.Load())
	if hit.Load() < all.Load()/3 {
		t.Error("too few kills hit an up; are they too late?")
	}
}

// victim is a stack whose provider is killed.
type victim struct {
	*testing.T
	random *rand.Rand
	server *hostile.Server
	stack  *pulumitest.Stack
	folder string
	book   string
	count  int // number of rounds so far
	// asked receives a value for each request.
	asked chan struct{}
}

func newVictim(t *testing.T, random *rand.Rand) *victim {
	v := &victim{T: t, random: random, server: hostile.Start(t), book: t.TempDir(), asked: make(chan struct{}, 1)}
	v.server.Delay = func() time.Duration {
		select {
		case v.asked <- struct{}{}:
		default:
		}
		return rand.N(delay)
	}
	v.folder = provider.FolderWithScript(t, "hostile", "tests/http/faults/testdata/hostile.cue", provider.NotePID)
	v.stack = pulumitest.New(t, pulumitest.Providers{"hostile": v.folder}, "DECLPROV_JOURNAL="+v.book)
	return v
}

// wanted returns the sizes of the resources in the program, by name.
func (v *victim) wanted() map[string]float64 {
	out := map[string]float64{}
	for i := range newPerUp {
		out[fmt.Sprintf("r%d-%d", v.count, i)] = 1
		if v.count > 1 {
			out[fmt.Sprintf("r%d-%d", v.count-1, i)] = 2
		}
	}
	return out
}

// round changes the program, kills the provider during the up, and repairs what remains. It
// reports whether the kill hit the up.
func (v *victim) round() bool {
	v.count++
	body := fmt.Sprintf("config: {\"hostile:endpoint\": {value: %q}}\nresources:\n", v.server.URL)
	for name, size := range v.wanted() {
		kind := "Keyed"
		if strings.HasSuffix(name, "1") || strings.HasSuffix(name, "3") {
			kind = "Found"
		}
		body += fmt.Sprintf("  %s: {type: hostile:%s, properties: {name: %s, size: %v}}\n", name, kind, name, size)
	}
	v.stack.Program(body)
	hit := v.killedUp()
	v.mend()
	v.repair()
	v.checkState()
	return hit
}

// killedUp runs an up in which the provider is killed, and in one of four rounds the CLI,
// too.
func (v *victim) killedUp() bool {
	for len(v.asked) > 0 {
		<-v.asked
	}
	requested, wait := true, time.Duration(v.random.Int64N(int64(soonAfter)))
	if v.random.IntN(5) == 0 {
		requested, wait = false, time.Duration(v.random.Int64N(int64(anyTime)))
	}
	whole := v.random.IntN(4) == 0
	over, killed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(killed)
		if requested {
			select {
			case <-v.asked:
			case <-over:
			}
		}
		select {
		case <-time.After(wait):
		case <-over:
		}
		victims := provider.RunningPIDs(v.folder)
		if cli := provider.CLIPID(v.folder); whole && cli > 0 {
			victims = slices.Concat([]int{cli}, provider.ChildPIDs(cli), victims)
		}
		if err := provider.Signal(os.Kill, victims...); err != nil {
			v.Logf("some of %v had already ended: %v", victims, err)
		}
	}()
	r := v.up()
	close(over)
	<-killed
	v.Logf("round %d: after requests: %t, %s, the CLI too: %t: exit code %d", v.count, requested, wait, whole, r.ExitCode)
	return r.ExitCode != 0
}

func (v *victim) up() *pulumicli.Result {
	v.Helper()
	r, err := v.stack.Project.Up(v.Context())
	if err != nil {
		v.Fatal(err)
	}
	return r
}

// mend repairs files that the killed CLI wrote partially.
func (v *victim) mend() {
	v.Helper()
	torn, err := v.stack.Mend()
	if err != nil {
		v.Fatal(err)
	}
	for _, name := range torn {
		v.Logf("round %d: the CLI left %s half written", v.count, name)
	}
}

// repair follows the messages of the CLI until an up succeeds. If the CLI was killed, it may
// have left a lock (`pulumi cancel`) and pending operations (`pulumi refresh`). If only the
// provider was killed, neither exists. If Pulumi was told of a resource as it was killed, the
// refusal says to import it.
func (v *victim) repair() {
	v.Helper()
	r := v.up()
	if r.ExitCode != 0 && strings.Contains(r.Stderr, "pulumi cancel") {
		if r, err := v.stack.Run(v.Context(), "cancel", "--yes"); err != nil || r.ExitCode != 0 {
			v.Fatal(err, r.Failure())
		}
		r = v.up()
	}
	if r.ExitCode != 0 && toldPattern.MatchString(r.Stdout+r.Stderr) {
		v.importUnrecorded()
		r = v.up()
	}
	if r.ExitCode != 0 {
		v.Fatalf("the next up: %v", r.Failure())
	}
	if v.pending() > 0 {
		if !strings.Contains(r.Stdout, "`pulumi refresh`") {
			v.Errorf("there are pending operations, but no message says so: %s", r.Stdout)
		}
		if r, err := v.stack.Project.Refresh(v.Context(), "--clear-pending-creates"); err != nil || r.ExitCode != 0 {
			v.Fatal(err, r.Failure())
		}
	}
}

// importUnrecorded imports resources that Pulumi was told of as it was killed, and that no
// state has.
func (v *victim) importUnrecorded() {
	v.Helper()
	state, err := v.stack.Export()
	if err != nil {
		v.Fatal(err)
	}
	list, err := journal.Open(v.book).List()
	if err != nil {
		v.Fatal(err)
	}
	for _, i := range list {
		recorded := slices.ContainsFunc(state.Resources, func(r apitype.ResourceV3) bool { return string(r.URN) == i.Resource })
		if i.Status != journal.Handed || recorded {
			continue
		}
		v.Logf("round %d: Pulumi was told of %s, but has not recorded it", v.count, i.Name())
		if r, err := v.stack.Project.Import(v.Context(), "hostile:index:"+i.Type, i.Name(), i.ID); err != nil || r.ExitCode != 0 {
			v.Fatal(err, r.Failure())
		}
	}
}

func (v *victim) pending() int {
	state, err := v.stack.Export()
	if err != nil {
		v.Fatal(err)
	}
	return len(state.PendingOperations)
}

// checkState compares the state with the program and the server.
func (v *victim) checkState() {
	v.Helper()
	state, err := v.stack.Export()
	if err != nil {
		v.Fatal(err)
	}
	recorded, there, sizes := map[string]string{}, map[string]string{}, map[string]float64{}
	for _, r := range state.Resources {
		if !strings.HasPrefix(string(r.Type), "pulumi:") {
			recorded[string(r.ID)] = r.URN.Name()
		}
	}
	for id, o := range v.server.Objects() {
		name := fmt.Sprint(o["name"])
		there[id], sizes[name] = name, o["size"].(float64)
	}
	if diff := cmp.Diff(recorded, there); diff != "" {
		v.Errorf("round %d: the state and the server differ (-Pulumi +server):\n%s", v.count, diff)
	}
	if diff := cmp.Diff(v.wanted(), sizes); diff != "" {
		v.Errorf("round %d: the program and the server differ (-program +server):\n%s", v.count, diff)
	}
	if len(state.PendingOperations) > 0 {
		v.Errorf("round %d: pending: %+v", v.count, state.PendingOperations)
	}
	made := map[string]int{}
	for _, r := range v.server.Requests() {
		if r.Method == "POST" && r.Committed {
			made[r.Name]++
		}
	}
	for name, n := range made {
		if n > 1 {
			v.Errorf("round %d: %s was created %d times", v.count, name, n)
		}
	}
}

// destroy destroys everything. Nothing may remain on the server or in the journal.
func (v *victim) destroy() {
	v.stack.Up(fmt.Sprintf("same=%d", len(v.wanted())))
	v.stack.Destroy(fmt.Sprintf("delete=%d", len(v.wanted())))
	if left := v.server.Objects(); len(left) > 0 {
		v.Errorf("left: %v", left)
	}
	if left, err := journal.Open(v.book).List(); err != nil || len(left) > 0 {
		v.Errorf("in the journal: %+v, %v", left, err)
	}
}
