package table

// ofLanguage are the mechanisms behind what the language writes for the author, and behind
// values that a server rewrites.
func ofLanguage() []Mutant {
	return []Mutant{
		{
			Promise:   "A shorthand is what it stands for",
			Mechanism: "unique of rest adds a find",
			File:      "spec/load/rest/expand.go",
			Find:      `	if r.Find == nil && x.unique != nil {`,
			Replace:   `	if r.Find == nil && x.unique != nil && false {`,
			Package:   "spec/load/rest", Test: "TestWhatOptionsAdd", Fails: "find is missing",
		},
		{
			Promise:   "A shorthand is what it stands for",
			Mechanism: "parents of rest are not sent in bodies",
			File:      "spec/load/rest/expand.go",
			Find: `	if x.parents != nil {
		inputs = "omit("`,
			Replace: `	if false {
		inputs = "omit("`,
			Package: "spec/load/rest", Test: "TestWhatOptionsAdd", Fails: "the create sends",
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "a default retry repeats nothing whose effect may be unknown",
			File:      "engine/plan/step.go",
			Find: `	if s.Certainty != actions.Uncertain || !p.CoversDoubt(s) {
		return p
	}`,
			Replace: `	if true {
		return p
	}`,
			Package: "engine", Test: "TestDefaultsOfHTTP", Fails: "requests (-want +got)",
		},
		{
			Promise:   "The second up has nothing to do",
			Mechanism: "an empty list that was read counts as absent",
			File:      "engine/run/compare/compare.go",
			Find:      `	if r.OfRead && isEmpty(old) && isEmpty(new) && r.emptyIsAbsent(m) {`,
			Replace:   `	if r.OfRead && isEmpty(old) && isEmpty(new) && r.emptyIsAbsent(m) && false {`,
			Package:   "engine", Test: "TestEmptyCountsAsAbsent", Fails: "recorded (-want +got)",
		},
		{
			Promise:   "What a server shows once stays recorded",
			Mechanism: "a read changes no output with @noRead()",
			File:      "engine/run/reading.go",
			Find:      `	keepUnread(r.Resource, &outputs, old.Outputs.AsMap(), true)`,
			Replace:   `	keepUnread(r.Resource, &outputs, nil, true)`,
			Package:   "engine", Test: "TestValuesShownOnce", Fails: "read: ",
		},
	}
}
