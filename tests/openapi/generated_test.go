package openapi

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/provider"
)

var apis = flag.Int("apis", 16, "number of generated APIs")

// repeated are the seeds of APIs for which a spec was wrong once. In 202, an update must contain the name that is in its path; in 175 and 245,
// only a create next to rest sends a form.
var repeated = []int{202, 175, 245}

// TestGeneratedAPIs makes specs from the documents of generated APIs. Vet finds no error, and a life by `declprov try` finds that nothing is
// missing: each member is sent, each change arrives, and another up would change nothing.
func TestGeneratedAPIs(t *testing.T) {
	t.Parallel()
	seeds := slices.Clone(repeated)
	for seed := range *apis {
		if !slices.Contains(seeds, seed) {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			s := &server{api: generate(r), objects: map[string]map[string]any{}}
			web := httptest.NewServer(s)
			defer web.Close()
			dir := t.TempDir()
			document, err := json.Marshal(s.document(strings.TrimPrefix(web.URL, "http://")))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "document.json")
			if err := os.WriteFile(path, document, 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"init", "made", dir, "--openapi", path}
			spec := filepath.Join(dir, "made.cue")
			if seed%2 == 1 {
				args = append(args, "--yaml")
				spec = filepath.Join(dir, "made.yaml")
			}
			declprov(t, 0, args...)
			declprov(t, 0, "vet", spec)
			text, err := os.ReadFile(spec)
			if err != nil {
				t.Fatal(err)
			}
			resource, inputs, change := s.life(r, string(text))
			t.Log(declprov(t, 0, slices.Concat([]string{"try", spec, resource}, inputs, change)...))
			if len(s.objects) > 0 {
				t.Errorf("this is left: %v", s.objects)
			}
		})
	}
}

// life returns the name of the resource, the inputs of a life, and its changes.
func (a *api) life(r *rand.Rand, spec string) (resource string, inputs, changes []string) {
	resource = map[string]string{"/pets": "Pet", "/api/v2/stock-items": "StockItem", "/user_groups": "UserGroup"}[a.path[strings.LastIndex(a.path, "}")+1:]]
	if a.parent != "" {
		inputs = append(inputs, map[string]string{"owner": "owner", "store_id": "storeId", "id": "ownerId"}[a.parent]+"=o1")
	}
	for _, m := range a.members {
		value := func(i int) string {
			text, err := json.Marshal(declared(m.values[i]))
			if err != nil {
				panic(err)
			}
			return camel(m.name) + ":=" + string(text)
		}
		switch {
		case m.readOnly:
		case m.required || m.name == a.id:
			inputs = append(inputs, value(0))
			if m.name != a.id && r.IntN(2) == 0 {
				changes = append(changes, "--then", value(1))
			}
		case r.IntN(3) == 0:
			inputs = append(inputs, value(0))
			changes = append(changes, "--then", value(1))
		case r.IntN(2) == 0:
			changes = append(changes, "--then", value(0))
		}
	}
	return resource, inputs, changes
}

// declared returns a value with the declared names of struct members: only those of the nested object are names.
func declared(value any) any {
	m, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	for k, v := range m {
		if regexp.MustCompile(`(?i)^(first|last)_?(name|size)$`).MatchString(k) {
			k = camel(strings.ToLower(k[:1]) + k[1:])
		}
		out[k] = v
	}
	return out
}

// declprov runs a command, which must end with the exit code.
func declprov(t *testing.T, code int, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, provider.Binary(t), args...)
	cmd.Env = append(os.Environ(), "DECLPROV_CACHE="+t.TempDir())
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		text := ""
		for _, arg := range args {
			if ext := filepath.Ext(arg); ext == ".cue" || ext == ".yaml" {
				content, _ := os.ReadFile(arg)
				text += string(content)
			}
		}
		t.Fatalf("declprov %q: %v\n%s\n%s", args, cmd.ProcessState, out, text)
	}
	return string(out)
}
