package table

// ofJournals are the mechanisms that neither lose nor repeat a create whose
// answer never came.
func ofJournals() []Mutant {
	const onDisk = "An intent is on the disk before its request is sent"
	return []Mutant{
		{
			Promise: onDisk, Mechanism: "an intent is written down",
			File: "engine/journal/file.go", Find: `	if _, err := f.Write(text.Bytes()); err != nil {`,
			Replace: `	if text.Len() < 0 {`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise: onDisk, Mechanism: "its content is synced",
			File: "engine/journal/store.go", Find: `		if err = f.Sync(); err == nil {`,
			Replace: `		if err == nil {`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise: onDisk, Mechanism: "its name is synced",
			File: "engine/journal/store.go", Find: `			err = syncFolder(j.dir)`,
			Replace: `			err = nil`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise: onDisk, Mechanism: "the names of the folders that it makes are synced",
			File: "engine/journal/store.go", Find: `	if err := syncParents(j.dir); err != nil {`,
			Replace: `	if err := error(nil); err != nil {`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise: "A killed update is not forgotten", Mechanism: "an update is recorded before its first effect",
			File: "engine/run/owner.go", Find: `	if err := o.beginUpdate(s); err != nil {`,
			Replace: `	if err := error(nil); err != nil {`,
			Package: "engine", Test: "TestInterruptedUpdates", Fails: "the host would send no update",
		},
		{
			Promise: "A killed update is not forgotten", Mechanism: "a state with an open update is that of a failed one",
			File: "engine/recorded.go", Find: `	s, err := about.Interrupted(s)`,
			Replace: `	_, err := about.Interrupted(s)`,
			Package: "engine", Test: "TestInterruptedUpdates", Fails: "the host would send no update",
		},
		{
			Promise: "A killed update is not forgotten", Mechanism: "an update is recorded until a recorded state has its key",
			File: "engine/run/entries/updates.go", Find: `	return errors.Join(e.Book.Put(last, false), e.Book.Remove(`,
			Replace: `	return errors.Join(e.Book.RemoveOne(last), e.Book.Remove(`,
			Package: "engine", Test: "TestInterruptedUpdates", Fails: "the host would send no update",
		},
		{
			Promise: "A killed update is not forgotten", Mechanism: "an update is found by the token of the state",
			File: "engine/journal/resource.go", Find: `	if i.Operation == Update && r.state.State != "" {`,
			Replace: `	if false {`,
			Package: "engine", Test: "TestInterruptedUpdates", Fails: "the host would send no update",
		},
		{
			Promise: "A killed update is not forgotten", Mechanism: "no update is sent while another process updates the resource",
			File: "engine/run/update.go", Find: `	if err := about.RefuseBusy(state); err != nil {`,
			Replace: `	if err := about.RefuseBusy(state); err != nil && false {`,
			Package: "engine", Test: "TestUpdateUnderWayElsewhere", Fails: "interrupted_test.go",
		},
		{
			Promise: "A killed update is not forgotten", Mechanism: "what no program has set is not set to null",
			File: "engine/run/update.go", Find: `	return recorded || s.Private.Failed.MayHaveGiven(name)`,
			Replace: `	return true || recorded`,
			Package: "engine", Test: "TestChangesLeaveWhatTheServerChose", Fails: "changes_test.go",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "an intent that a living process works on is left to it",
			File:      "engine/journal/store.go",
			Find:      `		case before[n].UnderWay() && before[n].Owner != claimed.Owner:`,
			Replace:   `		case false:`,
			Package:   "engine/journal", Test: "TestOwners", Fails: "claimed from a living process",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "a process of another container is told by its lock, and not by its number",
			File:      "engine/journal/owner.go",
			Find:      `	case err == nil && !free:`,
			Replace:   `	case err == nil && !free && running(p.PID, p.Start):`,
			Package:   "engine/journal", Test: "TestContainers", Fails: "owner_test.go",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "what another process has changed since is not claimed",
			File:      "engine/journal/store.go",
			Find:      `		case !equal(before[n], i):`,
			Replace:   `		case false:`,
			Package:   "engine/journal", Test: "TestLifeOfAnIntent", Fails: "claimed as it was before",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "`find` looks at once for what a POST without an answer has made",
			File:      "engine/run/sending.go",
			Find:      `	if (owner{n.run}).CanLook(n.step) && stop.Err(ctx) == nil {`,
			Replace:   `	if false && stop.Err(ctx) == nil {`,
			Package:   "tests/http/faults", Test: "TestFaults/reset-after-commit/create/Found", Fails: "was promised",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "the next run asks `find` before it sends anything",
			File:      "engine/run/owner.go",
			Find:      `	if n.doubt && o.Verb == plan.Create && o.Resource.Finds(s)`,
			Replace:   `	if n.doubt && false && o.Resource.Finds(s)`,
			Package:   "engine", Test: "TestFindByList", Fails: "(-want +got)",
		},
		{
			Promise:   "What is somebody else's is never taken",
			Mechanism: "`find` is asked before the first effect of a create",
			File:      "engine/run/owner.go",
			Find: `	if found != nil {
		remedy :=`,
			Replace: `	if false && found != nil {
		remedy :=`,
			Package: "engine", Test: "TestFindComesFirst", Fails: "(-want +got)",
		},
		{
			Promise:   "What is somebody else's is never taken",
			Mechanism: "what find finds is adopted only if there was nothing before",
			File:      "engine/run/sending.go",
			Find:      `	why := "it is not known whether this create made it"`,
			Replace:   `	why := ""`,
			Package:   "engine", Test: "TestFindNotFirst", Fails: "it was adopted",
		},
		{
			Promise:   "What is somebody else's is never taken",
			Mechanism: "a create that failed gives no right to what is there later",
			File:      "engine/run/intents.go",
			Find:      `	return i.Status != journal.Failed && (i.Status`,
			Replace:   `	return (i.Status`,
			Package:   "engine", Test: "TestFailedGivesNoRight", Fails: "Err:<nil>",
		},
		{
			Promise:   "What is somebody else's is never taken",
			Mechanism: "a refusal inside a success is a refusal",
			File:      "engine/run/verdict/verdict.go",
			Find:      `		v.Status, v.Err, v.again = actions.Refused, errors.New(text), false`,
			Replace:   `		v.Err, v.again = errors.New(text), false`,
			Package:   "engine", Test: "TestRefusedInside", Fails: "certainty_test.go",
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "a refusal after an attempt that nobody knows the outcome of leaves it unknown",
			File:      "engine/run/verdict/verdict.go",
			Find:      `	case !doubt || status == actions.Failed:`,
			Replace:   `	case true:`,
			Package:   "engine", Test: "TestAttempts/keyed/unknown,_then_refused", Fails: "in the journal",
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "a request with an effect is sent once on a connection that breaks",
			File:      "actions/http/session/transport.go",
			Find:      `	if m.effect == actions.Write {`,
			Replace:   `	if false {`,
			Package:   "actions/http", Test: "TestSentOnceOnAKeptConnection/closed/POST/key/body_false", Fails: "sent 2 times",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "what a create may have made anew stays listed when the old object is gone",
			File:      "engine/run/entries/entries.go",
			Find: `		if i.Open() && e.isUnmade(s, i) {
			return false // a delete that reads made has left it alone
		}
		moved := missed && i.Operation == journal.Update && i.Status != journal.Handed
		anew := missed && i.Operation == journal.Create && i.Open() && e.Maker != nil && i.Step == e.Maker.Index
`,
			// A named step that was undone is kept for that, too.
			Replace: `		moved := missed && i.Operation == journal.Update && i.Status != journal.Handed
		const anew = false
`,
			Package: "engine", Test: "TestWhatWasMadeAnewIsListed", Fails: "in the journal",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "what came of an undo that was not answered is read before its create goes on",
			File:      "engine/run/undo.go",
			Find:      `			if operation.StatusOf(err) == actions.Unknown {`,
			Replace:   `			if false {`,
			Package:   "engine", Test: "TestUndoWithoutAnAnswer/it_was_done", Fails: "calls",
		},
		{
			Promise:   "A secret stays a secret",
			Mechanism: "hashes in the journal are made with its key",
			File:      "engine/journal/provider.go",
			Find:      `mac := hmac.New(sha256.New, key)`,
			Replace:   `mac := hmac.New(sha256.New, key[:0])`,
			Package:   "engine", Test: "TestTheJournalGivesNoSecretToGuess", Fails: "another folder has",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "no parts are made of what a key gives and is gone",
			File:      "engine/run/earlier_create.go",
			Find:      `err == nil && !there {`,
			Replace:   `err == nil && !there && false {`,
			Package:   "engine", Test: "TestAKeyMakesNothingOfWhatIsGone/gone", Fails: "calls",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "what gives a resource another name is not repeated where it was",
			File:      "engine/run/owner.go",
			Find:      `s.Certainty == actions.Safe && o.Verb == plan.Update && !o.Undoing && o.renames()`,
			Replace:   `false`,
			Package:   "engine", Test: "TestLostRenames/PUT", Fails: "it was sent 2 times",
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "finished elements of a forEach are not sent again",
			File:      "engine/run/operation/run.go",
			Find:      `if value, done := r.Elements[key]; done && r.Looping == s {`,
			Replace:   `if value, done := r.Elements[key]; done && false {`,
			Package:   "engine", Test: "TestElements", Fails: "(-want +got)",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "what a failed create with other inputs has made stays listed",
			File:      "engine/run/intents.go",
			Find:      `			(r.Verb != plan.Create || s.Certainty != actions.Safe || i.Hash == r.inputsHash())`,
			Replace:   `			true`,
			Package:   "engine", Test: "TestWhatFailedStaysListed/safe/then_b", Fails: "the failure is listed",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "a refused create names what the host has forgotten",
			File:      "engine/run/aftermath.go",
			Find:      `(!i.WasAnswered() || i.Token != a.token)`,
			Replace:   `!i.WasAnswered()`,
			Package:   "engine", Test: "TestRefusalNamesWhatWasNotRecorded", Fails: "safe: true",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "an undo leaves alone what a replacement has in common with its original",
			File:      "engine/run/undo.go",
			Find:      `	if a.hasUndo() && a.isKnownObject() {`,
			Replace:   `	if false {`,
			Package:   "engine", Test: "TestUndoOfAReplacementOfOneID", Fails: "(-want +got)",
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "a look that began too early is not the last one",
			File:      "engine/run/stop/stop.go",
			Find: `		left := time.Until(deadline) // taken before the request: its response tells of no later time
		if seen, err := look(); err != nil ||`,
			Replace: `		seen, err := look()
		left := time.Until(deadline)
		if err != nil ||`,
			Package: "engine", Test: "TestSlowLooks/find", Fails: "calls (-want +got)",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "an earlier create with other inputs is settled first",
			File:      "engine/run/create.go",
			Find:      `	if !settled {`,
			Replace:   `	if true || !settled {`,
			Package:   "engine", Test: "TestOtherInputs", Fails: "certainty_test.go",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "a state is dropped only once every effect was undone",
			File:      "engine/run/aftermath.go",
			Find:      `		left = left || !a.undone[t.Step.Index]`,
			Replace:   `		left = left || len(a.undone) == 0`,
			Package:   "engine", Test: "TestUndoOfAPart", Fails: "create_test.go",
		},
		{
			Promise:   "Nothing is lost",
			Mechanism: "what was undone is done again",
			File:      "engine/run/resume.go",
			Find:      `		again[i] = true`,
			Replace:   `		again[i] = false`,
			Package:   "engine", Test: "TestUndoOfAPart", Fails: "(-want +got)",
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "a group is run again on a refusal only",
			File:      "engine/run/verdict/retry.go",
			Find:      `	if v.Status != actions.Refused {`,
			Replace:   `	if false {`,
			Package:   "engine", Test: "TestGroupRetry/unknown", Fails: "(-want +got)",
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "408 of a proxy leaves it unknown what was done",
			File:      "actions/http/verdict/judge.go",
			Find:      `	case http.StatusRequestTimeout, clientClosedRequest:`,
			Replace:   `	case 597, 598:`,
			Package:   "actions/http", Test: "TestStatus", Fails: "judge_test.go",
		},
		{
			Promise:   "Nothing is made twice",
			Mechanism: "after a redirect only the hop that was refused is sent again",
			File:      "actions/http/session/session.go",
			Find:      "	if signed, resp, out = s.sendInTurn(ctx, r, h); out.Status == actions.Done {",
			Replace:   "	h.method = r.Method\n	h.url = r.FullURL(nil)\n	if signed, resp, out = s.sendInTurn(ctx, r, h); out.Status == actions.Done {",
			Package:   "actions/http", Test: "TestTokenRefusedAfterARedirect", Fails: "POSTs",
		},
		{
			Promise:   "An update whose response was lost is settled",
			Mechanism: "a read that shows what the program wants settles it",
			File:      "engine/run/updating.go",
			Find:      `	if operation.StatusOf(failure) != actions.Unknown {`,
			Replace:   `	if operation.StatusOf(failure) != actions.Done {`,
			Package:   "engine", Test: "TestLostUpdateBeforeStepsThatDoNotRun", Fails: "settle_update_test.go",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "an intent is forgotten once the host shows that it has the id",
			File:      "engine/run/entries/entries.go",
			Find: `	case failed == nil || failed.Op != string(plan.Create):
		return true`,
			Replace: `	case failed == nil || failed.Op != string(plan.Create):
		return false`,
			Package: "engine", Test: "TestKeyedCreate", Fails: "intents_test.go",
		},
	}
}
