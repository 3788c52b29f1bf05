package language

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofMessages are the promises about what users are told.
func ofMessages() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Promise:   "A long step shows what it does",
			Mechanism: "a step that has ended shows nothing more",
			File:      "engine/run/live/live.go",
			Find:      `	if s.ended {`,
			Replace:   `	if false && s.ended {`,
			Package:   "engine/run/live", Test: "TestNothingAfterTheEnd", Fails: "after the end",
		},
		{
			Promise:   "A long step shows what it does",
			Mechanism: "the status is repeated with the time",
			File:      "engine/run/live/live.go",
			Find:      `	s.timer.Reset(every)`,
			Replace:   `	_ = s.timer.Reset`,
			Package:   "engine", Test: "TestLiveStatus/long", Fails: "10s: step 2",
		},
		{
			Promise:   "An error names its provider",
			Mechanism: "the place of a step is that of a provider and a version",
			File:      "engine/plan/program.go",
			Find:      `fmt.Sprintf("%s %s, %s", p.Provider.Name, p.Provider.Version, at)`,
			Replace:   `at.String() + p.Provider.Name[:0]`,
			Package:   "tests/e2e", Test: "TestMessages/an operation that fails", Fails: "the messages do not match",
		},
		{
			Promise:   "Package managers install SDKs",
			Mechanism: "a Python SDK has a pyproject.toml",
			File:      "engine/schema/pulumi.go",
			Find:      `"pyproject": map[string]any{"enabled": true}`,
			Replace:   `"pyproject": map[string]any{"enabled": false}`,
			Package:   "tests/sdks", Test: "TestPythonPackageManagers/uv", Fails: "pyproject.toml",
		},
		{
			Promise:   "What fails only at run time is reported before",
			Mechanism: "vet warns of a retry that sends again what was read before",
			File:      "engine/compile/unlikely/retry.go",
			Find:      `if conflict < 0 || read < 0 {`,
			Replace:   `if true || conflict < 0 || read < 0 {`,
			Package:   "tests/mistakes", Test: "TestAlone/cue/retry-of-read", Fails: "stale-retry",
		},
		{
			Promise:   "What fails only at run time is reported before",
			Mechanism: "vet warns of a find without the gone of read",
			File:      "engine/compile/certainty/find.go",
			Find:      `case c.requestOf(f) == "" || `,
			Replace:   `case true || c.requestOf(f) == "" || `,
			Package:   "tests/mistakes", Test: "TestAlone/cue/find-without-gone", Fails: "find-not-gone",
		},
		{
			Promise:   "A remedy is what the author means",
			Mechanism: "a name in a predicate may be a member of the item",
			File:      "spec/expr/check/unknown_name.go",
			Find: `	if len(u.items) == 0 {
`,
			Replace: `	if true || len(u.items) == 0 {
`,
			Package: "spec/expr", Test: "TestItemMembers", Fails: "expected",
		},
		{
			Promise:   "A mistake is reported once",
			Mechanism: "the names in what cannot be parsed are not unused",
			File:      "spec/load/let/replace.go",
			Find:      `len(s) > 0 && !parse.CanParse(p.Text)`,
			Replace:   `len(s) > 0 && false`,
			Package:   "tests/mistakes", Test: "TestAlone/cue/foreign-not-in", Fails: "unused",
		},
		{
			Promise:   "An error says what to write",
			Mechanism: "a refused page has a remedy",
			File:      "actions/http/paginate.go",
			Find:      `if n == 1 || !p.byNumber()`,
			Replace:   `if true || n == 1 || !p.byNumber()`,
			Package:   "actions/http", Test: "TestPageAfterTheLast", Fails: "expected a hint",
		},
		{
			Promise:   "An error says what to write",
			Mechanism: "a status 405 names the methods",
			File:      "actions/http/verdict/judge.go",
			Find:      `		text += allowed(resp)`,
			Replace:   `		text += allowed(resp)[:0]`,
			Package:   "actions/http", Test: "TestStatus", Fails: "the methods of this address",
		},
		{
			Promise:   "An object that is gone is no failure",
			Mechanism: "a refresh says what read finds",
			File:      "engine/run/missing_object.go",
			Find:      `text[max(0, strings.Index(text, verdict.ErrGone.Error())):]`,
			Replace:   `text[max(0, 0*strings.Index(text, verdict.ErrGone.Error())):]`,
			Package:   "engine", Test: "TestWhyAnObjectIsGone", Fails: "failed",
		},
		{
			Promise:   "What fails only at run time is reported before",
			Mechanism: "vet warns of an input that nothing uses",
			File:      "engine/compile/unlikely/sent.go",
			Find:      `if p.Deprecated != "" || exempt`,
			Replace:   `if true || p.Deprecated != "" || exempt`,
			Package:   "tests/mistakes", Test: "TestAlone/cue/input-not-sent", Fails: "not-sent",
		},
		{
			Promise:   "A mistake is reported once",
			Mechanism: "an input that something wrong may use is not unused",
			File:      "spec/diag/diagnostic.go",
			Find: `	if !l.HasErrors() {
		return l`,
			Replace: `	if true || !l.HasErrors() {
		return l`,
			Package: "engine", Test: "TestUnusedBesideErrors", Fails: "beside an error",
		},
		{
			Promise:   "A mistake is reported once",
			Mechanism: "inputs in read are not null because an id is wrong",
			File:      "engine/compile/operation.go",
			Find:      `if m.ID != nil && c.r.ID == nil ||`,
			Replace:   `if false && m.ID != nil && c.r.ID == nil ||`,
			Package:   "engine", Test: "TestBrokenIDs", Fails: "errors, want 1",
		},
		{
			Promise:   "A mistake is reported once",
			Mechanism: "the ids in a list are not wrong because an id is",
			File:      "spec/load/rest/listed.go",
			Find:      `case ok && id == "":`,
			Replace:   `case false && ok && id == "":`,
			Package:   "engine", Test: "TestBrokenIDs", Fails: "errors, want 1",
		},
		{
			Promise:   "What fails only at run time is reported before",
			Mechanism: "vet warns of a default in quotes beside another type",
			File:      "spec/load/typing/alternative.go",
			Find:      `if !isOther || of < 0 {`,
			Replace:   `if true || !isOther || of < 0 {`,
			Package:   "tests/mistakes", Test: "TestAlone/cue/default-quotes", Fails: "default-quotes",
		},
		{
			Promise:   "A remedy is what the author means",
			Mechanism: "a list has no inputs of the resource",
			File:      "spec/expr/check/findings.go",
			Find:      `if len(t.Fields) == 0 {`,
			Replace:   `if false && len(t.Fields) == 0 {`,
			Package:   "spec/expr", Test: "TestNoneDeclared", Fails: "expected",
		},
	}
}
