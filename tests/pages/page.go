// Package pages runs pages of the documentation word by word: it writes the files that a page
// shows, and runs its commands, in the order of the page.
package pages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/tools"
)

// block is a code block of a page: "```LANGUAGE FILE" is a file, "```sh" are commands, and
// "```text" is what they print. "```sh fails" are commands of which the last one fails.
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

// fails is in the place of a file name for commands of which the last one fails.
const fails = "fails"

// newStack is a command that makes a stack. Where a page does not set a passphrase, the stack has
// the key of the key service: see pulumicli.KeyService.
var newStack = regexp.MustCompile(`pulumi stack (init|select --create)`)

// run does in a folder what a reader of the page does. replace are pairs of a text of the page
// and what it is here, such as the address of a server. Every line of a block "```text" must
// begin a line that the commands before it print, in this order.
func (p *page) run(t *testing.T, dir string, env []string, replace ...string) {
	t.Helper()
	here := strings.NewReplacer(replace...)
	var script strings.Builder
	script.WriteString("set -eu\n")
	for i, b := range p.blocks {
		switch {
		case b.language == "sh" && b.file == fails:
			fmt.Fprintf(&script, "%sif (set -x\n%s); then echo 'no failure'; exit 1; fi\n", began(i), b.text)
		case b.file != "":
			fmt.Fprintf(&script, "mkdir -p \"$(dirname %[1]s)\"\ncat >%[1]s <<'END OF FILE'\n%[2]sEND OF FILE\n", b.file, b.text)
		case b.language == "sh":
			script.WriteString(began(i) + "set -x\n" + b.text + "{ set +x; } 2>/dev/null\n")
		}
	}
	commands := here.Replace(script.String())
	if !strings.Contains(commands, "PULUMI_CONFIG_PASSPHRASE") {
		commands = newStack.ReplaceAllString(commands, "${0} --secrets-provider="+pulumicli.StackKey)
	}
	cmd := exec.CommandContext(t.Context(), "sh")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(commands)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("docs/%s: %v\n%s", p.name, err, out)
	}
	for i, b := range p.blocks {
		if b.language == "text" {
			p.compare(t, here.Replace(b.text), printed(string(out), i-1))
		}
	}
}

// began prints a line before the output of a block.
func began(block int) string { return fmt.Sprintf("echo '--- block %d'\n", block) }

// printed returns the output of a block.
func printed(out string, block int) string {
	_, out, _ = strings.Cut(out, fmt.Sprintf("--- block %d\n", block))
	out, _, _ = strings.Cut(out, "--- block ")
	return out
}

// compare reports the first line of a block that the commands have not printed. It ignores the
// width of spaces, and what follows in the line.
func (p *page) compare(t *testing.T, shown, out string) {
	t.Helper()
	lines := strings.Split(out, "\n")
	for want := range strings.Lines(shown) {
		i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(fields(line), fields(want)) })
		if i < 0 {
			t.Errorf("docs/%s: the commands have not printed %q; they printed\n%s", p.name, fields(want), out)
			return
		}
		lines = lines[i+1:]
	}
}

func fields(line string) string { return strings.Join(strings.Fields(line), " ") }
