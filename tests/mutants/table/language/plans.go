package language

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofPlans are the mechanisms that make a preview tell the truth.
func ofPlans() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Promise:   "A preview does not guess",
			Mechanism: "outputs are unknown until they are known",
			File:      "engine/run/outputs.go",
			Find:      `values[m.Name] = property.New(property.Computed).WithSecret(m.IsSecret())`,
			Replace:   `values[m.Name] = property.New("guess").WithSecret(m.IsSecret())`,
			Package:   mutant.EndToEnd, Test: "TestConformance/46", Fails: "content of b in the preview",
		},
		{
			Promise:   "A preview does not guess",
			Mechanism: "unknown inputs pass the check",
			File:      "engine/value/check.go",
			Find:      `	if v.IsComputed() {`,
			Replace:   `	if false {`,
			Package:   mutant.EndToEnd, Test: "TestConformance/28", Fails: "content",
		},
		{
			Promise:   "A preview does not guess",
			Mechanism: "an unknown against a known value is a change",
			File:      "engine/value/diff.go",
			Find:      `	case new.IsComputed() || old.IsComputed():`,
			Replace: `	case new.IsComputed():
	case old.IsComputed():`,
			Package: mutant.EndToEnd, Test: "TestConformance/38", Fails: "rules UPDATE",
		},
		{
			Promise:   "A preview does not guess",
			Mechanism: "a step that depends on what is not known is not known, and no failure",
			File:      "engine/run/operation/run.go",
			Find:      "	value, err := r.Loop(ctx, s)\n	if r.Preview && errors.Is(err, scope.ErrNotKnown) {",
			Replace:   "	value, err := r.Loop(ctx, s)\n	if false {",
			Package:   "engine", Test: "TestPreviewOfUnknownConditions", Fails: "it depends on a value that is not known yet",
		},
		{
			Promise:   "A plan says what an update would do",
			Mechanism: "@replace() reaches the CLI by the provider's own word",
			File:      "engine/pulumi/diff.go",
			Find:      `	for _, c := range diff.Changes {`,
			Replace: `	for _, c := range diff.Changes {
		c.Replace = false`,
			Package: mutant.EndToEnd, Test: "TestConformance/37 a replacing input replaces, by", Fails: "another path is no replacement",
		},
		{
			Promise:   "A plan says what an update would do",
			Mechanism: "a replacement that would have the id of what it replaces deletes that first",
			File:      "engine/diff.go",
			Find:      `e.keepsID(ctx, res, req, state) || `,
			Replace:   ``,
			Package:   "engine", Test: "TestReplaceOrder", Fails: "the same id",
		},
		{
			Promise:   "A plan says what an update would do",
			Mechanism: "a rule of the spec replaces where it holds",
			File:      "engine/diff.go",
			Find:      `				changes[i].Replace = !state.Private.IsFirst(c)`,
			Replace:   `				changes[i].Replace = false`,
			Package:   "engine", Test: "TestDiff/a rule replaces", Fails: "-want +got",
		},
		{
			Promise:   "A plan says what an update would do",
			Mechanism: "what the user ignores is no change",
			File:      "engine/run/compare/compare.go",
			Find:      `value.IsIgnored(c.Path, ignore) || `,
			Replace:   ``,
			Package:   "engine", Test: "TestDiff/ignored", Fails: "-want +got",
		},
		{
			Promise:   "A default is what it is everywhere",
			Mechanism: "a check adds the defaults",
			File:      "engine/value/check.go",
			Find:      `		out.set(m.Name, m.Check.Complete(m.Fallback, at, f))`,
			Replace:   ``,
			Package:   "engine", Test: "TestCheckDefaults", Fails: "-want +got",
		},
		{
			Promise:   "A default is what it is everywhere",
			Mechanism: "a derived name is kept while the resource lives",
			File:      "engine/autoname.go",
			Find:      `req.HasOld && old.IsString()`,
			Replace:   `false && old.IsString()`,
			Package:   mutant.EndToEnd, Test: "TestConformance/31", Fails: "became",
		},
	}
}
