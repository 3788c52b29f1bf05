package exec

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

// TestMissingPermission checks which permission a message of a command is explained by.
func TestMissingPermission(t *testing.T) {
	granted, err := files.New("/program", []grant.Rule{{Access: grant.Read, Pattern: "/readable/**"}, {Access: grant.Write, Pattern: "/writable/**"}})
	if err != nil {
		t.Fatal(err)
	}
	web, none, any := sandbox.Rules{Ports: []uint16{443}}, sandbox.Rules{}, sandbox.Rules{AnyPort: true}
	tests := map[string]struct {
		said  string
		rules sandbox.Rules
		want  string // part of the permission; "?" is none that is known, "" is no refusal
	}{
		"read":             {"cat: /etc/shadow: Permission denied", web, `"/etc/shadow" to permissions.read`},
		"quoted":           {"touch: cannot touch '/readable/x': Permission denied", web, `"/readable/x" to permissions.write`},
		"said by a script": {"/writable/run: line 12: /opt/tool/bin: Permission denied", web, `"/opt/tool/bin"`},
		"both are granted": {"rm: /writable/x: Operation not permitted", web, "?"},
		"no path":          {"kill: Operation not permitted", web, "?"},
		"on another line":  {"reading /etc/shadow\nfailed: Permission denied", web, "?"},
		"no refusal":       {"cat: /etc/nothing: No such file or directory", web, ""},
		"a port":           {"curl: (7) Failed to connect to ldap.example.com port 389 after 0 ms", web, "389"},
		"an address":       {"dial tcp 10.0.0.1:6379: connect: permission denied", web, "6379"},
		"without a host":   {"curl: (6) Could not resolve host: api.example.com", none, "permissions.hosts"},
		"a granted port":   {"Failed to connect to api.example.com port 443", web, ""},
		"any port":         {"Failed to connect to api.example.com port 389", any, ""},
		"an unknown host":  {"Could not resolve host: api.example.com", web, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, refused := missingPermission(test.said, test.rules, granted)
			switch {
			case refused != (test.want != ""):
				t.Errorf("refused: %t, %q", refused, got)
			case test.want == "?" && got != "", test.want != "?" && !strings.Contains(got, test.want):
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
