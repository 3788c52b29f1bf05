package exec

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/template"
)

// reader is a group of programs that parse what they read from their standard input.
type reader struct {
	programs []string
	// suffixes are those of the names of files in its language.
	suffixes []string
	// when reports whether such a program parses its input, with these arguments after its name.
	when func(arguments []string) bool
	// instead is how such a text takes a value that the program does not interpret.
	instead string
	// json reports whether JSON is a literal in the language. In others, such as that of a shell,
	// a text between double quotes may contain commands.
	json bool
}

// readers returns the programs that parse their standard input.
func readers() []reader {
	return []reader{
		{[]string{"psql"}, []string{".sql"}, withoutScript, "by the family `sql`, or by `-v name=…` and :'name' in the text", false},
		{[]string{"mysql", "mariadb", "sqlite3", "duckdb"}, nil, withoutScript, "by the family `sql`", false},
		{[]string{"clickhouse", "clickhouse-client"}, nil, withoutScript, "by `--param_name=…` and {name:String} in the query", false},
		{[]string{"mongosh", "mongo"}, nil, withoutScript, "by `env`, and process.env.NAME in the text", true},
		{[]string{"redis-cli", "valkey-cli"}, nil, withoutScript, "as an argument of its own on the command line", false},
		{[]string{"node", "deno", "bun"}, []string{".js", ".mjs", ".ts"}, withoutFile, "by `env`, and process.env.NAME in the text", true},
		{[]string{"perl", "ruby", "php", "lua", "Rscript"}, []string{".pl", ".rb", ".php", ".lua", ".R"}, withoutFile, "by `env`", false},
		{slices.Concat(shells, []string{"ssh"}), []string{".sh", ".bash", ".py", ".ps1"}, withoutFile, "by `env` (\"$NAME\" in the text)", false},
		{[]string{"ldapadd", "ldapmodify"}, []string{".ldif"}, withoutScript, "in base64: `cn:: ${base64encode(…)}`", false},
		{[]string{"curl", "wget"}, nil, dash, "by `${jsonencode(…)}`, which puts it in quotes", true},
		{[]string{"kubectl", "oc", "docker", "docker-compose", "podman", "helm", "nomad"}, []string{".yaml", ".yml"}, dash, "by `${jsonencode(…)}`, which puts it in quotes: JSON is YAML", true},
		{[]string{"nft", "crontab", "ansible-playbook"}, nil, dash, checked, false},
		{
			[]string{"nsupdate", "chpasswd", "newusers", "iptables-restore", "ip6tables-restore", "ipset", "bc", "gnuplot", "sftp", "lftp", "ed", "ex", "at", "fdisk", "sfdisk"},
			nil, func([]string) bool { return true }, checked, false,
		},
	}
}

// checked stands for a way to pass a value: there is none but the restriction by a pattern.
const checked = ""

// interpretedRemedy says what to do about values that a program interprets.
func interpretedRemedy(instead string) string {
	remedy := "restrict the input by a pattern in its type: name: =~\"^[a-z0-9-]+$\"."
	if instead == checked {
		return values + strings.ToUpper(remedy[:1]) + remedy[1:]
	}
	return values + "Pass the value " + instead + "; or " + remedy
}

const values = "The program would interpret the values: with `create role ${inputs.name}`, a name can be any statement. "

// withoutScript reports whether no option gives the program its text.
func withoutScript(arguments []string) bool {
	for i, a := range arguments {
		name, _, _ := strings.Cut(a, "=")
		switch {
		case isScriptOption(name):
			return false
		case a == "-f" || a == "--file":
			return i+1 < len(arguments) && arguments[i+1] == "-"
		}
	}
	return true
}

// withoutFile reports whether no argument names a file with the program, and no option gives it.
func withoutFile(arguments []string) bool {
	if slices.Contains(arguments, "-") || slices.Contains(arguments, "-s") {
		return true
	}
	return withoutScript(arguments) && !slices.ContainsFunc(arguments, func(a string) bool { return !strings.HasPrefix(a, "-") })
}

// dash reports whether an argument stands for the standard input, as in `-f -`.
func dash(arguments []string) bool {
	return slices.ContainsFunc(arguments, func(a string) bool { return a == "-" || a == "-f-" || a == "-K-" || strings.HasSuffix(a, "=-") })
}

