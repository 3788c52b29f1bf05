package secrets

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

// outcome is what came of a cell that ran.
type outcome struct {
	// said is all that the provider says of it, failed what of it is an error.
	said, failed string
	outputs      map[string]*structpb.Value
}

// TestServedSecrets: what vet lets pass, because the spec puts the secret where it
// stays hidden or because only the program knows that it is one, shows nowhere.
func TestServedSecrets(t *testing.T) {
	t.Parallel()
	for _, h := range holders() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			var all []cell
			for _, c := range cells(h) {
				if c.serves() {
					all = append(all, c)
				}
			}
			b := newBench(t, spec(all))
			for _, c := range all {
				b.run(c)
			}
			b.clean("standard error", b.stderr.String())
			for _, request := range b.exposed {
				t.Errorf("a request shows the secret: %s", request)
			}
			t.Logf("%d cells", len(all))
		})
	}
}

// run runs a cell, and holds what came of it against what is expected.
func (b *bench) run(c cell) {
	b.Helper()
	logged, bodies := len(b.engine.Logs()), b.bodies()
	inputs, err := wire.Encoder{}.Encode(c.shape.values(c.declared))
	if err != nil {
		b.Fatal(err)
	}
	var out outcome
	switch c.holder.name {
	case resource, search:
		out = b.create(c, inputs)
	case function:
		out = b.invoke(c, c.name, inputs)
	case ephemeral:
		out = b.invoke(c, "open"+c.name, inputs)
	case method:
		out = b.call(c, inputs)
	case update, read, remove:
		out = b.later(c, inputs)
	case component:
		out = b.construct(c, inputs)
	case listing:
		out = b.list(c, inputs)
	}
	for _, m := range b.engine.Logs()[logged:] {
		out.said += m.Text + "\n"
	}
	b.clean(c.String(), out.said+out.failed)
	if wrong := b.differs(c, out, b.bodies()-bodies); wrong != "" {
		b.Errorf("%s: want that %s: %s: %s%s", c, c.runs(), wrong, out.failed, out.said)
	}
}

// differs says what is not as it is expected to be, "" where nothing is.
func (b *bench) differs(c cell, out outcome, bodies int) string {
	switch c.runs() {
	case refused, silent:
		if out.failed == "" {
			return "it is not refused"
		}
		return ""
	case masked, either:
		// What an expression would quote of a secret is left out.
		said := strings.ReplaceAll(out.said+out.failed, "}: …", "[secret]")
		if !strings.Contains(said, "[secret]") && (c.runs() == masked || out.failed == "") {
			return "no mask is shown"
		}
		return ""
	}
	if out.failed != "" {
		return "it fails"
	}
	switch {
	case c.sink.name == "a body" && bodies == 0:
		return "the server does not get it"
	case said[c.sink.beside] != "":
		if !everySecret(out.outputs["said"]) {
			return "not all of it is secret"
		}
	case strings.HasPrefix(c.sink.name, "an output"):
		shown, hidden := out.outputs["shown"], out.outputs["hidden"]
		if v := cmp.Or(shown, hidden); !isSecret(v) {
			return "it is not secret"
		}
	case c.runs() == private:
		return modeOf(b.file(c)+".own", 0o600)
	case c.runs() == told:
		if !strings.Contains(out.said, "others can read it") {
			return "nobody is told"
		}
		return modeOf(b.file(c)+".open", 0o644)
	}
	return ""
}

// file is where a cell writes, without what it ends in.
func (b *bench) file(c cell) string {
	if c.holder.name == component {
		c = c.child()
	}
	return filepath.Join(b.dir, "files", c.name)
}

func modeOf(path string, want os.FileMode) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	if got := info.Mode().Perm(); got != want {
		return "its mode is " + got.String()
	}
	if err := os.Remove(path); err != nil {
		return err.Error()
	}
	return ""
}
