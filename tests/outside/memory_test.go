// Package outside shows that what comes from outside is data: however much it is,
// and whatever it looks like to the host.
package outside

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/provider"
)

const (
	// size is that of each document: as much as a step reads by default.
	size = 16<<20 - 1
	// mostMemory and mostTime are what a provider may take for one: the time that it
	// works, because how long that takes depends on who else works on the machine.
	mostMemory = 300 << 20
	mostTime   = 10 * time.Second
)

// shapes are documents of as many values as fit into so many bytes. Each is far more
// values than a step reads by default.
func shapes() map[string]func(size int) string {
	return map[string]func(int) string{
		"objects": func(n int) string { return list(n, "{}") },
		"lists":   func(n int) string { return list(n, "[]") },
		"numbers": func(n int) string { return list(n, "0") },
		"nulls":   func(n int) string { return list(n, "null") },
		"strings": func(n int) string { return list(n, `"a"`) },
		"nested":  func(n int) string { return list(n, `{"a":[{"b":[]}]}`) },
		"deep":    func(n int) string { return list(n, strings.Repeat("[", 90)+strings.Repeat("]", 90)) },
		"members": func(n int) string {
			var b strings.Builder
			b.WriteByte('{')
			for i := 0; b.Len() < n-32; i++ {
				fmt.Fprintf(&b, `"%x":0,`, i)
			}
			return b.String() + `"":0}`
		},
		"xml-elements": func(n int) string { return "<a>" + strings.Repeat("<b/>", (n-8)/4) + "</a>" },
		"xml-attributes": func(n int) string {
			var b strings.Builder
			b.WriteString("<a")
			for i := 0; b.Len() < n-32; i++ {
				fmt.Fprintf(&b, ` a%x=""`, i)
			}
			return b.String() + "/>"
		},
	}
}

// list is a JSON list of equal items.
func list(size int, item string) string {
	return "[" + strings.Repeat(item+",", (size-len(item)-2)/(len(item)+1)) + item + "]"
}

// serve answers every request about a shape with its document, and what is below
// /small with nothing.
func serve(t *testing.T, documents map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		document := documents[strings.TrimPrefix(r.URL.Path, "/")]
		if strings.HasPrefix(document, "<") {
			w.Header().Set("Content-Type", "application/xml")
		} else {
			w.Header().Set("Content-Type", "application/json")
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(document)))
		fmt.Fprint(w, document)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestManySmallValues: bytes alone bound nothing. 16 MiB of small values of whatever
// shape take neither memory nor time, whatever reads them.
func TestManySmallValues(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read from /proc")
	}
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	documents := map[string]string{}
	for name, make := range shapes() {
		documents[name] = make(size)
	}
	// A YAML text may have 1 MiB; aliases make more of it.
	documents["yaml-aliases"] = aliases()
	endpoint := serve(t, documents)
	folder := provider.Folder(t, "big", "tests/outside/testdata/big.cue")
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, name), []byte(document), 0o600); err != nil {
				t.Fatal(err)
			}
			p := provider.Configured(t, folder, "big", dir, map[string]property.Value{"endpoint": property.New(endpoint)})
			for _, way := range ways() {
				if !way.reads(name) {
					continue
				}
				began := worked(t, p.PID)
				err := way.run(t.Context(), p, name)
				if busy := worked(t, p.PID) - began; busy > mostTime {
					t.Errorf("%s: it took %s", way.name, busy)
				}
				if err == nil || !strings.Contains(err.Error(), way.says) {
					t.Errorf("%s: expected an error that says %q, got %v", way.name, way.says, err)
				}
			}
			if used := peak(t, p.PID); used > mostMemory {
				t.Errorf("the provider took %d MiB", used>>20)
			}
		})
	}
}

// aliases is a small YAML text that stands for more than a million values.
func aliases() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [1,1,1,1,1,1,1,1,1]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
	}
	return b.String()
}

// way is one by which a document enters the provider.
type way struct {
	name string
	// file says that the document is a file where the provider runs.
	file bool
	// says is what the error says: the limit, and the option that raises it.
	says string
	run  func(ctx context.Context, p *provider.Process, shape string) error
}

// reads reports whether the way reads documents of that shape.
func (w way) reads(shape string) bool {
	switch yaml, xml := strings.HasPrefix(shape, "yaml"), strings.HasPrefix(shape, "xml"); {
	case w.name == "decoded":
		return !xml
	case w.file:
		return !xml && !yaml
	default:
		return !yaml
	}
}

func ways() []way {
	function := func(function string) func(context.Context, *provider.Process, string) error {
		return func(ctx context.Context, p *provider.Process, shape string) error {
			_, err := ask(ctx, p, function, shape)
			return err
		}
	}
	const says = "maxValues"
	return []way{
		{name: "create", says: says, run: func(ctx context.Context, p *provider.Process, shape string) error {
			_, err := p.Create(ctx, client.Resource{Type: "big:index:Made", Name: "it"}, shaped(shape), client.Operation{})
			return err
		}},
		{name: "read", says: says, run: func(ctx context.Context, p *provider.Process, shape string) error {
			_, err := p.Read(ctx, client.Resource{Type: "big:index:Seen", Name: "it"}, client.State{ID: shape}, client.Operation{})
			return err
		}},
		{name: "list", says: says, run: func(ctx context.Context, p *provider.Process, shape string) error {
			_, err := p.List(ctx, "big:index:Listed", shaped(shape), 0, 0, "")
			return err
		}},
		{name: "function", says: says, run: function("get")},
		{name: "decoded", says: "at most 1000000", run: function("decoded")},
		{name: "printed", file: true, says: says, run: function("printed")},
	}
}

// TestMoreValues: a spec may raise the limit, and says with what.
func TestMoreValues(t *testing.T) {
	document := list(3*1_050_000, "{}")
	endpoint := serve(t, map[string]string{"objects": document, "more": list(3*1_200_000, "{}")})
	p := provider.Configured(t, provider.Folder(t, "big", "tests/outside/testdata/big.cue"), "big", t.TempDir(),
		map[string]property.Value{"endpoint": property.New(endpoint)})
	got, err := ask(t.Context(), p, "more", "objects")
	if n := got.Get("count"); err != nil || !n.IsNumber() || n.AsNumber() < 1_000_000 {
		t.Errorf("expected more than a million items, got %v, %v", n, err)
	}
	_, err = ask(t.Context(), p, "more", "more")
	if err == nil || !strings.Contains(err.Error(), "maxValues allows 1100000, counting all pages; raise maxValues") {
		t.Error(err)
	}
}

// ask asks a function about a shape.
func ask(ctx context.Context, p *provider.Process, function, shape string) (property.Map, error) {
	args, err := wire.Encoder{}.Encode(shaped(shape))
	if err != nil {
		return property.Map{}, err
	}
	res, err := p.Raw().Invoke(ctx, &pulumirpc.InvokeRequest{Tok: "big:index:" + function, Args: args})
	if err != nil {
		return property.Map{}, err
	}
	return wire.Decode(res.GetReturn())
}

// shaped are the inputs and arguments of all that the provider has.
func shaped(name string) property.Map {
	return property.NewMap(map[string]property.Value{"shape": property.New(name)})
}

// worked is how long a process has kept processors busy.
func worked(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	// Behind the name, which may hold anything: utime and stime are fields 14 and 15,
	// in hundredths of seconds.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// peak is the most memory that a process has had.
func peak(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("the process does not say how much memory it has had")
	return 0
}
