package language

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofCompilation are the mechanisms that make a program data: what is compiled
// depends on the spec alone, and never changes.
func ofCompilation() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Promise:   "A compiled program never changes",
			Mechanism: "the parts of an argument are copied, not added to",
			File:      "engine/plan/argument.go",
			Find:      "	out := make(map[string]Part, len(p.ByPath)+1)\n	maps.Copy(out, p.ByPath)",
			Replace:   "	out := p.ByPath\n	if out == nil {\n		out = map[string]Part{}\n	}",
			Package:   "engine", Test: "TestPartsAreCopied", Fails: "a part was added to what others hold",
		},
		{
			Promise:   "A compiled program never changes",
			Mechanism: "late parts of a family's defaults are compiled once, with them",
			File:      "engine/compile/arguments/families.go",
			Find:      `a.Parts = b.lateParts(a, kindWith(family, name), static)`,
			Replace:   `_ = static`,
			Package:   "engine", Test: "TestDefaultsKeepEveryLatePart", Fails: "has no auth.login.token",
		},
		{
			Promise:   "A compiled program never changes",
			Mechanism: "what is found about inputs has an order",
			File:      "engine/compile/uses.go",
			Find:      "func stepSinks(s *plan.Step) []plan.Sink {\n	var sinks []plan.Sink\n	for _, name := range slices.Sorted(maps.Keys(s.Args)) {",
			// Not the order of a map: that is nearly always the one of insertion.
			Replace: "var turns int\n\nfunc stepSinks(s *plan.Step) []plan.Sink {\n	var sinks []plan.Sink\n	names := slices.Sorted(maps.Keys(s.Args))\n" +
				"	if turns++; turns%3 == 0 {\n		slices.Reverse(names)\n	}\n	for _, name := range names {",
			Package: "engine", Test: "TestCompiledPartsAreImmutable/examples", Fails: "compiles to something else",
		},
		{
			Promise:   "vet never crashes",
			Mechanism: "an operation without steps is not compiled further",
			File:      "engine/compile/functions.go",
			Find:      "		if op.Stepless() {\n			return f\n		}",
			Replace:   "",
			Package:   "engine", Test: "TestBrokenOperations/returning", Fails: "follows from the other",
		},
		{
			Promise:   "vet never crashes",
			Mechanism: "an operation without steps uses nothing",
			File:      "engine/compile/uses.go",
			Find:      `	if op == nil || op.Stepless() {`,
			Replace:   `	if op == nil {`,
			Package:   "engine", Test: "TestBrokenOperations/ephemeral", Fails: "nil pointer",
		},
		{
			Promise:   "vet never crashes",
			Mechanism: "a list without a step is not compiled",
			File:      "engine/compile/operation.go",
			Find:      `	if m == nil || m.Step == nil {`,
			Replace:   `	if m == nil {`,
			Package:   "engine", Test: "TestBrokenOperations/list", Fails: "nil pointer",
		},
		{
			Promise:   "A plan says what an update would do",
			Mechanism: "an item of a set that came where another went is told",
			File:      "engine/value/diff.go",
			Find:      `		if i < new.Len() && places[i] < places[i+1] {`,
			Replace:   `		if false {`,
			Package:   "engine", Test: "TestDiff/a set's items", Fails: "set[0]",
		},
		{
			Promise:   "An SDK has what a program needs, and no more",
			Mechanism: "types of responses alone are not shown",
			File:      "engine/schema/pulumi.go",
			Find:      `		shown: names.SchemaTypes(p),`,
			Replace:   `		shown: p.Types,`,
			Package:   "engine/schema", Test: "TestTypesOfResponsesAreNotShown", Fails: "the types of the schema",
		},
		{
			Promise:   "What was installed works on",
			Mechanism: "a compiled spec of a former format is compiled again",
			File:      "cmd/declprov/internal/serving/process.go",
			Find:      `	if errors.Is(err, container.ErrOlder) {`,
			Replace:   `	if false && errors.Is(err, container.ErrOlder) {`,
			Package:   "tests/evolution", Test: "TestContainersOfFormerFormats/tags", Fails: "port",
		},
	}
}
