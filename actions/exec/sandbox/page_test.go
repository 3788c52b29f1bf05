package sandbox

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:generate go test . -run ^TestThePageIsFresh$ -update
var update = flag.Bool("update", false, "write docs/sandbox.md anew")

func TestThePageIsFresh(t *testing.T) {
	const path = "../../../docs/sandbox.md"
	if *update {
		if err := os.WriteFile(path, []byte(ExceptionPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), ExceptionPage()); diff != "" {
		t.Errorf("stale; run: go generate ./actions/exec/sandbox\n%s", diff)
	}
}
