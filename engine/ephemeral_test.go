package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/screen"
)

const ephemerals = `
ephemerals: Pass: {
	inputs: {role: string, hours: *1 | int}
	outputs: {token: string, lease: string, seconds?: int}
	open: {world: do: {what: "open", with: "${inputs.role}/${inputs.hours}"}, return: {token: "${result.token}", lease: "${result.lease}", seconds: "${result.seconds}"}}
	renew: {world: do: {what: "renew", with: "${state.lease}"}, return: lease: "${result.lease}"}
	renewAfter: "${state.seconds}"
	close: world: do: {what: "close", with: "${state.lease} ${state.token} ${inputs.role}"}
}
`

func openPass(t *testing.T, e *engine.Engine) engine.InvokeResponse {
	t.Helper()
	out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "openPass", Args: object("role", "admin")})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEphemeral(t *testing.T) {
	w := newWorld().on("open", yields("token", "tk", "lease", "l1"))
	e, _ := w.engine(t, ephemerals)
	if !e.Opens() {
		t.Error("the engine says that it opens nothing")
	}
	want := object("token", secret("tk"), "lease", secret("l1"))
	if diff := cmp.Diff(want, openPass(t, e).Return, values); diff != "" {
		t.Errorf("all that it yields is secret (-want +got):\n%s", diff)
	}
	openPass(t, e)
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	closed := "close l1 tk admin"
	if diff := cmp.Diff([]string{"open admin/1", "open admin/1", closed, closed}, w.log()); diff != "" {
		t.Errorf("each is closed once (-want +got):\n%s", diff)
	}
}

func TestEphemeralOpensNothing(t *testing.T) {
	for name, ask := range map[string]func(e *engine.Engine) (engine.InvokeResponse, error){
		"for unknown arguments": func(e *engine.Engine) (engine.InvokeResponse, error) {
			return e.Invoke(t.Context(), engine.InvokeRequest{Function: "openPass", Args: object("role", unknown)})
		},
		"for wrong arguments": func(e *engine.Engine) (engine.InvokeResponse, error) {
			return e.Invoke(t.Context(), engine.InvokeRequest{Function: "openPass", Args: object("rol", "x")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			e, _ := w.engine(t, ephemerals)
			if _, err := ask(e); err != nil {
				t.Fatal(err)
			}
			if err := e.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if done := w.log(); done != nil {
				t.Errorf("it did %q", done)
			}
		})
	}
	w := newWorld().on("open", refused("not now"))
	e, _ := w.engine(t, ephemerals)
	if _, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "openPass", Args: object("role", "x")}); err == nil {
		t.Error("open failed, and nobody was told")
	}
	if err := e.Close(t.Context()); err != nil || len(w.log()) != 1 {
		t.Errorf("what was not opened was closed: %v", err)
	}
}

// TestEphemeralRenewal: what is open is renewed while the engine lives, with what
// the last renewal gave, and not after it is closed.
func TestEphemeralRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld().on("open", yields("token", "tk", "lease", "l1", "seconds", int64(60))).
			on("renew", yields("lease", "l2"), yields("lease", "l3"))
		e, _ := w.engine(t, ephemerals)
		openPass(t, e)
		time.Sleep(150 * time.Second)
		synctest.Wait()
		if err := e.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		want := []string{"open admin/1", "renew l1", "renew l2", "close l3 tk admin"}
		if diff := cmp.Diff(want, w.log()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestEphemeralRenewalThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld().on("open", yields("token", "tk-1", "lease", "l1", "seconds", int64(60))).on("renew", refused("no tk-1 here"))
		e, _ := w.engine(t, ephemerals)
		var log messages
		if _, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "openPass", Args: object("role", "admin"), Log: &log}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(log.texts) != 1 || !strings.Contains(log.texts[0], "renew of Pass failed") || strings.Contains(log.texts[0], "tk-1") {
			t.Errorf("messages %q, want one without the token", log.texts)
		}
		if err := e.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"open admin/1", "renew l1", "close l1 tk-1 admin"}, w.log()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// messages is a log that keeps what is told.
type messages struct{ texts []string }

func (m *messages) Message(_ engine.Severity, text screen.Text) {
	m.texts = append(m.texts, text.String())
}
func (m *messages) Status(screen.Text) {}

// TestEphemeralCloseIsBounded: what does not end in time is told, and so is what
// fails; the others are closed all the same.
func TestEphemeralCloseIsBounded(t *testing.T) {
	w := newWorld().on("open", yields("token", "tk", "lease", "l1"), yields("token", "tk", "lease", "l2"), yields("token", "tk", "lease", "l3"))
	e, _ := w.engine(t, ephemerals)
	for range 3 {
		openPass(t, e)
	}
	w.log()
	var began sync.WaitGroup
	began.Add(3)
	w.hooks["close"] = func(ctx context.Context, call *actions.Call) actions.Outcome {
		began.Done()
		switch with, _ := call.Args["with"].(string); {
		case strings.HasPrefix(with, "l1"):
			<-ctx.Done() // otherwise, it would never end
			return actions.Outcome{Status: actions.Failed, Err: ctx.Err()}
		case strings.HasPrefix(with, "l2"):
			panic("a bug")
		default:
			return actions.Outcome{Status: actions.Gone}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() { began.Wait(); cancel() }()
	err := e.Close(ctx)
	if err == nil || strings.Count(err.Error(), "close of Pass failed") != 2 {
		t.Errorf("error = %v, want two", err)
	}
	if got := len(w.log()); got != 3 {
		t.Errorf("%d were closed, want 3", got)
	}
}

func TestEphemeralMistakes(t *testing.T) {
	for name, tc := range map[string]struct{ code, from, to string }{
		"an output is not given":  {"output-not-given", `token: "${result.token}", `, ""},
		"a misspelt output":       {"unknown-property", `token: "${result.token}"`, `tokn: "${result.token}"`},
		"renew yields another":    {"unknown-property", `return: lease: "${result.lease}"`, `return: leese: "${result.lease}"`},
		"open sees no state":      {"name-not-here", `with: "${inputs.role}/`, `with: "${state.role}/`},
		"close sees what is open": {"unknown-member", "${state.lease} ${state.token}", "${state.leese} ${state.token}"},
		"renewAfter is no time":   {"wrong-type", `"${state.seconds}"`, `"soon"`},
		"renewAfter is a list":    {"type-mismatch", `"${state.seconds}"`, `"${[1]}"`},
		"a broken action":         {"unknown-action", `close: world: do:`, `close: world: doo:`},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, strings.Replace(ephemerals, tc.from, tc.to, 1))
			var got []string
			for _, d := range diags.Sorted() {
				if strings.HasPrefix(d.Context, `ephemeral "Pass"`) {
					got = append(got, d.Code)
				}
			}
			if diff := cmp.Diff(map[string]bool{"ephemeral-stored": true, tc.code: true}, setOf(got)); diff != "" {
				t.Errorf("codes (-want +got):\n%s\n%+v", diff, diags)
			}
		})
	}
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}
