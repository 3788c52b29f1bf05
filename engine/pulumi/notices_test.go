package pulumi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// posted is a spec whose creates are journalled.
const posted = `
package lab
name: "lab"
version: "1.2.3"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: name: string @replace()
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}
	delete: lab: do: {what: "delete"}
}
`

// listener is a provider, and what it says.
type listener struct {
	*client.Client
	engine *client.Engine
}

func startListener(t *testing.T) *listener {
	t.Helper()
	return startListenerOf(t, posted)
}

// startListenerOf is the listener of a spec.
func startListenerOf(t *testing.T, spec string) *listener {
	t.Helper()
	l := &lab{}
	p := l.program(t, spec)
	out := &listener{Client: start(t, pulumi.Options{Program: p, Version: "1.2.3", Dir: t.TempDir()})}
	var err error
	if out.engine, err = client.StartEngine(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.engine.Stop)
	if err := out.Handshake(t.Context(), out.engine.Address()); err != nil {
		t.Fatal(err)
	}
	return out
}

// said are the messages so far, with their severities.
func (l *listener) said() []string {
	var out []string
	for _, m := range l.engine.Logs() {
		if !m.Ephemeral {
			out = append(out, m.Severity+" "+m.Text)
		}
	}
	return out
}

// configure configures the provider in a stack.
func (l *listener) configure(t *testing.T, stack, endpoint string) {
	t.Helper()
	args := object("endpoint", endpoint)
	if stack == "dev" {
		if err := l.Configure(t.Context(), "lab", args); err != nil {
			t.Fatal(err)
		}
		return
	}
	urn := fmt.Sprintf("urn:pulumi:%s::try::pulumi:providers:lab::default", stack)
	sent, err := wire.Encoder{}.Encode(args)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Raw().Configure(t.Context(), &pulumirpc.ConfigureRequest{Urn: &urn, Args: sent, AcceptSecrets: true}); err != nil {
		t.Fatal(err)
	}
}

// TestUnsettledIntentsAreTold: Configure names what earlier runs of the stack left
// open, once for each stack.
func TestUnsettledIntentsAreTold(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DECLPROV_JOURNAL", dir)
	book := journal.Open(dir)
	for _, of := range []struct {
		provider, resource string
		status             journal.Status
	}{
		{"lab", "urn:pulumi:dev::try::lab:index:Thing::lost", journal.Unknown},
		{"lab", "urn:pulumi:dev::try::lab:index:Thing::recorded", journal.Answered},
		{"lab", "urn:pulumi:dev::try::lab:index:Thing::current", journal.Begun},
		{"lab", "urn:pulumi:prod::try::lab:index:Thing::theirs", journal.Unknown},
		{"lab", "urn:pulumi:dev::other::lab:index:Thing::theirs", journal.Unknown},
		{"other", "urn:pulumi:dev::try::other:index:Thing::theirs", journal.Unknown},
	} {
		intent, err := book.Begin(journal.Intent{
			Subject:   journal.Subject{Provider: of.provider, Type: "Thing", Resource: of.resource},
			Operation: journal.Create,
		}, false)
		if err != nil {
			t.Fatal(err)
		}
		intent.Status = of.status
		if err := book.Put(intent, false); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = book.Close() })
	l := startListener(t)
	for _, stack := range []string{"dev", "dev", "prod", "empty"} {
		l.configure(t, stack, "http://127.0.0.1:1")
	}
	said := l.said()
	if len(said) != 2 {
		t.Fatalf("said: %q", said)
	}
	for i, name := range []string{"lost", "theirs"} {
		if !strings.HasPrefix(said[i], fmt.Sprintf("WARNING The outcome of earlier requests is unknown, for Thing %q (", name)) ||
			strings.Count(said[i], "Thing") != 1 || !strings.Contains(said[i], "`declprov journal settle`") {
			t.Errorf("said: %q", said[i])
		}
	}
}

