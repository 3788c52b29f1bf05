// Package adding adds to declprov what CONTRIBUTING says can be added, by exactly the files
// that it lists: nothing else must have to change.
package adding

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

var whole = flag.Bool("whole", false, "run every test of the engine that needs no http, not only those of its verbs")

// overlay returns the repository's top, and a flag by which Go sees the family echo in its
// folder, and the list of families with each old text replaced by the new one.
func overlay(t *testing.T, edits ...string) (root, option string) {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	const list = "actions/builtin/builtin.go"
	text, err := os.ReadFile(filepath.Join(root, list))
	if err != nil {
		t.Fatal(err)
	}
	edits = append(edits, `"github.com/declprov/declprov/actions/exec"`, "\"github.com/declprov/declprov/actions/echo\"\n\t\"github.com/declprov/declprov/actions/exec\"")
	for i := 0; i < len(edits); i += 2 {
		if strings.Count(string(text), edits[i]) != 1 {
			t.Fatalf("%s does not have %q once", list, edits[i])
		}
		text = []byte(strings.Replace(string(text), edits[i], edits[i+1], 1))
	}
	dir := t.TempDir()
	edited := filepath.Join(dir, "builtin.go")
	code, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, list):                   edited,
		filepath.Join(root, "actions/echo/echo.go"): filepath.Join(root, "tests/adding/testdata/echo/echo.go"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{edited: text, filepath.Join(dir, "overlay.json"): code} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, "-overlay=" + filepath.Join(dir, "overlay.json")
}

const echoSpec = `name: "parrot"
version: "1.0.0"
permissions: hosts: ["parrot://cage.example:7"]
echo: loud: true
resources: Phrase: {
	inputs: words: string @replace()
	outputs: length: int
	id: "${inputs.words}"
	create: echo: say: text: "${inputs.words}"
	read: {echo: recall: text: "${id}", return: {words: "${id}", length: "${result.length}"}}
	return: length: "${result.length}"
	delete: echo: say: {text: "bye ${id}", loud: false}
}
`

