package certainty

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofDeletes are the mechanisms by which a delete that did not come to its end is continued.
func ofDeletes() []mutant.Mutant {
	const goesOn, others = "A delete that did not come to its end goes on", "A delete takes nothing from others"
	const resume, test = "engine/run/deletion/resume.go", "TestBrokenDeletes"
	return []mutant.Mutant{
		mutant.InEngine(goesOn, "the next delete restores what the earlier one has done", resume, `		operation.Restore(d.Run, f)`, `		_ = operation.Restore`, test+`/detach_remove_{safe:_true},_id_of_the_server,_told_by_"uid",_dies_before_at_2,_then_nothing`, "what was done was sent again"),
		mutant.InEngine(goesOn, "a delete is recorded before its first request", "engine/run/deletion/deletion.go", `d.entry == nil && !(writes && d.Resource.RecordsDelete())`, `d.entry == nil`, test+`/detach_remove_{safe:_true},_id_of_the_server,_told_by_"uid",_dies_before_at_2,_then_nothing`, "the journal does not list it"),
		mutant.InEngine(goesOn, "a step that must not be done twice is not sent again", resume, `	case next.Certainty == actions.Uncertain && `, `	case false && `, test+`/detach_remove_{},_id_of_the_server,_told_by_"uid",_dies_after_at_1,_then_nothing`, "was done 2 times"),
		mutant.InEngine(others, "another object under the name is left alone", "engine/run/lookup/presence.go", `	if name, _ := r.CompareStable(s, *seen); name != "" {`, `	if name, _ := r.CompareStable(s, *seen); name != "" && false {`, test+`/remove_{safe:_true},_id_of_the_program,_told_by_"uid",_dies_after_at_1,_then_recreated`, "somebody else was removed"),
		mutant.InEngine(others, "a delete by name looks before it is repeated", "engine/run/deletion/deletion.go", `	if d.Operation.Writes() != 1 || `, `	if true || `, "TestLostDeletesByName", "robbed true"),
		mutant.InEngine(others, "an update looks after a delete that did not come to its end", "engine/run/update.go", `	if err := deletion.RefuseUpdate(ctx, u.res.Instance, about, state); err != nil {`, `	if err := deletion.RefuseUpdate(ctx, u.res.Instance, about, state); err != nil && false {`, "TestUpdatesAfterBrokenDeletes/dies_after,_recreated", "sent true"),
		mutant.InEngine("A failed update claims nothing", "its outputs are those of the inputs before", "engine/run/updating.go", `		next.Outputs = recorded.WithInputs(old.Inputs, declared)`, "", "TestFailedUpdatesClaimNothing", `the outputs have "new"`),
		{
			Promise: "A killed update is not forgotten", Mechanism: "no object is deleted while another process updates it",
			File: "engine/run/delete.go", Find: `	if err := about.RefuseBusy(state); err != nil {`,
			Replace: `	if err := about.RefuseBusy(state); err != nil && false {`,
			Package: "engine", Test: "TestUpdateUnderWayElsewhere", Fails: "is deleted under the update",
		},
		mutant.InEngine(whole, "what a failed create has left, and is gone, is deleted without an ETag", "engine/run/delete.go", `	if res.IsGoneUntagged(ctx, state) {`, `	if false && res.IsGoneUntagged(ctx, state) {`,
			"TestUntaggedDeletes/undone_true,_tagged_false,_gone_false,_refreshed_true,_remove", "nothing is there, and the delete says"),
	}
}
