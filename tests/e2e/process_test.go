package e2e

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// values is a map of properties.
type values = map[string]property.Value

// filesProcess is examples/files.cue in a process of its own, configured, with
// a program in the folder.
func filesProcess(t *testing.T) (*provider.Process, string) {
	t.Helper()
	dir := t.TempDir()
	return provider.Configured(t, provider.Folder(t, "files", "examples/files.cue"), "files", dir, nil), dir
}

// testdataProcess is a provider of this package's testdata.
func testdataProcess(t *testing.T, name string) *provider.Process {
	t.Helper()
	return provider.Configured(t, provider.Folder(t, name, "tests/e2e/testdata/"+name+".cue"), name, t.TempDir(), nil)
}

// fileNamed is a resource of files.cue, and its inputs.
func fileNamed(name, content string) (client.Resource, values) {
	return client.Resource{Type: "files:index:File", Name: name},
		values{"path": property.New(name + ".txt"), "content": property.New(content)}
}

// checked are inputs as the provider wants them.
func checked(t *testing.T, p *provider.Process, r client.Resource, news values) property.Map {
	t.Helper()
	c, err := p.Check(t.Context(), r, property.Map{}, property.NewMap(news))
	if err != nil || len(c.Failures) > 0 {
		t.Fatalf("check of %v: %v, %v", news, c.Failures, err)
	}
	return c.Inputs
}

// created is a resource that the provider made.
func created(t *testing.T, p *provider.Process, r client.Resource, news values) client.State {
	t.Helper()
	state, err := p.Create(t.Context(), r, checked(t, p, r, news), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func processes() []point {
	return []point{
		{1, "the port stands alone on the first line", func(t *testing.T) {
			filesProcess(t) // it fails on anything but a number
		}},
		{2, "it starts without arguments", func(t *testing.T) {
			filesProcess(t)
		}},
		{3, "one process takes several handshakes and configurations", func(t *testing.T) {
			p, dir := filesProcess(t)
			r, in := fileNamed("a", "hello")
			created(t, p, r, in)
			if err := p.Handshake(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			p.Reconfigure(t, "files", values{"root": property.New("below")})
			created(t, p, r, in)
			for _, name := range []string{"a.txt", "below/a.txt"} {
				if _, err := os.Stat(dir + "/" + name); err != nil {
					t.Error(err)
				}
			}
		}},
		{4, "an interrupt ends it", func(t *testing.T) {
			p, _ := filesProcess(t)
			if err := p.Interrupt(); err != nil {
				t.Fatal(err)
			}
			if !p.Ends(time.Minute) {
				t.Error("it is still there")
			}
		}},
		{5, "the end of its input ends it once the engine is gone", func(t *testing.T) {
			engine := provider.Engine(t)
			p := provider.Start(t, provider.Folder(t, "files", "examples/files.cue"), "files", t.TempDir(), engine.Address())
			p.CloseStdin()
			if p.Ends(time.Second) {
				t.Error("it ended though the engine lives")
			}
			engine.Stop()
			if !p.Ends(time.Minute) {
				t.Error("it outlived the engine")
			}
		}},
		{6, "Cancel ends what is under way", func(t *testing.T) {
			p := testdataProcess(t, "pair")
			r := client.Resource{Type: "pair:index:Awaited", Name: "a"}
			in := checked(t, p, r, values{"path": property.New("never")})
			ended := make(chan error, 1)
			go func() {
				_, err := p.Create(t.Context(), r, in, client.Operation{})
				ended <- err
			}()
			time.Sleep(200 * time.Millisecond) // it polls by now
			if err := p.Cancel(t.Context()); err != nil {
				t.Errorf("Cancel: %v", err)
			}
			select {
			case err := <-ended:
				if err == nil {
					t.Error("the create worked")
				}
			case <-time.After(30 * time.Second):
				t.Error("the create goes on")
			}
		}},
		{8, "creates side by side", func(t *testing.T) {
			p, dir := filesProcess(t)
			var all sync.WaitGroup
			for i := range 64 {
				all.Go(func() {
					r, in := fileNamed(fmt.Sprintf("f%d", i), fmt.Sprint(i))
					c, err := p.Check(t.Context(), r, property.Map{}, property.NewMap(in))
					if err == nil {
						_, err = p.Create(t.Context(), r, c.Inputs, client.Operation{})
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			for i := range 64 {
				if got, err := os.ReadFile(fmt.Sprintf("%s/f%d.txt", dir, i)); err != nil || string(got) != fmt.Sprint(i) {
					t.Errorf("f%d.txt: %q, %v", i, got, err)
				}
			}
		}},
		{10, "messages beyond 4 MB", func(t *testing.T) {
			p, dir := filesProcess(t)
			r, in := fileNamed("big", strings.Repeat("0123456789abcdef", 500_000))
			created(t, p, r, in)
			if info, err := os.Stat(dir + "/big.txt"); err != nil || info.Size() != 8_000_000 {
				t.Errorf("%v, %v", info, err)
			}
		}},
		{16, "resources without a schema asked for", func(t *testing.T) {
			p, _ := filesProcess(t)
			r, in := fileNamed("a", "hello")
			state := created(t, p, r, in)
			if _, err := p.Read(t.Context(), r, state, client.Operation{}); err != nil {
				t.Error(err)
			}
			if err := p.Delete(t.Context(), r, state, client.Operation{}); err != nil {
				t.Error(err)
			}
		}},
		{67, "messages belong to their resource, and live ones go", func(t *testing.T) {
			engine := provider.Engine(t)
			p := provider.Start(t, provider.Folder(t, "pair", "tests/e2e/testdata/pair.cue"), "pair", t.TempDir())
			if err := p.Handshake(t.Context(), engine.Address()); err != nil {
				t.Fatal(err)
			}
			p.Reconfigure(t, "pair", nil)
			r := client.Resource{Type: "pair:index:Awaited", Name: "a"}
			in := checked(t, p, r, values{"path": property.New("never")})
			if _, err := p.Create(t.Context(), r, in, client.Operation{Timeout: 5 * time.Second}); err == nil {
				t.Fatal("a file that never comes was found")
			}
			for _, m := range engine.Logs() {
				if m.Ephemeral && m.URN == r.URN() && strings.Contains(m.Text, "waiting for never") {
					return
				}
			}
			t.Errorf("no live status for %s in %+v", r.URN(), engine.Logs())
		}},
	}
}
