package pulumi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/screen"
)

// talks is a spec that says, wherever it can say something, what the lab says.
const talks = `
package lab
name: "lab"
version: "1.2.3"
config: {
	region?: string
	key?:    string @secret()
}
resources: Thing: {
	inputs: {
		name:   =~"^[a-z]+$" @replace()
		token?: string @secret()
		note?:  string
		tags?: [string]: int
	}
	outputs: colour?: string
	checks: [{assert: "${(inputs.note ?? '') == ''}", message: "no note: ${inputs.note ?? ''}", property: "note"}]
	id: "${inputs.name}"
	create: steps: [
		{as: "first", lab: do: {what: "first"}},
		{as: "second", lab: do: {what: "create"}, progress: "${result.says}", fail: "${result.says}"},
	]
	read: {lab: look: {what: "read"}, fail: "${result.says}"}
	update: {lab: do: {what: "update"}, fail: "${result.says}"}
	delete: {lab: do: {what: "delete"}, refused: "${result.says}"}
	list: {
		lab: look: {what: "list"}
		fail:  "${result.says}"
		items: "${result.items}"
		id:    "${each.value}"
	}
	methods: ask: {
		inputs: about?: string
		outputs: answer?: string
		lab: look: {what: "ask"}
		fail: "${result.says}"
		return: answer: "${result.says}"
	}
	return: "${result}"
}
functions: look: {
	inputs: about?: string
	outputs: answer?: string
	lab: look: {what: "look"}
	fail: "${result.says}"
	return: answer: "${result.says}"
}
ephemerals: Pass: {
	inputs: role: string
	outputs: token: string
	open: {lab: do: {what: "open"}, return: token: "t-${inputs.role}"}
	close: {lab: do: {what: "close"}, refused: "${result.says}"}
}
components: Group: {
	inputs: {name: =~"^[a-z]+$", token?: string @secret()}
	outputs: said?: string
	children: thing: {type: "Thing", inputs: {name: "${inputs.name}"}}
	return: said: "${children.thing.id}"
}
`

// talker is a provider of talks, with what the host hears of it.
type talker struct {
	*client.Client
	engine *client.Engine
	stderr *spoken
	// says is what it says, key and token the secrets that it is given.
	says, key, token string
}

// spoken is what a provider writes to its standard error.
type spoken struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *spoken) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *spoken) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// startTalker starts one that says something with every action.
func startTalker(t *testing.T, says, key, token string) *talker {
	t.Helper()
	l := &lab{}
	// It says it in the response, in its error, in the log and as its status.
	for _, what := range []string{"create", "read", "update", "delete", "list", "ask", "look", "close"} {
		l.on(what, func(_ context.Context, call *actions.Call) actions.Outcome {
			call.Log(says, false)
			call.Progress(says)
			return actions.Succeed(map[string]any{"says": says, "items": []any{}})
		})
	}
	l.on("first", func(_ context.Context, call *actions.Call) actions.Outcome {
		call.Progress(says)
		return actions.Succeed(map[string]any{})
	})
	out := &talker{stderr: &spoken{}, says: says, key: key, token: token}
	p := l.program(t, talks)
	out.Client = start(t, pulumi.Options{Program: p, Version: "1.2.3", Dir: t.TempDir(), Journal: t.TempDir(), Stderr: out.stderr})
	var err error
	if out.engine, err = client.StartEngine(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.engine.Stop)
	if err := out.Handshake(t.Context(), out.engine.Address()); err != nil {
		t.Fatal(err)
	}
	settings := property.NewMap(map[string]property.Value{})
	if key != "" {
		settings = settings.Set("key", property.New(key).WithSecret(true))
	}
	if err := out.Configure(t.Context(), "lab", settings); err != nil {
		t.Fatal(err)
	}
	return out
}

// sent is what it says, of which a request can carry no bytes that are not text.
func (p *talker) sent() string { return strings.ToValidUTF8(p.says, "?") }

