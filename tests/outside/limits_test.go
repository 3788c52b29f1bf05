package outside

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
)

// counting is a provider that allows so many values, with documents of each count where
// it looks for them: on a server, in files, and in folders.
func counting(t *testing.T, maxValues int, counts ...int) *provider.Process {
	t.Helper()
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	dir := t.TempDir()
	for _, n := range counts {
		for name, text := range map[string]string{"json": numbers(n), "lines": strings.Repeat("1\n", n)} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(n, ".", name)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		folder := filepath.Join(dir, fmt.Sprint(n, ".d"))
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for i := range n / 9 { // a file of a list is nine values
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscanf(r.URL.Path, "/%d", &n)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, numbers(n))
	}))
	t.Cleanup(server.Close)
	return provider.Configured(t, countedFolder(t, maxValues), "counted", dir, map[string]property.Value{"endpoint": property.New(server.URL)})
}

// countedFolder has the provider that allows so many values.
func countedFolder(t *testing.T, maxValues int) string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "tests/outside/testdata/counted.cue"))
	if err != nil {
		t.Fatal(err)
	}
	return provider.FolderWith(t, "counted", ".cue", strings.Replace(string(text), "maxValues: 50", fmt.Sprint("maxValues: ", maxValues), 1))
}

// numbers is a JSON text of so many values: a list, and what is in it.
func numbers(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n-1), ",") + "]" }

// several is the same for a program.
func several(n int) property.Value {
	items := make([]property.Value, n-1)
	for i := range items {
		items[i] = property.New(1.0)
	}
	return property.New(property.NewArray(items))
}

// doors are all ways by which values enter, each with so many of them.
func doors(p *provider.Process) map[string]func(ctx context.Context, n int) error {
	document := client.Resource{Type: "counted:index:Document", Name: "it"}
	inputs := func(n int, more map[string]property.Value) property.Map {
		m := property.NewMap(map[string]property.Value{"count": property.New(float64(n))})
		for name, v := range more {
			m = m.Set(name, v)
		}
		return m
	}
	ask := func(function string, more map[string]property.Value) func(context.Context, int) error {
		return func(ctx context.Context, n int) error {
			args, err := wire.Encoder{}.Encode(inputs(n, more))
			if err != nil {
				return err
			}
			res, err := p.Raw().Invoke(ctx, &pulumirpc.InvokeRequest{Tok: "counted:index:" + function, Args: args})
			if failures := res.GetFailures(); err == nil && len(failures) > 0 {
				return fmt.Errorf("%v", failures)
			}
			return err
		}
	}
	settings := func(v func(n int) property.Value) func(context.Context, int) error {
		return func(ctx context.Context, n int) error {
			checked, err := p.CheckConfig(ctx, "counted", property.NewMap(map[string]property.Value{"endpoint": property.New("http://127.0.0.1:1"), "numbers": v(n)}))
			if err == nil && len(checked.Failures) > 0 {
				return fmt.Errorf("%v", checked.Failures)
			}
			return err
		}
	}
	return map[string]func(context.Context, int) error{
		"create": func(ctx context.Context, n int) error {
			_, err := p.Create(ctx, document, inputs(n, nil), client.Operation{})
			return err
		},
		"read": func(ctx context.Context, n int) error {
			_, err := p.Read(ctx, document, client.State{ID: fmt.Sprint(n)}, client.Operation{})
			return err
		},
		"list": func(ctx context.Context, n int) error {
			_, err := p.List(ctx, document.Type, inputs(n, nil), 0, 0, "")
			return err
		},
		"response": ask("fetched", nil), "JSON in an expression": ask("decoded", nil),
		"YAML in an expression": ask("decoded", map[string]property.Value{"yaml": property.New(true)}),
		"JSON of a command":     ask("printed", nil), "lines of a command": ask("lines", nil), "files of a folder": ask("listed", nil),
		"argument": func(ctx context.Context, n int) error {
			return ask("fetched", map[string]property.Value{"also": several(n - 2)})(ctx, 3)
		},
		"input": func(ctx context.Context, n int) error {
			_, err := p.Check(ctx, document, property.Map{}, inputs(3, map[string]property.Value{"also": several(n - 2)}))
			return err
		},
		"setting":         settings(func(n int) property.Value { return several(n - 2) }),
		"setting as text": settings(func(n int) property.Value { return property.New(numbers(n)) }),
	}
}

