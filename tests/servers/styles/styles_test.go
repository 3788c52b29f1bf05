package styles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// TestStyles creates a resource of each style, and a second run changes nothing. It finds and
// corrects drift, updates, replaces, imports and destroys.
func TestStyles(t *testing.T) {
	t.Parallel()
	all := slices.Concat(startNode(t), startWebDAV(t), startAzure(t), startBroker(t))
	providers, env := pulumitest.Providers{}, []string{}
	for _, s := range all {
		providers[s.provider] = provider.FolderWith(t, s.provider, ".cue", s.spec(t))
		env = append(env, s.env...)
	}
	stack, n := pulumitest.New(t, providers, env...), len(all)
	run := func(stage int, properties func(style) string, ops string) {
		t.Helper()
		stack.Program(program(all, properties, nil))
		stack.Up(fmt.Sprintf(ops, n))
		compare(t, all, stage)
	}
	created := func(s style) string { return s.created }
	run(0, created, "create=%d")
	stack.Up(fmt.Sprintf("same=%d", n))

	var drifted []string
	for _, s := range all {
		s.drift(t)
		drifted = append(drifted, fmt.Sprintf("update %s %s", s.resource, s.provider))
	}
	slices.Sort(drifted)
	stack.Refresh(drifted...)
	run(0, created, "update=%d")
	run(1, func(s style) string { return s.updated }, "update=%d")
	replaced := func(s style) string { return s.replaced }
	run(2, replaced, "create-replacement=%[1]d delete-replaced=%[1]d replace=%[1]d")

	// Another stack imports the objects, and finds them as this one left them.
	ids := map[string]string{}
	for _, s := range all {
		ids[s.provider] = stack.Recorded(s.provider).ID.String()
	}
	other := pulumitest.New(t, providers, env...)
	other.Program(program(all, replaced, ids))
	other.Up(fmt.Sprintf("import=%d", n))

	stack.Destroy(fmt.Sprintf("delete=%d", n))
	for _, s := range all {
		if left := s.things(t); len(left) > 0 {
			t.Errorf("%s: the server has %q after all was destroyed", s.page, left)
		}
	}
}

// program has one resource of each style. With ids, it imports them.
func program(all []style, properties func(style) string, ids map[string]string) string {
	var b strings.Builder
	b.WriteString("resources:\n")
	for _, s := range all {
		fmt.Fprintf(&b, "  %[1]s: {type: %[1]s:%[2]s, properties: {%[3]s}", s.provider, s.resource, properties(s))
		if id := ids[s.provider]; id != "" {
			fmt.Fprintf(&b, ", options: {import: %q}", id)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// compare compares what the servers have with what they should have after a stage.
func compare(t *testing.T, all []style, stage int) {
	t.Helper()
	for _, s := range all {
		if diff := cmp.Diff(s.had[stage], s.things(t)); diff != "" {
			t.Errorf("%s: what the server has (-want +got):\n%s", s.page, diff)
		}
	}
}
