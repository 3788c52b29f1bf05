package grants

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/provider"
)

// site is a server that notes what it is asked for, and with which credentials.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
	// connected counts who connects, also those who ask for nothing.
	connected atomic.Int64
}

// newSite starts a server whose responses are the handler's; nil is `{}` to everything.
func newSite(t *testing.T, handler func(s *site, w http.ResponseWriter, r *http.Request)) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := ""
		for _, name := range []string{"Authorization", "X-Key", "Cookie", "Proxy-Authorization"} {
			if v := r.Header.Get(name); v != "" {
				got += " " + name + "=" + v
			}
		}
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.URL.String()+got)
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if handler != nil {
			handler(s, w, r)
			return
		}
		fmt.Fprint(w, "{}")
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connected.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// asked is what the server was asked for.
func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.seen...)
}

// desk is a provider at work in a folder of its own.
type desk struct {
	*testing.T
	*provider.Process
	name, dir string
}

// serve serves a spec, which gets a name, with the configuration and variables.
func serve(t *testing.T, spec, dir string, config map[string]property.Value, env ...string) *desk {
	t.Helper()
	folder := provider.FolderWith(t, "hostile", ".cue", headed(spec))
	p, err := provider.Launch(folder, "hostile", provider.Options{Dir: dir, Stderr: t.Output(), Env: append(env, "DECLPROV_JOURNAL="+t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	d := &desk{T: t, Process: p, name: "hostile", dir: dir}
	if err := p.Handshake(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	p.Reconfigure(t, d.name, config)
	return d
}

func headed(spec string) string {
	imports := ""
	if strings.Contains(spec, "spec.#") {
		imports = "import \"declprov.dev/spec\"\n"
	}
	return "package hostile\n" + imports + "name: \"hostile\"\nversion: \"1.0.0\"\n" + spec
}

// invoke calls a function of the spec, and returns what went wrong, or "".
func (d *desk) invoke(function string, inputs map[string]property.Value) string {
	d.Helper()
	_, failed := d.invoked(function, inputs)
	return failed
}

func (d *desk) invoked(function string, inputs map[string]property.Value) (property.Map, string) {
	d.Helper()
	args, err := wire.Encoder{}.Encode(property.NewMap(inputs))
	if err != nil {
		d.Fatal(err)
	}
	r, err := d.Raw().Invoke(d.Context(), &pulumirpc.InvokeRequest{Tok: d.name + ":index:" + function, Args: args})
	if err != nil {
		return property.Map{}, err.Error()
	}
	failed := ""
	for _, f := range r.GetFailures() {
		failed += f.GetProperty() + ": " + f.GetReason()
	}
	out, err := wire.Decode(r.GetReturn())
	if err != nil {
		return out, cmp.Or(failed, err.Error())
	}
	return out, failed
}

// vet is what `declprov vet` says of a spec, and whether it passes.
func vet(t *testing.T, spec string) (said string, passes bool) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), provider.Binary(t), "vet", "--format", "json", "-")
	cmd.Stdin = strings.NewReader(headed(spec))
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}
