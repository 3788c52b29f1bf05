package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// The long run takes three minutes with tokens of a minute in `make model`.
var (
	tokenLasts = flag.Duration("token-lasts", 3*time.Second, "how long the tokens of the long run are valid")
	longRun    = flag.Duration("long-run", 9*time.Second, "how long it takes")
)

// account is what a provider of a page in docs/apis requires.
type account struct {
	*issuer
	// key is the private key, in PEM.
	key string
}

func openAccount(t *testing.T) *account {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return &account{openIssuer(t, &private.PublicKey), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))}
}

// folder makes the folder of a provider from the spec in a page, with every address replaced.
func (a *account) folder(t *testing.T, page, name, every string) string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "apis", page))
	if err != nil {
		t.Fatal(err)
	}
	spec := regexp.MustCompile("(?ms)^```cue\n(.*?)^```$").FindSubmatch(text)
	if spec == nil {
		t.Fatalf("docs/apis/%s has no spec", page)
	}
	here := strings.NewReplacer(`"https://oauth2.googleapis.com`, `"`+a.URL, `"5s"`, `"`+every+`"`)
	return provider.FolderWith(t, name, ".cue", here.Replace(string(spec[1])))
}

// credentials is the JSON file of the service account.
func (a *account) credentials() string {
	text, err := json.Marshal(map[string]string{"private_key": a.key, "private_key_id": keyID, "client_email": serviceAccount})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// style is one of the two APIs: a page about it, and a provider by the spec in the page.
type style struct {
	page, name string
	config     func(*account) map[string]string
	// object is the nth of many objects, and slow one that the server takes long for.
	resource, slow client.Resource
	object         func(n int) values
	slowly         values
	// list is a function that lists all objects, and collection their path.
	list       string
	where      map[string]any
	collection string
}

func styles() map[string]style {
	text := func(s string) property.Value { return property.New(s) }
	label := func(name string) values {
		return values{"owner": text("o"), "repository": text("r"), "name": text(name)}
	}
	instance := func(name string) values {
		return values{"instance": text(name), "memorySizeGb": property.New(1.0)}
	}
	return map[string]style{
		"GitHub": {
			page: "github.md", name: "hub",
			config: func(a *account) map[string]string {
				return map[string]string{"endpoint": a.URL, "app": appID, "installation": "7", "key": a.key}
			},
			resource: client.Resource{Type: "hub:index:Label"}, slow: client.Resource{Type: "hub:index:Fork"},
			object: func(n int) values { return label(fmt.Sprintf("label-%03d", n)) },
			slowly: values{"source": text("up/stream"), "organization": text("o"), "name": text("slow")},
			list:   "labels", where: map[string]any{"owner": "o", "repository": "r"}, collection: "/repos/o/r/labels",
		},
		"Google": {
			page: "google.md", name: "memory",
			config: func(a *account) map[string]string {
				return map[string]string{"endpoint": a.URL + "/v1", "credentials": a.credentials(), "project": "p"}
			},
			resource: client.Resource{Type: "memory:index:Instance"}, slow: client.Resource{Type: "memory:index:Instance"},
			object: func(n int) values { return instance(fmt.Sprintf("instance-%03d", n)) }, slowly: instance("slow"),
			list: "instances", collection: "/v1/projects/p/locations/europe-west1/instances",
		},
	}
}

// run is a provider of a style that uses an account.
type run struct {
	*testing.T
	*account
	style
	provider *provider.Process
}

func start(t *testing.T, a *account, s style, every string) *run {
	t.Helper()
	p, err := provider.Launch(a.folder(t, s.page, s.name, every), s.name, provider.Options{
		Dir: t.TempDir(), Stderr: t.Output(), Env: []string{"DECLPROV_JOURNAL=" + filepath.Join(t.TempDir(), "journal")},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	if err := p.Handshake(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	r := &run{t, a, s, p}
	r.configure(a)
	return r
}

func (r *run) configure(a *account) {
	r.Helper()
	config := values{}
	for name, v := range r.config(a) {
		config[name] = property.New(v)
	}
	r.provider.Reconfigure(r.T, r.name, config)
}

// create checks and creates an object, as Pulumi does.
func (r *run) create(kind client.Resource, name string, inputs values) (client.State, error) {
	kind.Name = name
	checked, err := r.provider.Check(r.Context(), kind, property.Map{}, property.NewMap(inputs))
	if err != nil || len(checked.Failures) > 0 {
		return client.State{}, fmt.Errorf("%v: %v", err, checked.Failures)
	}
	return r.provider.Create(r.Context(), kind, checked.Inputs, client.Operation{})
}

// names lists all objects, page by page.
func (r *run) names() (names []any, err error) {
	args, err := structpb.NewStruct(r.where)
	if err != nil {
		return nil, err
	}
	res, err := r.provider.Raw().Invoke(r.Context(), &pulumirpc.InvokeRequest{Tok: r.name + ":index:" + r.list, Args: args})
	if err != nil || len(res.GetFailures()) > 0 {
		return nil, fmt.Errorf("%v: %v", err, res.GetFailures())
	}
	names, _ = res.GetReturn().AsMap()["names"].([]any)
	return names, nil
}

// TestLongRun waits for a slow operation, creates objects and lists them, for several times as
// long as a token lasts. Tokens are renewed in time, and nothing is created twice.
func TestLongRun(t *testing.T) {
	t.Parallel()
	for name, s := range styles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := openAccount(t)
			a.lasts, a.slow, a.page = *tokenLasts, *longRun, *tokenLasts/20
			r := start(t, a, s, "100ms")
			began := time.Now()
			var all sync.WaitGroup
			all.Go(func() {
				if _, err := r.create(r.slow, "slow", r.slowly); err != nil {
					t.Error(err)
				}
			})
			// A token is revoked between calls: a request in one of them may have fetched it, while
			// another one was the first to use it.
			var calls sync.RWMutex
			var mu sync.Mutex
			var made []client.State
			all.Go(func() {
				revoked := false
				for n := range 40 {
					calls.RLock()
					one, err := r.create(r.resource, fmt.Sprint(n), r.object(n))
					calls.RUnlock()
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					made = append(made, one)
					mu.Unlock()
					if n >= 20 && !revoked && r.fresh() { // one that is about to be renewed may not be used again
						calls.Lock()
						r.revoke()
						calls.Unlock()
						revoked = true
					}
					time.Sleep(*longRun / 50)
				}
				if !revoked {
					t.Error("no token was used")
				}
			})
			all.Go(func() {
				for time.Since(began) < *longRun {
					mu.Lock()
					before := len(made)
					mu.Unlock()
					calls.RLock()
					names, err := r.names()
					calls.RUnlock()
					if err != nil || len(names) < before {
						t.Errorf("%d of %d names: %v", len(names), before, err)
					}
				}
			})
			all.Wait()
			took := time.Since(began)
			if took < *longRun {
				t.Errorf("it took %s", took)
			}
			assertions, unauthorized := r.record()
			// One token is revoked; on a busy machine, the run takes longer, and others expire on the
			// way. A time of expiry has no fractions of a second.
			least, most := int(*longRun / *tokenLasts), 2*int(took / *tokenLasts)+3
			if len(assertions) < least || len(assertions) > most || unauthorized < 1 || unauthorized > len(assertions) {
				t.Errorf("%d tokens in %s, want %d to %d; %d requests had none", len(assertions), took, least, most, unauthorized)
			}
			t.Logf("%d tokens, %d requests, of which %d had no valid token, %d objects", len(assertions), r.requests, unauthorized, len(r.created))
			a.mu.Lock()
			a.page = 0
			a.issuer.slow = 0
			a.mu.Unlock()
			for _, one := range made {
				if err := r.provider.Delete(t.Context(), r.resource, one, client.Operation{}); err != nil {
					t.Error(err)
				}
			}
			r.checkCreated(41)
		})
	}
}

// checkCreated checks that objects were created once, and that all but the slow one are gone.
func (r *run) checkCreated(want int) {
	r.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for path, times := range r.issuer.created {
		if strings.Contains(path, "/operations/") {
			continue
		}
		if n++; times != 1 {
			r.Errorf("%s was created %d times", path, times)
		}
		if _, left := r.objects[path]; left && !strings.HasSuffix(path, "/slow") {
			r.Errorf("%s is left", path)
		}
	}
	if n != want {
		r.Errorf("%d objects were created, want %d", n, want)
	}
}

// TestClocksOfIssuers has servers whose clocks differ. Up to a minute makes no difference; more is
// found out by one refusal. Tokens of a minute are used for as long as they last.
func TestClocksOfIssuers(t *testing.T) {
	t.Parallel()
	for name, s := range styles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := openAccount(t)
			a.lasts = time.Minute
			r := start(t, a, s, "20ms")
			for n, tc := range []struct {
				ahead   time.Duration
				refused int
			}{{0, 0}, {-50 * time.Second, 0}, {-2 * time.Minute, 1}, {50 * time.Second, 0}, {2 * time.Minute, 0}, {time.Hour, 1}, {-time.Hour, 1}} {
				a.ahead.Store(int64(tc.ahead))
				r.configure(a) // another engine, without tokens
				one, err := r.create(r.resource, fmt.Sprint(n), r.object(n))
				if err != nil {
					t.Fatalf("%s: %v", tc.ahead, err)
				}
				if err := r.provider.Delete(t.Context(), r.resource, one, client.Operation{}); err != nil {
					t.Errorf("%s: %v", tc.ahead, err)
				}
				assertions, unauthorized := a.record()
				if len(assertions) != tc.refused+1 || assertions[tc.refused] != "accepted" || unauthorized > 0 {
					t.Errorf("%s: %q, and %d requests without a valid token", tc.ahead, assertions, unauthorized)
				}
			}
			a.ahead.Store(int64(2 * time.Minute))
			stranger := *openAccount(t)
			stranger.issuer = a.issuer
			r.configure(&stranger)
			if _, err := r.create(r.resource, "other", r.object(99)); err == nil || !strings.Contains(err.Error(), "the server's clock is 2m0s ahead of that of this machine") {
				t.Errorf("by another key: %v", err)
			}
		})
	}
}

