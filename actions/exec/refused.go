package exec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

// refusalTexts returns the messages of the errors that a sandbox causes: EACCES for most
// system calls, EPERM for signals and tracing, EXDEV for links and renames out of a folder.
func refusalTexts() []string {
	return []string{"permission denied", "operation not permitted", "invalid cross-device link"}
}

// connectTexts returns what programs print if they cannot connect to a server. Many do not say why.
func connectTexts() []string {
	return []string{"failed to connect", "could not connect", "couldn't connect", "cannot connect", "can't connect", "unable to connect", "could not resolve host", "name resolution", "connection failed"}
}

// patterns are the parts of messages that name what was refused.
type patterns struct{ path, port *regexp.Regexp }

var messages = sync.OnceValue(func() patterns {
	return patterns{
		path: regexp.MustCompile(`/[^\s:'"‘’,;()\x60]+`),
		port: regexp.MustCompile(`(?i)(?:port[ :=]+|[\w.\]-]:)(\d{2,5})\b`),
	}
})

// missingPermission returns the permission whose lack explains the output of a command that ran in
// a sandbox, as far as the output names what was refused. found is false if the output does not
// look like a refusal.
func missingPermission(said string, rules sandbox.Rules, granted *files.Files) (permission string, found bool) {
	for line := range strings.Lines(said) {
		lower := strings.ToLower(line)
		says := func(text string) bool { return strings.Contains(lower, text) }
		connects := slices.ContainsFunc(connectTexts(), says)
		if !connects && !slices.ContainsFunc(refusalTexts(), says) {
			continue
		}
		if port, missing := missingPort(line, rules); missing && (connects || port != "") {
			if port == "" {
				return "no host is granted: add the server to permissions.hosts, as in \"https://api.example.com\"", true
			}
			return fmt.Sprintf("the TCP port %s is not granted: add the server to permissions.hosts, as in \"https://api.example.com:%s\"", port, port), true
		}
		if connects {
			continue // the server itself did not answer
		}
		paths := messages().path.FindAllString(line, -1)
		for _, path := range slices.Backward(paths) { // the script that says it comes first
			switch {
			case granted.Check(grant.Read, path) != nil && granted.Check(grant.Write, path) != nil:
				return fmt.Sprintf("add %q to permissions.read, or to permissions.write if the command changes it", path), true
			case granted.Check(grant.Write, path) != nil:
				return fmt.Sprintf("if the command changes it, add %q to permissions.write", path), true
			}
		}
		found = true
	}
	return "", found
}

// missingPort returns the port that a line names, and reports whether it is not granted. Without a
// port in the line, it reports whether no port is.
func missingPort(line string, rules sandbox.Rules) (port string, missing bool) {
	if rules.AnyPort {
		return "", false
	}
	for _, m := range messages().port.FindAllStringSubmatch(line, -1) {
		if n, err := strconv.ParseUint(m[1], 10, 16); err == nil && !slices.Contains(rules.Ports, uint16(n)) {
			return m[1], true
		}
	}
	return "", len(rules.Ports) == 0
}
