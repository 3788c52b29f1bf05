// Package kill kills a provider with SIGKILL at random moments of creates, over
// the bare protocol and under the real CLI, and goes on in a new one, until all
// is made: none lost, none made twice.
package kill

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/provider"
)

var kills = flag.Int("kills", 100, "how often a provider is killed over the protocol; make model has 1000")

const (
	// batch is how many resources are made side by side.
	batch = 8
	// moment is the longest time from the beginning of creates to the kill: about
	// what a batch takes.
	moment = 40 * time.Millisecond
	// delay is the longest that the server takes, before and after it commits.
	delay = 5 * time.Millisecond
)

// TestKilledAtRandom kills providers while they create, until they were killed
// often enough. Resources have a key or a `find`, in turn: see kinds.
func TestKilledAtRandom(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DECLPROV_JOURNAL", dir)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	w := &world{T: t, random: rand.New(rand.NewPCG(seed, 1)), server: hostile.Start(t), made: map[string]client.State{}}
	w.server.Delay = func() time.Duration { return rand.N(delay) }
	w.folder = provider.Folder(t, "hostile", "tests/http/faults/testdata/hostile.cue")
	for killed := 0; killed < *kills; {
		if len(w.wanted) == 0 {
			w.more()
		}
		if w.killedUp() {
			killed++
		}
	}
	for range 3 { // nobody kills it any more: once is enough, but for what waits for a dead process's request
		if len(w.wanted) > 0 {
			w.up(w.start(), func() {})
		}
	}
	w.judge()
	t.Logf("%d kills, %d resources, %d requests", *kills, len(w.made), len(w.server.Requests()))

	w.settle()
	if left, err := journal.In(dir).List(); err != nil || len(left) > 0 {
		t.Errorf("in the journal once the host has shown all that it has: %+v, %v", left, err)
	}
}

// kinds are the resources of the spec that nothing makes twice.
func kinds() []string { return []string{"Keyed", "Found", "Listed"} }

// world is the host, and the server.
type world struct {
	*testing.T
	random *rand.Rand
	server *hostile.Server
	folder string

	wanted []client.Resource // not recorded yet
	mu     sync.Mutex
	made   map[string]client.State // what the host has recorded, by name
	total  int
}

// more wants another batch.
func (w *world) more() {
	for range batch {
		kind := kinds()[w.total%len(kinds())]
		w.wanted = append(w.wanted, client.Resource{Type: "hostile:index:" + kind, Name: fmt.Sprintf("r%d", w.total)})
		w.total++
	}
}

func (w *world) start() *provider.Process {
	return provider.Configured(w, w.folder, "hostile", w.folder, map[string]property.Value{"endpoint": property.New(w.server.URL)})
}

// killedUp creates what is wanted, and kills the provider in the middle. It
// reports whether the kill hit a create.
func (w *world) killedUp() bool {
	p := w.start()
	wait := time.Duration(w.random.Int64N(int64(moment)))
	return w.up(p, func() {
		time.Sleep(wait)
		p.Kill()
	})
}

// wasTold is the refusal of a create whose provider was killed between the note that the
// host is told of its end and the host's hearing of it.
var wasTold = regexp.MustCompile(`Pulumi was told of "([^"]+)".* import it`)

// up creates what is wanted side by side, while meanwhile runs. It reports
// whether any create did not come to its end.
func (w *world) up(p *provider.Process, meanwhile func()) (cut bool) {
	defer p.Stop()
	var all sync.WaitGroup
	for _, r := range w.wanted {
		all.Go(func() {
			state, err := p.Create(context.Background(), r, inputs(r), client.Operation{})
			if told := wasTold.FindStringSubmatch(fmt.Sprint(err)); told != nil {
				state, err = p.Read(context.Background(), r, client.State{ID: told[1]}, client.Operation{}) // as its remedy says
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if err != nil {
				cut = true
				return
			}
			w.made[r.Name] = state
		})
	}
	meanwhile()
	all.Wait()
	w.wanted = slices.DeleteFunc(w.wanted, func(r client.Resource) bool { return w.made[r.Name].ID != "" })
	return cut
}

func inputs(r client.Resource) property.Map {
	return property.NewMap(map[string]property.Value{"name": property.New(r.Name), "size": property.New(1.0)})
}

// judge compares what the host has recorded with what there is.
func (w *world) judge() {
	recorded, there := map[string]string{}, map[string]string{}
	for name, state := range w.made {
		recorded[state.ID] = name
	}
	for id, o := range w.server.Objects() {
		there[id], _ = o["name"].(string)
	}
	if diff := cmp.Diff(recorded, there); diff != "" {
		w.Errorf("what the host has, and what there is (-host +server):\n%s", diff)
	}
	if len(w.made) != w.total {
		w.Errorf("%d recorded of %d", len(w.made), w.total)
	}
}

// settle shows the provider everything that the host has recorded, as each `up`
// does.
func (w *world) settle() {
	p := w.start()
	for _, name := range slices.Sorted(maps.Keys(w.made)) {
		for _, kind := range kinds() {
			r := client.Resource{Type: "hostile:index:" + kind, Name: name}
			if _, err := p.Diff(w.Context(), r, w.made[name], inputs(r)); err != nil {
				w.Error(err)
			}
		}
	}
}
