package exec

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/template"
)

// check returns the mistakes in a call that the types of its arguments do not show.
func check(s actions.Static) []actions.Fault {
	var out []actions.Fault
	fail := func(argument, part, summary, remedy string) {
		out = append(out, actions.Fault{Argument: argument, Path: part, Summary: summary, Remedy: remedy})
	}
	for _, name := range []string{"command", "interpreter"} {
		if n := s.Nodes[name]; n != nil && n.Kind == spec.ListNode && len(n.Items) == 0 {
			fail(name, "", name+" has no program", "Write the program as the first item: `"+name+": [\"git\", \"status\"]`.")
		}
	}
	if !checkScript(s.Nodes["command"], fail) {
		out = append(out, checkPrograms(s)...)
	}
	out = append(out, checkInput(s)...)
	checkEnv(s.Nodes["env"], fail)
	checkExitCodes(s.Nodes["exitCodes"], fail)
	if s.Given("returns") && s.Literals["stdout"] != "json" {
		fail("returns", "", "returns requires stdout: \"json\"", "Add `stdout: \"json\"`.")
	}
	if s.Given("dashes") && s.Given("shell") {
		fail("dashes", "", "dashes has no effect on a shell script", "Remove `dashes`: a script has no arguments.")
	}
	switch {
	case s.Given("ssh") && s.Given("files"):
		fail("files", "", "files is not available for a command on another machine", "Use `upload`, with paths on that machine. Uploaded files are not removed.")
	case s.Given("upload") && !s.Given("ssh"):
		fail("upload", "", "upload requires ssh", "Use `files` for a command on this machine.")
	}
	if s.Secret["upload"] {
		out = append(out, checkUploads(s.Nodes["upload"])...)
	}
	for _, name := range []string{"timeout", "grace"} {
		if v, literal := s.Literals[name].(string); literal {
			if _, err := actions.ParseDuration(v); err != nil {
				fail(name, "", name+": "+err.Error(), "Write a duration like 10s or 1m30s.")
			}
		}
	}
	return out
}

// checkUploads reports uploaded files that others can read, for a step that uploads a secret. It is not known which of
// several files contains the secret, so nothing is reported if one of them is private.
func checkUploads(n *spec.Node) []actions.Fault {
	var out []actions.Fault
	if n == nil || n.Kind != spec.ListNode {
		return nil
	}
	for i, item := range n.Items {
		content, mode := item.Get("content"), item.Get("mode")
		if content == nil || content.Kind != spec.StringNode || !template.IsTemplate(content.Text) {
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

// checkScript reports a shell script that is composed of text and values, since the shell
// would interpret the values. It returns whether the command is a shell.
func checkScript(n *spec.Node, fail failer) (isShell bool) {
	if n == nil || n.Kind != spec.ListNode || len(n.Items) == 0 {
		return false
	}
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(n.Items[0].Text, `\`, "/")), ".exe")
	if !slices.Contains(shells, name) {
		return false
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
		if script.Kind == spec.StringNode && template.IsMixed(script.Text) {
			fail("command", fmt.Sprintf("%d", i+1), "a shell script is composed of text and values",
				"The shell would interpret the values. Pass them by `env` or `stdin`, or as arguments after the script (\"$1\").")
		}
		return true
	}
	return true
}

// checkEnv reports invalid names of environment variables.
func checkEnv(n *spec.Node, fail failer) {
	if n == nil || n.Kind != spec.MapNode {
		return
	}
	for _, f := range n.Fields {
		if err := variableName(f.Name); err != nil {
			fail("env", f.Name, err.Error(), "Use letters, digits and underscores: API_TOKEN.")
		}
	}
}
