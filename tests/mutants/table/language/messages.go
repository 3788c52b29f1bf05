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
	}
}
