// Bench measures declprov beside a provider written by hand on the raw
// protocol, both in one run, and prints each row of the budget as met or
// missed. `make bench` runs it. Linux only: it reads /proc.
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

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
)

func main() {
	rounds := flag.Int("rounds", 5, "rounds of each measurement; the ratios are medians over them")
	ops := flag.Int("ops", 2000, "operations a round and verb")
	cli := flag.Bool("cli", true, "measure the Pulumi CLI too, where all is measured")
	only := flag.String("only", "", "measure these alone: "+strings.Join(partNames(), ", "))
	bare := flag.String("bare", "", "only send requests to this URL, by net/http alone: what bench starts itself with")
	bareExec := flag.Bool("bare-commands", false, "only run commands, by os/exec alone: what bench starts itself with")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	switch {
	case *bare != "":
		err = bareRequests(ctx, *bare)
	case *bareExec:
		err = bareCommands(ctx)
	default:
		err = run(ctx, *rounds, *ops, wanted(*only, *cli))
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// bench is what all measurements share.
type bench struct {
	root, dir   string
	raw, rawOff peer // the second does not sync to the disk
	rounds, ops int
	// whole is declprov, serving the binary of it that only serves: the one
	// that install takes, and that is measured.
	whole, serving string
	files          string // the text of examples/files.cue
	rows           []row
}

// part is one of the measurements.
type part struct {
	name    string
	measure func(*bench, context.Context) error
}

// parts are all of them, in their order.
func parts() []part {
	return []part{
		{"starts", (*bench).starts},
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

// wanted says which parts are measured: those that are named, else all, the CLI
// where that is wanted too.
func wanted(only string, cli bool) func(string) bool {
	if only == "" {
		return func(name string) bool { return cli || name != partCLI }
	}
	names := strings.Split(only, ",")
	return func(name string) bool { return slices.Contains(names, name) }
}

func run(ctx context.Context, rounds, ops int, wanted func(part string) bool) (err error) {
	root, err := tools.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(memoryDisk(), "declprov-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{root: root, dir: dir, rounds: rounds, ops: ops}
	if err := b.build(ctx); err != nil {
		return err
	}
	// The compiled specs are cached inside the folder, which goes.
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache")); err != nil {
		return err
	}
	// So is the journal, which is none of the user's.
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
	fmt.Printf("\nBudget, as ratios (x) to a provider written by hand, in this run:\n\n")
	for _, r := range b.rows {
		r.print(os.Stdout)
	}
	return nil
}

// memoryDisk is a folder in memory where there is one: a file system on a disk
// costs more than any provider, and hides it.
func memoryDisk() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
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
	cmd.Dir = filepath.Join(b.root, "tests")
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the provider to compare with: %w\n%s", err, printed)
	}
	b.raw = peer{name: "raw", program: program}
	b.rawOff = peer{name: "raw, no fsync", program: program, env: []string{"RAW_NO_FSYNC=1"}}
	return nil
}

// buildOurs builds both binaries as they are released. What is not compiled yet,
// a provider hands to declprov on the PATH.
func (b *bench) buildOurs(ctx context.Context) error {
	bin := filepath.Join(b.dir, "bin")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "grpcnotrace", "-ldflags", "-s -w", "-o", bin+string(os.PathSeparator),
		"./cmd/declprov", "./cmd/declprov/pulumi-resource-declprov")
	cmd.Dir = b.root
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building declprov: %w\n%s", err, printed)
	}
	b.whole, b.serving = filepath.Join(bin, "declprov"), filepath.Join(bin, "pulumi-resource-declprov")
	return os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// ours is declprov with a spec of so many resource types.
func (b *bench) ours(types int) (peer, error) { return b.with(b.serving, types) }

// with is a provider that one of our binaries makes of a spec of so many
// resource types.
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
