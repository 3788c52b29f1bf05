package ssh

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/provider"
)

// lab is a provider of testdata/commands.cue, and the machines that it knows.
type lab struct {
	*testing.T
	*provider.Process
	near, between *machine
}

func newLab(t *testing.T) *lab {
	t.Helper()
	near, between := newMachine(t).boot(t), newMachine(t).boot(t)
	folder := provider.Folder(t, "commands", "tests/exec/ssh/testdata/commands.cue")
	p := provider.Configured(t, folder, "commands", t.TempDir(), map[string]property.Value{
		"port": property.New(float64(near.port)), "user": property.New(near.user),
		"privateKey": property.New(near.key), "hostKey": property.New(near.hostKey),
		"jumpPort": property.New(float64(between.port)), "jumpKey": property.New(between.key), "jumpHostKey": property.New(between.hostKey),
	})
	return &lab{T: t, Process: p, near: near, between: between}
}

// ask calls a function of the spec.
func (l *lab) ask(function string, args map[string]property.Value) (property.Map, error) {
	encoded, err := wire.Encoder{}.Encode(property.NewMap(args))
	if err != nil {
		return property.Map{}, err
	}
	res, err := l.Raw().Invoke(context.Background(), &pulumirpc.InvokeRequest{Tok: "commands:index:" + function, Args: encoded})
	if err == nil && len(res.GetFailures()) > 0 {
		err = fmt.Errorf("%v", res.GetFailures())
	}
	if err != nil {
		return property.Map{}, err
	}
	return wire.Decode(res.GetReturn())
}

// Whatever text holds reaches a command on a real machine byte for byte.
func TestTextOnAMachine(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	texts := []string{
		"", "-", "--", "-rf", "it's", `"$HOME" \ $(id) ` + "`id`", "a\nb\r\n\n", "*?[a]~ # !! %s %n", "\x01\x7f\x1b[31m", "grüß 日本 😀", "EOF\nEOF", "';exit 1;'", strings.Repeat("x", 100_000),
	}
	const letters = "ab '\"\\$`!\n\r\t*?[]{}()~#&|;<>=-%\x01\x1bé日"
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	runes := []rune(letters)
	for range 500 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteRune(runes[random.IntN(len(runes))])
		}
		texts = append(texts, b.String())
	}
	// Each text for itself is a connection, which costs far more than the text does.
	l.echoes(t, "echo", "text", []string{""}, property.New(""))
	batches := slices.Collect(slices.Chunk(texts, ten))
	var all sync.WaitGroup
	const workers = 8
	for w := range workers {
		all.Go(func() {
			for i := w; i < len(batches); i += workers {
				batch := slices.Clone(batches[i])
				for len(batch) < ten {
					batch = append(batch, "")
				}
				array := make([]property.Value, ten)
				for i, text := range batch {
					array[i] = property.New(text)
				}
				l.echoes(t, "echoes", "texts", batch, property.New(array))
			}
		})
	}
	all.Wait()
}

// ten is how many texts the function echoes takes.
const ten = 10

// echoes calls a function that gives texts back as its command got them: as arguments,
// as variables, and all together from standard input.
func (l *lab) echoes(t *testing.T, function, input string, texts []string, value property.Value) {
	t.Helper()
	got, err := l.ask(function, map[string]property.Value{input: value})
	if err != nil {
		t.Errorf("%.800q: %v", texts, err)
		return
	}
	var lines []string
	for _, line := range got.Get("stdout").AsArray().All {
		decoded, err := base64.StdEncoding.DecodeString(line.AsString())
		if err != nil {
			t.Error(err)
		}
		lines = append(lines, string(decoded))
	}
	want := slices.Concat(texts, texts)
	if all := strings.Join(texts, ""); all != "" { // an empty last line is none
		want = append(want, all)
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
}

// A command that takes too long is ended there, with its children.
func TestTimeoutOnAMachine(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	seconds := fmt.Sprintf("4711.%09d", rand.IntN(1e9)) // nobody else's sleep
	_, err := l.ask("sleep", map[string]property.Value{"seconds": property.New(seconds)})
	if err == nil || !strings.Contains(err.Error(), "took longer than its timeout of 10s") {
		t.Errorf("it says %v", err)
	}
	deadline := time.Now().Add(time.Minute)
	for running(t, seconds) > 0 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	if n := running(t, seconds); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}

// running is how many processes have that word among their arguments.
func running(t *testing.T, word string) (n int) {
	t.Helper()
	lines := provider.CommandLines()
	if len(lines) == 0 {
		t.Fatal("there is no table of processes")
	}
	for _, text := range lines {
		if strings.Contains("\x00"+text, "\x00"+word+"\x00") {
			n++
		}
	}
	return n
}

func TestByWayOfAnother(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	got, err := l.ask("far", nil)
	if err != nil || got.Get("stdout").AsString() != "far" {
		t.Errorf("%v, %v", got, err)
	}
	if near, between := l.near.logIns(t), l.between.logIns(t); near != 1 || between != 1 {
		t.Errorf("%d log-ins there, %d in between", near, between)
	}
}

func TestMachineThatIsNotGranted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if _, err := l.ask("elsewhere", nil); err == nil || !strings.Contains(err.Error(), "is not permitted to connect") {
		t.Errorf("it says %v", err)
	}
}
