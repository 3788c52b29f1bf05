package ssh

import (
	"errors"
	"fmt"
	"strings"

	"github.com/declprov/declprov/actions/sys/process"
)

// bootstrap returns the command line for the login shell of the machine, which may be any shell. It prints the mark "start",
// and then reads a script from the beginning of stdin, byte by byte so that the rest of stdin remains for the command. So
// no argument of a shell contains anything of the command: other users could read secrets of its environment there.
// Nothing is sent before the mark has arrived, and a script that arrives in part does not run: see buildScript.
//
// The command replaces the shell, so the machine reports how the command ended. If the shell is not the leader of a process
// group, some other program waits for it, which need not report that. Then the command runs in a child of the shell, which
// prints the mark "exit" after it.
func bootstrap(nonce string) string {
	start := `printf "` + markFormat(nonce) + `start %s %s %s %s\n" $$ $declprov_g "${declprov_b:--}" "$declprov_s"`
	outer := strings.Join([]string{
		`declprov_g=none`,
		`kill -s 0 -- -$$ 2>/dev/null && declprov_g=group`,
		`declprov_b= declprov_s=`,
		`read -r declprov_b 2>/dev/null </proc/sys/kernel/random/boot_id`,
		`read -r declprov_s 2>/dev/null </proc/$$/stat`,
		start + " >&2", start,
		`if [ $declprov_g = group ]`, `then eval "$1"`, `fi`,
		`exec 3<&0`, // stdin of a program in the background is empty, unless it is redirected
		`/bin/sh -c "$1" <&3 3<&- & declprov_p=$!`,
		`exec 3<&-`,
		`trap "kill -s TERM $declprov_p" TERM`,
		`while :`, `do wait $declprov_p`, `declprov_c=$?`, `kill -s 0 $declprov_p 2>/dev/null || break`, `done`, // a signal ends wait, too
		printMark(nonce, "exit", "$declprov_c"),
		`exit $declprov_c`,
	}, "; ")
	inner := `read -r declprov_n && eval "$(dd bs=1 count=$declprov_n 2>/dev/null)"; ` + printMark(nonce, "fail", "126") + "; exit 126" // the script does not return
	return `exec /bin/sh -c '` + outer + `' sh '` + inner + `'`
}

// printMark returns shell commands that print a mark to both output streams.
func printMark(nonce, name, value string) string {
	text := `printf "` + markFormat(nonce) + name + ` %s\n" "` + value + `"`
	return text + " >&2; " + text
}

// buildScript returns a shell script that is replaced by the command. If the shell ends before that, it prints the mark "fail".
func buildScript(cmd *process.Command, nonce string) (string, error) {
	command, err := buildCommand(cmd)
	if err != nil {
		return "", err
	}
	// A shell runs nothing of an incomplete group. Bash does not run the trap after each failure of exec.
	return "{\ndeclprov_fail() { " + printMark(nonce, "fail", "$1") + "; }\n" +
		"trap 'declprov_fail $?' 0\n" +
		`[ -z "$BASH_VERSION" ] || shopt -s execfail` + "\n" +
		command + "\ndeclprov_fail $?\nexit 126\n}", nil
}

// buildCommand returns the lines of a shell script that set the environment and the folder, and run the command.
func buildCommand(cmd *process.Command) (string, error) {
	var b strings.Builder
	for _, e := range cmd.Env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || !isName(name) {
			return "", fmt.Errorf("%q is not a valid name of an environment variable on another machine; use letters, digits and _", name)
		}
		b.WriteString("export " + name + "=" + shellQuote(value) + " || exit 126\n")
	}
	if cmd.Dir != "" {
		// If cd fails, the command must not run in another folder.
		b.WriteString("cd -- " + shellQuote(cdArgument(cmd.Dir)) + " || exit 126\n")
	}
	b.WriteString("exec")
	if strings.HasPrefix(cmd.Args[0], "-") {
		return "", fmt.Errorf("the program %q begins with a dash", cmd.Args[0])
	}
	for _, arg := range cmd.Args {
		b.WriteString(" " + shellQuote(arg))
	}
	if strings.ContainsRune(b.String(), 0) {
		return "", errors.New("an argument, a variable or the folder contains a NUL character, which is not allowed")
	}
	return b.String(), nil
}

// cdArgument returns a folder as an argument of `cd --`, to which "-" is the previous folder.
// Some shells take a leading dash as an option even after the two dashes.
func cdArgument(dir string) string {
	if strings.HasPrefix(dir, "-") {
		return "./" + dir
	}
	return dir
}

func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// shellQuote quotes a text as one word of a POSIX shell (XCU 2.2.2).
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
