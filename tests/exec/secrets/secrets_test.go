// Package secrets gives commands canaries for secrets, has them say all that they
// know, and looks wherever somebody could read.
package secrets

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/encodings"
	"github.com/declprov/declprov/tests/internal/provider"
)

// lab is a provider, and what is heard of it.
type lab struct {
	*testing.T
	*provider.Process
	mu       sync.Mutex
	heard    strings.Builder
	canaries map[string]string
}

func newLab(t *testing.T) *lab {
	l := &lab{T: t, canaries: map[string]string{"token": "Cn4ry/token+" + rand.Text(), "key": "Cn4ry \"key\"\t<é> " + rand.Text()}}
	t.Setenv("DECLPROV_LOG", "debug")
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	engine := provider.Engine(t)
	engine.OnLog = func(m client.LogMessage) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.heard.WriteString(m.Text + "\n")
	}
	folder := provider.Folder(t, "secretive", "tests/exec/secrets/testdata/secretive.cue")
	l.Process = provider.Start(t, folder, "secretive", t.TempDir(), engine.Address())
	if err := l.Handshake(t.Context(), engine.Address()); err != nil {
		t.Fatal(err)
	}
	l.Reconfigure(t, "secretive", map[string]property.Value{"token": property.New(l.canaries["token"]).WithSecret(true)})
	return l
}

// secret fails the test where a text shows a canary, or half of one.
func (l *lab) secret(where, text string) {
	l.Helper()
	for place, secret := range l.canaries {
		chance := secret[len(secret)-len(rand.Text()):]
		coded := base64.StdEncoding.EncodeToString([]byte("xx" + secret))
		for _, form := range []string{
			secret, chance[:len(chance)/2], chance[len(chance)/2:], base64.StdEncoding.EncodeToString([]byte(secret))[:16], coded[8 : len(coded)-8],
		} {
			if i := strings.Index(text, form); i >= 0 {
				l.Errorf("%s shows the %s: …%s…", where, place, text[max(0, i-80):min(len(text), i+len(form)+20)])
			}
		}
	}
}

// operation runs one, and looks at what it says and leaves.
func (l *lab) operation(what string, state client.State, do func(ctx context.Context) (client.State, error)) client.State {
	l.Helper()
	stop := l.watchCommandLines()
	after, err := do(l.Context())
	stop()
	if err != nil {
		l.secret("the error of "+what, err.Error())
		var kept *client.InitFailed
		if !errors.As(err, &kept) {
			return state
		}
		l.secret("the reasons of "+what, strings.Join(kept.Reasons, "\n"))
		after = kept.State
	}
	l.secret("the inputs after "+what, encodings.ClearTexts(property.New(after.Inputs)))
	l.secret("the outputs after "+what, encodings.ClearTexts(property.New(after.Outputs)))
	return after
}

// watchCommandLines reads those of all processes for as long as something runs.
func (l *lab) watchCommandLines() (stop func()) {
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			lines := provider.CommandLines()
			if len(lines) == 0 {
				l.Error("there is no table of processes")
				return
			}
			for path, text := range lines {
				l.secret(path, text)
			}
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	return func() {
		close(done)
		all.Wait()
	}
}

// journalled reads what the journal has of a create that failed.
func (l *lab) journalled() {
	l.Helper()
	paths, err := filepath.Glob(filepath.Join(os.Getenv("DECLPROV_JOURNAL"), "*.json"))
	if err != nil {
		l.Fatal(err)
	}
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			l.Fatal(err)
		}
		all.Write(text)
	}
	if !strings.Contains(all.String(), `"status":"failed"`) {
		l.Errorf("the journal does not list the create that failed: %s", all.String())
	}
	l.secret("the journal", all.String())
}

func TestSecretsOfCommands(t *testing.T) {
	l := newLab(t)
	for _, log := range []string{"both", "stdout", "stderr", "none"} {
		for _, code := range []float64{0, 3} {
			r := client.Resource{Type: "secretive:index:Teller", Name: "it"}
			inputs := func(code float64) property.Map {
				return property.NewMap(map[string]property.Value{
					"name": property.New("n"), "key": property.New(l.canaries["key"]).WithSecret(true), "code": property.New(code), "log": property.New(log),
				})
			}
			if code != 0 {
				// What a command says that fails is no proof that anything is ours.
				failed := l.operation("a create that fails", client.State{}, func(ctx context.Context) (client.State, error) {
					return l.Create(ctx, r, inputs(code), client.Operation{})
				})
				if failed.ID != "" {
					t.Errorf("a create whose command failed leaves %+v", failed)
				}
				l.journalled()
			}
			state := l.operation("create", client.State{}, func(ctx context.Context) (client.State, error) {
				return l.Create(ctx, r, inputs(0), client.Operation{})
			})
			if state.ID == "" {
				t.Fatal("there is no resource")
			}
			if out := state.Outputs.Get("stdout"); !strings.Contains(out.AsString(), l.canaries["key"]) {
				t.Errorf("the key never arrived: %v", out)
			}
			state = l.operation("read", state, func(ctx context.Context) (client.State, error) {
				return l.Read(ctx, r, state, client.Operation{})
			})
			state = l.operation("update", state, func(ctx context.Context) (client.State, error) {
				return l.Update(ctx, r, state, inputs(code), client.Operation{})
			})
			l.operation("delete", state, func(ctx context.Context) (client.State, error) {
				return client.State{}, l.Delete(ctx, r, state, client.Operation{})
			})
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !strings.Contains(l.heard.String(), "token [secret], key [secret], input [secret]") {
		t.Errorf("what commands say is not in the log: %.2000s", l.heard.String())
	}
	l.secret("the log", l.heard.String())
}
