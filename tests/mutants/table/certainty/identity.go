package certainty

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofIdentity are the mechanisms by which a resource stays the one that it is.
func ofIdentity() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Promise:   "A message gives advice that is right for the cause",
			Mechanism: "the remedy of a refused import has the form of an import",
			File:      "engine/run/reading/identity.go",
			Find:      `	if text, ok := r.Resource.Identity.Imports.Write(r.Resource, config, s.ID, s.Inputs); ok {`,
			Replace:   `	if text, ok := r.Resource.Identity.Imports.Write(r.Resource, config, s.ID, s.Inputs); ok && false {`,
			Package:   "engine", Test: "TestImportsOfOtherForms", Fails: "want the remedy to import",
		},
		{
			Promise:   "Nothing foreign is taken",
			Mechanism: "an import says what nothing shows",
			File:      "engine/run/reading/imported.go",
			Find:      `		n.warnOfUnverified(shown)`,
			Replace:   `		_ = n.warnOfUnverified`,
			Package:   "engine", Test: "TestImportsSayWhatNothingShows", Fails: "neither asks",
		},
		{
			Promise:   "Two resources never have one object",
			Mechanism: "creates whose finds would find the same object run one after the other",
			File:      "engine/run/operation/lock.go",
			Find:      `	if !r.Resource.FindFirst {`,
			Replace:   `	if true {`,
			Package:   "engine", Test: "TestCreatesOfOneName", Fails: "creates succeeded, and made",
		},
		{
			Promise:   "What is destroyed is what was imported",
			Mechanism: "an import's id is made of what read sees",
			File:      "engine/run/reading/identity.go",
			Find:      `	found.ID = r.idOf(found.Inputs)`,
			Replace:   ``,
			Package:   "engine", Test: "TestIdentityTable", Fails: "import of ",
		},
		{
			Promise:   "A resource is found under its new name",
			Mechanism: "a refresh takes the id that an update gave",
			File:      "engine/run/reading/identity.go",
			Find:      `	found.Private.ID = ""`,
			Replace:   ``,
			Package:   "engine", Test: "TestRenamesAreHealed", Fails: "b",
		},
		{
			Promise:   "What is imported can be declared",
			Mechanism: "an import is checked against the types of the inputs that its id gives",
			File:      "engine/run/reading/identity.go",
			Find:      `	return found, r.checkImported(found.ID, found.Inputs)`,
			Replace:   `	return found, nil`,
			Package:   "engine", Test: "TestImportsOfValuesThatNoProgramMayWrite", Fails: "is imported with",
		},
		{
			Promise:   "What has an id can be imported by it",
			Mechanism: "inputs that the id does not give back are refused",
			File:      "engine/check.go",
			Find:      `		refuseAmbiguousID(res, e.resources.Config, inputs, &f)`,
			Replace:   ``,
			Package:   "engine", Test: "TestIDsThatDoNotReadBack", Fails: "the fault is at",
		},
		{
			Promise:   "A replacement stays when its original goes",
			Mechanism: "a state with an older token is not deleted",
			File:      "engine/run/delete.go",
			Find:      `	if res.skipSuperseded(state) {`,
			Replace:   `	if false {`,
			Package:   "engine", Test: "TestReplacementsOfOneID/create,_then_delete", Fails: "remove r/7",
		},
		{
			Promise:   "A replacement stays when its original goes",
			Mechanism: "and two things of one id in two places are two",
			File:      "engine/run/recorded/tokens.go",
			Find:      `		text = fmt.Appendf(text, "%q %s\n", name, value.Canonical(v.WithSecret(false)))`,
			Replace:   `		_ = v`,
			Package:   "engine", Test: "TestReplacementsOfOneID/number_7", Fails: "remove r/7",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "assets are the same by what they hold",
			File:      "engine/value/plain.go",
			Find:      `replaceFiles(Untyped.Plain(v, below, &Secrets{}))`,
			Replace:   `Untyped.Plain(v, below, &Secrets{})`,
			Package:   "engine", Test: "TestAssetsGoOn", Fails: "Force:true",
		},
		{
			Promise:   "A refresh forgets nothing",
			Mechanism: "an import is what the host says is one",
			File:      "engine/pulumi/read.go",
			Find:      `req.GetInputs() == nil && len(`,
			Replace:   `len(`,
			Package:   "engine/pulumi", Test: "TestReadReasons", Fails: "is taken for",
		},
		{
			Promise:   "A function waits for what it asks about",
			Mechanism: "what is yet to be made has no id in a preview",
			File:      "engine/run/outputs.go",
			Find:      `&recorded.State{ID: old.ID, Inputs: old.Inputs, Outputs: recorded.WithInputs(old.Inputs, values)}}`,
			Replace:   `&recorded.State{ID: "it", Inputs: old.Inputs, Outputs: recorded.WithInputs(old.Inputs, values)}}`,
			Package:   "engine", Test: "TestPreviewRunsNothing", Fails: "outputs (-want +got)",
		},
	}
}
