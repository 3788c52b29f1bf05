package certainty

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofWaits are the mechanisms by which what was begun is waited for, also after the response to it was lost.
func ofWaits() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.InEngine(killed, "the response that names a job is kept before the wait", "engine/run/half_made.go", ` || plan.Waiting{Operation: h.Operation}.LosesJob(s, h.Resource.Maker) && h.Resource.Find != nil`, ``,
			"TestInterruptedWaits/create,_wait_job,_sent_find,_stops_in_wait,_shown_true,_up,_ends_ready", "it is pending, and the result is"),
		mutant.InEngine(killed, "a wait for a job that only a lost response named is not sent", "engine/run/operation/stand_in.go", `	if !is {`, `	if !is || true {`,
			"TestInterruptedWaits/create,_wait_job,_sent_find,_stops_in_request,_shown_true,_up,_ends_ready", "asked for the status of nothing"),
		mutant.InEngine(killed, "a read that does not wait does not stand for a wait", "engine/run/unasked.go", `p.readWaits() {`, `p.Resource.Read != nil {`,
			"TestInterruptedWaits/create,_wait_job,_sent_find,_stops_in_request,_shown_true,_up,_ends_ready", "it is not kept as half made"),
		mutant.InEngine(killed, "a state says which results stand for lost responses", "engine/run/operation/stopped.go", `slices.Contains(f.StandIns, i) {`, `false {`,
			"TestLostJobs/argument,_killed,_other_inputs,_find_tells_it_false", "calls:"),
		mutant.InEngine(killed, "what find found of an earlier create stands for its response", "engine/run/earlier_create.go", `	operation.StandIn(r.Run, maker)
`, ``,
			"TestLostJobs/argument,_killed,_other_inputs,_find_tells_it_false", "calls:"),
		mutant.InEngine(whole, "what a refresh has shown of a create that stopped is not taken for what the program has", "engine/run/reading/reading.go", `seen.Drifted = f.Drifted || !`, `seen.Drifted = false && !`,
			`TestDriftedCreates/stops_at_wait,_drifts_"size",_wants_"",_nothing,_update_changes`, `the state has size "s1", the object "theirs"`),
		mutant.InEngine(whole, "a create that stops again does not forget what a refresh has shown", "engine/run/recorded/interrupt.go", `f.Drifted, s.Private.Failed = true, &f`, `f.Drifted, s.Private.Failed = false, &f`,
			`TestDriftedCreates/stops_at_wait,_drifts_"size",_wants_"",_stops,_update_changes`, `the state has size "s1", the object "theirs"`),
		mutant.InEngine(whole, "what no update can change back is replaced", "engine/run/resume.go", `recorded.RequireReplacement(u.res.Resource, changes); replaces != nil {`, `recorded.RequireReplacement(u.res.Resource, changes); replaces != nil && false {`,
			`TestDriftedCreates/stops_at_wait,_drifts_"kind",_wants_"tags",_nothing,_update_all`, `the state has kind "k1", the object "theirs"`),
		mutant.InEngine(whole, "what find found before a retry stands for the response", "engine/run/owner.go", `	operation.Found(o.Run, s, found)`, `	operation.Found(o.Run, s, nil)`,
			"TestLostJobs/argument,_retried,_find_tells_it_false", "calls:"),
		mutant.InEngine(killed, "the status of find is not that of the lost response", "engine/run/operation/stand_in.go", `of.Yield != "" && path[0] != of.Yield || `, ``,
			"TestLostJobs/status,_killed,_find_tells_it_true", "it is done: true"),
		mutant.InEngine(whole, "a response without the id tells what find does not", "engine/run/sending.go", `	return operation.AddResponse(s, found, response), nil`, `	return found, nil`,
			"TestLostJobs/argument,_no_id,_find_tells_it_false", "calls:"),
		mutant.InEngine(whole, "the object decides once its operation is gone", "engine/run/owner.go", `	err = proof(o).settleAbsent(ctx, s, err)
`, ``,
			"TestAbsentJobs/create,_poll,_read,_there", "it is to end with success: true"),
		mutant.InEngine(whole, "the run that began an operation does not conclude that it is gone", "engine/run/unasked.go", `	if !p.resumed {`, `	if false {`,
			"TestAbsentJobs/create,_poll,_read,_there", "the first run concludes something"),
		mutant.InEngine(whole, "an operation whose result is required is not left out", "engine/run/unasked.go", `	case len(p.Operation.RelyOn(map[int]bool{s.Index: true})) > 0:`, `	case false:`,
			"TestAbsentJobs/create,_relied,_read,_there", "it is to end with success: false"),
		mutant.InEngine(whole, "an update whose operation is gone is done only if read shows it", "engine/run/unasked.go", `begun) != compare.Wanted:`, `begun) == compare.Absent:`,
			"TestAbsentJobs/update,_poll,_read,_other", "it is to end with success: false"),
		mutant.InEngine(whole, "outputs of an operation that is gone are read", "engine/run/outputs.go", ` || operation.HasUnasked(r.Run)`, ``,
			"TestAbsentJobs/create,_returned,_read,_there", "its color is"),
		mutant.InEngine(whole, "what read shows of an update does not stand for its wait", "engine/run/updating.go", `	if awaited {
		return`, `	if false {
		return`,
			"TestInterruptedWaits/update,_wait_object,_sent_safe,_stops_in_wait,_shown_true,_up,_ends_failed", "it is recorded as done"),
		mutant.InEngine(whole, "an update is sent again if its wait needs its response", "engine/run/updating.go", `	if awaited && !able {`, `	if false && !able {`,
			"TestInterruptedWaits/update,_wait_job,_sent_safe,_stops_in_wait,_shown_true,_up,_ends_ready", "asked for the status of nothing"),
		mutant.InEngine(whole, "an update that failed in its wait waits again after a refresh", "engine/run/update.go", `len(changes) > 0 || recorded.MayAwait(u.res.Resource, state, u.req.Inputs) {`, `len(changes) > 0 {`,
			"TestInterruptedWaits/update,_wait_object,_sent_safe,_stops_in_fails,_shown_true,_refresh,_up,_ends_ready", "what was done is sent again"),
		mutant.InEngine(whole, "no update is sent that changes nothing", "engine/run/update.go", `	failed.Seen, state.Private.Failed = false, &failed`, `	state.Private.Failed = &failed`,
			"TestInterruptedWaits/update,_wait_object,_sent_safe,_stops_in_wait,_shown_true,_refresh,_up,_ends_ready", "an update that changes nothing was sent"),
	}
}
