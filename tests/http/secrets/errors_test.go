package secrets

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/hostile"
)

// parallel is how many lifecycles run concurrently. They mostly wait.
const parallel = 8

// runAll runs all functions, several concurrently.
func runAll(do []func()) {
	var running sync.WaitGroup
	turn := make(chan struct{}, parallel)
	for _, f := range do {
		turn <- struct{}{}
		running.Go(func() {
			f()
			<-turn
		})
	}
	running.Wait()
}

// faults returns all faults that do not need TLS, and all error responses that echo the
// request.
func faults() []hostile.Fault {
	known := hostile.Faults("http://127.0.0.1:1/elsewhere")
	var out []hostile.Fault
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if !strings.Contains(name, "TLS") && !known[name].Handshake {
			out = append(out, known[name])
		}
	}
	return append(out, hostile.Echoes()...)
}

// TestSecretsOnEveryErrorPath checks each fault and each echoing response at each verb, and
// at the token endpoints.
func TestSecretsOnEveryErrorPath(t *testing.T) {
	t.Parallel()
	l := newFixture(t, hostile.Start(t))
	order := slices.Sorted(maps.Keys(kinds))
	began := time.Now()
	var todo []func()
	for i, f := range faults() {
		for j, method := range []string{"POST", "GET", "PATCH", "DELETE"} {
			some := []string{order[(i+j)%len(order)]}
			if strings.HasPrefix(f.Name, "echo") { // half of the kinds, and the other half for the next method
				some = slices.DeleteFunc(slices.Clone(order), func(kind string) bool { return slices.Index(order, kind)%2 != (i+j)%2 })
			}
			for _, kind := range some {
				todo = append(todo, func() { l.lifecycle(kind, l.planFault(method, f)) })
			}
		}
	}
	runAll(todo)
	// All lifecycles share the token, and so a fault at its endpoint.
	runAll([]func(){func() { l.renewTokens("OAuth", "POST /token") }, func() { l.renewTokens("Login", "POST /login") }})
	t.Logf("%d lifecycles, %d requests, %s", l.count.Load(), len(l.server.Requests()), time.Since(began).Round(time.Second))
	l.checkArrived(append(sent(), "body", "issued")...)
	l.searchElsewhere()
}

// renewTokens runs a lifecycle with each fault at a token endpoint, while the server rejects
// the old token.
func (l *fixture) renewTokens(kind, place string) {
	for _, f := range faults() {
		refused := l.planFault("GET", hostile.Echoes()[3])
		l.lifecycle(kind, faultPlan{f.Name + " at " + place, func(resource, method string) {
			if refused.arm(resource, method); method == "GET" {
				l.server.Forget(place)
				l.server.Arm(place, f)
			}
		}})
		l.server.Forget(place)
	}
}

// TestSecretsOverTLS checks faults of TLS connections.
func TestSecretsOverTLS(t *testing.T) {
	t.Parallel()
	server := hostile.StartTLS(t)
	l := newFixture(t, server)
	alert := hostile.Faults("http://127.0.0.1:1/elsewhere")["TLS alert after commit"]
	var todo []func()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, method := range []string{"POST", "GET", "PATCH", "DELETE"} {
			todo = append(todo, func() { l.lifecycle(kind, l.planFault(method, alert)) })
		}
	}
	runAll(todo)
	// One aborted handshake is retried successfully; this many make the operation fail.
	for _, p := range []struct {
		kind, method string
		times        int
	}{
		{"Bearer", "POST", 10},
		{"OAuth", "GET", 10},
		{"Basic", "POST", 1},
		{"ApiKey", "GET", 1},
		{"Cookie", "PATCH", 1},
		{"Parameter", "DELETE", 1},
		{"Login", "PATCH", 1},
	} {
		l.lifecycle(p.kind, faultPlan{"handshake aborted at " + p.method, func(_, now string) {
			server.Abort(0)
			if now == p.method {
				server.HangUp()
				server.Abort(p.times)
				p.times = 0
			}
		}})
	}
	l.checkArrived(append(sent(), "body", "issued")...)
	l.searchElsewhere()
}
