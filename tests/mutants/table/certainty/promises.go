package certainty

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofPromises are the mechanisms that keep what vet says of types true of what runs.
func ofPromises() []mutant.Mutant {
	const promise = "What vet says is never null is not"
	row := func(mechanism, file, find, replace, test string) mutant.Mutant {
		return mutant.Mutant{
			Promise: promise, Mechanism: mechanism, File: file, Find: find, Replace: replace,
			Package: "engine", Test: "TestNeverNull/" + test, Fails: "contradictions",
		}
	}
	return []mutant.Mutant{
		row("an update relies on nothing that the recorded state lacks", "engine/run/update.go",
			`		if err := recorded.CheckComplete(res.Resource, state, plan.Update); err != nil {`,
			`		if err := error(nil); err != nil {`, "typed, a typed read"),
		row("a deletion relies on nothing that the recorded state lacks", "engine/run/delete.go",
			`	if err := recorded.CheckComplete(of, state, plan.Delete); err != nil {`,
			`	if err := error(nil); err != nil {`, "typed, no read"),
		row("a method relies on nothing that the recorded state lacks", "engine/method.go",
			`		err = recorded.CheckCompleteFor(res, state, `, `		_ = recorded.CheckCompleteFor(res, state, `, "untyped, no read"),
		row("a refresh relies on nothing that the recorded state lacks", "engine/run/read.go",
			`	return recorded.CheckComplete(res.Resource, *state, plan.Read)`,
			`	return nil`, "named, a typed read"),
		row("a part that is lacking counts", "engine/value/refit.go",
			`			if m.Required && m.Check.Lacks(v.AsMap().Get(m.Name)) {`,
			`			if m.Required && m.Check.Lacks(v.AsMap().Get(m.Name)) && false {`, "typed, no read"),
	}
}
