package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// TestReadmeWordByWord runs the commands in the README, and checks its statements.
func TestReadmeWordByWord(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	binary := provider.Binary(t)
	s := pulumitest.New(t, nil)

	blocks := snippets(page)
	if len(blocks) != 1 {
		t.Fatalf("the README has %d complete specs, expected one", len(blocks))
	}
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "notes.cue"), []byte(blocks[0].text), 0o644); err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^declprov ([a-z]+ notes\.cue.*?)(?: +#.*)?$`).FindAllStringSubmatch(page, -1)
	if len(commands) != 3 {
		t.Fatalf("the README has %d declprov commands, expected three", len(commands))
	}
	for _, c := range commands {
		cmd := exec.Command(binary, strings.Fields(c[1])...)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "PULUMI_HOME="+s.Home())
		if printed, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("declprov %s: %v\n%s", c[1], err, printed)
		}
	}

	misspelt := strings.Replace(blocks[0].text, `content: "${inputs.content}"}`, `content: "${inputs.contents}"}`, 1)
	if err := os.WriteFile(filepath.Join(work, "notes.cue"), []byte(misspelt), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "vet", "notes.cue")
	cmd.Dir = work
	printed, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("vet found nothing in the misspelt spec")
	}
	shown := regexp.MustCompile("(?ms)^```\n(error.*?)^```$").FindStringSubmatch(page)
	if shown == nil || !strings.HasPrefix(string(printed), shown[1]) {
		t.Errorf("the README shows %q, and vet prints:\n%s", shown, printed)
	}

	program := regexp.MustCompile("(?ms)^```yaml\nname: diary\nruntime: yaml\n(.*?)^```$").FindStringSubmatch(page)
	if program == nil {
		t.Fatal("the README has no program named diary")
	}
	body := program[1]
	s.Program(body)
	s.Up("create=1")
	has := func(path, content string) {
		t.Helper()
		if got := s.Files()[path]; got != content {
			t.Fatalf("%s holds %q, want %q; the files: %v", path, got, content, s.Files())
		}
	}
	has("notes/monday.md", "Rain.")
	s.Program(strings.Replace(body, "Rain.", "Sun.", 1))
	s.Up("update=1")
	has("notes/monday.md", "Sun.")
	s.Write("notes/monday.md", "Snow.")
	s.Refresh("update Note monday")
	s.Up("update=1")
	has("notes/monday.md", "Sun.")
	s.Program(strings.NewReplacer("Rain.", "Sun.", "monday.md", "tuesday.md").Replace(body))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	s.Program(strings.Replace(body, "monday.md", "../outside.md", 1))
	s.Fails(s.Project.Up(t.Context()))
	if _, escaped := s.Files()["outside.md"]; escaped {
		t.Error("the provider wrote outside its root")
	}
	s.Program(strings.Replace(body, "content: Rain.", "contents: Rain.", 1))
	s.Fails(s.Project.Preview(t.Context()))
}
