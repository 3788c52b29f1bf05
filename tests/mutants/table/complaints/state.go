package complaints

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofState are the complaints about what is recorded, and about what is a change.
func ofState() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Complaint: 1, Promise: "What the server adds is no change, for ever",
			Mechanism: "what the spec does not declare is no part of the state",
			File:      "engine/value/project.go",
			Find:      `	err := p.fit(c, object, "", &out)`,
			Replace: `	err := p.fit(c, object, "", &out)
	for name, v := range object {
		if c.ByName[name] == nil {
			out.Values[name], _ = Untyped.FromPlain(v, name, p.mask)
		}
	}`,
			Package: mutant.Complaints, Test: "TestComplaint01PerpetualDiff", Fails: "undeclared etag",
		},
		{
			Complaint: 1, Promise: "What the server adds is no change, for ever",
			Mechanism: "an input that the server may choose is read only where the program set it",
			File:      "engine/run/reading/reading.go",
			Find:      `chosen := !importing && !given && !wasWritten && r.Resource.Outputs.ByName[m.Name] != nil`,
			Replace:   `chosen := false`,
			Package:   mutant.Complaints, Test: "TestComplaint01PerpetualDiff", Fails: "became an input",
		},
		{
			Complaint: 1, Promise: "What the server adds is no change, for ever",
			Mechanism: "an input that the server may choose, taken out of the program, is left to the server",
			File:      "engine/run/compare/compare.go",
			Find:      `c.Kind == value.Delete && r.ServerKeeps(c.Path)`,
			Replace:   `false`,
			Package:   mutant.Complaints, Test: "TestComplaint01PerpetualDiff", Fails: "region",
		},
		{
			Complaint: 1, Promise: "What the server adds is no change, for ever",
			Mechanism: "an input that is not read back has its default",
			File:      "engine/run/reading/reading.go",
			Find:      `return m.Default != nil && (recorded || importing)`,
			Replace:   `return false`,
			Package:   mutant.Complaints, Test: "TestComplaint01Defaults", Fails: "mode",
		},
		{
			Complaint: 2, Promise: "What is read may be shaped unlike what was written",
			Mechanism: "`return` projects an answer onto the declared names",
			File:      "engine/run/scope/scope.go",
			Find:      `	if op.Return != nil {`,
			Replace:   `	if false {`,
			Package:   mutant.Complaints, Test: "TestComplaint02WrittenUnlikeRead", Fails: "serial",
		},
		{
			Complaint: 2, Promise: "What is read may be shaped unlike what was written",
			Mechanism: "@noRead(): the recorded value stands",
			File:      "engine/run/reading/reading.go",
			Find:      `case m.NoRead || m.Ephemeral || chosen:`,
			Replace:   `case m.Ephemeral || chosen:`,
			Package:   mutant.Complaints, Test: "TestComplaint02NotReadBack", Fails: "note",
		},
		{
			Complaint: 2, Promise: "What is read may be shaped unlike what was written",
			Mechanism: "@equal(): values that mean the same are no change",
			File:      "engine/run/compare/compare.go",
			Find:      `return strings.EqualFold(a, b)`,
			Replace:   `return a == b`,
			Package:   mutant.Complaints, Test: "TestComplaint02NotReadBack", Fails: "name",
		},
		{
			Complaint: 6, Promise: "An update that failed is not taken for done",
			Mechanism: "the state of a failed update says that it is unfinished",
			File:      "engine/run/updating.go",
			Find: `	} else {
		outputs.WarnKept(r.Run`,
			Replace: `		next.Private.Failed = nil
	} else {
		outputs.WarnKept(r.Run`,
			Package: mutant.Complaints, Test: "TestComplaint06StateAfterFailedUpdate", Fails: "a run that reverts the change would do nothing",
		},
		{
			Complaint: 6, Promise: "An update that failed is not taken for done",
			Mechanism: "what is unfinished forces an update",
			File:      "engine/diff.go",
			Find:      `Force: state.Private.Failed != nil,`,
			Replace:   `Force: false,`,
			Package:   mutant.Complaints, Test: "TestComplaint06StateAfterFailedUpdate", Fails: "a run that reverts the change would do nothing",
		},
		{
			Complaint: 8, Promise: "What is there can be imported by its id alone",
			Mechanism: "an import takes its inputs from what read gives",
			File:      "engine/run/reading/reading.go",
			Find: `			shown = wrote.Drifted(shown)
			inputs = inputs.Set(m.Name, shown.WithSecret(shown.Secret() || recorded.HasSecrets()))`,
			Replace: `			_ = wrote.Drifted(shown)`,
			Package: mutant.Complaints, Test: "TestComplaint08Import", Fails: "the inputs are",
		},
		{
			Promise:   "What is there can be imported by its id alone",
			Mechanism: "an operation that uses what an import did not give is refused",
			File:      "spec/expr/check/checked.go",
			Find:      `		if isLacking(c, v) {`,
			Replace:   `		if false {`,
			Package:   "engine", Test: "TestOperationsAfterAnImportThatLacksAProperty", Fails: "it was sent: true",
		},
		{
			Complaint: 8, Promise: "What is there can be imported by its id alone",
			Mechanism: "what the server chose is an input at an import, and at no other read",
			File:      "engine/run/reading/reading.go",
			Find:      `chosen := !importing && !given`,
			Replace:   `chosen := !given`,
			Package:   mutant.Complaints, Test: "TestComplaint08Import", Fails: "a value that the server chose before the import is not an input",
		},
		{
			Complaint: 8, Promise: "What is there can be imported by its id alone",
			Mechanism: "`import` is read backwards, where an id is not enough to read by",
			File:      "engine/identity.go",
			Find:      `	if !l.res.Identity.Imports.IsSet() {`,
			Replace:   `	if true {`,
			Package:   mutant.Complaints, Test: "TestComplaint08ImportOfMore", Fails: "the import sends another request, or returns another id",
		},
		{
			Complaint: 10, Promise: "A change is made in place where that is possible",
			Mechanism: "a property replaces only where it says so",
			File:      "engine/run/compare/compare.go",
			Find:      `news, "", r.Resource.Update == nil)`,
			Replace:   `news, "", true)`,
			Package:   mutant.Complaints, Test: "TestComplaint10UpdateInPlace", Fails: "expected a change of the name in place, got",
		},
		{
			Complaint: 10, Promise: "A change is made in place where that is possible",
			Mechanism: "@replace() replaces",
			File:      "engine/value/diff.go",
			Find:      `replace || m != nil && m.Replace)`,
			Replace:   `replace)`,
			Package:   mutant.Complaints, Test: "TestComplaint10UpdateInPlace", Fails: "expected a replacement for a change of the kind, got",
		},
		{
			Complaint: 13, Promise: "The order of a list counts only where it means something",
			Mechanism: "@set() compares without order",
			File:      "engine/value/diff.go",
			Find:      `case m != nil && m.Set:`,
			Replace:   `case false:`,
			Package:   mutant.Complaints, Test: "TestComplaint13ArrayOrder", Fails: "Path:tags[",
		},
		{
			Complaint: 13, Promise: "The order of a list counts only where it means something",
			Mechanism: "@key() compares items of the same key",
			File:      "engine/value/diff.go",
			Find:      `case m != nil && m.Key != "":`,
			Replace:   `case false:`,
			Package:   mutant.Complaints, Test: "TestComplaint13ArrayOrder", Fails: "Path:rules[",
		},
		{
			Complaint: 14, Promise: "An update leaves what it does not touch known",
			Mechanism: "the preview of an update shows @stable() outputs as recorded",
			File:      "engine/run/outputs.go",
			Find:      `ok && m.Stable {`,
			Replace:   `ok && false {`,
			Package:   mutant.Complaints, Test: "TestComplaint14KnownOutputs", Fails: "the serial number is",
		},
		{
			Complaint: 14, Promise: "An update leaves what it does not touch known",
			Mechanism: "a diff names the outputs that stay",
			File:      "engine/diff.go",
			Find:      `Stable: stableNames(res)}`,
			Replace:   `Stable: nil}`,
			Package:   mutant.Complaints, Test: "TestComplaint14KnownOutputs", Fails: "the diff does not say that the serial number stays",
		},
		{
			Complaint: 16, Promise: "An id is never guessed",
			Mechanism: "the id is what the template `id` yields",
			File:      "engine/run/view/id.go",
			Find:      `	id, err := v.PublicText(v.Resource.ID, "it")`,
			Replace: `	id, err := v.PublicText(v.Resource.ID, "it")
	if body, ok := v.Vars.Values["body"].(map[string]any); ok && body["id"] != nil {
		id, err = value.Text(body["id"])
	}`,
			Package: mutant.Complaints, Test: "TestComplaint16ID", Fails: `the id is "wrong"`,
		},
		{
			Complaint: 16, Promise: "An id is never guessed",
			Mechanism: "numbers of answers keep all their digits",
			File:      "spec/decode/json.go",
			Find:      `	dec.UseNumber()`,
			Replace:   ``,
			Package:   mutant.Complaints, Test: "TestComplaint16ID", Fails: `the id is "9007199254740992"`,
		},
		{
			Complaint: 17, Promise: "Only what the server calls gone is gone",
			Mechanism: "an answer of nothing, where no `return` says what that means, is an error",
			File:      "engine/run/reading/reading.go",
			Find:      `	if r.Operation.Return != nil {`,
			Replace:   `	if true {`,
			Package:   mutant.Complaints, Test: "TestComplaint17Gone", Fails: `200 "": gone is true`,
		},
		{
			Complaint: 17, Promise: "Only what the server calls gone is gone",
			Mechanism: "an answer without a required output is an error",
			File:      "engine/run/reading/reading.go",
			Find:      `if lost == nil && len(got.Missing) > 0 {`,
			Replace:   `if false {`,
			Package:   mutant.Complaints, Test: "TestComplaint17Gone", Fails: `}": gone is false, error <nil>`,
		},
		{
			Complaint: 17, Promise: "Only what the server calls gone is gone",
			Mechanism: "no status but 404 and 410 says that a thing is not there",
			File:      "actions/http/verdict/judge.go",
			Find:      `	case http.StatusNotFound, http.StatusGone:`,
			Replace:   `	case http.StatusNotFound, http.StatusGone, http.StatusUnauthorized:`,
			Package:   mutant.Complaints, Test: "TestComplaint17Gone", Fails: `401 "": gone is true`,
		},
		{
			Complaint: 17, Promise: "Only what the server calls gone is gone",
			Mechanism: "404 and 410 say that a thing is not there",
			File:      "actions/http/verdict/judge.go",
			Find:      `	case http.StatusNotFound, http.StatusGone:`,
			Replace:   `	case 599:`,
			Package:   mutant.Complaints, Test: "TestComplaint17Gone", Fails: `404 "": gone is false`,
		},
		{
			Complaint: 17, Promise: "Only what the server calls gone is gone",
			Mechanism: "what a later step of a read does not find is a part, not the thing",
			File:      "engine/run/reading/reading.go",
			Find:      `errors.Is(err, verdict.ErrNotFound) && r.Failed == 0`,
			Replace:   `errors.Is(err, verdict.ErrNotFound)`,
			Package:   mutant.Complaints, Test: "TestComplaint17PartIsNotThere", Fails: "a missing part means that the resource is gone",
		},
	}
}
