// Package kill kills providers with SIGKILL at random moments of creates, over the bare
// protocol and with the real CLI, and continues with a new provider until everything is
// created. Nothing may be lost or created twice.
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

var kills = flag.Int("kills", 100, "number of kills over the protocol (make model uses 1000)")

const (
	// batch is how many resources are created concurrently.
	batch = 8
	// maxDelay is the maximum time from the start of creates to the kill: about the duration
	// of a batch.
	maxDelay = 40 * time.Millisecond
	// delay is the maximum delay of the server, before and after it commits.
	delay = 5 * time.Millisecond
)

// TestKilledAtRandom kills providers during creates. Resources have a key or a `find`: see
// kinds.
func TestKilledAtRandom(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DECLPROV_JOURNAL", dir)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	w := &fixture{T: t, random: rand.New(rand.NewPCG(seed, 1)), server: hostile.Start(t), made: map[string]client.State{}}
	w.server.Delay = func() time.Duration { return rand.N(delay) }
	w.folder = provider.Folder(t, "hostile", "tests/http/faults/testdata/hostile.cue")
	for killed := 0; killed < *kills; {
		if len(w.wanted) == 0 {
			w.addBatch()
		}
		if w.killedUp() {
			killed++
		}
	}
	for range 3 { // without kills; more than one run is only needed to wait for requests of killed processes
		if len(w.wanted) > 0 {
			w.up(w.start(), func() {})
		}
	}
	w.checkState()
	t.Logf("%d kills, %d resources, %d requests", *kills, len(w.made), len(w.server.Requests()))

	w.settle()
	if left, err := journal.Open(dir).List(); err != nil || len(left) > 0 {
		t.Errorf("intents remain although the host has shown its whole state: %+v, %v", left, err)
	}
}

// kinds returns the resources of the spec that are never created twice.
func kinds() []string { return []string{"Keyed", "Found", "Listed"} }

// fixture is the host and the server.
type fixture struct {
	*testing.T
	random *rand.Rand
	server *hostile.Server
	folder string

	wanted []client.Resource // not yet recorded
	mu     sync.Mutex
	made   map[string]client.State // the host's states, by name
	total  int
}

// addBatch adds a batch of resources.
func (w *fixture) addBatch() {
	for range batch {
		kind := kinds()[w.total%len(kinds())]
		w.wanted = append(w.wanted, client.Resource{Type: "hostile:index:" + kind, Name: fmt.Sprintf("r%d", w.total)})
		w.total++
	}
}

func (w *fixture) start() *provider.Process {
	return provider.Configured(w, w.folder, "hostile", w.folder, map[string]property.Value{"endpoint": property.New(w.server.URL)})
}

// killedUp creates the wanted resources, and kills the provider meanwhile. It reports whether
// the kill hit a create.
func (w *fixture) killedUp() bool {
	p := w.start()
	wait := time.Duration(w.random.Int64N(int64(maxDelay)))
	return w.up(p, func() {
		time.Sleep(wait)
		p.Kill()
	})
}

// toldPattern matches the refusal of a create whose provider was killed after it noted that
// the host was told of the resource, and before the host received it.
var toldPattern = regexp.MustCompile(`Pulumi was told of "([^"]+)".* import it`)

// up creates the wanted resources concurrently, while meanwhile runs. It reports whether any
// create was cut off.
func (w *fixture) up(p *provider.Process, meanwhile func()) (cut bool) {
	defer p.Stop()
	var all sync.WaitGroup
	for _, r := range w.wanted {
		all.Go(func() {
			state, err := p.Create(context.Background(), r, inputs(r), client.Operation{})
			if told := toldPattern.FindStringSubmatch(fmt.Sprint(err)); told != nil {
				state, err = p.Read(context.Background(), r, client.State{ID: told[1]}, client.Operation{}) // follow the remedy in the error
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

// checkState compares the host's states with the server.
func (w *fixture) checkState() {
	recorded, there := map[string]string{}, map[string]string{}
	for name, state := range w.made {
		recorded[state.ID] = name
	}
	for id, o := range w.server.Objects() {
		there[id], _ = o["name"].(string)
	}
	if diff := cmp.Diff(recorded, there); diff != "" {
		w.Errorf("the host and the server differ (-host +server):\n%s", diff)
	}
	if len(w.made) != w.total {
		w.Errorf("%d recorded of %d", len(w.made), w.total)
	}
}

// settle shows the provider all states of the host, as each `up` does.
func (w *fixture) settle() {
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