// told are the texts of an error: its message, and those of its details.
func told(err error) []string {
	s := status.Convert(err)
	out := []string{s.Message()}
	for _, d := range s.Details() {
		switch d := d.(type) {
		case *pulumirpc.ErrorResourceInitFailed:
			out = append(out, d.GetReasons()...)
		case *pulumirpc.ConfigureErrorMissingKeys:
			for _, key := range d.GetMissingKeys() {
				out = append(out, key.GetName(), key.GetDescription())
			}
		case *pulumirpc.InputPropertiesError:
			for _, e := range d.GetErrors() {
				out = append(out, e.GetPropertyPath(), e.GetReason())
			}
		}
	}
	return out
}

func refused(failures []*pulumirpc.CheckFailure) (out []string) {
	for _, f := range failures {
		out = append(out, f.GetProperty(), f.GetReason())
	}
	return out
}

// exit is a way on which texts leave a provider.
type exit struct {
	name string
	// heard makes the provider talk, and returns what the host gets to hear.
	heard func(t *testing.T, p *talker) []string
}

// thing is the resource, made of inputs that Check would pass.
func (p *talker) thing() (client.Resource, property.Map, client.State) {
	inputs := object("name", "a")
	if p.token != "" {
		inputs = inputs.Set("token", property.New(p.token).WithSecret(true))
	}
	return client.Resource{Type: "lab:index:Thing", Name: "a"}, inputs, client.State{ID: "a", Inputs: inputs, Outputs: inputs}
}

