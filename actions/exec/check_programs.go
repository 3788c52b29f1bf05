package exec

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// programOptions are options of many programs whose argument is a program in a language of
// its own: psql -c, mysql -e, mongosh --eval, and a shell behind sudo.
var programOptions = []string{"-c", "-e", "--eval", "--command", "--execute", "--expression"}

// interpreters are programs that take such a text as an argument without an option.
var interpreters = []string{"sqlite3", "awk", "gawk", "mawk", "sed", "jq", "yq"}

// checkPrograms warns about texts that a program parses and that are composed of text and
// values: the program would interpret the values.
func checkPrograms(command *spec.Node) []actions.Fault {
	if command == nil || command.Kind != spec.ListNode {
		return nil
	}
	var out []actions.Fault
	interprets := slices.ContainsFunc(command.Items, func(n *spec.Node) bool { return slices.Contains(interpreters, path.Base(n.Text)) })
	for i, item := range command.Items {
		if i == 0 || item.Kind != spec.StringNode || !isMixed(item.Text) {
			continue
		}
		option, text, joined := strings.Cut(item.Text, "=")
		if !joined || !slices.Contains(programOptions, option) {
			option, text = command.Items[i-1].Text, item.Text
		}
		if !looksLikeProgram(text) || !slices.Contains(programOptions, option) && !interprets {
			continue
		}
		out = append(out, actions.Fault{
			Argument: "command", Path: fmt.Sprint(i), Warning: true,
			Summary: "a text that the program parses is composed of text and values",
			Remedy: "The program would interpret the values: with `create role ${inputs.name}`, a name can be any statement. " +
				"For databases, use the family `sql`, which sends values apart from statements. Otherwise pass the value as a variable of the program " +
				"(`psql -v name=…` with the script on stdin and :'name' in it, `awk -v`, `jq --arg`), as an argument of its own, by `env`, or by `stdin`.",
		})
	}
	return out
}

// looksLikeProgram reports whether the literal part of a template is more than a name, a
// path or a setting (`git -c user.name=${inputs.name}`).
func looksLikeProgram(template string) bool {
	literal := strings.Builder{}
	depth := 0
	for i := 0; i < len(template); i++ {
		switch {
		case depth == 0 && strings.HasPrefix(template[i:], "${") && (i == 0 || template[i-1] != '$'):
			depth, i = 1, i+1
		case depth > 0 && template[i] == '{':
			depth++
		case depth > 0 && template[i] == '}':
			depth--
		case depth == 0:
			literal.WriteByte(template[i])
		}
	}
	return strings.ContainsAny(literal.String(), " \t\n;'\"()|`")
}
