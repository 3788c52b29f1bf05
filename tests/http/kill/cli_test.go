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

var ups = flag.Int("ups", 4, "how many ups with a kill each stack lives through; make model has 10")

const (
	// stacks live side by side.
	stacks = 3
	// fresh is how many resources an up makes. It changes those of the up before,
	// and deletes those before them.
	fresh = 5
	// among is the longest time from the first request of an up to the kill, and
	// anywhere that from its very beginning.
	among, anywhere = 40 * time.Millisecond, 1200 * time.Millisecond
)

// TestKilledUnderTheCLI kills the provider in `pulumi up`s, now and then the CLI
// with it, and does what a user then would: what the CLI says. After each there
// is what Pulumi has recorded, as the program wants it, and nothing was made
// twice.
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
				v.end()
			})
		}
	})
	t.Logf("%d of %d ups were hit", hit.Load(), all.Load())
	if hit.Load() < all.Load()/3 {
		t.Error("so few kills show nothing: are they too late?")
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
	count  int // of the rounds so far
	// asked is told of requests.
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
	v.folder = provider.Behind(t, "hostile", "tests/http/faults/testdata/hostile.cue", provider.Noted)
	v.stack = pulumitest.New(t, pulumitest.Providers{"hostile": v.folder}, "DECLPROV_JOURNAL="+v.book)
	return v
}

// wanted are the sizes of what the program has, by name.
func (v *victim) wanted() map[string]float64 {
	out := map[string]float64{}
	for i := range fresh {
		out[fmt.Sprintf("r%d-%d", v.count, i)] = 1
		if v.count > 1 {
			out[fmt.Sprintf("r%d-%d", v.count-1, i)] = 2
		}
	}
	return out
}

// round wants other resources, kills the provider in the up that makes them, and
// repairs what is left. It reports whether the kill hit the up.
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
	v.judge()
	return hit
}

// killedUp runs an up in which the provider dies, and in one of four the CLI
// too.
func (v *victim) killedUp() bool {
	for len(v.asked) > 0 {
		<-v.asked
	}
	requested, wait := true, time.Duration(v.random.Int64N(int64(among)))
	if v.random.IntN(5) == 0 {
		requested, wait = false, time.Duration(v.random.Int64N(int64(anywhere)))
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
		victims := provider.Running(v.folder)
		if cli := provider.CLI(v.folder); whole && cli > 0 {
			victims = slices.Concat([]int{cli}, provider.Children(cli), victims)
		}
		if err := provider.Signal(os.Kill, victims...); err != nil {
			v.Logf("some of %v had ended: %v", victims, err)
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

// mend repairs what the CLI has torn.
func (v *victim) mend() {
	v.Helper()
	torn, err := v.stack.Mend()
	if err != nil {
		v.Fatal(err)
	}
	for _, name := range torn {
		v.Logf("round %d: the CLI has torn %s", v.count, name)
	}
}

// repair does what the CLI says until an up works: where its own death has left
// a lock, it names `pulumi cancel`; where it has left pending operations, it
// names `pulumi refresh`. What dies with the provider alone leaves neither. What Pulumi
// was told of as it died, a refusal says to import.
func (v *victim) repair() {
	v.Helper()
	r := v.up()
	if r.ExitCode != 0 && strings.Contains(r.Stderr, "pulumi cancel") {
		if r, err := v.stack.Run(v.Context(), "cancel", "--yes"); err != nil || r.ExitCode != 0 {
			v.Fatal(err, r.Failure())
		}
		r = v.up()
	}
	if r.ExitCode != 0 && wasTold.MatchString(r.Stdout+r.Stderr) {
		v.imports()
		r = v.up()
	}
	if r.ExitCode != 0 {
		v.Fatalf("the next up: %v", r.Failure())
	}
	if v.pending() > 0 {
		if !strings.Contains(r.Stdout, "`pulumi refresh`") {
			v.Errorf("there are pending operations, and nobody is told: %s", r.Stdout)
		}
		if r, err := v.stack.Project.Refresh(v.Context(), "--clear-pending-creates"); err != nil || r.ExitCode != 0 {
			v.Fatal(err, r.Failure())
		}
	}
}

// imports takes over what Pulumi was told of as it died, which no state has.
func (v *victim) imports() {
	v.Helper()
	state, err := v.stack.Export()
	if err != nil {
		v.Fatal(err)
	}
	list, err := journal.In(v.book).List()
	if err != nil {
		v.Fatal(err)
	}
	for _, i := range list {
		recorded := slices.ContainsFunc(state.Resources, func(r apitype.ResourceV3) bool { return string(r.URN) == i.Resource })
		if i.Status != journal.Handed || recorded {
			continue
		}
		v.Logf("round %d: Pulumi was told of %s, and has not recorded it", v.count, i.Name())
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

// judge compares what Pulumi has recorded with what there is.
func (v *victim) judge() {
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
		v.Errorf("round %d: what Pulumi has, and what there is (-Pulumi +server):\n%s", v.count, diff)
	}
	if diff := cmp.Diff(v.wanted(), sizes); diff != "" {
		v.Errorf("round %d: what the program wants, and what there is (-program +server):\n%s", v.count, diff)
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
			v.Errorf("round %d: %s was made %d times", v.count, name, n)
		}
	}
}

// end destroys everything: nothing is left, on the server nor in the journal.
func (v *victim) end() {
	v.stack.Up(fmt.Sprintf("same=%d", len(v.wanted())))
	v.stack.Destroy(fmt.Sprintf("delete=%d", len(v.wanted())))
	if left := v.server.Objects(); len(left) > 0 {
		v.Errorf("left: %v", left)
	}
	if left, err := journal.In(v.book).List(); err != nil || len(left) > 0 {
		v.Errorf("in the journal: %+v, %v", left, err)
	}
}
