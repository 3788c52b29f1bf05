package exec

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/template"
)

// language is what a group of programs interprets.
type language struct {
	programs []string
	// anywhere says that such a text is an argument without an option.
	anywhere bool
	// instead is how such a program takes a value that it does not interpret.
	instead string
}

// languages returns the programs whose way to take values is known.
func languages() []language {
	return []language{
		{[]string{"psql"}, false, "by the family `sql`, or by `-v name=…` with the script on stdin and :'name' in it (not in -c)"},
		{[]string{"sqlite3", "duckdb"}, true, "by the family `sql`, which has a driver for SQLite"},
		{[]string{"mysql", "mariadb"}, false, "by the family `sql`"},
		{[]string{"clickhouse", "clickhouse-client"}, false, "by `--param_name=…` and {name:String} in the query"},
		{[]string{"mongosh", "mongo", "node", "deno", "bun"}, false, "by `env`, and process.env.NAME in the script"},
		{[]string{"redis-cli", "valkey-cli"}, true, "as an argument of its own: `EVAL script 1 key value` with KEYS[1] and ARGV[1] in the script"},
		{[]string{"jq", "gojq", "jaq"}, true, "by `--arg name …` and $name in the filter"},
		{[]string{"yq"}, true, "by `env`, and strenv(NAME) in the expression"},
		{[]string{"awk", "gawk", "mawk", "nawk"}, true, "by `env`, and ENVIRON[\"NAME\"] in the program (-v interprets backslashes)"},
		{[]string{"sed"}, true, "by another program, such as awk, by `env` and ENVIRON[\"NAME\"]: sed has no variables"},
		{[]string{"perl", "ruby", "php", "lua", "Rscript"}, false, "as an argument after the script, or by `env`"},
		{[]string{"aws", "az", "gcloud", "gh", "kubectl"}, false, "not at all: take the whole output (`stdout: \"json\"`), and select by an expression of the spec"},
		{shells, false, "as an argument after the script (\"$1\" in it), or by `env`"},
		{[]string{"watch", "parallel"}, true, "by `env`"},
	}
}

// languageOptions are options of many programs whose argument is a text in a language of its own.
var languageOptions = []string{
	"--eval", "--command", "--execute", "--expression", "--expr", "--query", "--jq", "--xpath", "--print", "--split-string",
	"-E", "-r", "-p", "-q", "-Q", "-S",
}

// setters are programs whose -c or -e takes a setting.
var setters = []string{"git", "docker", "podman", "nerdctl"}

// checkPrograms warns about texts that a program parses and that are composed of text and
// values: the program would interpret the values.
func checkPrograms(s actions.Static) []actions.Fault {
	command := s.Nodes["command"]
	if command == nil || command.Kind != spec.ListNode {
		return nil
	}
	if len(command.Items) > 0 && programName(command.Items[0]) == "ssh" {
		return checkSSH(s, command.Items)
	}
	var out []actions.Fault
	for i, item := range command.Items {
		if i == 0 || item.Kind != spec.StringNode || !template.IsMixed(item.Text) || !hasFree(item.Text, s, "command", false) {
			continue
		}
		before := command.Items[:i]
		known := languageOf(before)
		if !isParsed(item.Text, before, known != nil && known.anywhere) {
			continue
		}
		remedy := "as an argument of its own, by `env`, or by `stdin`"
		if known != nil {
			remedy = known.instead
		}
		out = append(out, actions.Fault{
			Argument: "command", Path: fmt.Sprint(i), Warning: true,
			Summary: "a text that the program parses is composed of text and values",
			Remedy:  interpretedRemedy(remedy),
		})
	}
	return out
}

// isParsed reports whether a program parses an argument: because of the option before it or at its
// beginning, or, if anywhere, in any place.
func isParsed(text string, before []*spec.Node, anywhere bool) bool {
	option, rest, joined := strings.Cut(text, "=")
	if !joined || !isLanguageOption(option) {
		option, rest = before[len(before)-1].Text, text
	}
	switch {
	case !looksLikeProgram(rest):
		return false
	case isLanguageOption(option):
		return !isSetting(rest) || !isSetter(before)
	case strings.HasPrefix(text, "-c") || strings.HasPrefix(text, "-e"): // psql "-cselect …"
		return languageOf(before) != nil
	default:
		return anywhere
	}
}

// isLanguageOption reports whether the argument of an option is a text in a language. It may come
// after other options: psql -tAc, mysql -Ne, bash -lc.
func isLanguageOption(option string) bool {
	return isScriptOption(option) || slices.Contains(languageOptions, option)
}

// isScriptOption is isLanguageOption without the letters that mean something else to some of the
// programs: psql -q.
func isScriptOption(option string) bool {
	letters, short := strings.CutPrefix(option, "-")
	short = short && len(letters) <= 5 && strings.Trim(strings.ToLower(letters), lower) == "" && (strings.HasSuffix(letters, "c") || strings.HasSuffix(letters, "e"))
	return short || strings.HasPrefix(option, "--") && slices.Contains(languageOptions, option)
}

const lower = "abcdefghijklmnopqrstuvwxyz"

// isSetting reports whether an argument sets something: git -c user.name=…, docker -e NAME=….
func isSetting(text string) bool {
	name, _, found := strings.Cut(strings.ToLower(text), "=")
	return found && name != "" && strings.Trim(name, lower+"0123456789_.-") == ""
}

// isSetter reports whether the option at the end of a command is that of a program that takes
// settings, and not of a shell that the program starts.
func isSetter(before []*spec.Node) bool {
	return slices.Contains(setters, programName(before[0])) && languageOf(before) == nil
}

// languageOf returns the language of the last program in a command that has one, or nil.
func languageOf(command []*spec.Node) *language {
	for _, item := range slices.Backward(command) {
		for _, l := range languages() {
			if slices.Contains(l.programs, programName(item)) {
				return &l
			}
		}
	}
	return nil
}

func programName(n *spec.Node) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(n.Text, `\`, "/")), ".exe")
}

// sshOptions are the options of ssh that have an argument.
const sshOptions = "BbcDEeFIiJLlmOoPpQRSWw"

// checkSSH warns about values in a command for another machine: ssh joins its words, and the shell
// there parses them.
func checkSSH(s actions.Static, items []*spec.Node) (out []actions.Fault) {
	for i := sshHost(items) + 1; i < len(items); i++ {
		if items[i].Kind == spec.StringNode && hasFree(items[i].Text, s, "command", false) {
			out = append(out, actions.Fault{
				Argument: "command", Path: fmt.Sprint(i), Warning: true,
				Summary: "the shell of the other machine parses this argument of ssh, which contains a value",
				Remedy:  "ssh joins the words of the command, so that a value can be any command. Use `exec: {ssh: …, command: [\"rm\", \"--\", \"${…}\"]}`, which keeps each argument as it is, or pass the value by `stdin`.",
			})
		}
	}
	return out
}

// sshHost returns the index of the host in a command that begins with ssh.
func sshHost(items []*spec.Node) int {
	host := 1
	for ; host < len(items) && strings.HasPrefix(items[host].Text, "-"); host++ {
		if option := items[host].Text; len(option) == 2 && strings.Contains(sshOptions, option[1:]) {
			host++
		}
	}
	return host
}

// looksLikeProgram reports whether the literal part of a template is more than a name, a
// path or a setting (`git -c user.name=${inputs.name}`).
func looksLikeProgram(text string) bool {
	pieces, _ := template.Scan(text)
	return slices.ContainsFunc(pieces, func(p template.Piece) bool { return !p.Expr && strings.ContainsAny(p.Text, " \t\n;'\"()|`") })
}
