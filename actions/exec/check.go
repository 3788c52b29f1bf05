package exec

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
)

// check finds what is wrong with a call beyond the types of its arguments.
func check(s actions.Static) []actions.Fault {
	var out []actions.Fault
	fail := func(argument, part, summary, remedy string) {
		out = append(out, actions.Fault{Argument: argument, Path: part, Summary: summary, Remedy: remedy})
	}
	for _, name := range []string{"command", "interpreter"} {
		if n := s.Nodes[name]; n != nil && n.Kind == spec.ListNode && len(n.Items) == 0 {
			fail(name, "", "a "+name+" without a program", "The first item is the program: `"+name+": [\"git\", \"status\"]`.")
		}
	}
	checkScript(s.Nodes["command"], fail)
	checkEnv(s.Nodes["env"], fail)
	if s.Given("returns") && s.Literals["stdout"] != "json" {
		fail("returns", "", "returns without stdout: \"json\"", "Only JSON has the shape of a type. Say `stdout: \"json\"`.")
	}
	if s.Given("dashes") && s.Given("shell") {
		fail("dashes", "", "dashes beside a shell script", "A script has no arguments.")
	}
	switch {
	case s.Given("ssh") && s.Given("files"):
		fail("files", "", "files of a command on another machine", "What is put there stays: say `upload`, by the paths there.")
	case s.Given("upload") && !s.Given("ssh"):
		fail("upload", "", "upload without ssh", "A command on this machine gets its files by `files`.")
	}
	if s.Secret["upload"] {
		out = append(out, checkUploads(s.Nodes["upload"])...)
	}
	for _, name := range []string{"timeout", "grace"} {
		if v, literal := s.Literals[name].(string); literal {
			if _, err := actions.ParseDuration(v); err != nil {
				fail(name, "", name+" "+err.Error(), "Write one like 10s or 1m30s.")
			}
		}
	}
	return out
}

// checkUploads finds secret content in files that others can read. Which of several
// files has the secret is not known here: where one is private, it may be that one.
func checkUploads(n *spec.Node) []actions.Fault {
	var out []actions.Fault
	if n == nil || n.Kind != spec.ListNode {
		return nil
	}
	for i, item := range n.Items {
		content, mode := item.Get("content"), item.Get("mode")
		if content == nil || content.Kind != spec.StringNode || !strings.Contains(content.Text, "${") {
			continue
		}
		if mode == nil || !declare.OthersRead(mode.Text) {
			return nil
		}
		out = append(out, declare.SecretForOthers("upload", fmt.Sprintf("%d.mode", i), mode.Text))
	}
	return out
}

type failer func(argument, part, summary, remedy string)

// shells are programs whose option -c takes a script.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "busybox", "fish", "python", "python3", "pwsh", "powershell"}

// checkScript reports a script of a shell that is put together from text and
// values: every value in it is read as shell.
func checkScript(n *spec.Node, fail failer) {
	if n == nil || n.Kind != spec.ListNode || len(n.Items) == 0 {
		return
	}
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(n.Items[0].Text, `\`, "/")), ".exe")
	if !slices.Contains(shells, name) {
		return
	}
	for i := 1; i+1 < len(n.Items); i++ {
		option := n.Items[i].Text
		if !strings.HasPrefix(option, "-") || strings.HasPrefix(option, "--") || !strings.HasSuffix(strings.ToLower(option), "c") {
			continue
		}
		script := n.Items[i+1]
		if script.Kind == spec.StringNode && script.Text == "--" && i+2 < len(n.Items) {
			script = n.Items[i+2]
		}
		if script.Kind == spec.StringNode && mixed(script.Text) {
			fail("command", fmt.Sprintf("%d", i+1), "a script that is put together from text and values",
				"What is in a value would be read as a part of the script. Pass it by `env` or `stdin`, or behind the script, as \"$1\".")
		}
		return
	}
}

// mixed reports whether a template has both: text, and a value in it.
func mixed(template string) bool {
	bare := strings.ReplaceAll(template, "$${", "")
	at := strings.Index(bare, "${")
	return at > 0 || at == 0 && !strings.HasSuffix(strings.TrimSpace(bare), "}") || strings.Count(bare, "${") > 1
}

// checkEnv sees that names are some.
func checkEnv(n *spec.Node, fail failer) {
	if n == nil || n.Kind != spec.MapNode {
		return
	}
	for _, f := range n.Fields {
		if err := variableName(f.Name); err != nil {
			fail("env", f.Name, err.Error(), "A name has letters, digits and underscores: API_TOKEN.")
		}
	}
}
