// Package model tries the engine against a simulated API whose connection is
// unlucky, in thousands of generated histories: nothing may be made twice,
// nothing lost, and nothing of another owner touched.
//
// The parts, in the order in which a history meets them: a cell of the matrix becomes a spec (package specgen), a history is drawn for it
// (history.go), a host that behaves as Pulumi's engine does plays it (host.go,
// play.go) against the API (api.go) behind its proxy (proxy.go), and the oracle
// (oracle.go) judges what happened by the API's own log. What fails is made
// smaller (shrink.go), and printed with the command that plays it again.
package model

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/declprov/declprov/tests/model/specgen"
)

// The users of stacks, and whoever runs `declprov try`.
const (
	stackA = "A"
	stackB = "B"
	trier  = "try"
)

// slots are the resources that programs may have.
var slots = []string{"one", "two"}

// Op is one thing that happens in a history.
type Op struct {
	// Who does it: a stack's user, or foreign.
	Who string
	// Do is up, refresh, destroy or import of a stack's user; create, change or
	// delete of another owner; try.
	Do string
	// Program is what the user's program says from then on; nil leaves it.
	Program Program
	// Slot is the resource of the program that an import fills. Another owner changes or
	// deletes the object that a stack has recorded for Slot (A's before B's), or else the
	// object with that Name. Name is also the name of the object that another owner or a
	// try creates, and for takePart and leavePart the object that the part belongs to.
	Slot, Name string
	Strikes    []Strike
}

func (o Op) String() string {
	text := o.Who + ": " + o.Do
	if o.Slot != "" {
		text += " " + o.Slot
	}
	if o.Name != "" {
		text += " " + o.Name
	}
	if o.Program != nil {
		var parts []string
		for _, slot := range slots {
			if in, ok := o.Program[slot]; ok {
				parts = append(parts, fmt.Sprintf("%s: %s %s %d", slot, in.Name, in.Colour, in.Size))
			}
		}
		text += " {" + strings.Join(parts, ", ") + "}"
	}
	for _, s := range o.Strikes {
		text += "; " + s.String()
	}
	return text
}

// History is one run: a spec, an API, and what happens.
type History struct {
	Seed, Number uint64
	Spec         *specgen.Spec
	Ops          []Op
	// Test is the test whose history it is; "" is one that was drawn.
	Test string
	// Process says that providers are processes of their own, which can be
	// killed, CLI that Pulumi's CLI is the host, and Apart that the two stacks have
	// journals of their own.
	Process, CLI, Apart bool
}

// Kind says by what a history is played.
type Kind struct{ Process, CLI bool }

// newHistory draws the history of a number and a cell. Its spec is not compiled
// yet: most are only looked at.
func newHistory(seed, number uint64, c specgen.Cell, k Kind, f specgen.Features) *History {
	r := rand.New(rand.NewPCG(seed, number))
	h := &History{Seed: seed, Number: number, Spec: specgen.NewSpec(c, r, f), Process: k.Process, CLI: k.CLI, Apart: r.IntN(2) == 0}
	beside := rand.New(rand.NewPCG(seed, ^number))
	h.Spec.DrawBeside(beside)
	d := &drawing{Rand: r, spec: h.Spec, kind: k, faults: faultsOf(h.Spec), programs: map[string]Program{}, prefix: map[string]string{}}
	d.two = r.IntN(4) == 0
	if r.IntN(2) == 0 {
		d.prefix[stackB] = "b-"
	}
	if r.IntN(7) == 0 {
		d.ops = append(d.ops, Op{Who: foreign, Do: "create", Name: d.name(stackA, "one", 0)})
	}
	d.begin(stackA)
	if d.two {
		d.begin(stackB)
	}
	most := 5
	if k.CLI {
		most = 3
	}
	for range 1 + r.IntN(most) {
		if k.Process && !k.CLI && d.one(6) {
			d.ops = append(d.ops, Op{Who: trier, Do: "try", Name: d.name(stackA, "one", r.IntN(2)), Strikes: d.strikes(making)})
			continue
		}
		d.next()
	}
	h.Ops = d.ops
	if h.Spec.Beside {
		h.contest(beside)
	}
	return h
}

// drawing is a history that is being drawn.
type drawing struct {
	*rand.Rand
	spec     *specgen.Spec
	kind     Kind
	faults   []Fault
	programs map[string]Program
	prefix   map[string]string
	two      bool
	ops      []Op
}

// names are those that the objects of slots may have.
var names = map[string][]string{"one": {"alpha", "gamma", "zeta"}, "two": {"beta", "delta", "eta"}}

func (d *drawing) name(who, slot string, n int) string { return d.prefix[who] + names[slot][n%3] }

