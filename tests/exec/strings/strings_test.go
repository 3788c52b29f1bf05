// Package strings_test gives hostile text to a command, by every place that there
// is for it, and compares bytes.
package strings_test

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/exec/recording"
	"github.com/declprov/declprov/tests/internal/corpus"
	"github.com/declprov/declprov/tests/internal/provider"
)

var count = flag.Int("strings", 1000, "how many texts go through each place; make model has 10000")

// lab is a provider whose program records.
type lab struct {
	*testing.T
	*provider.Process
}

func newLab(t *testing.T) *lab {
	program := recording.Program(t)
	t.Setenv("V", "of the provider")
	t.Setenv("SECRET_OF_THE_PROVIDER", "x")
	folder := provider.Folder(t, "hostilewords", "tests/exec/strings/testdata/strings.cue")
	p := provider.Configured(t, folder, "hostilewords", t.TempDir(), map[string]property.Value{
		"recorder": property.New(program), "folder": property.New(filepath.Dir(program)),
	})
	return &lab{T: t, Process: p}
}

// heard is what the program got.
type heard struct {
	Args       []string
	Env, Stdin string
	Names      []string
}

func (l *lab) call(function string, inputs map[string]property.Value) (heard, error) {
	args, err := wire.Encoder{}.Encode(property.NewMap(inputs))
	if err != nil {
		return heard{}, fmt.Errorf("it cannot travel: %w", err)
	}
	res, err := l.Raw().Invoke(context.Background(), &pulumirpc.InvokeRequest{Tok: "hostilewords:index:" + function, Args: args})
	if err == nil && len(res.GetFailures()) > 0 {
		err = fmt.Errorf("%v", res.GetFailures())
	}
	if err != nil {
		return heard{}, err
	}
	var out heard
	fields := res.GetReturn().GetFields()
	for _, a := range fields["args"].GetListValue().GetValues() {
		out.Args = append(out.Args, l.plain(a.GetStringValue()))
	}
	for _, a := range fields["names"].GetListValue().GetValues() {
		out.Names = append(out.Names, a.GetStringValue())
	}
	out.Env, out.Stdin = l.plain(fields["env"].GetStringValue()), l.plain(fields["stdin"].GetStringValue())
	return out, nil
}

func (l *lab) plain(code string) string {
	data, err := base64.StdEncoding.DecodeString(code)
	if err != nil {
		l.Error(err)
	}
	return string(data)
}

// place is where text can go: what is refused there, and what is to arrive.
type place struct {
	refused func(string) bool
	want    func(string) heard
}

// places are those of the spec, by the function that leads there.
var places = map[string]place{
	"everywhere": {hasNUL, func(s string) heard {
		return heard{Args: []string{"--v=" + s, "--", s, "end"}, Env: s, Stdin: s, Names: []string{"HOME", "PATH", "V"}}
	}},
	"bare": {func(s string) bool { return hasNUL(s) || strings.HasPrefix(s, "-") }, func(s string) heard {
		return heard{Args: []string{s, "end"}, Names: []string{"HOME", "PATH"}}
	}},
	"script": {hasNUL, func(s string) heard { return heard{Args: []string{s, s, "end"}, Env: s} }},
	"input": {func(string) bool { return false }, func(s string) heard {
		return heard{Stdin: s, Names: []string{"HOME", "PATH"}}
	}},
}

func hasNUL(s string) bool { return strings.Contains(s, "\x00") }

func TestHostileStrings(t *testing.T) {
	l := newLab(t)
	corpus.Try(t, *count, atOnce, slices.Sorted(maps.Keys(places)), func(name string, _ int, text string) (bool, error) {
		return l.exact(name, text)
	})
}

// atOnce is how many texts are on their way at once.
const atOnce = 4

// exact gives text to a place, and reports whether it arrived; an error says that
// it arrived as something else, or was refused without need.
func (l *lab) exact(function, text string) (bool, error) {
	p := places[function]
	got, err := l.call(function, map[string]property.Value{"v": property.New(text)})
	switch mayRefuse := p.refused(text); {
	case err != nil && mayRefuse:
		return false, nil
	case err != nil:
		return false, err
	case mayRefuse:
		return false, fmt.Errorf("it should be refused, and arrived as %q", got)
	}
	want := p.want(text)
	if want.Names == nil {
		got.Names = nil // a shell has variables of its own
	}
	slices.Sort(got.Names)
	if diff := cmp.Diff(want, got); diff != "" {
		return true, fmt.Errorf("it arrived as something else (-want +got):\n%s", diff)
	}
	return true, nil
}

// TestListsOfWords: each item of a list is one argument, whatever is in it.
func TestListsOfWords(t *testing.T) {
	l := newLab(t)
	for _, list := range [][]string{nil, {""}, {"a b", "", "-x", "$(id)", "'\"", "--"}, corpus.Strings(300, 1)[1:200]} {
		list = slices.DeleteFunc(slices.Clone(list), hasNUL)
		items := make([]property.Value, len(list))
		for i, item := range list {
			items[i] = property.New(item)
		}
		got, err := l.call("everywhere", map[string]property.Value{"v": property.New("v"), "list": property.New(items)})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Concat([]string{"--v=v", "--", "v"}, list, []string{"end"})
		if diff := cmp.Diff(want, got.Args); diff != "" {
			t.Errorf("arguments (-want +got):\n%s", diff)
		}
	}
}
