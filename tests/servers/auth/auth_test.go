package auth

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/certificate"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

const spec = "tests/servers/auth/testdata/doors.cue"

type values = map[string]property.Value

// enter starts a provider that knows a password.
func enter(t *testing.T, config values) *provider.Process {
	t.Helper()
	t.Setenv("DECLPROV_JOURNAL", filepath.Join(t.TempDir(), "journal"))
	return provider.Configured(t, provider.Folder(t, "doors", spec), "doors", t.TempDir(), config)
}

func named(name string) property.Map {
	return property.NewMap(values{"name": property.New(name)})
}

func door(kind string) client.Resource {
	return client.Resource{Type: "doors:index:" + kind, Name: strings.ToLower(kind)}
}

// TestDoors takes a guest through each door: created, read, changed, deleted;
// a wrong password is refused, once, and in the server's words.
func TestDoors(t *testing.T) {
	for _, kind := range []string{"Basic", "Bearer", "Header", "Query", "Cookie", "OAuth", "Login", "Digest", "Both", "Signed"} {
		t.Run(kind, func(t *testing.T) {
			h := open(t)
			p := enter(t, values{"endpoint": property.New(h.URL), "password": property.New(password)})
			live(t, p, door(kind), strings.ToLower(kind))
			challenges := 0
			if kind == "Digest" {
				challenges = 2 // the first, and one when a nonce has been used up
			}
			if _, refused := h.record(); refused != challenges {
				t.Errorf("%d requests were refused on the way, want %d", refused, challenges)
			}
			p.Reconfigure(t, "doors", values{"endpoint": property.New(h.URL), "password": property.New("wrong")})
			_, err := p.Create(t.Context(), door(kind), named("eve"), client.Operation{})
			if err == nil || !strings.Contains(err.Error(), "401") && !strings.Contains(err.Error(), "403 Forbidden") {
				t.Errorf("%v", err)
			}
			if asked, refused := h.record(); refused > 1+challenges || len(asked) > 2 { // the client's secret goes in a header, then in the form
				t.Errorf("it was tried %d times, and tokens were asked for: %v", refused, asked)
			}
		})
	}
}