func (d *drawing) one(in int) bool { return d.IntN(in) == 0 }

func (d *drawing) begin(who string) {
	p := Program{"one": d.inputs(who, "one")}
	if d.one(3) {
		p["two"] = d.inputs(who, "two")
	}
	d.programs[who] = p
	d.command(who, "up", making...)
}

// making, replacing and changing are the steps that an up is likely to have, where
// it makes, replaces or changes something.
var (
	making    = []string{"create", "create", "create", "create", "create", "create", "create", "create", "find", "part", "part", "undo"}
	replacing = []string{"create", "create", "create", "create", "find", "delete", "delete", "delete", "part", "undo"}
	changing  = []string{"update", "update", "update", "update", "read", "find"}
)

func (d *drawing) inputs(who, slot string) Inputs {
	in := Inputs{Name: d.name(who, slot, 0), Colour: "red", Size: 1}
	if d.spec.IDs == "content" {
		in.Text = "text of " + in.Name
	}
	return in
}

// command adds a command of a stack's user, with bad luck.
func (d *drawing) command(who, do string, steps ...string) {
	op := Op{Who: who, Do: do, Strikes: d.strikes(steps)}
	if do == "up" {
		op.Program = maps.Clone(d.programs[who])
	}
	d.ops = append(d.ops, op)
}

// next adds one more thing that happens.
func (d *drawing) next() {
	who := stackA
	if d.two && d.one(3) {
		who = stackB
	}
	p := maps.Clone(d.programs[who])
	slot := slots[d.IntN(2)]
	in, there := p[slot]
	if !there && d.one(2) {
		slot = "one"
		in, there = p[slot]
	}
	steps := slices.Concat(making, changing) // what has failed before goes on
	switch n := d.IntN(100); {
	case n < 17:
	case n < 35 && there:
		in.Size++
		p[slot], steps = in, append(changing, "create")
	case n < 47 && there:
		steps = replacing
		if d.spec.Renames {
			steps = changing
		}
		in.Name = d.name(who, slot, 1+d.IntN(2))
		if d.spec.IDs == "content" {
			in.Text = "text of " + in.Name
		}
		p[slot] = in
	case n < 60 && there:
		in.Colour = map[string]string{"red": "blue", "blue": "green", "green": "red"}[in.Colour]
		p[slot], steps = in, replacing
	case n < 66: // also the cases above, if the program lacks the slot: the up then changes nothing
		delete(p, slot)
		steps = []string{"delete"}
	case n < 77:
		d.command(who, "refresh", "read")
		return
	case n < 83:
		d.command(who, "destroy", "delete")
		return
	case n < 94:
		d.stranger(who)
		return
	case n < 97:
		d.ops = append(d.ops, Op{Who: who, Do: "import", Slot: slot, Strikes: d.strikes([]string{"read"})})
		return
	default:
		if !there {
			p[slot] = d.inputs(who, slot)
		}
	}
	d.programs[who] = p
	d.command(who, "up", steps...)
}

// stranger adds something that another owner does.
func (d *drawing) stranger(who string) {
	slot := slots[0]
	if d.one(3) {
		slot = slots[1]
	}
	do := []string{"create", "create", "change", "delete"}[d.IntN(4)]
	d.ops = append(d.ops, Op{Who: foreign, Do: do, Slot: slot, Name: d.name(who, slot, d.IntN(3))})
}

// strikes draw the bad luck of a command.
func (d *drawing) strikes(steps []string) []Strike {
	var out []Strike
	for range 2 {
		if d.IntN(3) == 0 {
			break
		}
		out = append(out, d.strike(steps))
		if d.IntN(3) > 0 {
			break
		}
	}
	return out
}

func (d *drawing) strike(steps []string) Strike {
	s := Strike{Step: steps[d.IntN(len(steps))], Nth: 1}
	if d.one(5) {
		s.Nth += 1 + d.IntN(2)
	}
	if d.spec.Method != specgen.Command && d.one(40) {
		return Strike{Step: "start", Nth: 1, Act: "down", Before: true}
	}
	if !d.one(4) {
		f := d.faults[d.IntN(len(d.faults))]
		if f.Step != "" {
			s.Step = f.Step
		}
		s.Fault = &f
		if !d.one(8) {
			return s
		}
	}
	acts := []string{"foreign create", "foreign create", "foreign delete", "foreign change", "cancel", "cancel", "cancel twice", "crash", "crash"}
	if d.kind.Process {
		acts = append(acts, "kill", "kill", "kill", "kill", "kill")
	}
	if d.two {
		acts = append(acts, "other up", "other up")
	}
	s.Act, s.Before = acts[d.IntN(len(acts))], d.one(2)
	return s
}
