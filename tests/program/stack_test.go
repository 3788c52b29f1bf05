// Package program runs programs in Go, inline through the Automation API, against
// several providers at once: what YAML cannot write, such as calls of methods.
package program

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// stack is a project whose program is a function.
type stack struct {
	*pulumitest.Stack
	t    *testing.T
	auto auto.Stack
	// root is the folder that the providers keep their files in.
	root string
}

// inline makes a stack of a program and providers that keep their files in a
// folder of the stack: `root` of each.
func inline(t *testing.T, providers pulumitest.Providers, program pulumi.RunFunc) *stack {
	t.Helper()
	root, settings := t.TempDir(), map[string]string{}
	for name := range providers {
		settings[name+":root"] = root
	}
	s := configured(t, providers, settings, program)
	s.root = root
	return s
}

// configured makes a stack of a program and providers with settings.
func configured(t *testing.T, providers pulumitest.Providers, settings map[string]string, program pulumi.RunFunc) *stack {
	t.Helper()
	s := &stack{Stack: pulumitest.New(t, providers), t: t}
	project := workspace.Project{
		Name: "test", Runtime: workspace.NewProjectRuntimeInfo("go", nil), Plugins: &workspace.Plugins{},
	}
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		project.Plugins.Providers = append(project.Plugins.Providers, workspace.PluginOptions{Name: name, Path: providers[name]})
	}
	cli, err := auto.NewPulumiCommand(&auto.PulumiCommandOptions{Root: filepath.Dir(filepath.Dir(tools.Need(t, tools.Pulumi)))})
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for _, kv := range s.Environment() {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	ws, err := auto.NewLocalWorkspace(t.Context(), auto.WorkDir(s.Dir), auto.PulumiHome(s.Home()), auto.Pulumi(cli),
		auto.Project(project), auto.EnvVars(env), auto.Program(program))
	if err != nil {
		t.Fatal(err)
	}
	if s.auto, err = auto.SelectStack(t.Context(), pulumicli.StackName, ws); err != nil {
		t.Fatal(err)
	}
	for name, value := range settings {
		if err := s.auto.SetConfig(t.Context(), name, auto.ConfigValue{Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// up runs the program, which must do what ops counts, such as "create=2 same=1".
func (s *stack) up(ops string) auto.UpResult {
	s.t.Helper()
	r, err := s.auto.Up(s.t.Context(), optup.SuppressProgress())
	if err != nil {
		s.t.Fatal(err)
	}
	s.want(ops, *r.Summary.ResourceChanges)
	return r
}

// preview is up for a preview.
func (s *stack) preview(ops string) {
	s.t.Helper()
	r, err := s.auto.Preview(s.t.Context(), optpreview.SuppressProgress())
	if err != nil {
		s.t.Fatal(err)
	}
	changes := map[string]int{}
	for op, n := range r.ChangeSummary {
		changes[string(op)] = n
	}
	s.want(ops, changes)
}

func (s *stack) destroy() {
	s.t.Helper()
	if _, err := s.auto.Destroy(s.t.Context(), optdestroy.SuppressProgress()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stack) want(ops string, changes map[string]int) {
	s.t.Helper()
	var got []string
	for _, op := range slices.Sorted(maps.Keys(changes)) {
		if changes[op] > 0 {
			got = append(got, fmt.Sprintf("%s=%d", op, changes[op]))
		}
	}
	if diff := cmp.Diff(ops, strings.Join(got, " ")); diff != "" {
		s.t.Errorf("operations (-want +got):\n%s", diff)
	}
}

// holds fails unless the providers' folder has exactly these files.
func (s *stack) holds(want map[string]string) {
	s.t.Helper()
	got, err := pulumitest.ReadTree(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("files (-want +got):\n%s", diff)
	}
}

// depends fails unless the state says that the resource depends on exactly these,
// by their names in the program; properties says by which of its properties.
func (s *stack) depends(name string, want []string, properties map[string][]string) {
	s.t.Helper()
	r := s.Recorded(name)
	on := func(urns []string) []string {
		var names []string
		for _, urn := range urns {
			names = append(names, urn[strings.LastIndex(urn, "::")+2:])
		}
		slices.Sort(names)
		return names
	}
	if diff := cmp.Diff(want, on(texts(r.Dependencies))); diff != "" {
		s.t.Errorf("what %s depends on (-want +got):\n%s", name, diff)
	}
	got := map[string][]string{}
	for property, urns := range r.PropertyDependencies {
		if len(urns) > 0 {
			got[string(property)] = on(texts(urns))
		}
	}
	if diff := cmp.Diff(properties, got); diff != "" {
		s.t.Errorf("what the properties of %s depend on (-want +got):\n%s", name, diff)
	}
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = string(item)
	}
	return out
}
