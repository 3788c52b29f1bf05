package model

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/actions/sys/process/supervisor"
	"github.com/declprov/declprov/tests/internal/memory"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/model/specgen"
)

var (
	histories = flag.Int("histories", usual.histories, "histories over the protocol; up to the number of cells, those of specgen.Sample come first")
	commands  = flag.Int("cli", usual.cli, "histories through Pulumi's CLI")
	seed      = flag.Uint64("seed", 1, "where the histories come from")
	history   = flag.Int64("history", -1, "play this one alone, and tell all of it")
	typed     = flag.Int64("typed", -1, "the same, of those through the CLI")
	matrix    = flag.Bool("matrix", false, "print how many histories there were of each cell")
	keep      = flag.Int("keep", 3, "how many failures of a kind to print")
)

// TestMain is the supervisor of commands as well, as every binary that runs them.
func TestMain(m *testing.M) {
	if supervisor.Main(os.Args) {
		return
	}
	debug.SetGCPercent(gcPercent) // there is memory, and much garbage
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(atOnce)); err != nil { // histories wait more than they work
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const gcPercent = 400

// sampled is the number of cells in the sample: of each, make test plays one history.
const sampled = 455

// share is how many histories `make test` plays: most of them without the race
// detector, with which a history takes four times as long, and some with it, for
// what several requests of one engine do at the same time. See tests/testall.
type share struct {
	// histories and cli are of the flags of those names, mechanism is how many
	// there are of each mechanism.
	histories, cli, mechanism int
}

// base is a folder for what histories keep, in memory if possible.
func base(t *testing.T) string {
	dir := memory.MkdirTemp("model-")
	if dir == "" {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// tool builds the program of commands.
func tool(dir string) (string, error) {
	root, err := tools.Root()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "thing")
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, "./model/thing")
	cmd.Dir = filepath.Join(root, "tests")
	if printed, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the command: %w\n%s", err, printed)
	}
	return path, nil
}

// processes is one in how many histories has providers that are processes.
const processes = 40