// exits are all of them.
func exits() []exit {
	raw := func(of func(t *testing.T, p *talker) error) func(t *testing.T, p *talker) []string {
		return func(t *testing.T, p *talker) []string {
			err := of(t, p)
			if err == nil {
				t.Fatal("it works")
			}
			var partly *client.InitFailed
			if errors.As(err, &partly) {
				return append(told(partly.Unwrap()), partly.Reasons...)
			}
			return told(err)
		}
	}
	logs := func(ephemeral bool) func(t *testing.T, p *talker) []string {
		return func(t *testing.T, p *talker) []string {
			r, inputs, _ := p.thing()
			_, _ = p.Create(t.Context(), r, inputs, client.Operation{})
			var out []string
			for _, m := range p.engine.Logs() {
				if m.Ephemeral == ephemeral {
					out = append(out, m.Text)
				}
			}
			return out
		}
	}
	check := func(with ...any) func(t *testing.T, p *talker) []string {
		return func(t *testing.T, p *talker) []string {
			r, _, _ := p.thing()
			inputs := object("name", "a")
			for i := 0; i < len(with); i += 2 {
				name, says := with[i].(string), with[i+1].(func(string) property.Value)
				if name == "" {
					name = p.sent()
				}
				inputs = inputs.Set(name, says(p.sent()))
			}
			sent, err := wire.Encoder{}.Encode(inputs)
			if err != nil {
				t.Fatal(err)
			}
			res, err := p.Raw().Check(t.Context(), &pulumirpc.CheckRequest{Urn: p.URN(r), Name: r.Name, Type: r.Type, News: sent})
			if err != nil {
				t.Fatal(err)
			}
			return refused(res.GetFailures())
		}
	}
	text := func(s string) property.Value { return property.New(s) }
	member := func(s string) property.Value {
		return property.New(property.NewMap(map[string]property.Value{s: property.New("x")}))
	}
	return []exit{
		{"create", raw(func(t *testing.T, p *talker) error {
			r, inputs, _ := p.thing()
			_, err := p.Create(t.Context(), r, inputs, client.Operation{})
			return err
		})},
		{"read", raw(func(t *testing.T, p *talker) error {
			r, _, state := p.thing()
			_, err := p.Read(t.Context(), r, state, client.Operation{})
			return err
		})},
		{"update", raw(func(t *testing.T, p *talker) error {
			r, inputs, state := p.thing()
			_, err := p.Update(t.Context(), r, state, inputs.Set("tags", property.New(property.Map{})), client.Operation{})
			return err
		})},
		{"delete", raw(func(t *testing.T, p *talker) error {
			r, _, state := p.thing()
			return p.Delete(t.Context(), r, state, client.Operation{})
		})},
		{"list", raw(func(t *testing.T, p *talker) error {
			_, err := p.List(t.Context(), "lab:index:Thing", property.Map{}, 0, 0, "")
			return err
		})},
		{"function", raw(func(t *testing.T, p *talker) error {
			_, err := p.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "lab:index:look"})
			return err
		})},
		{"messages", logs(false)},
		{"statuses", logs(true)},
		{"check of the spec", check("note", text)},
		{"check of an unknown input", check("", text)},
		{"check of a member", check("tags", member)},
		{"a type of another package", raw(func(t *testing.T, p *talker) error {
			_, err := p.Raw().Create(t.Context(), &pulumirpc.CreateRequest{Type: "lab:index:" + p.sent(), Name: "a"})
			return err
		})},
		{"an id that nobody typed", raw(func(t *testing.T, p *talker) error {
			r, _, _ := p.thing()
			_, err := p.Raw().Read(t.Context(), &pulumirpc.ReadRequest{Id: p.sent(), Urn: p.URN(r), Name: r.Name, Type: r.Type})
			return err
		})},
		{"check of the configuration", func(t *testing.T, p *talker) []string {
			sent, err := wire.Encoder{}.Encode(object(p.sent(), "x"))
			if err != nil {
				t.Fatal(err)
			}
			res, err := p.Raw().CheckConfig(t.Context(), &pulumirpc.CheckRequest{News: sent})
			if err != nil {
				t.Fatal(err)
			}
			return refused(res.GetFailures())
		}},
		{"configure", raw(func(t *testing.T, p *talker) error {
			return p.Configure(t.Context(), "lab", object("key", p.key, p.sent(), "x"))
		})},
		{"method", raw(func(t *testing.T, p *talker) error {
			r, _, state := p.thing()
			m, err := client.StartMonitor()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.Stop)
			sent, err := wire.Encoder{}.Encode(state.Outputs)
			if err != nil {
				t.Fatal(err)
			}
			m.Record(p.URN(r), "a", sent)
			_, err = p.Call(t.Context(), r, client.Call{Method: "ask", Monitor: m.Address()})
			return err
		})},
		{"component", raw(func(t *testing.T, p *talker) error {
			sent, err := wire.Encoder{}.Encode(object("name", "a", p.sent(), "x"))
			if err != nil {
				t.Fatal(err)
			}
			req := groupRequest("127.0.0.1:1", sent)
			_, err = p.Raw().Construct(t.Context(), req)
			return err
		})},
		{"an update that is due", func(t *testing.T, p *talker) []string {
			r, inputs, state := p.thing()
			_, err := p.Create(t.Context(), r, inputs, client.Operation{})
			var partly *client.InitFailed
			if !errors.As(err, &partly) {
				t.Fatal(err)
			}
			state.Outputs = partly.State.Outputs
			before := len(p.engine.Logs())
			if _, err := p.Diff(t.Context(), r, state, inputs); err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, m := range p.engine.Logs()[before:] {
				out = append(out, m.Text)
			}
			return out
		}},
		{"the end", func(t *testing.T, p *talker) []string {
			if _, err := p.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "lab:index:openPass", Args: fields("role", wire.String("a"))}); err != nil {
				t.Fatal(err)
			}
			if err := p.Cancel(t.Context()); err != nil { // a run's end, too
				t.Fatal(err)
			}
			for range 500 {
				if text := p.stderr.String(); text != "" {
					return []string{strings.TrimSuffix(text, "\n")}
				}
				time.Sleep(10 * time.Millisecond)
			}
			return nil
		}},
	}
}