// live is the life of a guest.
func live(t *testing.T, p *provider.Process, r client.Resource, through string) {
	t.Helper()
	s, err := p.Create(t.Context(), r, named("ada"), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Outputs.GetOk("door"); !got.IsString() || got.AsString() != through {
		t.Errorf("she came in by %v", got)
	}
	if s, err = p.Update(t.Context(), r, s, named("bob"), client.Operation{}); err != nil {
		t.Fatal(err)
	}
	if s, err = p.Read(t.Context(), r, s, client.Operation{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Inputs.GetOk("name"); !got.IsString() || got.AsString() != "bob" {
		t.Errorf("it is %v now", got)
	}
	if err := p.Delete(t.Context(), r, s, client.Operation{}); err != nil {
		t.Fatal(err)
	}
}

// A token of OAuth 2 is shared, renewed in time by its refresh token, and got
// anew where the server has forgotten it.
func TestTokensAreRenewed(t *testing.T) {
	h := open(t)
	h.lasts = 1
	p := enter(t, values{"endpoint": property.New(h.URL), "password": property.New(password)})
	s, err := p.Create(t.Context(), door("OAuth"), named("ada"), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond)
	h.mu.Lock()
	h.lasts = 3600
	h.mu.Unlock()
	for range 3 {
		if s, err = p.Read(t.Context(), door("OAuth"), s, client.Operation{}); err != nil {
			t.Fatal(err)
		}
	}
	asked, refused := h.record()
	if diff := cmp.Diff([]string{"client_credentials guests rooms", "refresh_token"}, asked); diff != "" || refused > 0 {
		t.Errorf("refused %d times (-want +got):\n%s", refused, diff)
	}
	h.revoke()
	if _, err = p.Read(t.Context(), door("OAuth"), s, client.Operation{}); err != nil {
		t.Error(err)
	}
	if asked, refused := h.record(); refused != 1 || len(asked) != 1 {
		t.Errorf("a forgotten token: refused %d times, asked for %v", refused, asked)
	}
}

// TestSession opens the doors by what `configure` yields, which the defaults refer to: the
// session starts once for all resources.
func TestSession(t *testing.T) {
	h := open(t)
	t.Setenv("DECLPROV_JOURNAL", filepath.Join(t.TempDir(), "journal"))
	config := values{"endpoint": property.New(h.URL), "password": property.New(password)}
	p := provider.Configured(t, provider.Folder(t, "house", "tests/servers/auth/testdata/session.cue"), "house", t.TempDir(), config)
	for range 2 {
		live(t, p, client.Resource{Type: "house:index:Guest", Name: "ada"}, "login")
	}
	if asked, refused := h.record(); refused != 0 || cmp.Diff([]string{"session"}, asked) != "" {
		t.Errorf("refused %d times, asked for %v", refused, asked)
	}
}

// TestSessionCycle has `configure` use the defaults that refer to its session.
func TestSessionCycle(t *testing.T) {
	text, err := os.ReadFile("testdata/session.cue")
	if err != nil {
		t.Fatal(err)
	}
	for remove, want := range map[string]int{"auth: \"none\", ": 1, "headers: {\"X-Session\": null}, ": 1, "nothing": 0} {
		spec := filepath.Join(t.TempDir(), "house.cue")
		if err := os.WriteFile(spec, []byte(strings.ReplaceAll(string(text), remove, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		printed, err := exec.CommandContext(t.Context(), provider.Binary(t), "vet", spec).CombinedOutput()
		if n := strings.Count(string(printed), "error["); n != want || n != strings.Count(string(printed), "error[session-cycle]") || (err == nil) != (want == 0) {
			t.Errorf("without %s: %d errors, want %d session-cycle\n%s", remove, n, want, printed)
		}
	}
}

// TestClocks has a house whose clock differs. The first request learns that from its
// refusal, and is sent once more; a difference that does not explain a refusal is
// named.
func TestClocks(t *testing.T) {
	for _, ahead := range []time.Duration{2 * time.Minute, -2 * time.Minute} {
		h := open(t)
		h.ahead = ahead
		p := enter(t, values{"endpoint": property.New(h.URL), "password": property.New(password)})
		live(t, p, door("Signed"), "signed")
		if _, refused := h.record(); refused != 1 {
			t.Errorf("%s: %d requests were refused, want 1", ahead, refused)
		}
		p.Reconfigure(t, "doors", values{"endpoint": property.New(h.URL), "password": property.New("wrong")})
		_, err := p.Create(t.Context(), door("Signed"), named("eve"), client.Operation{})
		if err == nil || !strings.Contains(err.Error(), "2m0s") || !strings.Contains(err.Error(), map[bool]string{true: "ahead of", false: "behind"}[ahead > 0]) {
			t.Errorf("%s: %v", ahead, err)
		}
	}
}

// A login is done once for all resources, and again when its ticket is refused.
func TestLoginAgain(t *testing.T) {
	h := open(t)
	p := enter(t, values{"endpoint": property.New(h.URL), "password": property.New(password)})
	s, err := p.Create(t.Context(), door("Login"), named("ada"), client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	h.revoke()
	for range 2 {
		if s, err = p.Read(t.Context(), door("Login"), s, client.Operation{}); err != nil {
			t.Fatal(err)
		}
	}
	if asked, refused := h.record(); refused != 1 || cmp.Diff([]string{"session", "session"}, asked) != "" {
		t.Errorf("refused %d times, asked for %v", refused, asked)
	}
}

// TestCertificates has a server of a private authority that asks for a
// certificate of the same.
func TestCertificates(t *testing.T) {
	h := open(t)
	ca := certificate.Issue(t, "ca", nil)
	secure := behindTLS(t, ca, h.routes(func(_ string, r *http.Request) bool {
		return r.TLS != nil && r.TLS.PeerCertificates[0].Subject.CommonName == "ada"
	}))
	with := func(ca, by *certificate.Issued) values {
		return values{
			"endpoint": property.New(h.URL), "secure": property.New(secure), "password": property.New(password),
			"ca": property.New(ca.Cert), "cert": property.New(by.Cert), "key": property.New(by.Key),
		}
	}
	p := enter(t, with(ca, certificate.Issue(t, "ada", ca)))
	live(t, p, door("Certificate"), "guests")
	other := certificate.Issue(t, "other", nil)
	for name, config := range map[string]values{"a stranger's certificate": with(ca, certificate.Issue(t, "ada", other)), "a stranger's server": with(other, certificate.Issue(t, "ada", ca))} {
		p.Reconfigure(t, "doors", config)
		if _, err := p.Create(t.Context(), door("Certificate"), named("eve"), client.Operation{}); err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestClientsWithoutSecret has clients that authenticate themselves at the token endpoint by a
// certificate or a signed assertion, as the server requires. A token that is bound to a certificate
// is only accepted with that. Both are renewed.
func TestClientsWithoutSecret(t *testing.T) {
	ca := certificate.Issue(t, "ca", nil)
	ada, eve := certificate.Issue(t, "ada", ca), certificate.Issue(t, "eve", ca)
	for kind, requires := range map[string]string{"Asserted": "assertion", "Bound": "certificate"} {
		t.Run(kind, func(t *testing.T) {
			h := open(t)
			h.requires, h.key = requires, ada.Pair.Leaf.PublicKey
			config := func(by *certificate.Issued) values {
				return values{
					"endpoint": property.New(h.URL), "secure": property.New(behindTLS(t, ca, h.routes(h.admits))), "password": property.New(password),
					"ca": property.New(ca.Cert), "cert": property.New(by.Cert), "key": property.New(by.Key),
				}
			}
			p := enter(t, config(ada))
			live(t, p, door(kind), map[string]string{"Asserted": "oauth", "Bound": "bound"}[kind])
			h.revoke()
			h.refresh = "" // the refresh token is revoked, too
			if s, err := p.Create(t.Context(), door(kind), named("ada"), client.Operation{}); err != nil || s.ID == "" {
				t.Errorf("after the token is revoked: %v", err)
			}
			asked, refused := h.record()
			if diff := cmp.Diff([]string{"client_credentials", "refresh_token", "client_credentials"}, asked); diff != "" || refused != 1 {
				t.Errorf("refused %d times (-want +got):\n%s", refused, diff)
			}
			p.Reconfigure(t, "doors", config(eve))
			if _, err := p.Create(t.Context(), door(kind), named("eve"), client.Operation{}); err == nil || !strings.Contains(err.Error(), "invalid_client") {
				t.Errorf("by another client: %v", err)
			}
		})
	}
}

// TestDoorsByTheCLI has one program go through several doors.
func TestDoorsByTheCLI(t *testing.T) {
	t.Parallel()
	h := open(t)
	s := pulumitest.New(t, pulumitest.Providers{"doors": provider.Folder(t, "doors", spec)}, "DOORS_ENDPOINT="+h.URL, "DOORS_PASSWORD="+password)
	var b strings.Builder
	b.WriteString("resources:\n")
	for _, kind := range []string{"Basic", "Query", "Cookie", "OAuth", "Login", "Both", "Signed"} {
		b.WriteString("  " + strings.ToLower(kind) + ": {type: doors:" + kind + ", properties: {name: ada}}\n")
	}
	s.Program(b.String())
	s.Up("create=7")
	s.Up("same=7")
	s.Destroy("delete=7")
	if _, refused := h.record(); refused > 0 {
		t.Errorf("%d requests were refused", refused)
	}
}
