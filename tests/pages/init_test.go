package pages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestInit types what the README of each template says, from declprov init to pulumi destroy.
// The spec in YAML behaves like that in CUE: with it, the second up changes nothing either.
func TestInit(t *testing.T) {
	t.Parallel()
	for _, template := range []string{"rest", "files", "command", "component"} {
		t.Run(template, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(&items{byID: map[int]map[string]any{}})
			t.Cleanup(server.Close)
			dir, env := home(t)
			begun := time.Now()
			shell(t, dir, env, "declprov init my-notes --template "+template+"\ndeclprov init my-notes in-yaml --yaml --template "+template)
			readme, err := os.ReadFile(filepath.Join(dir, "my-notes", "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			commands := commandsOf(t, strings.ReplaceAll(string(readme), "http://localhost:8080", server.URL))
			up := slices.Index(commands, "pulumi up")
			if up < 0 || slices.Index(commands, "pulumi destroy") != up+1 {
				t.Fatalf("the commands of the README: %q", commands)
			}
			shell(t, filepath.Join(dir, "my-notes"), env, strings.Join(commands[:up+1], "\n"))
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("the first up took %s", took)
			}
			environment := strings.Join(slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return !strings.HasPrefix(c, "export ") }), "\n")
			shell(t, filepath.Join(dir, "my-notes"), env, environment+`
				pulumi up --expect-no-changes --refresh
				declprov vet --strict my-notes.cue ../in-yaml/my-notes.yaml
				declprov schema my-notes.cue >../cue.json
				declprov schema ../in-yaml/my-notes.yaml | cmp - ../cue.json
				declprov install ../in-yaml/my-notes.yaml
				pulumi up --expect-no-changes --refresh
				pulumi destroy`)
			for _, left := range []string{"data/hello.txt", "sites/home/index.html"} {
				if _, err := os.Stat(filepath.Join(dir, "my-notes", left)); err == nil {
					t.Errorf("%s is left", left)
				}
			}
		})
	}
}

// shell runs commands, each of which must succeed.
func shell(t *testing.T, dir string, env []string, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eux", "-c", script)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// commandsOf returns the commands in the five lines of a README.
func commandsOf(t *testing.T, readme string) []string {
	t.Helper()
	lines := regexp.MustCompile(`(?m)^\d\. .*$`).FindAllString(readme, -1)
	if len(lines) != 5 {
		t.Fatalf("the README has %d lines:\n%s", len(lines), readme)
	}
	var commands []string
	for _, m := range regexp.MustCompile("`((?:export|declprov|pulumi) [^`]*)`").FindAllStringSubmatch(strings.Join(lines, "\n"), -1) {
		commands = append(commands, m[1])
	}
	return commands
}

// items is the API that the template rest expects.
type items struct {
	mu   sync.Mutex
	next int
	byID map[int]map[string]any
}

func (s *items) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sent map[string]any
	_ = json.NewDecoder(r.Body).Decode(&sent) // GET and DELETE send nothing
	if r.URL.Path == "/items" && r.Method == "POST" {
		s.next++
		sent["id"] = s.next
		s.byID[s.next] = sent
		respond(w, http.StatusCreated, sent)
		return
	}
	if r.URL.Path == "/items" {
		all := []map[string]any{}
		for _, item := range s.byID {
			all = append(all, item)
		}
		slices.SortFunc(all, func(x, y map[string]any) int { return cmp.Compare(x["id"].(int), y["id"].(int)) })
		respond(w, http.StatusOK, all)
		return
	}
	id, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/items/"))
	item := s.byID[id]
	switch {
	case err != nil || item == nil:
		respond(w, http.StatusNotFound, map[string]any{"message": fmt.Sprintf("no item at %s", r.URL.Path)})
		return
	case r.Method == "DELETE":
		delete(s.byID, id)
	case r.Method == "PATCH":
		for name, v := range sent {
			item[name] = v
		}
	}
	respond(w, http.StatusOK, item)
}