// TestAFamilyIsOneFolderAndOneLine builds a declprov with a family of actions that it does
// not have, and serves a spec with it.
func TestAFamilyIsOneFolderAndOneLine(t *testing.T) {
	root, option := overlay(t, "file.Family(),", "file.Family(), echo.Family(),")
	binary := filepath.Join(t.TempDir(), "declprov")
	if err := release.BuildTo(t.Context(), root, binary, option); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := provider.Make(folder, binary, "parrot", ".cue", echoSpec); err != nil {
		t.Fatal(err)
	}
	p := provider.Configured(t, folder, "parrot", t.TempDir(), nil)
	phrase := client.Resource{Type: "parrot:index:Phrase", Name: "phrase"}
	inputs := property.NewMap(map[string]property.Value{"words": property.New("hello")})
	checked, err := p.Check(t.Context(), phrase, property.Map{}, inputs)
	if err != nil || len(checked.Failures) > 0 {
		t.Fatal(checked.Failures, err)
	}
	state, err := p.Create(t.Context(), phrase, checked.Inputs, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	for read := range 2 {
		if length := state.Outputs.Get("length"); state.ID != "hello" || !length.IsNumber() || length.AsNumber() != 6 {
			t.Errorf("state %d of %q: %v", read, state.ID, state.Outputs)
		}
		if state, err = p.Read(t.Context(), phrase, state, client.Operation{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Delete(t.Context(), phrase, state, client.Operation{}); err != nil {
		t.Error(err)
	}

	// It may import what families do. The flags of this run remain, so that no package is compiled
	// once more, and `make check` vets the tests.
	house := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-ldflags=-w", "-run", "^TestImportsRunOneWay$", "./house")
	house.Dir, house.Env = filepath.Join(root, "tests"), append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" "+option)
	if printed, err := house.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, printed)
	}

	// Its declaration is checked as every other one, and stands among the documented ones.
	wrong := filepath.Join(t.TempDir(), "wrong.cue")
	mistaken := strings.NewReplacer("loud: true", `loud: "very"`, `say: text: "${inputs.words}"`, `say: txet: "x"`).Replace(echoSpec)
	if err := os.WriteFile(wrong, []byte(mistaken), 0o644); err != nil {
		t.Fatal(err)
	}
	var found []struct{ Code string }
	printed, _ := exec.CommandContext(t.Context(), binary, "vet", "--format", "json", wrong).Output()
	if err := json.Unmarshal(printed, &found); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	var codes []string
	for _, d := range found {
		codes = append(codes, d.Code)
	}
	if diff := cmp.Diff([]string{"type-mismatch", "unknown-argument"}, codes); diff != "" {
		t.Errorf("vet (-want +got):\n%s", diff)
	}
}

// aboutHTTP are the engine's tests of what only the http family does: responses, pages,
// namespaces, the names on the wire.
var aboutHTTP = []string{
	"TestUntaggedDeletes", "TestImportsOfOtherForms", "TestParallelFirstCalls", "TestCompiledPartsAreImmutable", "TestDefaultsKeepEveryLatePart", "TestDefaultsReportEverySlip", "TestVerdictsNarrow",
	"TestRawArguments", "TestPagesSeeDeclaredNames", "TestPagesKeepSecrets", "TestListsSeeDeclaredNames", "TestPagesThatDoNotFit",
	"TestFailuresSeeDeclaredNames", "TestFindsAreOfTheType", "TestWhatIsFoundFirstNeedNotFit", "TestFindsOfAnotherType",
	"TestEveryWayToAResourceHasItsETag", "TestSecretsThatVetFinds", "TestNeverNull", "TestRemediesNameTheWire", "TestErrorsListWhatIsThere",
	"TestALoopOfAnyInADelete", "TestFindsOfAnyObject", "TestConditionsThatNeverHold", "TestOwnResponsesAreNoReliance", "TestLostRenames", "TestLostUpdatesThatGiveAnotherID",
	"TestFoundForOtherInputsHasOutputs", "TestWrittenKeysGoOutAsTheyAre", "TestWrittenKeysOfOtherArguments", "TestXMLHasItsType",
	"TestNamespacesAreKeptApart", "TestNamespacesAreSent", "TestFailuresInXML", "TestXMLLaws", "TestMayBeForeign", "TestListedByOwnIDs", "TestKeysOfSecretMapsAreSecret", "TestUngrantedInputs",
	"TestResponseThatIsNeverGone", "TestLoopsJudgeAsSteps", "TestShorthandsOutliveOtherSteps", "TestGoneFirst", "TestGoneGuardsWhatFollows", "TestNullsAreSent", "TestDefaultRetryOfRefusals", "TestListsWithoutIDs", "TestSkippedStepsHaveNoResponse", "TestSkippedWhole", "TestPutsToCollections",
	"TestUniqueByRulesOfEquality", "TestWaitsThatFail", "TestCreatedObjectsThatTheServerRewrites", "TestObjectsThatMayBeOfSomebodyElse", "TestAbsentBodiesProveNothing", "TestAbsenceInTheFormOfTheAPI", "TestShapesOfWhatIsNotRead", "TestTypesOfWhatIsNotRead", "TestRestEnvelopes", "TestNullLists", "TestUndoOfNull", "TestReadOfNothingNamesTheRequest", "TestETagsOfOthers", "TestLostOutputs", "TestParentFirst", "TestPagesAreNoAbsence", "TestObjectsUnderOtherNames", "TestAddressedObjectsAreNotReadAgain", "TestIncompleteListsProveNothing", "TestKeysOfMapsAreNoSigns", "TestAnEndInAMapEndsNoList", "TestRemediesForSigns", "TestIncompleteListsWarn", "TestResponsesWithoutList", "TestLocationsOfObjects", "TestUpdatesTwice",
	"TestDenialsThatMeanGone", "TestDeniedIsGone", "TestResponsesWithoutEnvelope", "TestUnwrapIfThere", "TestIDsInOtherEnvelopes", "TestMapsInPlaceOfLists", "TestWhyAnObjectIsGone", "TestListsThatMayBeAbsent", "TestOnlyTheListMayBeAbsent", "TestEveryPlaceUsesResults",
	"TestResumedReads", "TestResumedNumbers", "TestHalfUndone", "TestLoopsOfOtherElements", "TestKeysOfWhatWasUndone", "TestLostElementsOfWhatWasUndone", "TestRestartsHaveNewKeys", "TestLoopGoesOnElsewhere", "TestETagsReadBack", "TestLoopGoesOnOverAMap",
	"TestRecursiveTypes", "TestFailedSingletons", "TestSingletonsLeaveNothingOpen", "TestFormatsOfUpdates", "TestFormsOfRest", "TestWholeObjects", "TestOptionsOfWholeObjects", "TestWholeObjectsTogether", "TestFailedWholeObjects", "TestKilledWholeObjects", "TestSingletons", "TestIDsThatArePaths", "TestSeveralMatches", "TestSeveralMatchesOfNames", "TestSeveralMatchesInOtherFamilies", "TestObjectsOnTwoPages", "TestUpdatesBesideOthers", "TestPatchesOfUnions", "TestUnusedInputs", "TestBrokenIDs",
}

// TestTheEngineNeedsNoHTTP runs the engine's tests with another family in the place of http.
func TestTheEngineNeedsNoHTTP(t *testing.T) {
	root, option := overlay(t, "\t\"github.com/declprov/declprov/actions/http\"\n", "", "http.Family(commands)", "echo.Family()")
	verbs := "^Test(Check|Create|Read|Diff|Update|Delete|List|Invoke|Methods?|Construct|Find|Undo)[A-Za-z]*$"
	if *whole {
		verbs = "."
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-ldflags=-w", "-run", verbs, "-skip", "^("+strings.Join(aboutHTTP, "|")+")$", option, "./engine")
	cmd.Dir = root
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, printed)
	}
}
