package table

// ofNames are the promises about declared names and types of what arrives.
func ofNames() []Mutant {
	const typed = "A response is data of its declared type, or an error that names the member"
	const names = "Names on the wire are written down once"
	return []Mutant{
		{
			Promise: typed, Mechanism: "a member of another kind does not fit",
			File:    "engine/receive.go",
			Find:    `	r.misfit(describe(declared), receivedKind(v), "")` + "\n\treturn nil\n}\n\n// asScalar",
			Replace: "\treturn v\n}\n\n// asScalar",
			Package: "engine", Test: "TestResponsesThatDoNotFit", Fails: "an int is declared",
		},
		{
			Promise: typed, Mechanism: "a required member must be there",
			File:    "engine/receive.go",
			Find:    `		r.misfit(describe(p.Type), "nothing", r.otherSpelling(v, p))`,
			Replace: `		r.otherSpelling(v, p)`,
			Package: "engine", Test: "TestResponsesThatDoNotFit", Fails: "missing",
		},
		{
			Promise: typed, Mechanism: "what has had its effect is recorded as done",
			File:    "engine/steps.go",
			Find:    `	if err != nil && (!unfit(err) || s.forEach != nil) {`,
			Replace: `	if err != nil {`,
			Package: "engine", Test: "TestUnfitEffectsAreDoneOnce", Fails: "it is kept as failed",
		},
		{
			Promise: typed, Mechanism: "the element that was made is kept with the others",
			File:    "engine/steps.go",
			Find:    `	if err != nil && !unfit(err) || r.undoing {`,
			Replace: `	if err != nil || r.undoing {`,
			Package: "engine", Test: "TestUnfitElements", Fails: "make y",
		},
		{
			Promise: typed, Mechanism: "session has the type of what configure yields",
			File:    "engine/session.go",
			Find:    `		c.session = sessionType(last(c.configure.steps))`,
			Replace: `		c.session = orNull(&spec.Type{})`,
			Package: "engine", Test: "TestSessionIsTyped", Fails: "session.acount",
		},
		{
			Promise: names, Mechanism: "the rule of a resource or spec holds for what its steps return",
			File:    "engine/compile_steps.go",
			Find:    `newNaming(c.wireRule(), c.spec.Types, body.Type)`,
			Replace: `newNaming("", c.spec.Types, body.Type)`,
			Package: "engine", Test: "TestResponsesBecomeTheirType", Fails: "body.pet",
		},
		{
			Promise: names, Mechanism: "the rule of a definition holds for the names in it",
			File:    "spec/load/named.go",
			Find:    `	t.ApplyWireRule(rule)`,
			Replace: `	_ = rule`,
			Package: "engine", Test: "TestWireRulesOfReturns", Fails: "FullName",
		},
		{
			Promise: names, Mechanism: "a path is sent below its parents",
			File:    "engine/wirenames.go",
			Find:    `				putAt(renamed, p.WireParents, w.name(p), w.out(item, p.Type, types))`,
			Replace: `				putAt(renamed, nil, w.name(p), w.out(item, p.Type, types))`,
			Package: "engine", Test: "TestWirePaths", Fails: "metadata:map[name:a]",
		},
		{
			Promise: names, Mechanism: "a path is read below its parents",
			File:    "engine/receive.go",
			Find:    "	for _, parent := range p.WireParents {\n\t\tnext",
			Replace: "	for _, parent := range p.WireParents[:0] {\n\t\tnext",
			Package: "engine", Test: "TestWirePathsOfReturns", Fails: "metadata.uid",
		},
		{
			Promise: names, Mechanism: "two properties have no place in common",
			File:    "spec/wire.go",
			Find:    `slices.Equal(a[:n], b[:n])`,
			Replace: `len(a) == len(b) && slices.Equal(a[:n], b[:n])`,
			Package: "engine", Test: "TestWireConflicts", Fails: "duplicate-name",
		},
	}
}
