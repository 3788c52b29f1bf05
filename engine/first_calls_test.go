package engine

import (
	"flag"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
)

var firstCallRounds = flag.Int("first-calls", 20, "rounds of parallel first calls; make model has 200")

// Everything is compiled when it is first asked for, by many at once. The race
// detector of make test looks on.
func TestParallelFirstCalls(t *testing.T) {
	t.Parallel()
	for name, encoded := range encodedSpecs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range *firstCallRounds {
				firstCalls(t, encoded)
			}
		})
	}
}

const callers = 60

func firstCalls(t *testing.T, encoded []byte) {
	p := open(t, encoded)
	p.Session = nil // it asks a server
	e, err := p.Configure(t.Context(), someConfig(p), Options{Dir: t.TempDir(), Journal: t.TempDir(), Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	parts := partsOf(p)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			<-start
			if _, err := parts[i%len(parts)].get(); err != nil {
				t.Error(err)
			}
			if i >= len(p.ResourceNames()) {
				return
			}
			ref := Ref{Type: p.ResourceNames()[i], Name: "n", Key: "urn"}
			checked, err := e.Check(t.Context(), CheckRequest{Ref: ref, New: property.Map{}})
			if err != nil {
				t.Error(err)
			}
			if _, err := e.Diff(t.Context(), DiffRequest{Ref: ref, New: checked.Inputs, State: State{ID: "n"}}); err != nil {
				t.Log(err) // of inputs that are missing
			}
		})
	}
	close(start)
	all.Wait()
}

// someConfig has something for each setting that is required.
func someConfig(p *Program) property.Map {
	values := map[string]property.Value{}
	for _, f := range p.Provider.Config.Fields {
		if f.Required && f.Default == nil && p.Provider.Types.Resolve(f.Type).Kind == spec.String {
			values[f.Name] = property.New("http://127.0.0.1:1")
			if f.Name == "host" {
				values[f.Name] = property.New("localhost")
			}
		}
	}
	return property.NewMap(values)
}
