package secrets

import (
	"fmt"
	"strings"
)

// holder is what has the steps that a secret goes through.
type holder struct {
	name   string
	shapes func() []shape
	// sinks are those of its own, nil the usual ones.
	sinks func() []sink
	// block is where a spec has it: resources, functions, …
	block, prefix string
	// can reports whether it can have a cell at all.
	can func(s shape, k sink) bool
	// cue is the cell within the block.
	cue func(c cell) string
}

// cell is one of the matrix.
type cell struct {
	holder holder
	shape  shape
	sink   sink
	// declared says that the spec declares the secret, not the program.
	declared bool
	// name is that of what the spec has for it.
	name string
}

func (c cell) String() string {
	who := "the program says so"
	if c.declared {
		who = "declared"
	}
	return fmt.Sprintf("%s, %s, %s, %s", c.holder.name, c.shape.name, c.sink.name, who)
}

// cells are those of a holder.
func cells(h holder) []cell {
	var all []cell
	for i, s := range h.shapes() {
		for k, sink := range h.places() {
			if h.can(s, sink) {
				all = append(all, newCell(h, i, k, true))
				if !s.typed {
					all = append(all, newCell(h, i, k, false))
				}
			}
		}
	}
	return all
}

func (h holder) places() []sink {
	if h.sinks != nil {
		return h.sinks()
	}
	return sinks()
}

// newCell is the cell of a shape and a sink, by their places.
func newCell(h holder, i, k int, declared bool) cell {
	name := fmt.Sprintf("%s%d%dGiven", h.prefix, 100+i, 100+k)
	if declared {
		name = fmt.Sprintf("%s%d%dDeclared", h.prefix, 100+i, 100+k)
	}
	return cell{holder: h, shape: h.shapes()[i], sink: h.places()[k], declared: declared, name: name}
}

// vets is what vet says of the secret.
func (c cell) vets() verdict {
	switch {
	case !c.declared || c.shape.unseen:
		return ""
	case c.holder.name == component && c.shape.named:
		return refusedByVet
	case c.holder.name == component && (c.sink.declared == warnedByVet || strings.HasPrefix(c.sink.beside, "return")):
		return "" // that is the child's, which keeps what it is given secret
	default:
		return c.sink.declared
	}
}

// runs is what becomes of the secret.
func (c cell) runs() verdict {
	if c.holder.name == component && c.shape.named && c.shape.keyed {
		return refused
	}
	return c.sink.runs
}

// serves reports whether the cell is served, and so can be run.
func (c cell) serves() bool { return !c.sink.never && c.vets() != refusedByVet }

// steps are those of the cell, as the CUE of a list, which done ends.
func (c cell) steps(done string) string {
	text := strings.ReplaceAll(c.shape.before, "NAME", c.name)
	if c.sink.step != "" {
		step := strings.ReplaceAll(c.sink.at(c.shape.each), "NAME", c.name)
		if c.shape.forEach != "" {
			step = strings.Replace(step, "{", "{forEach: "+c.shape.forEach+", ", 1)
		}
		text += step + ", "
	}
	return "steps: [" + text + done + "]"
}

// beside is what the cell has beside its steps.
func (c cell) beside() string { return strings.ReplaceAll(c.sink.beside, "§", c.shape.outside()) }

// spec is one with cells, whatever they are.
func spec(cells []cell) string {
	var b strings.Builder
	b.WriteString(`package matrix

name:    "matrix"
version: "0.1.0"
config: endpoint: string
permissions: {hosts: ["${config.endpoint}"], run: ["true", "/bin/sh", "cat"], write: ["files/**"], read: ["files/**"]}
http: {baseURL: "${config.endpoint}", auth: "none"}
sql: {driver: "sqlite", file: "files/secrets.db"}
resources: Held: {
	inputs: note: string
	outputs: secretive: string @secret()
	id: "held"
	create: http: {method: "POST", path: "/done", json: {}, idempotencyKey: true}
}
#Seen: {pin: string @secret(), all: [...{pin: string @secret()}]}
`)
	children := map[string]cell{}
	for _, c := range cells {
		fmt.Fprintf(&b, "%s: %s: {\n%s\n}\n", c.holder.block, c.name, c.holder.cue(c))
		if c.holder.name == component {
			children[c.child().name] = c.child()
		}
	}
	for name, c := range children {
		fmt.Fprintf(&b, "resources: %s: {\n%s\n}\n", name, c.made())
	}
	return b.String()
}
