package complaints

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofFailures are the complaints about what happens when something fails, takes
// too long, or is over.
func ofFailures() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Complaint: 11, Promise: "Credentials are those of now, never those of the state",
			Mechanism: "a new configuration takes the place of the old one",
			File:      "engine/pulumi/session.go",
			Find:      `		c.session.Store(made)`,
			Replace:   `		c.session.CompareAndSwap(nil, made)`,
			Package:   mutant.Complaints, Test: "TestComplaint11StaleCredentials", Fails: "401",
		},
		{
			Complaint: 19, Promise: "Nobody is asked again at once",
			Mechanism: "a retry waits",
			File:      "engine/run/verdict/retry.go",
			Find:      `return true, stop.Wait(ctx, delay)`,
			Replace:   `return true, nil`,
			Package:   mutant.Complaints, Test: "TestComplaint19Delay", Fails: "attempt 2 came after",
		},
		{
			Complaint: 19, Promise: "Nobody is asked again at once",
			Mechanism: "each retry waits twice as long as the one before",
			File:      "engine/run/verdict/retry.go",
			Find:      `delay = min(2*delay, most); delay == most`,
			Replace:   `delay == most`,
			Package:   mutant.Complaints, Test: "TestComplaint19Delay", Fails: "attempt 3 came after",
		},
		{
			Complaint: 19, Promise: "Nobody is asked again at once",
			Mechanism: "a retry comes when the server asks it to",
			File:      "engine/run/verdict/retry.go",
			Find:      `	delay = max(delay, v.After)`,
			Replace:   ``,
			Package:   mutant.Complaints, Test: "TestComplaint19RetryAfter", Fails: "Retry-After as seconds",
		},
		{
			Complaint: 19, Promise: "Nobody is asked again at once",
			Mechanism: "Retry-After may be a date, by the server's own clock",
			File:      "actions/http/verdict/retryafter.go",
			Find:      `return max(at.Sub(now), 0), true`,
			Replace:   `return max(at.Sub(at), 0), true`,
			Package:   mutant.Complaints, Test: "TestComplaint19RetryAfter", Fails: "Retry-After as date",
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "a POST whose answer is lost is not sent again",
			File:      "actions/http/family.go",
			Find:      "	default:\n		return actions.Uncertain\n	}\n}",
			Replace:   "	default:\n		return actions.Safe\n	}\n}",
			Package:   mutant.Complaints, Test: "TestComplaint20RetriedPOST", Fails: `with "}" `,
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "a retry asks `find` before it sends a POST again",
			File:      "engine/run/owner.go",
			Find:      `if doubt && !s.Certainty.Repeatable() && o.CanLook(s) {`,
			Replace:   `if false {`,
			Package:   mutant.Complaints, Test: "TestComplaint20RetriesAskFind", Fails: "(-want +got)",
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "vet refuses a retry that would repeat what may have been done",
			File:      "engine/compile/certainty/checker.go",
			Find:      `if s.Retry != nil && s.Model.Retry != nil && s.Retry.CoversDoubt(s) && !found {`,
			Replace:   `if false && found {`,
			Package:   mutant.Complaints, Test: "TestComplaint20RetriesAskFind", Fails: "vet accepts the spec",
		},
		{
			Promise: "Nobody else's object is taken over", Mechanism: "vet warns of a find that refers to no input",
			File:    "engine/compile/certainty/find.go",
			Find:    `	c.Warn(finding.CodeFindAny,`,
			Replace: `	c.Warn("other",`,
			Package: "engine", Test: "TestFindsOfAnyObject", Fails: "0 warnings",
		},
		{
			Promise: "Nobody else's object is taken over", Mechanism: "vet warns of a condition that never holds",
			File:    "engine/compile/certainty/condition.go",
			Find:    `!c.hasTargetOf(s, c.r.Read) && !c.hasTargetOf(s, c.r.Delete)`,
			Replace: `true`,
			Package: "engine", Test: "TestConditionsThatNeverHold", Fails: "0 warnings",
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "with an idempotency key it is sent again",
			File:      "actions/http/family.go",
			Find:      "		return actions.Keyed\n",
			Replace:   "		return actions.Uncertain\n",
			Package:   mutant.Complaints, Test: "TestComplaint20RetriedPOST", Fails: "idempotencyKey: true}",
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "all attempts have the same key",
			File:      "engine/run/owner.go",
			Find:      `		call.Key = o.sending.intent.Key`,
			Replace:   `		call.Key = o.sending.intent.Key + string(rune('0'+call.Attempt))`,
			Package:   mutant.Complaints, Test: "TestComplaint20RetriedPOST", Fails: "the key changes from attempt to attempt",
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "the next run takes the key from the journal",
			File:      "engine/journal/store.go",
			Find:      `	claimed.Status, claimed.Ongoing, claimed.live = Begun, false, true`,
			Replace:   `	claimed.Status, claimed.Ongoing, claimed.live, claimed.Key = Begun, false, true, rand.Text()`,
			Package:   mutant.Complaints, Test: "TestComplaint20KeyOutlivesTheProcess", Fails: "the next run has another key",
		},
		{
			Complaint: 21, Promise: "What is a failure can be said, and is told in the server's words",
			Mechanism: "`fail` finds the failure in an answer that looks well",
			File:      "engine/run/verdict/verdict.go",
			Find:      "	} else if text != \"\" {\n		v.Status, v.Err, v.final, v.Fails = actions.Failed, errors.New(text), true, true",
			Replace:   "	} else if false {\n		v.Status, v.Err, v.final, v.Fails = actions.Failed, errors.New(text), true, true",
			Package:   mutant.Complaints, Test: "TestComplaint21Failure", Fails: "after 200 it says",
		},
		{
			Complaint: 21, Promise: "What is a failure can be said, and is told in the server's words",
			Mechanism: "`error` finds the server's message",
			File:      "actions/http/verdict/judge.go",
			Find:      `expect: args.Expect.statuses, partial: args.Expect.partial, message: args.Error,`,
			Replace:   `expect: args.Expect.statuses, partial: args.Expect.partial,`,
			Package:   mutant.Complaints, Test: "TestComplaint21Failure", Fails: "after 409 it says",
		},
		{
			Complaint: 21, Promise: "What is a failure can be said, and is told in the server's words",
			Mechanism: "`expect` with a 2xx leaves no other one",
			File:      "actions/http/verdict/judge.go",
			Find:      `return success && !slices.ContainsFunc(j.expect, func(s int) bool { return s < 400 })`,
			Replace:   `return success`,
			Package:   mutant.Complaints, Test: "TestComplaint21Expected", Fails: "status 200 is accepted, but 202 is expected",
		},
		{
			Complaint: 21, Promise: "What is a failure can be said, and is told in the server's words",
			Mechanism: "an error that is expected is none",
			File:      "actions/http/verdict/judge.go",
			Find:      `	if slices.Contains(j.expect, status) {`,
			Replace:   `	if status < 400 && slices.Contains(j.expect, status) {`,
			Package:   mutant.Complaints, Test: "TestComplaint21Expected", Fails: "an expected 404 gives",
		},
		{
			Complaint: 23, Promise: "A token that ends is renewed, by itself",
			Mechanism: "a token that is refused is renewed",
			File:      "actions/http/session/session.go",
			Find:      `if !signed.credentials || out.Status != actions.Done || s.Judge.IsExpected(resp.Status) || !s.renew(signed, resp) {`,
			Replace:   `if signed.credentials || true {`,
			Package:   mutant.Complaints, Test: "TestComplaint23TokenExpiry", Fails: "401",
		},
		{
			Complaint: 23, Promise: "A token that ends is renewed, by itself",
			Mechanism: "that is done once",
			File:      "actions/http/session/session.go",
			Find:      "	if signed, resp, out = s.sendInTurn(ctx, r, h); out.Status == actions.Done {\n		s.renew(signed, resp) // keeps what the response tells about the next message\n	}\n	return resp, out",
			Replace:   "	if signed, out = s.sign(ctx, r, h); out.Status == actions.Done {\n		return s.sendSigned(ctx, r, h)\n	}\n	return nil, out",
			Package:   mutant.Complaints, Test: "TestComplaint23TokenExpiry", Fails: "with a token that is always rejected",
		},
		{
			Complaint: 23, Promise: "A token that ends is renewed, by itself",
			Mechanism: "a token that says when it ends is renewed before",
			File:      "actions/http/session/token.go",
			Find:      `(s.current.Expiry.IsZero() || time.Now().Before(s.current.Expiry))`,
			Replace:   `true`,
			Package:   mutant.Complaints, Test: "TestComplaint23TokenEnds", Fails: "an expired token is sent",
		},
		{
			Promise:   "A token that ends is renewed, by itself",
			Mechanism: "a request that waits for its turn gets its token when it is sent",
			File:      "actions/http/session/session.go",
			Find:      `	done, err := s.waitTurn(ctx, h, origin)`,
			Replace: `	h, _ = s.sign(ctx, r, h)
	if signs := s.auth; signs != nil {
		s.auth = nil
		defer func() { s.auth = signs }()
	}
	done, err := s.waitTurn(ctx, h, origin)`,
			Package: "actions/http", Test: "TestTokenAfterAWait", Fails: "requests were refused",
		},
		{
			Promise:   "A token that ends is renewed, by itself",
			Mechanism: "when a token ends is a time of the server's clock",
			File:      "actions/http/session/token.go",
			Find:      `	if !known {`,
			Replace:   `	if date = now; !known {`,
			Package:   "actions/http", Test: "TestExpiryByTheServersClock", Fails: "tokens, want",
		},
		{
			Complaint: 25, Promise: "Nothing hangs",
			Mechanism: "`timeout` of a request bounds each attempt",
			File:      "actions/http/session/stream.go",
			Find:      `context.WithTimeoutCause(ctx, timeout, ended)`,
			Replace:   `context.WithTimeoutCause(ctx, 1<<40, ended)`,
			Package:   mutant.Complaints, Test: "TestComplaint25Timeouts", Fails: "no complete response within 300ms",
		},
		{
			Complaint: 25, Promise: "Nothing hangs",
			Mechanism: "`timeout` of a step bounds all its attempts",
			File:      "engine/run/operation/run.go",
			Find:      `	if limit > 0 {`,
			Replace:   `	if false {`,
			Package:   mutant.Complaints, Test: "TestComplaint25Timeouts", Fails: "it took longer than 300ms",
		},
		{
			Complaint: 25, Promise: "Nothing hangs",
			Mechanism: "customTimeouts of the program bound an operation",
			File:      "engine/run/stop/stop.go",
			Find:      `	if limit <= 0 {`,
			Replace:   `	if true {`,
			Package:   mutant.Complaints, Test: "TestComplaint25Timeouts", Fails: "longer than the 300ms that it was given",
		},
	}
}

// ofAuthors are the complaints about mistakes that show only once a spec runs.
func ofAuthors() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Complaint: 30, Promise: "An author's mistakes are found before anything runs",
			Mechanism: "every template is typed when a spec is compiled",
			File:      "engine/compile/finding/collector.go",
			Find:      `	c.Add(diags, path)`,
			Replace:   ``,
			Package:   mutant.Complaints, Test: "TestComplaint30MistakesBeforeRunning", Fails: "inputs.nmae: ",
		},
	}
}
