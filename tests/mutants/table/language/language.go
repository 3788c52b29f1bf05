package language

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofLanguage are the mechanisms behind what the language writes for the author, and behind
// values that a server rewrites.
func ofLanguage() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Promise: "An update changes what the program changes", Mechanism: "a JSON Patch keeps the other members of an object that contains an input",
			File:    "spec/load/rest/whole_object.go",
			Find:    `	case x.patch == "json" && r.method == "PATCH" && reads && (`,
			Replace: `	case false && (`,
			Package: "engine", Test: "TestJSONPatchesKeepSiblings/a member", Fails: "(-want +got)",
		},
		{
			Promise:   "If vet passes, the author made no mistake a machine can find",
			Mechanism: "members of reset are compared with those of the resource",
			File:      "spec/load/rest/reset.go",
			Find:      `		if !known {`,
			Replace:   `		if !known && false {`,
			Package:   "spec/load/rest", Test: "TestReset", Fails: "reset-member",
		},
		{
			Promise:   "If vet passes, the author made no mistake a machine can find",
			Mechanism: "a PUT of settings with optional inputs is reported",
			File:      "spec/load/rest/reset.go",
			Find:      `		if p.Optional() && !p.Normalised {`,
			Replace:   `		if p.Optional() && !p.Normalised && false {`,
			Package:   "spec/load/rest", Test: "TestReplacedSettings", Fails: "replaced-settings",
		},
		{
			Promise:   "If vet passes, the author made no mistake a machine can find",
			Mechanism: "a reset of what another resource sets is reported",
			File:      "spec/load/rest/reset.go",
			Find:      `			if what := a.resets(b); i != j && what != "" {`,
			Replace:   `			if what := a.resets(b); i != j && what != "" && false {`,
			Package:   "spec/load/rest", Test: "TestSharedReset", Fails: "shared-reset",
		},
		{
			Promise:   "What a type declares holds wherever it is used",
			Mechanism: "the attributes of definitions within a type are read",
			File:      "spec/load/typing/attribute.go",
			Find:      `	for _, of := range r.inners() {`,
			Replace:   `	for _, of := range r.inners()[:0] {`,
			Package:   "spec/load/typing", Test: "TestAttributesOfDefinitions", Fails: "has no effect on",
		},
		{
			Promise:   "What a type declares holds wherever it is used",
			Mechanism: "each use of a definition has a type of its own",
			File:      "spec/load/typing/named.go",
			Find: `		return copyOf(t)
	}
	name, known`,
			Replace: `		return t
	}
	name, known`,
			Package: "spec/load/typing", Test: "TestUsesOfADefinitionAreIndependent", Fails: "is nullable beside",
		},
		{
			Promise:   "A repair changes only what somebody else has changed",
			Mechanism: "a refresh leaves out what the server has made of the last write",
			File:      "engine/run/recorded/written.go",
			Find:      `	return drifted(w.Program, w.Server, shown)`,
			Replace:   `	return shown`,
			Package:   "engine", Test: "TestDriftBesideOtherValuesOfTheServer", Fails: "sends",
		},
		{
			Promise:   "A verdict is about its own response",
			Mechanism: "in a forEach, the response is that of the current element",
			File:      "engine/plan/step.go",
			Find: `	if s.ForEach == nil {
		return s
	}
	once`,
			Replace: `	if true {
		return s
	}
	once`,
			Package: "engine", Test: "TestLoopsJudgeAsSteps", Fails: "the spec has mistakes",
		},
		{
			Promise:   "A delete ends where nothing is left",
			Mechanism: "a shorthand is that of the latest step that has it",
			File:      "engine/plan/usage.go",
			Find:      `			if s.hasShorthand(path[0]) {`,
			Replace:   `			if s == Last(before) && s.hasShorthand(path[0]) {`,
			Package:   "engine", Test: "TestShorthandsOutliveOtherSteps", Fails: "wait",
		},
		{
			Promise:   "A shorthand is what it stands for",
			Mechanism: "unique of rest adds a find",
			File:      "spec/load/rest/find.go",
			Find:      `	case x.unique != nil:`,
			Replace:   `	case x.unique != nil && false:`,
			Package:   "spec/load/rest", Test: "TestWhatOptionsAdd", Fails: "find is missing",
		},
		{
			Promise:   "A shorthand is what it stands for",
			Mechanism: "parents of rest are not sent in bodies",
			File:      "spec/load/rest/operations.go",
			Find:      `		without = append(without, p.input.Name)`,
			Replace:   `		_ = p`,
			Package:   "spec/load/rest", Test: "TestWhatOptionsAdd", Fails: "the update sends",
		},
		{
			Promise:   "A shorthand is what it stands for",
			Mechanism: "inputs in the path of a request of rest are not sent in its body",
			File:      "spec/load/rest/operations.go",
			Find:      `			without = append(without, m[1])`,
			Replace:   `			_ = m`,
			Package:   "spec/load/rest", Test: "TestWhatOptionsAdd", Fails: "the create sends",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "what a program does not set of a singleton keeps the value of the server",
			File: "spec/load/rest/expand.go", Find: `	if r.Singleton = x.s.Singleton; r.Singleton {`, Replace: `	if r.Singleton = x.s.Singleton; r.Singleton && false {`,
			Package: "engine", Test: "TestSingletons", Fails: "changes after the create",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "the create of a singleton may be sent twice",
			File: "spec/load/rest/singleton.go", Find: `		field("idempotent", &spec.Node{Kind: spec.BoolNode, Text: "true", Range: at}),`, Replace: ``,
			Package: "engine", Test: "TestFailedSingletons", Fails: "at-least-once",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "a singleton that a delete leaves has no delete",
			File: "spec/load/rest/expand.go", Find: `		r.Kept = r.Delete == nil`, Replace: ``,
			Package: "engine", Test: "TestSingletons", Fails: "no-delete",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "a trial restores settings",
			File: "cmd/declprov/internal/try/singleton.go", Find: `		errs = append(errs, restoreOne(ctx, l, o))`, Replace: `		_ = o`,
			Package: "tests/pages", Test: "TestHowTo/singletons.md", Fails: "restore id",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "a trial of settings asks first",
			File: "engine/identity.go", Find: `			id = constantID(res)`, Replace: `			_ = constantID`,
			Package: "tests/pages", Test: "TestHowTo/singletons.md", Fails: "title=Trial",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "a JSON Patch has the names on the wire",
			File: "actions/http/arguments.go", Find: `		wireArg("jsonPatch",`, Replace: `		declare.Arg("jsonPatch",`,
			Package: "engine", Test: "TestFormatsOfUpdates", Fails: "/petName",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "an update of a whole object sends what the read does not show",
			File: "spec/load/rest/whole_object.go", Find: `		if p.NoRead && !slices.Contains(inPath, p.Name) {`, Replace: `		if false && !slices.Contains(inPath, p.Name) {`,
			Package: "engine", Test: "TestOptionsOfWholeObjects", Fails: "the update (-want +got)",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "an update of a whole object has a lock from the read to the change",
			File: "spec/load/rest/whole_object.go", Find: `	op.Lock = text(`, Replace: `	_ = text(`,
			Package: "engine", Test: "TestWholeObjectsTogether", Fails: "something is lost",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "an update of a whole object is repeated from the read if somebody else has changed it",
			File: "spec/load/rest/whole_object.go", Find: `		op.Retry = object(`, Replace: `		_ = object(`,
			Package: "engine", Test: "TestWholeObjectsTogether", Fails: "412",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "an update of a whole object sends nothing that was not read",
			File: "actions/http/request/encode_update.go", Find: `	object, ok := m["object"].(map[string]any)`, Replace: "	object, ok := m[\"object\"].(map[string]any)\n	ok = true",
			Package: "engine", Test: "TestFailedWholeObjects", Fails: "another_form",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "a JSON Patch does not replace what the read does not show",
			File: "spec/load/rest/json_patch.go", Find: `		if !p.NoRead {`, Replace: `		if !p.NoRead || true {`,
			Package: "engine", Test: "TestFormatsOfUpdates", Fails: "/password",
		},
		{
			Promise: "A shorthand is what it stands for", Mechanism: "a JSON Patch leaves the other members of an object that contains inputs",
			File: "spec/load/rest/whole_object.go", Find: `		return len(p.WireParents) > 0 || hasOptionalStruct(x, p, 0)`, Replace: `		return hasOptionalStruct(x, p, 0)`,
			Package: "engine", Test: "TestJSONPatchesOfSettings", Fails: `{"size":5}`,
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "a create by PUT to the address of a collection is not sent again",
			File:      "engine/compile/certainty/checker.go",
			Find:      `			r.Maker.Doubt()`,
			Replace:   ``,
			Package:   "engine", Test: "TestPutsToCollections", Fails: "may-overwrite",
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "a default retry repeats nothing whose effect may be unknown",
			File:      "engine/run/verdict/retry.go",
			Find:      `s.Retry.OnlyRefused && v.Status != actions.Refused`,
			Replace:   `false`,
			Package:   "engine", Test: "TestDefaultRetryWithFind", Fails: "2 requests were sent, want 1",
		},
		{
			Promise:   "What vet accepts has credentials",
			Mechanism: "credentials that may be null are refused",
			File:      "actions/http/check_auth.go",
			Find:      `		return t.Nullable`,
			Replace:   `		return false`,
			Package:   "engine", Test: "TestOptionalCredentials", Fails: "refused: false, want true",
		},
		{
			Promise:   "The second up has nothing to do",
			Mechanism: "a value that the server rewrites is compared with that of the last write",
			File:      "engine/run/reading/reading.go",
			Find:      `		case wasWritten && r.Rules.`,
			Replace:   `		case false && r.Rules.`,
			Package:   "engine", Test: "TestNormalised", Fails: "recorded (-want +got)",
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
			File:      "engine/run/reading/reading.go",
			Find:      `	outputs.KeepUnread(r.Resource, &got, old.Outputs.AsMap(), true)`,
			Replace:   `	outputs.KeepUnread(r.Resource, &got, nil, true)`,
			Package:   "engine", Test: "TestValuesShownOnce", Fails: "read: ",
		},
	}
}
