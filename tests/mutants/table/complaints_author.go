package table

// ofAuthors are the complaints about mistakes that show only once a spec runs.
func ofAuthors() []Mutant {
	return []Mutant{
		{
			Complaint: 30, Promise: "An author's mistakes are found before anything runs",
			Mechanism: "every template is typed when a spec is compiled",
			File:      "engine/compile/finding/collector.go",
			Find:      `	c.Add(diags, path)`,
			Replace:   ``,
			Package:   complaints, Test: "TestComplaint30MistakesBeforeRunning", Fails: "inputs.nmae: ",
		},
	}
}