// TestEveryDoorCounts: each way in takes as many values as the spec says, whether that is
// less or more than by default, and no more; and its error names what raises that.
func TestEveryDoorCounts(t *testing.T) {
	for _, limit := range []int{50, 1000} {
		p := counting(t, limit, limit-10, limit+20)
		for name, enter := range doors(p) {
			if err := enter(t.Context(), limit-10); err != nil {
				t.Errorf("%s: %d values of %d: %v", name, limit-10, limit, err)
			}
			err := enter(t.Context(), limit+20)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint(limit)) || !strings.Contains(err.Error(), "maxValues") {
				t.Errorf("%s: %d values of %d: %v", name, limit+20, limit, err)
			}
		}
	}
}

// TestEnvironmentIsCounted: a setting that comes from the environment is one like any other.
func TestEnvironmentIsCounted(t *testing.T) {
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	for limit, fits := range map[int]bool{50: false, 1000: true} {
		t.Setenv("COUNTED_GIVEN", numbers(200))
		p := provider.Start(t, countedFolder(t, limit), "counted", t.TempDir())
		if err := p.Handshake(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		checked, err := p.CheckConfig(t.Context(), "counted", property.NewMap(map[string]property.Value{"endpoint": property.New("http://127.0.0.1:1")}))
		if err != nil || fits != (len(checked.Failures) == 0) {
			t.Errorf("%d: %v, %v", limit, checked.Failures, err)
		}
	}
}

// TestStepsSayMore: a step's own limit comes before that of the spec.
func TestStepsSayMore(t *testing.T) {
	p := counting(t, 50)
	for n, fits := range map[int]bool{900: true, 1100: false} {
		_, err := p.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "counted:index:raised", Args: object(t, map[string]any{"count": n})})
		if fits != (err == nil) || err != nil && !strings.Contains(err.Error(), "maxValues allows 1000") {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// TestLargeStates: what the limit lets in is recorded, looked at, compared, updated and
// removed like anything else, by a spec with a lower limit, too.
func TestLargeStates(t *testing.T) {
	const count = 500
	it := client.Resource{Type: "counted:index:Document", Name: "it"}
	inputs := property.NewMap(map[string]property.Value{"count": property.New(float64(count)), "text": property.New("[1]")})
	p := counting(t, 1000)
	made, err := p.Create(t.Context(), it, inputs, client.Operation{})
	if n := made.Outputs.Get("items"); err != nil || !n.IsArray() || n.AsArray().Len() != count-1 {
		t.Fatalf("create: %v", err)
	}
	for _, q := range []*provider.Process{p, counting(t, 60)} {
		if c, err := q.Check(t.Context(), it, inputs.Set("also", several(count)), inputs); err != nil || len(c.Failures) > 0 {
			t.Errorf("check: %v, %v", c.Failures, err)
		}
		if d, err := q.Diff(t.Context(), it, made, inputs.Set("text", property.New("[1] "))); err != nil || d.Changed {
			t.Errorf("diff: %+v, %v", d, err)
		}
		if _, err := q.Update(t.Context(), it, made, inputs.Set("text", property.New("[2]")), client.Operation{Preview: true}); err != nil {
			t.Errorf("preview: %v", err)
		}
	}
	read, err := p.Read(t.Context(), it, made, client.Operation{})
	if err != nil || read.Outputs.Get("items").AsArray().Len() != count-1 {
		t.Errorf("read: %v", err)
	}
	if _, err := p.Update(t.Context(), it, made, inputs.Set("text", property.New("[2]")), client.Operation{}); err != nil {
		t.Errorf("update: %v", err)
	}
	if err := p.Delete(t.Context(), it, made, client.Operation{}); err != nil {
		t.Errorf("delete: %v", err)
	}
}
