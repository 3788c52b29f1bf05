// Bench compares declprov with a provider written by hand on the raw protocol, and prints
// each row of the budget as met or missed. `make bench` runs it. It requires Linux,
// because it reads /proc.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/declprov/declprov/tests/internal/memory"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

func main() {
	rounds := flag.Int("rounds", 5, "rounds of each measurement; the ratios are medians of the rounds")
	ops := flag.Int("ops", 2000, "operations per round and verb")
	cli := flag.Bool("cli", true, "also measure the Pulumi CLI, if -only is not set")
	only := flag.String("only", "", "measure only these parts: "+strings.Join(partNames(), ", "))
	bare := flag.String("bare", "", "internal: only send requests to this URL with net/http")
	bareExec := flag.Bool("bare-commands", false, "internal: only run commands with os/exec")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	switch {
	case *bare != "":
		err = bareRequests(ctx, *bare)
	case *bareExec:
		err = bareCommands(ctx)
	default:
		var isWanted func(part string) bool
		if isWanted, err = wanted(*only, *cli); err == nil {
			err = run(ctx, *rounds, *ops, isWanted)
		}
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// bench is the state that all measurements share.
type bench struct {
	root, dir   string
	raw, rawOff peer // the second does not sync to the disk
	rounds, ops int
	// whole is declprov, and serving the binary that only serves, which install uses
	// and bench measures.
	whole, serving string
	files          string // the text of examples/files.cue
	rows           []row
}

// part is one measurement.
type part struct {
	name    string
	measure func(*bench, context.Context) error
}

// parts returns all measurements, in order.
func parts() []part {
	return []part{
		{"starts", (*bench).starts},
		{"roads", (*bench).roads},
		{"files", (*bench).calls},
		{"pets", (*bench).pets},
		{"footprint", (*bench).footprint},
		{"disk", (*bench).disk},
		{"requests", (*bench).http},
		{"commands", (*bench).commands},
		{"sandbox", (*bench).sandbox},
		{partCLI, (*bench).cli},
	}
}

const partCLI = "cli"

func partNames() []string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

// wanted returns a function that reports whether a part is measured: the parts in only, or
// else all parts, the CLI only if cli is set. It returns an error if only names something else.
func wanted(only string, cli bool) (func(part string) bool, error) {
	if only == "" {
		return func(part string) bool { return cli || part != partCLI }, nil
	}
	names := strings.Split(only, ",")
	for _, name := range names {
		if !slices.Contains(partNames(), name) {
			return nil, fmt.Errorf("-only: %q is not a part; the parts are %s", name, strings.Join(partNames(), ", "))
		}
	}
	return func(part string) bool { return slices.Contains(names, part) }, nil
}

func run(ctx context.Context, rounds, ops int, wanted func(part string) bool) (err error) {
	root, err := tools.Root()
	if err != nil {
		return err
	}
	// A file system on a disk costs more than any provider, and would hide its cost.
	dir := memory.MkdirTemp("declprov-bench-")
	if dir == "" {
		if dir, err = os.MkdirTemp("", "declprov-bench-"); err != nil {
			return err
		}
	}
	defer os.RemoveAll(dir)
	b := &bench{root: root, dir: dir, rounds: rounds, ops: ops}
	if err := b.build(ctx); err != nil {
		return err
	}
	// The cache of compiled specs is in the folder, which is removed at the end.
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache")); err != nil {
		return err
	}
	// The journal is there, too, not in the user's folder.
	if err := os.Setenv("DECLPROV_JOURNAL", filepath.Join(dir, "journal")); err != nil {
		return err
	}
	for _, p := range parts() {
		if !wanted(p.name) {
			continue
		}
		if err := p.measure(b, ctx); err != nil {
			return err
		}
	}
	fmt.Printf("\nBudget; x is the ratio to a provider written by hand, in this run:\n\n")
	for _, r := range b.rows {
		r.print(os.Stdout)
	}
	return nil
}

func (b *bench) build(ctx context.Context) error {
	fmt.Println("building ...")
	text, err := os.ReadFile(filepath.Join(b.root, "examples", "files.cue"))
	if err != nil {
		return err
	}
	b.files = string(text)
	if err := b.buildOurs(ctx); err != nil {
		return err
	}
	folder := filepath.Join(b.dir, "raw")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	program := filepath.Join(folder, "pulumi-resource-files")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./bench/raw")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Dir = filepath.Join(b.root, "tests")
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the provider written by hand: %w\n%s", err, printed)
	}
	b.raw = peer{name: "raw", program: program}
	b.rawOff = peer{name: "raw, no fsync", program: program, env: []string{"RAW_NO_FSYNC=1"}}
	return nil
}

// buildOurs builds both binaries as for a release, and adds declprov to the PATH, because
// the serving binary passes specs to it that are not compiled.
func (b *bench) buildOurs(ctx context.Context) error {
	bin := filepath.Join(b.dir, "bin")
	arguments := append([]string{"build", "-trimpath", "-o", bin + string(os.PathSeparator)}, release.Flags()...)
	cmd := exec.CommandContext(ctx, "go", append(arguments, "./cmd/declprov", "./cmd/declprov/declprov-server")...)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building declprov: %w\n%s", err, printed)
	}
	b.whole, b.serving = filepath.Join(bin, "declprov"), filepath.Join(bin, "declprov-server")
	return os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// ours returns the serving binary with a spec of the given number of resource types.
func (b *bench) ours(types int) (peer, error) { return b.with(b.serving, types) }

// with returns a provider that consists of one of our binaries and a spec of the given
// number of resource types.
func (b *bench) with(binary string, types int) (peer, error) {
	text, err := specOf(b.files, types)
	if err != nil {
		return peer{}, err
	}
	folder, err := os.MkdirTemp(b.dir, fmt.Sprintf("types-%d-", types))
	if err != nil {
		return peer{}, err
	}
	p := peer{name: fmt.Sprintf("declprov, %d types", types), program: filepath.Join(folder, "pulumi-resource-files")}
	return p, provider.Make(folder, binary, "files", ".cue", text)
}

// startBench runs the serving binary with a spec of the provider "bench".
func (b *bench) startBench(ctx context.Context, spec string) (*process, error) {
	folder, err := os.MkdirTemp(b.dir, "bench-")
	if err != nil {
		return nil, err
	}
	if err := provider.Make(folder, b.serving, "bench", ".cue", spec); err != nil {
		return nil, err
	}
	return start(ctx, peer{name: "declprov", program: filepath.Join(folder, "pulumi-resource-bench")}, folder)
}
