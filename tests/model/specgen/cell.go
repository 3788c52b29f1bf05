// Package specgen generates the specs of the model: a cell of its matrix (cell.go) and the
// flavour of an API (flavour.go) become a spec (spec.go).
package specgen

import "fmt"

// The dimensions of the matrix.
const (
	POST    = "POST"
	PUT     = "PUT"
	PATCH   = "PATCH"
	Other   = "other" // MKCOL or COPY
	Command = "command"

	Keyed        = "keyed"
	Find         = "find"
	FindNotFirst = "find, not first"
	Conditional  = "conditional"
	NoWay        = "none"

	Unsaid = "unsaid"
	Yes    = "yes"
	No     = "no"

	ByStatus = "by status"
	Bare     = "bare"
	Group    = "group"

	None = "none"
	Some = "some"
	All  = "all"
)

// Cell is one combination of what a spec may say of the create of a resource.
type Cell struct {
	// Method is the request's, or Command.
	Method string
	// Way is how a create whose response was lost is recognised.
	Way string
	// Idempotent is what the spec's `idempotent` says.
	Idempotent string
	// Retry is the step's `retry`, or that of the group.
	Retry string
	// Undo says which steps have `onFailure`.
	Undo string
	// Steps is how many steps a create has: 1 or 3.
	Steps int
}

func (c Cell) String() string {
	return fmt.Sprintf("%s, %s, idempotent %s, retry %s, undo %s, %d steps", c.Method, c.Way, c.Idempotent, c.Retry, c.Undo, c.Steps)
}

// Cells is the whole matrix. A command has no idempotency key and no condition.
func Cells() []Cell {
	var all []Cell
	for _, method := range []string{POST, PUT, PATCH, Other, Command} {
		ways := []string{Keyed, Find, FindNotFirst, Conditional, NoWay}
		if method == Command {
			ways = []string{Find, FindNotFirst, NoWay}
		}
		for _, way := range ways {
			for _, idempotent := range []string{Unsaid, Yes, No} {
				for _, retry := range []string{None, ByStatus, Bare, Group} {
					for _, undo := range []string{None, Some, All} {
						for _, steps := range []int{1, 3} {
							all = append(all, Cell{method, way, idempotent, retry, undo, steps})
						}
					}
				}
			}
		}
	}
	return all
}

// Finds reports whether the spec has a `find`.
func (c Cell) Finds() bool { return c.Way == Find || c.Way == FindNotFirst }

// Safe reports whether the documents call the step that makes the object safe to
// repeat: PUT, and what says that it is idempotent, without a condition.
func (c Cell) Safe() bool {
	return c.Way != Conditional && (c.Idempotent == Yes || c.Method == PUT && c.Idempotent != No)
}

// Uncertain reports whether nobody can tell, without a `find`, what came of the
// step if its response was lost. With a condition, what would be safe is never done
// twice.
func (c Cell) Uncertain() bool {
	return c.Way != Keyed && c.Idempotent != Yes && (c.Method != PUT || c.Idempotent == No)
}

// Refusals are why vet must refuse the cell's spec, by LANGUAGE section 2; none
// where it must not.
func (c Cell) Refusals() []string {
	var why []string
	// An exit code that a retry names is no unknown outcome, but a failure.
	if (c.Retry == ByStatus && c.Method != Command || c.Retry == Bare) && c.Uncertain() && !c.Finds() {
		why = append(why, "retry of an uncertain step without key or find")
	}
	if c.Retry == Group && c.Steps == 3 && !c.Safe() && c.Way != Keyed {
		why = append(why, "retry of a group with an effect that is neither safe nor keyed")
	}
	return why
}

// Sample returns the indices of cells, in the order of a walk by stride, that have together what
// any three dimensions combine in all cells: each combination that three values have in a cell
// whose spec vet accepts is in such a cell of the sample, and the same for cells that it refuses.
func Sample(stride int) []uint64 {
	cells := Cells()
	met := map[string]bool{}
	var sample []uint64
	for n := range cells {
		at := n * stride % len(cells)
		before := len(met)
		for _, combination := range cells[at].combinations() {
			met[combination] = true
		}
		if len(met) > before {
			sample = append(sample, uint64(at))
		}
	}
	return sample
}

// combinations names each three values that the cell combines, with whether vet refuses it.
func (c Cell) combinations() []string {
	values := []string{"method " + c.Method, "way " + c.Way, "idempotent " + c.Idempotent, "retry " + c.Retry, "undo " + c.Undo, fmt.Sprint("steps ", c.Steps)}
	var all []string
	for i, a := range values {
		for j, b := range values[i+1:] {
			for _, d := range values[i+j+2:] {
				all = append(all, fmt.Sprint(len(c.Refusals()) > 0, ", ", a, ", ", b, ", ", d))
			}
		}
	}
	return all
}