// TestWhatUpCannotSettleIsTold: the warning promises `pulumi up` only of what that can
// settle, and names what nothing can find out about.
func TestWhatUpCannotSettleIsTold(t *testing.T) {
	const ofFind, ofKey, bare = "Found", "Keyed", "Bare"
	for name, tc := range map[string]struct {
		open          map[string]bool // the types of open intents, and whether somebody had looked
		settled, told bool
	}{
		"one that find finds":         {map[string]bool{ofFind: true}, true, false},
		"one for which nobody looked": {map[string]bool{ofFind: false}, false, true},
		"one under a key":             {map[string]bool{ofKey: false}, true, false},
		"a bare one":                  {map[string]bool{bare: false}, false, true},
		"two":                         {map[string]bool{bare: false, ofKey: false}, true, true},
		"one of another spec":         {map[string]bool{"Former": true}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("DECLPROV_JOURNAL", dir)
			book := journal.Open(dir)
			for typ, looked := range tc.open {
				intent, err := book.Begin(journal.Intent{
					Subject:   journal.Subject{Provider: "lab", Type: typ, Resource: "urn:pulumi:dev::try::lab:index:" + typ + "::it"},
					Operation: journal.Create, Looked: looked,
				}, false)
				if err != nil {
					t.Fatal(err)
				}
				intent.Status = journal.Unknown
				if err := book.Put(intent, false); err != nil {
					t.Fatal(err)
				}
			}
			l := startListenerOf(t, `name: "lab"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Found: {
	inputs: name: string
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	find: http: path: "/things/${inputs.name}"
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
resources: Keyed: {
	inputs: name: string
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
resources: Bare: {
	inputs: name: string
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`)
			l.configure(t, "dev", "http://127.0.0.1:1")
			said := l.said()
			if len(said) != 1 {
				t.Fatalf("said: %q", said)
			}
			if got := strings.Contains(said[0], "`pulumi up` settles"); got != tc.settled {
				t.Errorf("it promises `pulumi up`: %v, and should be %v: %s", got, tc.settled, said[0])
			}
			if got := strings.Contains(said[0], "cannot be found out automatically"); got != tc.told {
				t.Errorf("it says that nothing can find out: %v, and should be %v: %s", got, tc.told, said[0])
			}
		})
	}
}

// TestAJournalThatIsLostIsTold: where the journal does not outlive the machine, the
// first create that needs it says so.
func TestAJournalThatIsLostIsTold(t *testing.T) {
	for name, tc := range map[string]struct {
		ci, journal string
		want        int
	}{
		"on a CI runner": {ci: "true", want: 1}, "where it is kept": {ci: "true", journal: t.TempDir()}, "elsewhere": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CI", tc.ci)
			t.Setenv("DECLPROV_JOURNAL", tc.journal)
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			var made atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"id":"%d"}`, made.Add(1))
			}))
			defer server.Close()
			l := startListener(t)
			l.configure(t, "dev", server.URL)
			if said := l.said(); len(said) > 0 {
				t.Errorf("Configure said %q", said)
			}
			for _, name := range []string{"a", "b"} {
				r := client.Resource{Type: "lab:index:Thing", Name: name}
				if _, err := l.Create(t.Context(), r, property.NewMap(map[string]property.Value{"name": property.New(name)}), client.Operation{}); err != nil {
					t.Fatal(err)
				}
			}
			said := l.said()
			if len(said) != tc.want || tc.want > 0 && !strings.HasPrefix(said[0], "INFO The journal of creates will be lost with this CI runner") {
				t.Errorf("said %q", said)
			}
		})
	}
}

// TestAWrongGraceIsTold: Configure warns of it, once.
func TestAWrongGraceIsTold(t *testing.T) {
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	t.Setenv("DECLPROV_CANCEL_GRACE", "soon")
	l := startListener(t)
	for range 2 {
		l.configure(t, "dev", "http://127.0.0.1:1")
	}
	want := []string{`WARNING DECLPROV_CANCEL_GRACE: invalid duration "soon" (use 10s or 1m30s); 10s is used`}
	if diff := cmp.Diff(want, l.said()); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}