// TestPagesByTheCLI takes what the two pages show through its life, at servers whose clocks are two
// minutes ahead.
func TestPagesByTheCLI(t *testing.T) {
	t.Parallel()
	a := openAccount(t)
	a.lasts = time.Minute
	a.ahead.Store(int64(2 * time.Minute))
	s := pulumitest.New(t, pulumitest.Providers{"hub": a.folder(t, "github.md", "hub", "50ms"), "memory": a.folder(t, "google.md", "memory", "50ms")},
		"GITHUB_API_URL="+a.URL, "GITHUB_APP_ID="+appID, "GITHUB_APP_INSTALLATION_ID=7", "GITHUB_APP_PRIVATE_KEY="+a.key,
		"REDIS_ENDPOINT="+a.URL+"/v1", "GOOGLE_CREDENTIALS="+a.credentials(), "GOOGLE_PROJECT=p")
	program := func(color string, size int) string {
		return fmt.Sprintf(`resources:
  label: {type: hub:Label, properties: {owner: o, repository: r, name: bug, color: %s}}
  fork: {type: hub:Fork, properties: {source: up/stream, organization: o, name: slow}}
  cache: {type: memory:Instance, properties: {instance: cache, memorySizeGb: %d}}
`, color, size)
	}
	s.Program(program("ff0000", 1))
	s.Up("create=3")
	s.Up("same=3")
	s.Refresh("same Fork fork", "same Instance cache", "same Label label")
	s.Program(program("00ff00", 2))
	s.Up("same=1 update=2")
	s.Destroy("delete=3")
	s.Program("resources: {}\n")
	a.create("/repos/o/r/labels/old", map[string]any{"name": "old", "color": "ededed", "description": nil}, "")
	s.Import("hub:index:Label", "label", "o/r/old")
	s.Program("resources: {label: {type: hub:Label, properties: {owner: o, repository: r, name: old}}}\n")
	s.Up("same=1")
	if _, unauthorized := a.record(); unauthorized > 0 {
		t.Errorf("%d requests had no valid token", unauthorized)
	}
	if diff := cmp.Diff(map[string]any{"name": "old", "color": "ededed", "description": nil}, a.objects["/repos/o/r/labels/old"].members); diff != "" {
		t.Error(diff)
	}
}