// bench is what plays histories.
type bench struct {
	*testing.T
	base, binary string
	// tool gives the program of commands, built once a history needs it.
	tool func() (string, error)
	// cli says that Pulumi's CLI is the host of all histories, whole that they are
	// printed as they are, for they are short.
	cli, whole bool
	programs   Programs
	features   specgen.Features
	families   []*actions.Family
	cells      []specgen.Cell
	report     *Report
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, base: base(t), families: builtin.Families(), cells: specgen.Cells(), report: newReport()}
	b.tool = sync.OnceValues(func() (string, error) { return tool(b.base) })
	b.features = specgen.Probe(b.families)
	// One copy, which histories link to: a file that was just written cannot be
	// run while another process is being started.
	text, err := os.ReadFile(provider.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	b.binary = filepath.Join(b.base, "declprov")
	if err := os.WriteFile(b.binary, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) history(number uint64) *History {
	h := b.drawing(number)
	b.compiled(h)
	return h
}

// compiled compiles the spec of a history that was drawn.
func (b *bench) compiled(h *History) { h.Spec.Compile(b.families) }

// drawing draws the history of a number: its cell is the number's, so that no cell
// is left out.
func (b *bench) drawing(number uint64) *History {
	if b.cli { // they are few
		return newHistory(*seed, number, b.cells[number*stride%uint64(len(b.cells))], Kind{Process: true, CLI: true}, b.features)
	}
	return b.drawn(*seed, number)
}

// drawn draws the history of a number over the protocol, of any seed.
func (b *bench) drawn(seed, number uint64) *History {
	k := Kind{Process: number%processes == processes-1}
	return newHistory(seed, number, b.cells[number%uint64(len(b.cells))], k, b.features)
}

// stride is how few histories go through the matrix, so that they meet each of its
// values: it has no divisor in common with the number of cells.
const stride = 331

// play plays a history in a folder of its own.
func (b *bench) play(h *History) *Played {
	at, done, err := prepare(b.base, h)
	if err != nil {
		b.Error(err)
		return nil
	}
	defer done()
	at.Binary, at.Programs = b.binary, b.programs
	if h.Spec.Method == specgen.Command {
		if at.Tool, err = b.tool(); err != nil {
			b.Error(err)
			return nil
		}
	}
	p, err := play(h, at)
	if err != nil {
		b.Errorf("history %d: %v", h.Number, err)
		return nil
	}
	return p
}

// try plays a history, if its spec is one to run.
func (b *bench) try(number uint64) { b.judge(b.history(number)) }

// judge plays a history and reports it.
func (b *bench) judge(h *History) {
	s := h.Spec
	switch must := s.Refusals(); {
	case len(s.Missing) > 0:
		b.report.unplayed(h)
		return
	case len(s.Errors) > 0 && len(must) > 0:
		b.report.unplayed(h)
		return
	case len(s.Errors) > 0:
		b.report.broke(h, Violation{wronglyVet, fmt.Sprintf("vet refuses a right spec: %v", s.Errors)})
		return
	case len(must) > 0:
		b.report.broke(h, Violation{wronglyVet, "vet accepts: " + must[0]})
		return
	}
	began := time.Now()
	p := b.play(h)
	if took := time.Since(began); took > 10*time.Second && !b.cli {
		b.Logf("history %d took %s: %s", h.Number, took.Round(time.Millisecond), s.Cell)
	}
	if p != nil {
		b.report.add(p)
	}
}

// atOnce is how many histories are played side by side: they wait more than they
// work.
const atOnce = 48

func TestModel(t *testing.T) {
	if *typed >= 0 {
		t.Skip("-typed is of TestModelThroughTheCLI")
	}
	b := newBench(t)
	if *history >= 0 {
		b.replay(uint64(*history))
		return
	}
	b.all(uint64(*histories), atOnce)
	if *matrix {
		t.Log("\n" + b.report.Matrix())
	}
	if empty := b.report.Empty(); len(empty) > 0 && *histories >= len(b.cells) {
		t.Errorf("%d cells are empty: %v", len(empty), empty[:min(5, len(empty))])
	}
	b.tell()
}

// typists is how many CLIs run side by side.
const typists = 3

func TestModelThroughTheCLI(t *testing.T) {
	if *history >= 0 {
		t.Skip("-history is of TestModel")
	}
	if *commands == 0 && *typed < 0 {
		t.Log("none were asked for: with the race detector it would be that of processes that have none")
		return
	}
	b := newBench(t)
	b.cli, b.programs = true, Programs{CLI: tools.Need(t, tools.Pulumi), YAMLHost: tools.Need(t, tools.PulumiYAML)}
	if *typed >= 0 {
		b.replay(uint64(*typed))
		return
	}
	b.all(uint64(*commands), typists)
	b.tell()
}

// all plays that many histories whose spec is one to run, or of the matrix that
// many in all.
func (b *bench) all(wanted uint64, workers int) {
	b.Logf("seed %d; %+v", *seed, b.features)
	began := time.Now()
	order := b.order()
	var next, done atomic.Uint64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				n := next.Add(1) - 1
				if !b.cli && n >= wanted || b.cli && done.Load() >= wanted || n > 100*wanted {
					return
				}
				if b.cli && b.history(n).Spec.Program == nil {
					continue
				}
				done.Add(1)
				if !b.cli && wanted < uint64(len(b.cells)) {
					n = order[n]
				}
				b.try(n)
				if d := done.Load(); *matrix && d%1000 == 0 {
					b.Logf("%d of %d after %s", d, wanted, time.Since(began).Round(time.Second))
				}
			}
		})
	}
	all.Wait()
	b.Logf("%s\n%s", time.Since(began).Round(time.Second), b.report.Summary())
}

// order returns the numbers of the cells: those of the sample come first.
func (b *bench) order() []uint64 {
	order := specgen.Sample(stride)
	for n := range uint64(len(b.cells)) {
		if !slices.Contains(order, n) {
			order = append(order, n)
		}
	}
	return order
}

// tell prints some failures of each kind, made smaller.
func (b *bench) tell() {
	slices.SortFunc(b.report.Failed, func(a, c *Played) int { return int(a.History.Number) - int(c.History.Number) })
	told := map[string]int{}
	for _, p := range b.report.Failed {
		kind := p.Violations[0].Kind
		if told[kind]++; told[kind] > *keep {
			b.Logf("history %d (%s): %.300s: %s", p.History.Number, p.History.Spec.Cell, kind, p.Violations[0].Text)
			continue
		}
		if p.Account != nil && !b.cli && !b.whole {
			p = shrink(p, b.play)
		}
		b.Log("\n" + p.String())
	}
	if n := len(b.report.Failed); n > 0 {
		b.Errorf("%d histories broke a promise", n)
	}
}

// replay plays one history and tells all of it.
func (b *bench) replay(number uint64) {
	h := b.history(number)
	if h.Spec.Program == nil {
		b.Fatalf("its spec is not one to run: missing %v, %v\n%s", h.Spec.Missing, h.Spec.Errors, h.Spec.Text)
	}
	p := b.play(h)
	if p == nil {
		return
	}
	b.Log("\n" + p.String())
	if len(p.Violations) > 0 && b.cli {
		b.Error("it breaks a promise")
	} else if len(p.Violations) > 0 {
		b.Error("\nmade smaller:\n" + shrink(p, b.play).String())
	}
}
