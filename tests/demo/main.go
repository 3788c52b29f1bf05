// Demo tells the life of a few files, managed by the real Pulumi CLI through a
// provider that is nothing but examples/files.cue. It checks every claim that
// it makes, and fails if one of them is not so. `make demo` runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/tools"
)

func main() {
	// A reader who stops (`make demo | head`) must not stop the cleaning up.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nThe demo stopped: %v\n", err)
		os.Exit(1)
	}
}

// run makes everything in one temporary folder, and removes that folder
// however the demo ends.
func run(ctx context.Context) (err error) {
	root, err := tools.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "declprov-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := prepare(ctx, root, dir)
	if err != nil {
		return err
	}
	fmt.Print(opening)
	for i, c := range chapters() {
		s.chapter(i+1, c.title)
		if err := c.tell(ctx, s); err != nil {
			return fmt.Errorf("in %q: %w", c.title, err)
		}
	}
	return s.summary()
}

const opening = `
declprov: a document becomes a provider.

The provider below is one binary and one file of some forty lines, examples/files.cue.
What runs it is the real Pulumi CLI, on a state in a temporary folder. (In its counts the
stack itself is a resource too: "2 created" is the stack and a file.)
Each line with a tick was checked by this program, not just printed.
`

// prepare brings the Pulumi CLI, builds declprov, and makes the provider's
// folder and an empty project.
func prepare(ctx context.Context, root, dir string) (*story, error) {
	paths := map[string]string{}
	for _, name := range []string{tools.Pulumi, tools.PulumiYAML} {
		tool, err := tools.Named(name)
		if err != nil {
			return nil, err
		}
		if err := tool.Install(ctx, root, os.Stdout); err != nil {
			return nil, err
		}
		if paths[name], err = tool.Find(root); err != nil {
			return nil, err
		}
	}
	fmt.Println("building declprov ...")
	binary, err := provider.Build(ctx, root)
	if err != nil {
		return nil, err
	}
	spec := filepath.Join(root, "examples", "files.cue")
	text, err := os.ReadFile(spec)
	if err != nil {
		return nil, err
	}
	plugin := filepath.Join(dir, "plugin")
	if err := os.Mkdir(plugin, 0o755); err != nil {
		return nil, err
	}
	if err := provider.Make(plugin, binary, "files", ".cue", string(text)); err != nil {
		return nil, err
	}
	project, err := pulumicli.Open(ctx, pulumicli.Options{
		Name: "demo", Dir: dir, CLI: paths[tools.Pulumi], YAMLHost: paths[tools.PulumiYAML],
		Providers: map[string]string{"files": plugin},
	})
	if err != nil {
		return nil, err
	}
	return &story{out: os.Stdout, root: root, binary: binary, project: project, text: string(text)}, nil
}