// steering are all sequences that a text which is shown must not have.
func steering() (all []string) {
	for r := rune(0); r < 0xa0; r++ {
		if (r < ' ' || r >= 0x7f) && r != '\n' && r != '\t' {
			all = append(all, string(r))
		}
	}
	for c := 0x80; c < 0xa0; c++ {
		all = append(all, string([]byte{byte(c)})) // C1 as a byte
	}
	for _, r := range "\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\U000e0041" {
		all = append(all, string(r))
	}
	return append(all, "\x1b[31m", "\x1b]0;title\a", "\x1b]8;;http://x\x1b\\", "\x1b[2J", "\x9b31m", "<{%reset%}>", "<{%fg 1%}>", "<{%unknown%}>", "<{%")
}

// TestNothingSteersTheScreen: none of the sequences that steer a terminal, or Pulumi's
// display, leaves by any exit; each is shown as an escape.
func TestNothingSteersTheScreen(t *testing.T) {
	says := "we say"
	for i, s := range steering() {
		says += fmt.Sprintf(" %d(%s)", i, s)
	}
	for _, e := range exits() {
		t.Run(e.name, func(t *testing.T) {
			p := startTalker(t, says+".", "", "")
			var seen bool
			for _, text := range e.heard(t, p) {
				if screen.Visible(text) != text {
					t.Errorf("it steers: %q", text)
				}
				if len(text) > screen.Longest {
					t.Errorf("it has %d bytes", len(text))
				}
				esc := strings.Contains(text, `(\u001b)`) || strings.Contains(text, `(\x1b)`) // quoted before
				seen = seen || esc && strings.Contains(text, `\u003c{%reset%}>`)
			}
			if !seen {
				t.Errorf("what was said is not to be seen")
			}
		})
	}
}

// TestLongTextsAreCut: whatever is said, it is short, and ends as it ended.
func TestLongTextsAreCut(t *testing.T) {
	for _, e := range exits() {
		t.Run(e.name, func(t *testing.T) {
			p := startTalker(t, "we say "+strings.Repeat("x", 64<<10)+" and no more", "", "")
			var seen bool
			for _, text := range e.heard(t, p) {
				if len(text) > screen.Longest {
					t.Errorf("it has %d bytes", len(text))
				}
				seen = seen || strings.Contains(text, "we say x") && strings.Contains(text, " bytes omitted …] x")
			}
			if !seen {
				t.Errorf("what was said is not to be seen")
			}
		})
	}
}

// TestSecretsDoNotLeave: neither a secret of the configuration nor one of the resource
// leaves by any exit, whoever has said it.
func TestSecretsDoNotLeave(t *testing.T) {
	const key, token = `kö/y+"hunter22`, `tö/k&n"hunter33`
	for _, e := range exits() {
		t.Run(e.name, func(t *testing.T) {
			p := startTalker(t, `we say k\u00f6\/y+\"hunter22 (k%c3%b6%2fy%2b%22hunter22) T&Ouml;/K&amp;N&quot;HUNTER33 <t%25C3%25B6%252Fk%2526n%2522hunter33>.`, key, token)
			var seen bool
			for _, text := range e.heard(t, p) {
				if low := strings.ToLower(text); strings.Contains(low, "hunter22") || strings.Contains(low, "hunter33") && p.knows(e) {
					t.Errorf("a secret shows: %q", text)
				}
				seen = seen || strings.Contains(text, "we say [secret] ([secret]) ")
			}
			if !seen {
				t.Errorf("what was said is not to be seen")
			}
		})
	}
}

// knows reports whether the call of an exit carries the resource's secret.
func (p *talker) knows(e exit) bool {
	switch e.name {
	case "create", "read", "update", "delete", "method", "messages", "statuses", "an update that is due":
		return true
	default:
		return false
	}
}
