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

// abreast is how many lifecycles go on at once: most of them wait.
const abreast = 8

// all runs everything, a few at once.
func all(do []func()) {
	var running sync.WaitGroup
	turn := make(chan struct{}, abreast)
	for _, f := range do {
		turn <- struct{}{}
		running.Go(func() {
			f()
			<-turn
		})
	}
	running.Wait()
}

// faults are all that strike requests without TLS, and each answer that says
// everything back.
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

// TestSecretsOnEveryErrorPath: each fault, and each answer that says everything
// back, at each verb, and where tokens come from.
func TestSecretsOnEveryErrorPath(t *testing.T) {
	t.Parallel()
	l := newLab(t, hostile.Start(t))
	order := slices.Sorted(maps.Keys(kinds))
	began := time.Now()
	var todo []func()
	for i, f := range faults() {
		for j, method := range []string{"POST", "GET", "PATCH", "DELETE"} {
			some := []string{order[(i+j)%len(order)]}
			if strings.HasPrefix(f.Name, "echo") {
				some = order
			}
			for _, kind := range some {
				todo = append(todo, func() { l.lifecycle(kind, l.at(method, f)) })
			}
		}
	}
	all(todo)
	// The token is one for all, and so is what strikes it.
	all([]func(){func() { l.tokens("OAuth", "POST /token") }, func() { l.tokens("Login", "POST /login") }})
	t.Logf("%d lifecycles, %d requests, %s", l.count.Load(), len(l.server.Requests()), time.Since(began).Round(time.Second))
	l.arrived(append(settings(), "body", "issued")...)
	l.rest()
}

// tokens is a lifecycle with each fault at the place that tokens come from, when
// one is asked for anew because the server takes the old one no more.
func (l *lab) tokens(kind, place string) {
	for _, f := range faults() {
		refused := l.at("GET", hostile.Echoes()[3])
		l.lifecycle(kind, peril{f.Name + " at " + place, func(resource, method string) {
			if refused.arm(resource, method); method == "GET" {
				l.server.Forget(place)
				l.server.Arm(place, f)
			}
		}})
		l.server.Forget(place)
	}
}

// TestSecretsOverTLS: what breaks below a request tells no more than what breaks
// above it.
func TestSecretsOverTLS(t *testing.T) {
	t.Parallel()
	server := hostile.StartTLS(t)
	l := newLab(t, server)
	alert := hostile.Faults("http://127.0.0.1:1/elsewhere")["TLS alert after commit"]
	var todo []func()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, method := range []string{"POST", "GET", "PATCH", "DELETE"} {
			todo = append(todo, func() { l.lifecycle(kind, l.at(method, alert)) })
		}
	}
	all(todo)
	// One that is aborted is repeated, and goes well; so many fail the operation.
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
		l.lifecycle(p.kind, peril{"handshake aborted at " + p.method, func(_, now string) {
			server.Abort(0)
			if now == p.method {
				server.HangUp()
				server.Abort(p.times)
				p.times = 0
			}
		}})
	}
	l.arrived(append(settings(), "body", "issued")...)
	l.rest()
}
