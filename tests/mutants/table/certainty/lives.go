package certainty

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofLives are the mechanisms that lose nothing when an operation fails.
func ofLives() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Promise:   "What an update that failed has added is removed later",
			Mechanism: "an update that refers to recorded inputs reads them after a failed one",
			File:      "engine/run/update.go",
			Find:      `		now, err := res.WithCurrentInputs(ctx, res.Update, state)`,
			Replace:   `			now, err := res.WithCurrentInputs(ctx, nil, state)`,
			Package:   "engine", Test: "TestRemovalsAfterFailures", Fails: "the group has",
		},
		{
			Promise:   "What an update that failed has added is removed later",
			Mechanism: "a delete that refers to recorded inputs reads them after a failed update",
			File:      "engine/run/delete.go",
			Find:      `	now, err := res.WithCurrentInputs(ctx, res.Delete, state)`,
			Replace:   `	now, err := res.WithCurrentInputs(ctx, nil, state)`,
			Package:   "engine", Test: "TestRemovalsAfterFailures", Fails: "a delete leaves",
		},
		{
			Promise:   "An import loses nothing",
			Mechanism: "a diff does not replace for the first value of an input that the import did not show",
			File:      "engine/diff.go",
			Find:      `		changes[i].Replace = c.Replace && !state.Private.IsFirst(c)`,
			Replace:   `		changes[i].Replace = c.Replace`,
			Package:   "engine", Test: "TestImportOfUnshownInputs/optional", Fails: "key replaces",
		},
		{
			Promise:   "What is said to be undone is undone",
			Mechanism: "an undo step sees the response of the one before it",
			File:      "engine/run/operation/undo.go",
			Find:      `			r.SetResult(u, value)`,
			Replace:   `			_ = value`,
			Package:   "engine", Test: "TestNamesInUndoSteps", Fails: "(-want +got)",
		},
		{
			Promise:   "What is said to be undone is undone",
			Mechanism: "null of no type does not count as nothing to undo",
			File:      "engine/run/operation/loop.go",
			Find:      `	if r.Undoing && s.ForEachKind == spec.Any {`,
			Replace:   `		if false {`,
			Package:   "engine", Test: "TestUndoOfNull", Fails: "undone: true, want false",
		},
		{
			Promise:   "A replacement takes the place of the old object",
			Mechanism: "what find would find by inputs that stay is deleted first, whatever the id consists of",
			File:      "engine/diff.go",
			Find:      `		return slices.ContainsFunc(res.SoughtBy, func`,
			Replace:   `		return slices.ContainsFunc(res.Names, func`,
			Package:   "engine", Test: "TestReplacementOfWhatFindFinds/id_of_two_inputs,_found_by_its_address/the_user", Fails: "deletes first: false",
		},
		{
			Promise:   "What is said is so",
			Mechanism: "the id of an object that exists already is not made of inputs by which find does not look",
			File:      "engine/run/lookup/finder.go",
			Find:      `!f.Resource.IDHasOnlySought() {`,
			Replace:   `false {`,
			Package:   "engine", Test: "TestReplacementOfWhatFindFinds/id_of_two_inputs,_found_by_its_address/the_user", Fails: "an id that no object has",
		},
		{
			Promise:   "An import loses nothing",
			Mechanism: "a rule of a diff does not replace for the first value of an input that the import did not show",
			File:      "engine/diff.go",
			Find:      `				changes[i].Replace = !state.Private.IsFirst(c)`,
			Replace:   `				changes[i].Replace = true`,
			Package:   "engine", Test: "TestImportOfUnshownInputs/by_a_rule", Fails: "key replaces",
		},
		{
			Promise:   "An import loses nothing",
			Mechanism: "what an import did not show counts as known once a program has set it",
			File:      "engine/run/update.go",
			Find:      `	out.State.KeepUnshown(before)`,
			Replace:   `	out.State.Private.Unshown = before.Private.Unshown`,
			Package:   "engine", Test: "TestImportOfUnshownInputs/optional", Fails: "another value does not replace",
		},
		{
			Promise:   "A resource is not forgotten while its object may exist",
			Mechanism: "find tells whether an object is gone after a denial",
			File:      "engine/run/missing_object.go",
			Find:      `	if reason == Refresh && errors.Is(err, verdict.ErrDenied) {`,
			Replace:   `	if false {`,
			Package:   "engine", Test: "TestDenialsThatMeanGone/403,_one_object_denied,_exists_true,_refresh", Fails: "the resource was forgotten",
		},
		{
			Promise:   "A resource is not forgotten while its object may exist",
			Mechanism: "read tells whether a delete that was denied has found nothing",
			File:      "engine/run/delete.go",
			Find:      `	if err == nil && r.Denied != nil {`,
			Replace:   `	if false {`,
			Package:   "engine", Test: "TestDenialsThatMeanGone/403,_delete_denied,_exists_true,_delete", Fails: "the resource was forgotten",
		},
		{
			Promise:   "A resource is not forgotten while its object may exist",
			Mechanism: "a find that is denied has not found that there is nothing",
			File:      "engine/run/lookup/finder.go",
			Find: `	case errors.Is(err, verdict.ErrDenied):
		return nil, err
`,
			Replace: "",
			Package: "engine", Test: "TestDenialsThatMeanGone/403,_the_whole_server_denied,_exists_true", Fails: "the resource was forgotten",
		},
		{
			Promise:   "Operations under one lock lose nothing",
			Mechanism: "the lock of an operation is held for all its steps",
			File:      "engine/run/operation/lock.go",
			Find:      `	if r.Operation.Lock == nil || r.Preview ||`,
			Replace:   `	if true || r.Preview ||`,
			Package:   "engine", Test: "TestLockHolds/done", Fails: "the calls came in the order",
		},
		{
			Promise:   "Operations under one lock lose nothing",
			Mechanism: "a create is undone under its lock",
			File:      "engine/run/create.go",
			Find: `	defer release()
	if err := r.Steps(ctx)`,
			Replace: `	release()
	if err := r.Steps(ctx)`,
			Package: "engine", Test: "TestLockHolds/failed", Fails: "the calls came in the order",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "a create that failed after an effect leaves a state",
			File:      "engine/run/aftermath.go",
			Find:      `	if !r.Effected {`,
			Replace:   `	if true {`,
			Package:   mutant.EndToEnd, Test: "TestConformance/49 a create that failed halfway is kept", Fails: "is not in the state",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "a create that was refused leaves none",
			File:      "engine/run/operation/progress.go",
			Find: `v.Status == actions.Refused || v.Status == actions.Gone || r.Undoing {
		return
	}
	r.Effected = r.Effected || v.Idle == nil || r.Verb != plan.Update
	t := r.Of(s)
	if t == nil {
		t = &Touched{Step: s}
		r.Touched = append(r.Touched, t)
	}
`,
			Replace: `r.Undoing {
		return
	}
	r.Effected = r.Effected || v.Idle == nil || r.Verb != plan.Update
	t := r.Of(s)
	if t == nil {
		t = &Touched{Step: s, Done: true}
		r.Touched = append(r.Touched, t)
	}
`,
			Package: mutant.EndToEnd, Test: "TestConformance/48", Fails: "is in the state",
		},
		{
			Promise:   "What is not proved to be the resource's own is not taken for it",
			Mechanism: "a create whose command failed leaves none",
			File:      "engine/run/aftermath.go",
			Find:      `	if !left || !owned && !answered {`,
			Replace:   `	if owned = true; !left || !owned && !answered {`,
			Package:   "tests/commands", Test: "TestACommandThatFails", Fails: "is in the state",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "the next run goes on at the step that failed",
			File:      "engine/run/update.go",
			Find:      `	case !req.Preview && u.resumes(state, changes):`,
			Replace:   `	case false:`,
			Package:   "engine", Test: "TestCreateGoesOn", Fails: "gone on: ",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "with other inputs, all of them count as changed",
			File:      "engine/run/resume.go",
			Find:      `	out := u.change(ctx, *made.State, u.addUnknown(state, nil))`,
			Replace:   `	out := u.change(ctx, *made.State, u.changes(ctx, *made.State))`,
			Package:   "engine", Test: "TestCreateGoesOn", Fails: "all inputs count as changed",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "`onFailure` undoes what was done",
			File:      "engine/run/aftermath.go",
			Find:      `	err := a.undo(ctx)`,
			Replace:   `	err := error(nil)`,
			Package:   mutant.EndToEnd, Test: "TestConformance/49 a create that is undone", Fails: "is in the state",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "a delete that failed says so, and the state stays",
			File:      "engine/run/delete.go",
			Find:      `		return r.Mask().Error(d.Failed(err)) // with the secrets that the steps have seen`,
			Replace:   `	return r.Mask().Error(nil)`,
			Package:   mutant.EndToEnd, Test: "TestConformance/54", Fails: "expected a failure",
		},
		{
			Promise:   "An operation can be ended",
			Mechanism: "Cancel ends what is under way",
			File:      "engine/pulumi/cancel.go",
			Find:      `	s.calls.cancel(ctx)`,
			Replace:   ``,
			Package:   mutant.EndToEnd, Test: "TestConformance/6 Cancel", Fails: "the create goes on",
		},
		{
			Promise:   "What was sent is answered, though the operation is cancelled",
			Mechanism: "the first Cancel does not end an effect in flight",
			File:      "engine/run/stop/stop.go",
			Find:      `	if effect != actions.Write {`,
			Replace:   `	if true {`,
			Package:   "tests/http/kill", Test: "TestCancelWaitsForTheAnswer/Bare", Fails: "after the first Cancel: it ended",
		},
		{
			Promise:   "What was sent is answered, though the operation is cancelled",
			Mechanism: "nothing new is sent after the first Cancel",
			File:      "engine/pulumi/calls.go",
			Find:      `	for range min(o.from.cancels, 2) {`,
			Replace:   `	for range 0 {`,
			Package:   "tests/http/kill", Test: "TestCancelWaitsForTheAnswer/Bare", Fails: "want the code Canceled",
		},
		{
			Promise:   "An operation can be ended",
			Mechanism: "a request that waits for its turn is given up once the operation is stopped",
			File:      "actions/http/session/limits.go",
			Find:      `return r.most > 0 || r.requests > 0`,
			Replace:   `return false`,
			Package:   "actions/http", Test: "TestStopEndsTheWaitForATurn", Fails: "not given up because of the stop",
		},
		{
			Promise:   "What was sent is answered, though the operation is cancelled",
			Mechanism: "engines that share a process do not cancel each other's operations",
			File:      "engine/pulumi/calls.go",
			Find:      `		if o.from == from {`,
			Replace:   `		if true {`,
			Package:   "tests/http/kill", Test: "TestCancelOfAnotherConnection", Fails: "cancelled by another engine: it ended",
		},
		{
			Promise:   "Nobody else on the machine gives a provider orders",
			Mechanism: "connections of other users are refused",
			File:      "engine/pulumi/plugin/peer_linux.go",
			Find:      `if !known || uid == os.Geteuid() || uid == 0 {`,
			Replace:   `if known || true {`,
			Package:   "engine/pulumi/plugin", Test: "TestForeignPeersAreRefused", Fails: "accepted",
		},
	}
}
