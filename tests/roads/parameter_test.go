package roads

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/tests/internal/provider"
)

// encodeParameter returns a parameter as the base plugin stores it: a spec with one file.
func encodeParameter(t *testing.T, path, text string) []byte {
	t.Helper()
	doc, err := json.Marshal(map[string]any{
		"declprovSource": 1, "spec": path, "files": []any{map[string]string{"path": path, "text": text}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return compress(t, doc)
}

func compress(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// residentLimit is the maximum memory that the plugin may use for a hostile parameter.
const residentLimit = 128 << 20

// TestHostileParameters checks that the base plugin refuses hostile parameters with little memory,
// and serves a valid one afterwards.
func TestHostileParameters(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Symlink(provider.Binary(t), folder+"/pulumi-resource-declprov"); err != nil {
		t.Fatal(err)
	}
	p := provider.Start(t, folder, "declprov", t.TempDir())
	parameterize := func(value []byte) error {
		_, err := p.Raw().Parameterize(t.Context(), &pulumirpc.ParameterizeRequest{Parameters: &pulumirpc.ParameterizeRequest_Value{
			Value: &pulumirpc.ParameterizeRequest_ParametersValue{Name: "notes", Version: "0.1.0", Value: value},
		}})
		return err
	}
	const spec = "name: \"notes\"\nversion: \"0.1.0\"\n"
	good := encodeParameter(t, "notes.cue", spec)
	const again = "Run `pulumi package add` again"
	for name, test := range map[string]struct {
		value []byte
		want  string
	}{
		"empty":                     {[]byte{}, again},
		"garbage":                   {[]byte("garbage"), again},
		"truncated":                 {good[:len(good)-12], again},
		"a bomb":                    {compress(t, make([]byte, 1<<28)), "more than 6 MiB"},
		"a newer format":            {compress(t, []byte(`{"declprovSource": 7}`)), "newer declprov"},
		"a path above":              {encodeParameter(t, "../notes.cue", spec), again},
		"an absolute path":          {encodeParameter(t, "/notes.cue", spec), again},
		"a spec with mistakes":      {encodeParameter(t, "notes.cue", "nmae: 1\n"), "notes.cue:1"},
		"a spec of another package": {encodeParameter(t, "notes.cue", strings.Replace(spec, "notes", "others", 1)), `expected "notes"`},
	} {
		err := parameterize(test.value)
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, expected InvalidArgument with %q", name, err, test.want)
		}
		if strings.Contains(fmt.Sprint(err), os.TempDir()) {
			t.Errorf("%s: the error has a temporary path: %v", name, err)
		}
	}
	if most := peakMemory(t, p.PID); most > residentLimit {
		t.Errorf("the plugin has used %d MiB", most>>20)
	}
	if err := parameterize(good); err != nil {
		t.Errorf("a valid parameter after invalid ones: %v", err)
	}
}

// peakMemory returns the largest resident size that a process has had, in bytes.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("this system has no /proc")
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no VmHWM in %s", text)
	}
	kb, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