// checkInput warns about a standard input that a program parses, and about files in a language,
// that are composed of text and values.
func checkInput(s actions.Static) (out []actions.Fault) {
	r := readerOf(s.Nodes["command"])
	if r == nil {
		r = readerOf(wordsOf(s.Nodes["shell"]))
	}
	if r != nil && isProgram(s.Nodes["stdin"], s, "stdin", r.json) {
		out = append(out, interpreted("stdin", "", "the standard input, which the program parses, is", r.instead))
	}
	for _, argument := range []string{"files", "upload"} {
		if files := s.Nodes[argument]; files != nil {
			for i, file := range files.Items {
				out = append(out, checkFile(s, argument, i, file)...)
			}
		}
	}
	return out
}

// checkFile warns about a file whose name tells the program that parses it.
func checkFile(s actions.Static, argument string, i int, file *spec.Node) []actions.Fault {
	name, content := file.Get("path"), file.Get("content")
	if name == nil {
		return nil
	}
	for _, r := range readers() {
		if slices.Contains(r.suffixes, path.Ext(name.Text)) && isProgram(content, s, argument, r.json) {
			return []actions.Fault{interpreted(argument, fmt.Sprintf("%d.content", i), "a file that a program parses is", r.instead)}
		}
	}
	return nil
}

// interpreted returns the warning about a text that is composed of text and values; what is its
// subject with its verb.
func interpreted(argument, part, what, instead string) actions.Fault {
	return actions.Fault{
		Argument: argument, Path: part, Warning: true, Summary: what + " composed of text and values",
		Remedy: interpretedRemedy(instead),
	}
}

// wordsOf returns the words of a shell script that has no values, or nil. One of them may be the
// program that reads the standard input of the script.
func wordsOf(script *spec.Node) *spec.Node {
	if script == nil || script.Kind != spec.StringNode {
		return nil
	}
	n := &spec.Node{Kind: spec.ListNode}
	for word := range strings.FieldsSeq(script.Text) {
		n.Items = append(n.Items, &spec.Node{Kind: spec.StringNode, Text: word})
	}
	return n
}

// readerOf returns the reader for the last known program of a command, or nil if there is none, or
// its arguments say that it parses no input.
func readerOf(command *spec.Node) *reader {
	if command == nil || command.Kind != spec.ListNode {
		return nil
	}
	for i, item := range slices.Backward(command.Items) {
		arguments := lists.Map(command.Items[i+1:], func(argument *spec.Node) string { return argument.Text })
		for _, r := range readers() {
			if !slices.Contains(r.programs, programName(item)) {
				continue
			}
			if programName(item) == "ssh" {
				return readerOfSSH(r, command.Items[i:])
			}
			if r.when(arguments) {
				return &r
			}
			return nil
		}
	}
	return nil
}

// readerOfSSH returns the reader if ssh starts a shell: without a command, it reads its standard
// input.
func readerOfSSH(r reader, items []*spec.Node) *reader {
	if host := sshHost(items); host == len(items)-1 {
		return &r
	}
	return nil
}

// encoding matches a call of a function whose result has only letters, digits and a few other
// characters, which no program interprets.
var encoding = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(base64encode|toBase64|base64urlencode|urlencode|hex|sha1|sha256|sha512|md5|hmac|len|int)\(`)
})

// quoting matches a call of a function that returns a literal of JSON.
var quoting = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(jsonencode|toJSON)\(`) })

// isProgram reports whether a text of an argument is more than one value, and contains a value
// that may be any text. json reports whether JSON is a literal in the language of the text.
func isProgram(n *spec.Node, s actions.Static, argument string, json bool) bool {
	return n != nil && n.Kind == spec.StringNode && template.IsMixed(n.Text) && looksLikeProgram(n.Text) && hasFree(n.Text, s, argument, json)
}

// hasFree reports whether a text of an argument contains a value that may be any text, and that
// no function has encoded.
func hasFree(text string, s actions.Static, argument string, json bool) bool {
	free, known := s.Free[argument]
	pieces, _ := template.Scan(text)
	for _, part := range pieces {
		if !part.Expr || encoding().MatchString(part.Text) || json && quoting().MatchString(part.Text) {
			continue
		}
		if !known || slices.ContainsFunc(free, func(ref string) bool {
			ref, _, _ = strings.Cut(ref, ".*")
			return strings.Contains(part.Text, ref)
		}) {
			return true
		}
	}
	return false
}
