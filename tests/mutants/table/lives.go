package table

// ofLives are the mechanisms that lose nothing when an operation fails.
func ofLives() []Mutant {
	return []Mutant{
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "a create that failed after an effect leaves a state",
			File:      "engine/create.go",
			Find:      `	if !r.effected {`,
			Replace:   `	if true {`,
			Package:   e2e, Test: "TestConformance/49 a create that failed halfway is kept", Fails: "is not in the state",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "a create that was refused leaves none",
			File:      "engine/create.go",
			Find:      `	if !r.effected {`,
			Replace:   `	if false {`,
			Package:   e2e, Test: "TestConformance/48", Fails: "is in the state",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "the next run goes on at the step that failed",
			File:      "engine/update.go",
			Find:      `	case resumable(res, state, req.Inputs) && !req.Preview:`,
			Replace:   `	case false:`,
			Package:   "engine", Test: "TestCreateGoesOn", Fails: "gone on: ",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "with other inputs, all of them count as changed",
			File:      "engine/update.go",
			Find:      `		changes = e.allChanged(res)`,
			Replace:   ``,
			Package:   "engine", Test: "TestCreateGoesOn", Fails: "all inputs count as changed",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "`onFailure` undoes what was done",
			File:      "engine/create.go",
			Find:      `	undone, err := r.undo(ctx, failure)`,
			Replace:   `	undone, err := (*step)(nil), error(nil)`,
			Package:   e2e, Test: "TestConformance/49 a create that is undone", Fails: "is in the state",
		},
		{
			Promise:   "What was made is kept, whatever failed next",
			Mechanism: "a delete that failed says so, and the state stays",
			File:      "engine/delete.go",
			Find:      `	return r.mask().error(err) // with the secrets that the steps have seen`,
			Replace:   `	return r.mask().error(nil)`,
			Package:   e2e, Test: "TestConformance/54", Fails: "worked, and should not have",
		},
		{
			Promise:   "An operation can be ended",
			Mechanism: "Cancel ends what is under way",
			File:      "engine/pulumi/cancel.go",
			Find:      `	s.calls.cancel(ctx)`,
			Replace:   ``,
			Package:   e2e, Test: "TestConformance/6", Fails: "the create goes on",
		},
		{
			Promise:   "Nobody else on the machine gives a provider orders",
			Mechanism: "connections of other users are refused",
			File:      "engine/pulumi/peer_linux.go",
			Find:      `if !known || uid == os.Geteuid() || uid == 0 {`,
			Replace:   `if known || true {`,
			Package:   "engine/pulumi", Test: "TestForeignPeersAreRefused", Fails: "accepted",
		},
	}
}
