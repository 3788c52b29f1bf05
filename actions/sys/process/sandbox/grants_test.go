package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
)

func TestGrant(t *testing.T) {
	for _, tc := range []struct {
		name  string
		rules []grant.Rule
		want  Rules
	}{
		{"nothing", nil, Rules{}},
		{"a tree", []grant.Rule{{Access: grant.Read, Pattern: "d/**"}}, Rules{Read: []Place{{Base: "DIR/d", Tree: true}}}},
		{"a missing tree", []grant.Rule{{Access: grant.Write, Pattern: "new/**"}}, Rules{Write: []Place{{Base: "DIR/new", Tree: true}}}},
		{"a file", []grant.Rule{{Access: grant.Write, Pattern: "d/a.txt"}}, Rules{Write: []Place{{Base: "DIR/d", Below: "a.txt"}}}},
		{
			"files by name",
			[]grant.Rule{{Access: grant.Read, Pattern: "d/*.txt"}},
			Rules{Read: []Place{{Base: "DIR/d", Below: "a.txt"}, {Base: "DIR/d", Below: "link.txt"}}},
		},
		{
			"files by name, at any depth",
			[]grant.Rule{{Access: grant.Read, Pattern: "**/c.txt"}},
			Rules{Read: []Place{{Base: "DIR", Below: "d/e/c.txt"}}},
		},
		{"no folder without its contents", []grant.Rule{{Access: grant.Read, Pattern: "d/e*"}}, Rules{}},
		{
			"trees by name",
			[]grant.Rule{{Access: grant.Write, Pattern: "*/e*/**"}},
			Rules{Write: []Place{{Base: "DIR", Below: "d/e", Tree: true}}},
		},
		{"patterns in a missing folder", []grant.Rule{{Access: grant.Read, Pattern: "new/*.txt"}}, Rules{}},
		{
			"grants that another grant covers",
			[]grant.Rule{
				{Access: grant.Read, Pattern: "d/**"},
				{Access: grant.Write, Pattern: "d/e/**"},
				{Access: grant.Read, Pattern: "d/e/*.txt"},
				{Access: grant.Read, Pattern: "d/a.txt"},
				{Access: grant.Read, Pattern: "d/**"},
				{Access: grant.Read, Pattern: "d/e/f/**"},
			},
			Rules{Read: []Place{{Base: "DIR/d", Tree: true}}, Write: []Place{{Base: "DIR/d/e", Tree: true}}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range []string{"d/a.txt", "d/b.json", "d/e/c.txt"} {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, "d", "link.txt")); err != nil {
				t.Fatal(err)
			}
			got, err := rulesOf(t, dir, tc.rules)
			if err != nil {
				t.Fatal(err)
			}
			for _, places := range [][]Place{got.Read, got.Write} {
				for i := range places {
					places[i].Base = strings.Replace(places[i].Base, dir, "DIR", 1)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestGrantOfTooMuch(t *testing.T) {
	dir := t.TempDir()
	for i := range maxMatches + 2 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".txt")), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rulesOf(t, dir, []grant.Rule{{Access: grant.Read, Pattern: "*.txt"}}); err == nil {
		t.Error("a pattern with too many matches was granted")
	}
	if _, err := rulesOf(t, dir, []grant.Rule{{Access: grant.Read, Pattern: "**"}}); err != nil {
		t.Errorf("a folder with the same files was not granted: %v", err)
	}
}

func rulesOf(t *testing.T, dir string, rules []grant.Rule) (Rules, error) {
	t.Helper()
	files, err := files.New(dir, rules)
	if err != nil {
		t.Fatal(err)
	}
	var r Rules
	err = r.AddGrants(context.Background(), files, networkOf(t))
	return r, err
}

func networkOf(t *testing.T, hosts ...string) *network.Network {
	t.Helper()
	var rules []grant.Rule
	for _, h := range hosts {
		rules = append(rules, grant.Rule{Access: grant.Connect, Pattern: h})
	}
	network, err := network.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return network
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"script": "#! DIR/interpreter -x\n", "interpreter": "#!/bin/sh", "circle": "#!DIR/circle\n", "binary": "\x7fELF", "odd": "#!\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(content, "DIR", dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		program string
		want    []string
	}{
		{"script", []string{"script", "interpreter", "/bin/sh"}},
		{"circle", []string{"circle", "circle", "circle", "circle", "circle"}},
		{"binary", []string{"binary"}},
		{"odd", []string{"odd"}},
		{"missing", []string{"missing"}},
	} {
		var r Rules
		r.AddPrograms(filepath.Join(dir, tc.program))
		var got []string
		for _, p := range r.Execute {
			got = append(got, strings.TrimPrefix(p.Base, dir+"/"))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.program, diff)
		}
	}
}

func TestRulesTravel(t *testing.T) {
	sent := Rules{Read: []Place{{Base: "/a", Below: "b"}}, Write: []Place{{Base: "/c", Tree: true}}, Ports: []uint16{443}}.WithSystem()
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var got Rules
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("(-sent +got):\n%s", diff)
	}
}

func TestRequired(t *testing.T) {
	for abi, missing := range map[int]int{0: 1, 1: 4, 2: 4, 3: 3, 4: 2, 5: 1, 6: 0, 7: 0, 20: 0} {
		for _, filter := range []bool{true, false} {
			k, want := Kernel{Name: "Linux 6.1", ABI: abi, Filter: filter}, missing
			if !filter {
				want++
			}
			if got := len(k.Missing()); got != want {
				t.Errorf("%+v: %d protections are missing, want %d", k, got, want)
			}
			if err := k.Required(); (err != nil) != (want > 0) {
				t.Errorf("%+v: Required returns %v", k, err)
			}
			if partial := k.DescribeMissing(); (partial != "") != (want > 0) {
				t.Errorf("%+v: DescribeMissing returns %q", k, partial)
			}
		}
	}
}

// TestPlacesWhereASpecMayWrite: the base of a grant in a folder in which another grant lets a command
// write is opened without following links, since a command may have put one there.
func TestPlacesWhereASpecMayWrite(t *testing.T) {
	t.Parallel()
	for write, trusted := range map[string]bool{"w*/**": false, "*/**": false, "wor?/**": false, "other/**": true, "*.txt": true} {
		for read, below := range map[string]string{"work/sub/**": "sub", "work/sub/file": "sub/file", "work/sub/deep/**": "sub/deep"} {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(dir, "work", "sub", "deep"), 0o755); err != nil {
				t.Fatal(err)
			}
			granted, err := files.New(dir, []grant.Rule{{Access: grant.Write, Pattern: write}, {Access: grant.Read, Pattern: read}})
			if err != nil {
				t.Fatal(err)
			}
			places, err := placesOf(t.Context(), granted.Grants()[1])
			if err != nil || len(places) != 1 {
				t.Fatal(places, err)
			}
			want := Place{Base: dir, Below: filepath.Join("work", filepath.FromSlash(below)), Tree: places[0].Tree}
			if trusted {
				want.Base, want.Below = filepath.Join(dir, "work", filepath.FromSlash(below)), ""
			}
			if trusted && !places[0].Tree {
				want.Base, want.Below = filepath.Dir(want.Base), filepath.Base(want.Base)
			}
			if places[0] != want {
				t.Errorf("write %s, read %s: %+v, want %+v", write, read, places[0], want)
			}
		}
	}
}
