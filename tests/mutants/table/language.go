package table

// ofLanguage are the mechanisms behind what the language writes for the author, and behind
// values that a server rewrites.
func ofLanguage() []Mutant {
	return []Mutant{
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
