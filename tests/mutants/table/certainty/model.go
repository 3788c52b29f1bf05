package certainty

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofModel are the mechanisms of certainty and identity that generated histories
// notice the absence of: each is a subtest that plays histories which meet it.
func ofModel() []mutant.Mutant {
	const (
		foreign = "What is somebody else's is never taken"
		twice   = "Nothing is made twice"
		lost    = "Nothing is lost"
		wanted  = "What is there is what the program says"
		cancel  = "A cancel starts nothing new"
	)
	row := func(promise, mechanism, fails, file, find, replace string) mutant.Mutant {
		return mutant.Mutant{
			Promise: promise, Mechanism: mechanism + " (generated histories)", File: file, Find: find, Replace: replace,
			Package: mutant.Model, Test: "TestMechanism/" + mechanism, Fails: fails,
		}
	}
	return []mutant.Mutant{
		row(foreign, "find is asked before the first send", "ANOTHER OWNER'S OBJECT",
			"engine/run/owner.go", `	if found != nil {
		there :=`, `	if false && found != nil {
		there :=`),
		row(foreign, "only what was looked for is adopted", "ANOTHER OWNER'S OBJECT",
			"engine/run/sending.go", `	why := "it is not known whether this create made it"`, `	why := ""`),
		row(foreign, "what failed gives no right to adopt", "ANOTHER OWNER'S OBJECT",
			"engine/run/sending.go", `	case actions.Failed:
		n.intent.Status, n.intent.Error = journal.Failed,`, `	case actions.Failed:
		n.intent.Status, n.intent.Error = journal.Unknown,`),
		row(foreign, "what is refused inside a 200 is refused", "ANOTHER OWNER'S OBJECT",
			"engine/run/verdict/verdict.go", `v.Status, v.Err, v.again = actions.Refused, errors.New(text), false`, `v.Status, v.Err, v.again = actions.Unknown, errors.New(text), false`),
		row(foreign, "ifNoneMatch is sent", "ANOTHER OWNER'S OBJECT",
			"actions/http/request/request.go", `setHeader(r.Headers, "If-None-Match", "*")`, `nil`),
		row(foreign, "undo leaves alone what is not known to be one's own", "ANOTHER OWNER'S OBJECT",
			"engine/run/undo.go", `	if t.Done || t.Step.UsesResults() && (a.resumed && !a.remakes || slices.ContainsFunc(a.Touched, before)) {`, `	if t.Done || a.resumed || slices.ContainsFunc(a.Touched, before) || true {`),
		row(twice, "an unknown outcome of an uncertain step is not retried", "MADE TWICE",
			"engine/run/verdict/retry.go", `	if v.Status == actions.Unknown && !certainty.Repeatable() && !finds {`, `	if false {`),
		row(twice, "503 with Retry-After is unknown", "MADE TWICE",
			"actions/http/verdict/judge.go", `	if resp.MethodChanged {`, `	if asked && resp.Status == 503 {
		out.Status = actions.Refused
	}
	if resp.MethodChanged {`),
		row(twice, "401 after a redirect repeats only the hop", "MADE TWICE",
			"actions/http/session/session.go", `	if signed, resp, out = s.sendInTurn(ctx, r, h); out.Status == actions.Done {`,
			`	h = hop{method: r.Method, url: r.FullURL(), headers: r.Headers.Clone(), body: r.Body}
	if signed, resp, out = s.sendInTurn(ctx, r, h); out.Status == actions.Done {`),
		row(twice, "a keyed retry has the same key", "MADE TWICE",
			"engine/run/owner.go", `		call.Key = o.sending.intent.Key`, `		call.Key = o.sending.intent.Key + o.res.all.Tokens.Next()`),
		row(twice, "different inputs settle the old intent first", "MADE TWICE",
			"engine/run/earlier_create.go", `i.Hash != r.inputsHash() && i.Status != journal.Failed`, `false`),
		row(twice, "find is asked for as long as what was made may stay unseen", "MADE TWICE",
			"engine/run/stop/stop.go", ` || seen || left <= 0 {`, ` || seen || left <= time.Hour {`),
		row(twice, "finished elements of a forEach are not sent again", "MADE TWICE",
			"engine/run/operation/loop.go", `done && r.Looping == s {`, `done && r.Looping == s && false {`),
		row(twice, "a group is retried only on what is refused", "MADE TWICE",
			"engine/run/verdict/retry.go", `	if v.Status != actions.Refused {`, `	if false {`),
		row(twice, "the first cancel lets what was sent be answered", "MADE TWICE",
			"engine/run/stop/stop.go", `		case <-timer.C:
`, `		default:
`),
		row(lost, "refused after unknown stays unknown", "LOST AND NOT LISTED",
			"engine/run/verdict/verdict.go", `	case !doubt || status == actions.Failed:`, `	case true:`),
		row(lost, "408 and 499 are unknown", "LOST AND NOT LISTED",
			"actions/http/verdict/judge.go", `	case http.StatusRequestTimeout, clientClosedRequest:`, `	case 597, 598:`),
		row(lost, "the intent is written before the request is sent", "LOST AND NOT LISTED",
			"engine/run/intents.go", `		return r.Resource.Finds(s) || s.Certainty != actions.Uncertain, r.Resource.Finds(s)`, `		return false, false`),
		row(lost, "the journal forgets only what is recorded", "LOST AND NOT LISTED",
			"engine/run/entries/entries.go", `	case i.Token != s.Private.Token:`, `	case false:`),
		row(lost, "a state is dropped only if every step was undone", "LOST AND NOT LISTED",
			"engine/run/aftermath.go", `		left = left || !a.undone[t.Step.Index]`, `		left = left || len(a.undone) == 0`),
		row(lost, "finished steps are not sent again", "LOST AND NOT LISTED",
			"engine/run/operation/run.go", `		if r.Finished[i] {`, `		if false {`),
		row(lost, "what a failed step may have left is listed", "LOST AND NOT LISTED",
			"engine/run/sending.go", `		return nil, errors.Join(err, n.book().Put(n.intent, false))`, `		return nil, errors.Join(err, n.book().RemoveOne(n.intent))`),
		row(lost, "a token guards what has the id of what is deleted", "DELETED WHAT IT HAD MADE",
			"engine/run/recorded/tokens.go", `	return by, known && by.token != token`, `	return by, known && by.token != token && false`),
		row(foreign, "a lost update takes over only what was not there before", "ANOTHER OWNER'S OBJECT",
			"engine/run/owner.go", `	o.looked, o.vacant = id == "" || id == o.ID, id == ""`, `	o.looked, o.vacant = id == "" || id == o.ID || true, id == ""`),
		row(wanted, "what was undone is done again", "NOT AS WANTED",
			"engine/run/aftermath.go", `		if i != r.Failed {`, `		if false {`),
		row(lost, "the id is evaluated again after a read", "LOST AND NOT LISTED",
			"engine/run/reading/identity.go", `	found.ID = r.idOf(found.Inputs)`, `	found.ID = old.ID`),
		row(cancel, "a cancel starts nothing new", "BEGUN AFTER A CANCEL",
			"actions/stop.go", `stop.Err() != nil {
		return errNotSent`, `stop.Err() != nil && false {
		return errNotSent`),
	}
}
