// Package pages runs pages of the documentation word by word: it writes the files that a page
// shows, and runs its commands, in the order of the page.
package pages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// block is a code block of a page: "```LANGUAGE FILE" is a file, and "```sh" are commands.
type block struct{ language, file, text string }

// page is a page of the documentation, below docs.
type page struct {
	name   string
	text   string
	blocks []block
}

// open reads a page.
func open(t *testing.T, name string) *page {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return parse(name, string(text))
}

// parse reads the blocks of a page, or of a part of it.
func parse(name, text string) *page {
	p := &page{name: name, text: text}
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]*)(?: (\\S+))?\n(.*?)^```$").FindAllStringSubmatch(p.text, -1) {
		p.blocks = append(p.blocks, block{language: m[1], file: m[2], text: m[3]})
	}
	return p
}

// file returns the file that the page shows.
func (p *page) file(t *testing.T, name string) string {
	t.Helper()
	for _, b := range p.blocks {
		if b.file == name {
			return b.text
		}
	}
	t.Fatalf("docs/%s shows no file %s", p.name, name)
	return ""
}

// run does in a folder what a reader of the page does. replace are pairs of a text of the page
// and what it is here, such as the address of a server.
func (p *page) run(t *testing.T, dir string, env []string, replace ...string) {
	t.Helper()
	var script strings.Builder
	script.WriteString("set -eu\n")
	for _, b := range p.blocks {
		switch {
		case b.file != "":
			fmt.Fprintf(&script, "mkdir -p \"$(dirname %[1]s)\"\ncat >%[1]s <<'END OF FILE'\n%[2]sEND OF FILE\n", b.file, b.text)
		case b.language == "sh":
			script.WriteString("set -x\n" + b.text + "{ set +x; } 2>/dev/null\n")
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(strings.NewReplacer(replace...).Replace(script.String()))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("docs/%s: %v\n%s", p.name, err, out)
	}
}
