package table

// ofProof are the mechanisms by which nothing is taken over, undone or deleted that is
// not known to be a resource's own.
func ofProof() []Mutant {
	const (
		foreign = "What is somebody else's is never taken"
		whole   = "What is half made becomes whole"
		killed  = "A create that is killed between its steps goes on"
	)
	row := func(promise, mechanism, file, find, replace, test, fails string) Mutant {
		return Mutant{
			Promise: promise, Mechanism: mechanism, File: file, Find: find, Replace: replace,
			Package: "engine", Test: test, Fails: fails,
		}
	}
	return []Mutant{
		row("Nothing is made twice", "what is on no page that was read may be on another", "engine/run/find.go", `		err = r.NotOnPages(r.Operation.Steps...)`, `		_ = r.NotOnPages`,
			"TestWhatWasNotReadMayBeThere", "Err:<nil>"),
		row("Nothing is made twice", "a list that says that it has more proves nothing", "actions/http/run.go", `r.req.ETagOf(), r.partial(resp)`, `r.req.ETagOf(), nil`,
			"TestIncompleteListsProveNothing/find/next", "without the object: made gone, want refused error"),
		row("Nothing is made twice", "an item that does not show what is compared may be the object", "spec/load/rest/find.go", `	if members == nil {`, `	if true {`,
			"TestIncompleteListsProveNothing/unique/no_name", "without the object: made gone, want refused gone"),
		row(foreign, "the Location of another origin names no object", "spec/expr/functions/location.go", ` || originOf(u) != originOf(base) {`, ` {`,
			"TestLocationsOfObjects", `the id is "5", want ""`),
		row(foreign, "a Location with another path names no object", "spec/expr/functions/location.go", `		case text != want:`, `		case text != want && false:`,
			"TestLocationsOfObjects", `the id is "5", want ""`),
		row("Nothing is lost", "what is on no page that was read is not gone", "engine/run/reading/reading.go", `		return nil, cmp.Or(r.NotOnPages(r.Operation.Steps...), verdict.ErrGone)`, `		return nil, verdict.ErrGone`,
			"TestWhatWasNotReadMayBeThere", "Gone:true"),
		row("Nothing is lost", "a delete that has not looked at all pages is not done", "engine/run/delete.go", `		err = r.NotOnPages(r.Operation.Steps...)`, ``,
			"TestADeleteLooksThroughAllPages", "cut &{there is more true}: <nil>"),
		row(foreign, "what a state may have since a rename is neither taken over nor made a second time", "engine/run/earlier_create.go", `if !tells || i.Status != journal.Handed || `, `if !tells || true || `,
			"TestWhatWasHandedIsNotTakenOver/keyed/the_same", "it is not refused"),
		row(killed, "a step that was done with another response than declared is in the journal", "engine/run/half_made.go", `		h.warn(h.put(h.Failed, "", false))`, `		_ = id`,
			"TestKilledCreatesThatNobodyHasSeen/response,_step_0_unfit,_effect_true,_then_handed", "2 objects of step 0"),
		row(killed, "the journal keeps that steps may have been undone", "engine/run/half_made.go", `		h.entry = &now // as it stays`, `		_ = &now // as it stays`,
			"TestKilledCreatesThatNobodyHasSeen/late,_step_1_lost", "it succeeded without step 0"),
		row(whole, "a step that had no effect is not forgotten after a later one failed", "engine/run/operation/progress.go", `	for i := range p.Idle {
		steps[i] = true`, `	for i := range p.Idle {
		delete(steps, i)`,
			"TestUpdatesWithIdleStepsThatFailLater", "it succeeded, and the size is 1"),
		row(killed, "what a create has made so far is in the journal before its next step", "engine/run/half_made.go", `	return h.put(s.Index, s.Name, writes)`, `	return nil`,
			"TestKilledCreates/bare,_2_steps,_killed_at_1_before,_then_the_same", "step 0 has made 2 objects"),
		row(killed, "what Pulumi is told of is not made a second time", "engine/run/earlier_create.go", `tells := entries.IsHalfMade(i) && r`, `tells := entries.IsHalfMade(i) && false && r`,
			"TestKilledCreates/bare,_2_steps,_killed_at_1_handed,_then_the_same", "is not refused with its id"),
		row(killed, "a run that goes on with a create writes down what it makes", "engine/recorded.go", `	s, err := about.Advanced(s)`, `	_, err := about.Advanced(s)`,
			"TestKilledWhileItGoesOn/up", "calls (-want +got)"),
		row(killed, "what was being undone is undone as a whole", "engine/run/undo.go", `	halfMade{a.run}.undoing()`, ``,
			"TestKilledWhileItIsUndone/true", "live: map["),
		row(killed, "a create that needs the journal later needs it at once", "engine/run/create.go", `	if res.MayStopHalfMade() {`, `	if false && res.MayStopHalfMade() {`,
			"TestNoJournalForParts", "calls (-want +got)"),
		row(killed, "the journal keeps no secret member of a response", "engine/run/operation/plainly.go", `			p.found = p.found || item != nil && slices.Contains(p.names, name)`, ``,
			"TestKilledWithSecrets/an_output_that_a_step_uses", "a secret is in the journal"),
		row(killed, "the journal keeps no secret output of another name", "engine/run/half_made.go", `		seen.AddMarked(v)`, `		_ = v`,
			"TestKilledWithSecrets/an_output_by_another_name", "a secret is in the journal"),
		row(killed, "the journal keeps only what is used later", "engine/run/operation/plainly.go", `			f.Results[i] = p.part(r.MarkedResult(s, f.Results[i]), used[i])`, `			f.Results[i] = p.part(r.MarkedResult(s, f.Results[i]), [][]string{{}})`,
			"TestKilledWithSecrets/an_output_that_nothing_uses", "which replaces it"),
		row("Nothing is done twice under a key", "a create that stopped halfway goes on under its keys, whatever Pulumi has of it", "engine/run/intents.go", `(i.Status != journal.Handed || i.Token == r.token)`, `i.Status != journal.Handed`,
			"TestAHandedPartGoesOn", "was sent under the keys"),
		row(foreign, "that Pulumi is told of a create is written down", "engine/run/run.go", `		r.warn(r.book().Hand(r.token, recorded.CurrentID(*out.State)))`, ``,
			"TestSettleDeletesNothingHanded", "in the journal"),
		row(foreign, "settle deletes nothing that Pulumi was told of", "engine/settle.go", `	if req.Delete && i.Status == journal.Handed {`, `	if false {`,
			"TestSettleDeletesNothingHanded", "Deleted:true"),
		row(foreign, "what settle deletes is forgotten with all its steps", "engine/settle.go", `return o.Key != i.Key && (o.Accompanies(i) || `, `return o.Key != i.Key && (false && o.Accompanies(i) || `,
			"TestSettledWithAllItsSteps", "it is not refused"),
		row("Nothing is lost", "what is imported is no longer in the way", "engine/run/entries/entries.go", `return i.Status == journal.Handed && i.ID == recorded.CurrentID(s)`, `return false`,
			"TestHandedAndImported/keyed", "in the journal"),
		row("Nothing is lost", "what another resource is shown to have is in nobody's way", "engine/run/earlier_create.go", `	if known && by.Resource != recorded.OwnerName(r.res.ref) {`, `	if false && known && by.Resource != recorded.OwnerName(r.res.ref) {`,
			"TestHandedAndHeldByAnother", "Pulumi was told of"),
		row("Nothing is lost", "what has another id is not what Pulumi was told of", "engine/run/earlier_create.go", `there = found.Found && found.ID == id`, `there = found.Found && id != ""`,
			"TestOtherInputsAndAnotherObject", "Pulumi was told of"),
		row(foreign, "what was undone is not told as made", "engine/run/unmade_steps.go", `			ran[t.Step.Model.As] = !undone[t.Step.Index]`, `			ran[t.Step.Model.As] = true`,
			"TestMade/refused_at_2,_undo_001_", "the delete"),
		row("Nothing is lost", "what a run made whose state was lost is the resource's", "engine/run/entries/entries.go", `made.Model.As == name && (`, `made.Model.As == name && false && (`,
			"TestMadeByARunThatNobodyHeardOf/do:_{true", "the delete (-want +got)"),
		row("Nothing is lost", "what an earlier create may have done is not refused for good", "engine/run/sending.go", `		n.doubt = n.begunBefore()`, `		n.doubt = false`,
			"TestBegunByARunThatNobodyHeardOf", "entries of the step are open"),
		row(foreign, "what a create was refused stays unmade when others go on", "engine/run/unmade_steps.go", `		before := (r.Verb != plan.Create || r.resumed) && !slices.Contains(r.Unmade, name)`, `		before := r.Verb != plan.Create || r.resumed && !slices.Contains(r.Unmade, name)`,
			"TestMadeOverALife/left_out", "the delete"),
		row(foreign, "what nobody knows of is not told as made", "engine/run/unmade_steps.go", `		if t.Done || t.Step.OwnsWhatItSends() {`, `		if true {`,
			"TestMade/unknown_at_1,_undo_000_", "the delete"),
		row("Nothing is lost", "what a delete has left alone stays listed", "engine/run/entries/entries.go", `		if i.Open() && e.isUnmade(s, i) {`, `		if false {`,
			"TestMadeByARunThatDied/post:_{once:_true,_make1_create", "the journal has"),
		row(whole, "the rest of a create is made with the inputs of now", "engine/run/resume.go", `stop.Err(ctx) == nil && ctx.Err() == nil && operation.StoppedAgain(state, made.State, made.Err) {`, `false && stop.Err(ctx) == nil && ctx.Err() == nil && operation.StoppedAgain(state, made.State, made.Err) {`,
			"TestHalfMadeWithOtherInputs/the_part_is_refused_once_more", "no room ("),
		row("Nothing is lost", "a refresh keeps what lacks a part", "engine/run/read.go", ` ||
		errors.Is(err, verdict.ErrNotFound) && recorded.HasUnmadeSteps(res.Resource, s)
`, `
`,
			"TestARefreshKeepsWhatWasBegun/a_part_not_made_yet", "the refresh"),
		row("Nothing is lost", "a refresh keeps what a create made before it stopped", "engine/run/read.go", ` && (recorded.IsPartlyUndone(s) || recorded.MayNotExistYet(res.Resource, s)) ||`, ` && recorded.IsPartlyUndone(s) ||`,
			"TestARefreshKeepsWhatWasBegun/not_made_yet", "want gone: false"),
		row("Nothing is lost", "what a run makes that says nothing of it is written down", "engine/run/unmade_steps.go", `	if r.Undoing || r.Verb == plan.Create`, `	if true || r.Undoing || r.Verb == plan.Create`,
			"TestMadeByARunThatDied/do:_{make1_create", "the delete"),
		row("Nothing is lost", "what a run has written down stays until a state says it", "engine/run/entries/entries.go", `	case e.isUnmade(s, i):`, `	case false:`,
			"TestMadeByARunThatDied/post:_{safe:_true,_make2_a_later_update", "the delete"),
		row(foreign, "vet warns of deletes of what a create may not have made", "engine/compile/certainty/foreign.go", `	return maker, why
`, `	return nil, ""
`,
			"TestMayBeForeign/by_the_same_path", "want 1"),
		row("Nothing is lost", "a create that is refused after a look stays in the journal", "engine/run/sending.go", `	if n.resent && errors.As`, `	if false && errors.As`,
			"TestRefusedAfterALook/a_lost_response,_refused_by_the_server", "in the journal"),
		row("Nothing is lost", "find tells the id that a response lacks", "engine/run/sending.go", `	if !(owner{n.run}).CanLook(s) || s != n.Resource.Maker ||`, `	if true || !(owner{n.run}).CanLook(s) || s != n.Resource.Maker ||`,
			"TestResponsesWithoutTheID/a_response_without_an_id", "no id"),
		row("A hash in the journal gives no secret away", "without the journal's key nothing is sent", "engine/run/owner.go", `	if _, err := o.res.all.journal.Key(); err != nil {
		return nil, o.Stop`, `	if _, err := o.res.all.journal.Key(); false {
		return nil, o.Stop`,
			"TestWithoutTheJournalsKey", "Err:<nil>"),
		row(whole, "what find finds for other inputs is projected as the create's response is", "engine/run/earlier_create.go", `	r.Failed = maker.Index + 1 // the later`, `	r.Failed = 0 * maker.Index // the later`,
			"TestFoundForOtherInputsHasOutputs/steps", "the serial number is"),
		row(foreign, "vet warns of a find of no type that stands for a typed response", "engine/compile/certainty/find.go", `path, untyped := c.untypedMember(&found, response, "", 0); untyped {`, `path, untyped := c.untypedMember(&found, response, "", 0); untyped && false {`,
			"TestFindUntyped", "find-untyped"),
		row(foreign, "what does not hold what was sent is not taken over", "engine/run/proof.go", `	if name := f.res.rules().Read().Contradiction(ctx, s, seen, withheld, sent); name != "" {`, `	if name := f.res.rules().Read().Contradiction(ctx, s, seen, withheld, sent); false && name != "" {`,
			"TestOnlyWhatHoldsWhatWasSentIsAdopted/another_size", "adopted: true"),
		row(foreign, "what a part of a read shows is held against what was sent", "engine/run/proof.go", `		yield, err = reader.ReadPastMissing(ctx)`, `		yield, err = nil, nil`,
			"TestWhatAPartOfAReadShows/settle_of_other_inputs/title_somebody_else's/part_not_found", "taken: true"),
		row(foreign, "a read is continued behind what it does not find", "engine/run/reading/reading.go", `range r.Operation.Steps[r.Failed+1:] {`, `range r.Operation.Steps[:0] {`,
			"TestWhatAPartOfAReadShows/read/the_part_first/title_somebody_else's/part_gone", "taken: true"),
		row(whole, "what compares only as a whole says nothing while a part is unknown", "engine/value/type.go", ` && !m.Set && m.Key == "")`, `)`,
			"TestPartsComparedAsAWhole/a_set", "is not taken"),
		row("Nothing is lost", "what read finds in part stands", "engine/run/proof.go", `	case errors.Is(err, verdict.ErrNotFound):
		return true, nil`, `	case errors.Is(err, verdict.ErrNotFound):
		return false, nil`,
			"TestHalfOfItStands/a_part", "it is listed: false"),
		row("Nothing is lost", "settle finds what read finds in part", "engine/run/settle.go", `		return &state, nil // it is half made`, `		return nil, nil`,
			"TestHalfOfItStands/a_part", "settle: "),
		row("Nothing is lost", "settle deletes what find finds, though read calls it gone", "engine/run/settle.go", `		case found.By == "response" || i.Operation == journal.Update:`, `		default:`,
			"TestWhatAPartOfAReadShows/settle_--delete/title_mine/part_gone", "taken: false"),
		row(foreign, "settle deletes nothing that it cannot read", "engine/run/settle.go", `		needs = append(needs, res.Read) // unread`, `		_ = res.Read // unread`,
			"TestSettleDeletesNothingUnread/without", "deleted: true"),
		row("What is said is so", "what is found is said to be taken over once it is", "engine/run/sending.go", `		if err == nil {
			n.Log.Message(operation.Info, "an earlier run made it`, `		if true {
			n.Log.Message(operation.Info, "an earlier run made it`,
			"TestTakenOverIsSaidOnceItIs/another's,_half_made", "said: true"),
		row(foreign, "only what a step sends is held against what it made", "engine/run/compare/contradiction.go", `			if (whole || names[name])`, `			if (true || whole || names[name])`,
			"TestOnlyWhatAStepSendsProves", "does not hold what was sent"),
		row(foreign, "what another resource has is not taken over", "engine/run/proof.go", `f.res.ref, f.token); !ok {`, `f.res.ref, f.token); false && !ok {`,
			"TestWhoseObjectAResponseNames/a_read_shows_it,_lost", "refused: false, want true"),
		row(foreign, "an undo leaves alone what does not hold what was sent", "engine/run/undo.go", `	return err == nil && why == "", err`, `	return true, nil`,
			"TestUndoLeavesWhatDoesNotHoldWhatWasSent/another", "undone: true"),
		row(foreign, "an update moves a resource to nothing that does not hold what was sent", "engine/run/relocate.go", `	if err != nil || why == "" {
		return id, err
	}`, `	if true {
		return id, err
	}`,
			"TestARenameTakesNoOthersID/another", "has the id of what was found: true"),
		row(foreign, "settle deletes nothing that does not hold what was sent", "engine/settle.go", ` || !found.Found || found.Doubt != "" {`, ` || !found.Found {`,
			"TestSettleDoubts/another", "deleted: true"),
		row(whole, "what relies on what was undone is done again", "engine/run/operation/stopped.go", ` && !again[i] && !relying[i] {`, ` && !again[i] {`,
			"TestWhatReliesOnWhatWasUndoneIsDoneAgain", "label 2"),
		row(foreign, "a run that goes on reads a shared document again", "engine/run/operation/stopped.go", `		delete(r.Finished, i)
	}
	for i, result`, `		_ = i
	}
	for i, result`,
			"TestResumedReads/create_refuse_members", "foreign"),
		row("Nothing is made twice", "what may have been sent is sent as it was", "engine/plan/step.go", `	return s.Address != nil && (s.Certainty == actions.Safe || s.SendsETag) && !`, `	return true || !`,
			"TestResumedNumbers", "made"),
		row("Nothing is lost", "an undo that failed halfway is done again", "engine/run/resume.go", `	if result, known := r.ResultSoFar(s); known && s.Certainty != actions.Safe {`, `	if result, known := r.ResultSoFar(s); known && false {`,
			"TestHalfUndone/loop,_refuse_at_request_2", "there are"),
		row("Nothing is lost", "a loop goes on by what its elements are", "engine/run/operation/progress.go", `				return !done && e.Print == prints[key] && (anywhere || key == e.Key)`, `				return !done && len(prints) > 0 && (anywhere || key == e.Key)`,
			"TestLoopGoesOnElsewhere", "there are"),
		row("Nothing is lost", "what was made for elements that are gone is listed", "engine/run/orphans.go", `	if o.Verb != plan.Create || s.Effect != actions.Write || gone == nil {`, `	if true {`,
			"TestLoopGoesOnElsewhere", "listed"),
		row("Nothing is made twice", "what refers to the id relies on the step that gives it", "engine/plan/operation.go", `			out = append(out, o.IDFrom...)`, ``,
			"TestKeysOfWhatWasUndone/${id}_lose", "listed"),
		row("Nothing is made twice", "an element whose response was lost is not undone by the results of others", "engine/run/aftermath.go", `if a.undone[i.Step] && !(`, `if a.undone[i.Step] && (true || `,
			"TestLostElementsOfWhatWasUndone/lose_2", "made"),
		row(whole, "a restart sends no key again", "engine/run/resume.go", `operation.Restore(r.Run, f); first < f.Step {`, `operation.Restore(r.Run, f); false && first < f.Step {`,
			"TestRestartsHaveNewKeys", "quota"),
		row(whole, "an undo uses the result of its own step", "engine/compile/uses.go", `			plan.MarkUsedBy(u, op.Steps[:i+1])`, `			plan.MarkUsedBy(u, op.Steps[:i])`,
			"TestEveryPlaceUsesResults/its_own_undo", "asked for"),
		row(whole, "what an action evaluates late uses results", "engine/plan/step.go", `			refs = append(refs, part.Refs()...)`, `			_ = part`,
			"TestEveryPlaceUsesResults/a_late_argument", "asked for"),
		row(foreign, "an ETag of another version is not recorded", "engine/run/outputs.go", `			r.ETags = reader.ETagsOf(ctx, r.given, yield)`, `			r.ETags = reader.ETags`,
			"TestETagsReadBack/update,_changed_true", "the text is two"),
		row(foreign, "a missing store shows no absence", "engine/run/reading/reading.go", `		case errors.Is(err, actions.ErrNoStore):`, `		case false:`,
			"TestMissingStores", "missing true"),
		row(whole, "an id is sent as a number where the API has one", "engine/value/wire.go", `		return types.ToWire(v, t)`, `		return v`,
			"TestTypesOnTheWire/string_as_int_7,_alone", "sent"),
		row(whole, "what a step says of its own response makes it no follower of another", "engine/plan/argument.go", `return slices.Contains(p.Own, ref.Path[0]) })`, `return false })`,
			"TestOwnResponsesAreNoReliance/${body.error}", "the run that goes on sends"),
		row("Nothing is lost", "what relies on what was undone is listed", "engine/run/aftermath.go", `	a.failure = errors.Join(a.failure, a.listOrphans())`, ``,
			"TestWhatReliesOnWhatWasUndoneIsDoneAgain", "in the journal"),
		row("Nothing is lost", "what a loop did for what was undone is listed, element by element", "engine/run/orphans.go", `		for _, element := range a.ElementsDone(s, a.HiddenKey) {`, `		for _, element := range []string{""} {`,
			"TestEachElementOfWhatWasUndoneIsListed/the_second_was_lost", "should be"),
		row("Nothing is lost", "a refresh that finds another id by a name says so", "engine/run/read.go", `		outputs.WarnUnread(r.Run, before.Inputs, yield)
		r.WarnOtherID(req.Reason == Import, recorded.CurrentID(before), after.ID)`, `		outputs.WarnUnread(r.Run, before.Inputs, yield)`,
			"TestReadsWithAnotherID", "silence, want warning"),
		row(foreign, "a refresh that finds another object under an id says so", "engine/run/read.go", `		r.WarnOtherObject(before, *after)`, ``,
			"TestRefreshesOfAnotherObject", "warned: false"),
		row(foreign, "an update takes no name of another object", "engine/run/owner.go", `!o.looked && o.res.rules().Differ(`, `false && o.res.rules().Differ(`,
			"TestUpdatesToTheNameOfAnother", "refused: false"),
		row(foreign, "a refresh takes no id for which nothing speaks", "engine/run/reading/identity.go", `	if old.Outputs.Len() == 0 {`, `	if true {`,
			"TestReadsWithAnotherID", "warning, want error"),
		row(foreign, "a refresh takes no object of another resource", "engine/run/reading/identity.go", `	if err := r.Taken(found, `, `	if err := r.Taken(old, `,
			"TestReadsWithAnotherID", "warning, want error"),
		row(foreign, "what was sent to another address is not settled at this one", "engine/run/entries/entries.go", `; now != i.Place {`, `; now != i.Place && false {`,
			"TestCreatesAtAnotherAddress", "elsewhere_test.go"),
		row("Nothing is made twice", "a create whose find is gone is not sent again", "engine/run/earlier_create.go", `} else if entries.LacksProof(r.Resource, i) {`, `} else if false {`,
			"TestSpecThatLosesItsProof", "elsewhere_test.go"),
		row("Nothing is made twice", "a key that the first request did not have proves nothing", "engine/run/entries/entries.go", `		return i.Keyed != of.Maker.KeyedBy`, `		return false`,
			"TestSpecThatLosesItsProof", "elsewhere_test.go"),
		row(foreign, "a response that shows nothing of the resource is no response about it", "engine/run/reading/reading.go", `	return isObject && object != nil && err == nil && len(found.Values) == 0`, `	return isObject && object != nil && err == nil && false && len(found.Values) == 0`,
			"TestReadsThatShowNothing", "shows_nothing_test.go"),
		row(foreign, "a response without the envelope does not say that the object is gone", "spec/load/rest/operations.go", `	if op.Return != nil && !declaresResponse(op) {`, `	if false {`,
			"TestResponsesWithoutEnvelope", "want fails"),
		row("Nothing is lost", "a read proves no update of what it does not return", "engine/run/compare/sent.go", `	switch canTell := s.canTell(slices.Concat(unread, rewritten)); {`, `	switch canTell := s.canTell(slices.Concat(unread, rewritten)) || true; {`,
			"TestLostUpdatesOfUnreadInputs", "unread_update_test.go"),
		row("Nothing is lost", "a read of what was there before proves no update", "engine/run/compare/sent.go", `	return shown && !(hidden`, `	return (shown || !hidden) && !(hidden`,
			"TestInterruptedUpdates", "nothing was sent"),
		row(foreign, "a create takes no object of another resource", "engine/run/claim.go", `	if ok || !by.Managed {`, `	if true || !by.Managed && ok {`,
			"TestTwoResourcesShareNoObject", "2 resources have the object"),
		row(foreign, "a create may take over the object of a resource that the program has no more", "engine/run/claim.go", `	if ok || !by.Managed {`, `	if ok {`,
			"TestWhoseObjectAResponseNames", "refused: true, want false"),
		row(foreign, "an update takes no object of another resource", "engine/run/updating.go", `	if id != r.ID {
		now :=`, `	if false {
		now :=`,
			"TestUpdateThatNamesAnotherObject", "claims_test.go"),
		row(foreign, "an update that gives another id was not done while the old one is there", "engine/run/relocate.go", `		why, err = f.ownUnderID(ctx, was, id, before)`, `		why = ""`,
			"TestARenameTakesNoOthersID/beside_the_old", "has the id of what was found: true"),
		row("Nothing is lost", "an update whose object is not found stays listed where a delete finds nothing", "engine/run/entries/entries.go", ` && (failed == nil || failed.Op != string(plan.Update))`, ``,
			"TestAFailedMoveStaysListed/with_its_id,_not_found", "the update is listed: false"),
		row("Nothing is lost", "an update whose responses tell no id asks find for it", "engine/run/updating.go", `	if !r.looked || stop.Err(ctx) != nil {
		return false`, `	if true {
		return false`,
			"TestUntoldRenames/PUT/null/find_finds_it", "done by the first run: false"),
		row("Nothing is lost", "an update that read does not find, and whose responses tell no id, is listed", "engine/run/updating.go", `errors.Join(err, (&aftermath{run: r.run, failure: err}).reopenIntents())`, `err`,
			"TestUntoldRenames/PUT/null/no_find", "in the journal: []"),
		row("Nothing is lost", "an update's intent stays open until its id is told", "engine/run/sending.go", `			n.intent.Status = journal.Unknown // if`, `			// should`,
			"TestKilledBeforeTheIDIsTold", "were made, and"),
		row("Nothing is lost", "the response that a server keeps for a key is not taken for what is there", "engine/run/sending.go", `	return err == nil && !there, err
}

// beginAgain`, `	return false, err
}

// beginAgain`,
			"TestStaleResponses/deleted", "were made, and its id is"),
		row("Nothing is lost", "what a run removes from the journal it does not go on with", "engine/journal/resource.go", `	r.read = nil
	for`, `	for`,
			"TestHalfOfItWasHandedAndIsGone", "has changed the intent"),
		row("Nothing is lost", "an entry of the former type of a resource is an entry of it", "engine/journal/resource.go", `		if j.Has(s) {`, `		if false {`,
			"TestCreatesOfRenamedTypes", "a token of another spec"),
		row("A secret shows nowhere, whatever it goes through", "a diff names no key of a secret map", "engine/value/diff.go", `		if m == nil && d.hidden > 0 && outer == "" {`, `		if false {`,
			"TestKeysOfSecretMaps/a_secret_map", "the diff shows a key"),
		row("A secret shows nowhere, whatever it goes through", "no option of a child is a secret of the program", "engine/component/registration.go", `scope.HoldsSecret(out) ||`, `false ||`,
			"TestSecretsInOptions/import,_marked_by_the_program", "contains a secret"),
		row("A spec does what its permissions say", "a child of another package is granted", "engine/compile/component/package.go", `	case !ok:`, `	case !ok && false:`,
			"TestPackagesArePermitted/nothing_granted", "refused: []"),
		row("A spec does what its permissions say", "the version of a child's package is granted at run time, too", "engine/component/registration.go", `	case o.Version != "":
		return fmt.Errorf(`, `	case false:
		return fmt.Errorf(`,
			"TestPackagesAtRunTime/another", "refused: false"),
		row("A spec does what its permissions say", "a plugin comes from where it may, at run time, too", "engine/component/registration.go", `			err = network.Check(origin)`, `			_ = network.Check(origin)`,
			"TestPackagesAtRunTime/from_elsewhere", "refused: false"),
		row(whole, "what cannot go on is made anew", "engine/diff.go", `	case f.Stuck:
		return true`, `	case f.Stuck:
		return false`,
			"TestWhatCannotGoOnIsMadeAnew/no_id", "it is replaced: false"),
		row(whole, "a create that stopped halfway is finished before its inputs change", "engine/run/update.go", `	if recorded.IsHalfMade(u.res.Resource, state) && `, `	if false && recorded.IsHalfMade(u.res.Resource, state) && `,
			"TestHalfMadeWithOtherInputs/at_once", `"part 1"`),
		row(whole, "a create continues with other inputs than it began with, and no update takes its place", "engine/run/recorded/completeness.go", `CanContinue(res, s) &&`, `CanResume(res, s, s.Inputs) &&`,
			"TestHalfMadeIsNeverUpdated", "half_made_test.go:"),
		row(whole, "a refresh does not lose what a create was begun with", "engine/run/reading/reading.go", `	if recorded.IsHalfMade(r.Resource, old) && `, `	if false && recorded.IsHalfMade(r.Resource, old) && `,
			"TestHalfMadeIsNeverUpdated", "and not at first what the create was begun with"),
		row(whole, "a lost update is known to be done by what the server makes of unchanged inputs", "engine/run/updating.go", `, Written: s.Private.Written}}`, `}}`,
			"TestLostUpdatesOfUnreadInputs", "what was done is not recognised"),
		row(whole, "items of sets and keyed lists are the same by the rules of their types", "engine/value/pairing.go", `p.differ.Equal == nil {`, `p.differ.Equal != nil {`,
			"TestRulesWithinUnorderedLists", "diff_sets_test.go:"),
		row(foreign, "vet warns of a delete of a folder that create has found", "engine/compile/certainty/foreign.go", `if !s.Sweeps || at`, `if true || !s.Sweeps || at`,
			"TestSweepsOfFoundFolders/unpack,_recursive", "it warns: false, want true"),
		row("Nothing is made twice", "a page is no 404 of the API's, also where the author expects one", "actions/http/verdict/judge.go", `&& !(StatusOf(resp.Status) == actions.Gone &&`, `&& !(false &&`,
			"TestPagesAreNoAbsence", "made gone done, want refused error error"),
		row("Nothing is lost", "a mask that a read shows does not take the place of the secret", "engine/run/reading/reading.go", `	if m.Normalised {
		return shown`, `	if true || m.Normalised {
		return shown`,
			"TestMaskedSecrets", "a refresh records"),
		row("Nothing is lost", "no mask is sent in place of a secret", "engine/run/recorded/withheld_inputs.go", `property.Map{}, op); names != nil`, `property.Map{}, op); false && names != nil`,
			"TestMaskedSecrets", "sends a mask"),
		row("Nothing is lost", "a mask proves nothing of a lost update", "engine/run/reading/reading.go", `		case masked:`, `		case masked && false:`,
			"TestLostUpdatesOfUnreadInputs", "read_shows_a_mask_of_a_secret"),
		row(whole, "a create that goes on with other inputs knows its own files", "engine/run/intents.go", `cmp.Or(r.began, r.inputsHash())`, `cmp.Or("", r.inputsHash())`,
			"TestMarksOfOtherInputs", "the marks are"),
		row("Nothing is lost", "an update says that the API has kept a part of what the program has removed", "engine/run/outputs/unread.go", `		return is.AsArray().Len() < was.AsArray().Len()`, `		return false`,
			"TestNormalisedThatIsKept/an_item", "it says"),
		row(whole, "what a response that did not fit lacks is no null of the template's", "engine/run/operation/run.go", `			return r.explainLack(s, err)`, `			return err`,
			"TestWhatAMisfitLacks", "null cannot be inserted into text"),
		row("Nothing is lost", "an object that the service may call by another name is read after its create", "engine/compile/certainty/checker.go", `	if r.Read == nil || r.Maker == nil || !r.Maker.Names`, `	if true || r.Read == nil || r.Maker == nil || !r.Maker.Names`,
			"TestObjectsUnderOtherNames/rest_number_false", "Err:<nil>"),
		row("Nothing is lost", "an object that nothing has ever found is not forgotten silently", "engine/run/recorded/unseen.go", `!res.Unproven ||`, `true || !res.Unproven ||`,
			"TestObjectsUnderOtherNames/rest_number_false", "a delete says []"),
		row("An update changes only the version that it knows", "a change is sent under the ETag of its address", "actions/etag.go", `at == address {`, `at == "-"+address {`,
			"TestETagsOfOthers", "412"),
		row("An update changes only the version that it knows", "an object that a change requests first has not its ETag", "engine/run/operation/attempts.go", `	case a.Verb == plan.Read || a.ETags.Has(of):`, `	case true:`,
			"TestETagsOfOthers", "412"),
		row("Nothing of others is touched", "what is in a parent that does not exist is not deleted", "spec/load/rest/operations.go", `	if x.s.Parent != nil {
		step.If =`, `	if false {
		step.If =`,
			"TestParentFirst", "deletes were sent"),
		row("An update changes only the version that it knows", "what is taken over has its ETag", "engine/run/proof.go", `		f.ETags = reader.ETags`, ``,
			"TestEveryWayToAResourceHasItsETag/found_for_other", "with another version's: "),
		row("Nothing is lost", "what an earlier create was told to have made is forgotten only once it is gone", "engine/run/proof.go", `	case err != nil:
		return true, fmt.Errorf("reading what`, `	case err == nil:
		return false, nil
	case err != nil:
		return true, fmt.Errorf("reading what`,
			"TestWhatAnEarlierCreateWasToldStands/there", "it is listed: false"),
		row("Nothing is lost", "an update that failed stays listed where a delete finds nothing", "engine/run/entries/entries.go", `!i.UnderWay() && !moved`, `!i.UnderWay() && (true || !moved)`,
			"TestAFailedMoveStaysListed/not_found", "the update is listed: false"),
		row("Nothing is done twice under a key", "what may have been done for what was undone is sent under another key", "engine/run/orphans.go", `	maybe := operation.StatusOf(a.failure) != actions.Refused`, `	maybe := false`,
			"TestWhatMayBelongToWhatWasUndoneIsListed", "in the journal"),
		{
			Promise: foreign, Mechanism: "what does not hold what was sent is not taken over (generated histories)",
			File: "engine/run/proof.go", Find: `	if name := f.res.rules().Read().Contradiction(ctx, s, seen, withheld, sent); name != "" {`, Replace: `	if name := f.res.rules().Read().Contradiction(ctx, s, seen, withheld, sent); false && name != "" {`,
			Package: Model, Test: "TestMechanism/only what holds what was sent is adopted", Fails: "ANOTHER OWNER'S OBJECT",
		},
	}
}
