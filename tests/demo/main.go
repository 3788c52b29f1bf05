// Demo creates, changes and deletes files, and then pets of a store, with the Pulumi CLI
// and the providers examples/files.cue and examples/rest-api.cue. It checks every
// statement that it prints, and fails if one is not true. `make demo` runs it.
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
	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/petstore"
)

func main() {
	// If the reader of the output ends (`make demo | head`), the demo must still clean up.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nThe demo failed: %v\n", err)
		os.Exit(1)
	}
}

// run runs the demo in a temporary folder, and removes the folder at the end.
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
	w, err := prepare(ctx, root, dir)
	if err != nil {
		return err
	}
	store := petstore.Open()
	defer store.Close()
	t := &tally{out: os.Stdout}
	fmt.Print(opening)
	for _, p := range []part{files(), shop(store)} {
		if err := w.tell(ctx, t, p); err != nil {
			return err
		}
	}
	return t.summary()
}

const opening = `
declprov: a document becomes a provider.

Each provider below is one binary and one file of a few dozen lines. The Pulumi CLI runs it,
with a state in a temporary folder. (Pulumi counts the stack as a resource: "2 created" is the
stack and a file.)
The demo checks each statement with a tick.
`

// workshop has what all parts of the demo use.
type workshop struct {
	root, dir, binary string
	tools             map[string]string // paths, by name
}

// prepare installs the Pulumi CLI and builds declprov.
func prepare(ctx context.Context, root, dir string) (*workshop, error) {
	w := &workshop{root: root, dir: dir, tools: map[string]string{}}
	for _, name := range []string{tools.Pulumi, tools.PulumiYAML} {
		tool, err := tools.ByName(name)
		if err != nil {
			return nil, err
		}
		if err := tool.Install(ctx, root, os.Stdout); err != nil {
			return nil, err
		}
		if w.tools[name], err = tool.Find(root); err != nil {
			return nil, err
		}
	}
	fmt.Println("building declprov ...")
	dir, err := release.Folder()
	if err != nil {
		return nil, err
	}
	w.binary, err = release.Build(ctx, root, dir)
	return w, err
}

// tell runs one part of the demo.
func (w *workshop) tell(ctx context.Context, t *tally, p part) error {
	s, err := w.open(ctx, t, p)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "\n\n%s\n", p.title)
	for _, c := range p.chapters {
		t.chapter(c.title)
		if err := c.tell(ctx, s); err != nil {
			return fmt.Errorf("in %q: %w", c.title, err)
		}
	}
	return nil
}

// open creates the provider and the empty project of a part.
func (w *workshop) open(ctx context.Context, t *tally, p part) (*story, error) {
	text, err := os.ReadFile(filepath.Join(w.root, filepath.FromSlash(p.spec)))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(w.dir, p.provider)
	plugin := filepath.Join(dir, "plugin")
	if err := os.MkdirAll(plugin, 0o755); err != nil {
		return nil, err
	}
	if err := provider.Make(plugin, w.binary, p.provider, ".cue", string(text)); err != nil {
		return nil, err
	}
	project, err := pulumicli.Open(pulumicli.Options{
		Name: "demo", Dir: dir, CLI: w.tools[tools.Pulumi], YAMLHost: w.tools[tools.PulumiYAML],
		Providers: map[string]string{p.provider: plugin}, Env: p.env,
	})
	if err != nil {
		return nil, err
	}
	return &story{tally: t, root: w.root, binary: w.binary, project: project, text: string(text)}, nil
}
