package table

// ofBudgets are the promises about time: what is hostile ends, and what takes no
// templates is never evaluated.
func ofBudgets() []Mutant {
	return []Mutant{
		{
			Promise:   "A script is what its author wrote",
			Mechanism: "a constant in an argument that takes no templates is an error, as any template",
			File:      "engine/compile.go",
			Find:      `decl.Mode == actions.Raw && expr.HasTemplate(f.Value)`,
			Replace:   `decl.Mode == actions.Raw && false && expr.HasTemplate(f.Value)`,
			Package:   "engine", Test: "TestRawArguments/a script/a number", Fails: `curl "${1}"`,
		},
		{
			Promise:   "Time is bounded like memory",
			Mechanism: "work that is counted is stopped at the end of its context",
			File:      "spec/budget/budget.go",
			Find:      `	return &Stopped{Cause: cause}`,
			Replace:   `	return nil`,
			Package:   "spec/budget", Test: "TestSpendSeesTheEndOfItsContext", Fails: "units were spent",
		},
		{
			Promise:   "Time is bounded like memory",
			Mechanism: "a regular expression pays for each character that it reads",
			File:      "spec/budget/regexp.go",
			Find:      `r.budget.Spend(r.cost); r.err != nil {`,
			Replace:   `r.budget.Spend(0); r.err != nil {`,
			Package:   "spec/budget", Test: "TestRegexpsStop/captures", Fails: "of little budget",
		},
		{
			Promise:   "Time is bounded like memory",
			Mechanism: "every call of an expression is paid for before it begins",
			File:      "spec/expr/machine.go",
			Find:      `r.spend(charge(args[1:]))`,
			Replace:   `r.spend(0 * charge(args[1:]))`,
			Package:   "spec/expr", Test: "TestOperationsSpendWhatTheyTake/segments", Fails: "and should at least",
		},
		{
			Promise:   "Time is bounded like memory",
			Mechanism: "an expression ends with its step's timeout",
			File:      "engine/steps.go",
			Find: `	vars.Context = ctx
`,
			Replace: `	vars.Context = before
`,
			Package: "engine", Test: "TestCostlyExpressionsStop/an argument/loops", Fails: "error =",
		},
		{
			Promise:   "Time is bounded like memory",
			Mechanism: "the patterns of types are matched within the call that checks them",
			File:      "engine/check.go",
			Find:      `findings{ctx: ctx}`,
			Replace:   `findings{}`,
			Package:   "engine", Test: "TestCheckStops/a text", Fails: "it takes too much work",
		},
		{
			Promise:   "Time is bounded like memory",
			Mechanism: "all parts of a tree of templates spend from one budget",
			File:      "spec/expr/part.go",
			Find:      `f.program.evalIn(r, vars, secret)`,
			Replace:   `f.program.evalIn(newRun(vars, maxWork), vars, secret)`,
			Package:   "spec/expr", Test: "TestBudgetIsOfTheWholeTree", Fails: "<nil>",
		},
		{
			Promise:   "Time is bounded like memory",
			Mechanism: "all pages together have a total time",
			File:      "actions/http/paginate.go",
			Find:      `context.WithTimeoutCause(ctx, x.pages.timeout, pagesOvertime(x.pages.timeout))`,
			Replace:   `context.WithTimeoutCause(ctx, x.pages.timeout*1000, pagesOvertime(x.pages.timeout))`,
			Package:   "actions/http", Test: "TestPagesHaveATotal/page", Fails: "1000 pages",
		},
		{
			Promise:   "Time is bounded like memory",
			Mechanism: "a page that repeats the one before is the last",
			File:      "actions/http/paginate.go",
			Find:      `len(p.last) > 0 && reflect.DeepEqual(items, p.last)`,
			Replace:   `len(p.last) > 0 && !reflect.DeepEqual(items, items)`,
			Package:   "actions/http", Test: "TestPaginateBounded/a page that repeats", Fails: "more than 1000 pages",
		},
		{
			Promise:   "A secret stays a secret",
			Mechanism: "what auth puts into a URL is taken out of a server's links",
			File:      "actions/http/link.go",
			Find:      `	unsign(u, a.signed)`,
			Replace:   ``,
			Package:   "actions/http", Test: "TestLinksKeepCredentialsOut", Fails: "has the keys",
		},
		{
			Promise:   "What vet promises of types holds",
			Mechanism: "of several multiples all count",
			File:      "spec/load/merge.go",
			Find:      `	m.MultipleOf = spec.CommonMultiple(a.MultipleOf, b.MultipleOf)`,
			Replace:   `	m.MultipleOf = a.MultipleOf`,
			Package:   "engine", Test: "TestMultipleOf", Fails: "both of 4",
		},
		{
			Promise:   "What vet promises of types holds",
			Mechanism: "a method sees a recorded state under the declared types",
			File:      "engine/method.go",
			Find:      `		state, err = res.refitted(state)`,
			Replace:   `		state, err = state, nil`,
			Package:   "engine", Test: "TestMethodsSeeStatesAsDeclared", Fails: "TestMethodsSeeStatesAsDeclared",
		},
	}
}
