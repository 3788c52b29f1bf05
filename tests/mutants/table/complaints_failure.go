package table

// ofFailures are the complaints about what happens when something fails, takes
// too long, or is over.
func ofFailures() []Mutant {
	return []Mutant{
		{
			Complaint: 11, Promise: "Credentials are those of now, never those of the state",
			Mechanism: "a new configuration takes the place of the old one",
			File:      "engine/pulumi/configure.go",
			Find:      `	s.put(ctx, now.configured(made))`,
			Replace: `	if now.engine == nil {
		s.put(ctx, now.configured(made))
	}`,
			Package: complaints, Test: "TestComplaint11StaleCredentials", Fails: "401",
		},
		{
			Complaint: 19, Promise: "Nobody is asked again at once",
			Mechanism: "a retry waits",
			File:      "engine/retry.go",
			Find:      `return true, wait(ctx, delay)`,
			Replace:   `return true, nil`,
			Package:   complaints, Test: "TestComplaint19Delay", Fails: "attempt 2 came after",
		},
		{
			Complaint: 19, Promise: "Nobody is asked again at once",
			Mechanism: "each retry waits twice as long as the one before",
			File:      "engine/retry.go",
			Find:      `delay = min(2*delay, most); delay == most`,
			Replace:   `delay == most`,
			Package:   complaints, Test: "TestComplaint19Delay", Fails: "attempt 3 came after",
		},
		{
			Complaint: 19, Promise: "Nobody is asked again at once",
			Mechanism: "a retry comes when the server asks it to",
			File:      "engine/retry.go",
			Find:      `	delay = max(delay, out.RetryAfter)`,
			Replace:   ``,
			Package:   complaints, Test: "TestComplaint19RetryAfter", Fails: "asked to come back by a seconds",
		},
		{
			Complaint: 19, Promise: "Nobody is asked again at once",
			Mechanism: "Retry-After may be a date, by the server's own clock",
			File:      "actions/http/retryafter.go",
			Find:      `return max(at.Sub(now), 0), true`,
			Replace:   `return max(at.Sub(at), 0), true`,
			Package:   complaints, Test: "TestComplaint19RetryAfter", Fails: "asked to come back by a date",
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "a POST whose answer is lost is not sent again",
			File:      "actions/http/request.go",
			Find:      `return idempotent || r.effect == actions.None || r.keyed`,
			Replace:   `return idempotent || true`,
			Package:   complaints, Test: "TestComplaint20RetriedPOST", Fails: `with "}" 2 requests`,
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "nor does a `retry` of the spec send it again",
			File:      "engine/retry.go",
			Find:      `s.retry == nil || out.Status == actions.Lost && s.effect == actions.Write`,
			Replace:   `s.retry == nil`,
			Package:   complaints, Test: "TestComplaint20RetriedPOST", Fails: "retry: {",
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "with an idempotency key it is sent again",
			File:      "actions/http/request.go",
			Find:      `return idempotent || r.effect == actions.None || r.keyed`,
			Replace:   `return idempotent || r.effect == actions.None`,
			Package:   complaints, Test: "TestComplaint20RetriedPOST", Fails: "idempotencyKey: true}",
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "all attempts have the same key",
			File:      "engine/call.go",
			Find:      `		Key:        r.key,`,
			Replace:   `		Key:        fmt.Sprint(r.key, attempt),`,
			Package:   complaints, Test: "TestComplaint20RetriedPOST", Fails: "the key changes from attempt to attempt",
		},
		{
			Complaint: 20, Promise: "Nothing is made twice",
			Mechanism: "the next run takes the key from the journal",
			File:      "engine/journal/journal.go",
			Find:      `		return before, true, remedy(j.write(before, true))`,
			Replace: `		before.Key = rand.Text()
		return before, true, remedy(j.write(before, true))`,
			Package: complaints, Test: "TestComplaint20KeyOutlivesTheProcess", Fails: "the next run has another key",
		},
		{
			Complaint: 21, Promise: "What is a failure can be said, and is told in the server's words",
			Mechanism: "`fail` finds the failure in an answer that looks well",
			File:      "engine/steps.go",
			Find:      `if text, err := r.text(s.fail); err != nil || text != "" {`,
			Replace:   `if text, err := r.text(s.fail); err != nil {`,
			Package:   complaints, Test: "TestComplaint21Failure", Fails: "after 200 it says",
		},
		{
			Complaint: 21, Promise: "What is a failure can be said, and is told in the server's words",
			Mechanism: "`error` finds the server's message",
			File:      "actions/http/judge.go",
			Find:      `	late := x.call.Late[x.given.prefix+"error"]`,
			Replace: `	if x.given.prefix == "" {
		return x.hidden(a.excerpt())
	}
	late := x.call.Late[x.given.prefix+"error"]`,
			Package: complaints, Test: "TestComplaint21Failure", Fails: "after 409 it says",
		},
		{
			Complaint: 21, Promise: "What is a failure can be said, and is told in the server's words",
			Mechanism: "`expect` with a 2xx leaves no other one",
			File:      "actions/http/judge.go",
			Find:      `return success && !slices.ContainsFunc(x.expect, func(s int) bool { return s < 400 })`,
			Replace:   `return success`,
			Package:   complaints, Test: "TestComplaint21Expected", Fails: "200 is taken for 202",
		},
		{
			Complaint: 21, Promise: "What is a failure can be said, and is told in the server's words",
			Mechanism: "an error that is expected is none",
			File:      "actions/http/judge.go",
			Find:      `	if slices.Contains(x.expect, status) {`,
			Replace:   `	if status < 400 && slices.Contains(x.expect, status) {`,
			Package:   complaints, Test: "TestComplaint21Expected", Fails: "an expected 404 gives",
		},
		{
			Complaint: 23, Promise: "A token that ends is renewed, by itself",
			Mechanism: "a token that is refused is renewed",
			File:      "actions/http/exchange.go",
			Find:      `if a.status == http.StatusUnauthorized && sign.cached && !x.ordinary(a.status) {`,
			Replace:   `if false {`,
			Package:   complaints, Test: "TestComplaint23TokenExpiry", Fails: "401",
		},
		{
			Complaint: 23, Promise: "A token that ends is renewed, by itself",
			Mechanism: "that is done once",
			File:      "actions/http/exchange.go",
			Find:      `if a.status == http.StatusUnauthorized && sign.cached && !x.ordinary(a.status) {`,
			Replace:   `for a.status == http.StatusUnauthorized && !x.ordinary(a.status) {`,
			Package:   complaints, Test: "TestComplaint23TokenExpiry", Fails: "where no token will do",
		},
		{
			Complaint: 23, Promise: "A token that ends is renewed, by itself",
			Mechanism: "a token that says when it ends is renewed before",
			File:      "actions/http/token.go",
			Find:      `(s.held.expires.IsZero() || time.Now().Before(s.held.expires))`,
			Replace:   `true`,
			Package:   complaints, Test: "TestComplaint23TokenEnds", Fails: "a token that is over is sent",
		},
		{
			Complaint: 25, Promise: "Nothing hangs",
			Mechanism: "`timeout` of a request bounds each attempt",
			File:      "actions/http/exchange.go",
			Find:      `context.WithTimeoutCause(ctx, x.timeout, overtime(x.timeout))`,
			Replace:   `context.WithTimeoutCause(ctx, 1<<40, overtime(x.timeout))`,
			Package:   complaints, Test: "TestComplaint25Timeouts", Fails: "no whole answer within 300ms",
		},
		{
			Complaint: 25, Promise: "Nothing hangs",
			Mechanism: "`timeout` of a step bounds all its attempts",
			File:      "engine/steps.go",
			Find:      `	if limit > 0 {`,
			Replace:   `	if false {`,
			Package:   complaints, Test: "TestComplaint25Timeouts", Fails: "it took longer than 300ms",
		},
		{
			Complaint: 25, Promise: "Nothing hangs",
			Mechanism: "customTimeouts of the program bound an operation",
			File:      "engine/create.go",
			Find:      `	if limit <= 0 {`,
			Replace:   `	if true {`,
			Package:   complaints, Test: "TestComplaint25Timeouts", Fails: "longer than the 300ms that it was given",
		},
	}
}
