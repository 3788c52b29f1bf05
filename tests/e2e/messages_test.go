package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// TestMessages is a table of situations in which a user is told something: what the messages
// contain, and what they must not.
func TestMessages(t *testing.T) {
	t.Parallel()
	const key, account = "  told:key: secret-key\n", "  told:account: me\n"
	url := jobs(t)
	job := func(properties ...string) string {
		return resources(resource("job", "told:Job", append([]string{"name: job"}, properties...)...))
	}
	for name, tc := range map[string]struct {
		config  string
		program string
		env     string
		fails   bool
		// says and silent are patterns of the messages; none may match silent. The statuses
		// must match shows, in this order.
		says, silent, shows []string
	}{
		"a missing secret": {
			config: account, program: job(), fails: true,
			says: []string{
				"(?m)Run `pulumi config set --secret told:key`, or set the environment variable TOLD_KEY or TOLD_TOKEN\\.$",
				"Key of the service",
			},
			silent: []string{"told:account"},
		},
		"a missing setting that is no secret": {
			config: key, program: job(), fails: true,
			says:   []string{"(?m)Run `pulumi config set told:account VALUE`\\.$"},
			silent: []string{"--secret", "environment", "secret-key"},
		},
		"a setting from the environment": {config: account, program: job(), env: "TOLD_TOKEN=secret-key"},
		"an invalid setting": {
			config: key + account + "  told:level: middle\n", program: job(), fails: true,
			says: []string{`property level .*: must be one of "low" or "high", not "middle"`}, silent: []string{"secret-key"},
		},
		"a wrong property": {
			config: key + account, program: job("knd: good"), fails: true,
			says: []string{`Property knd does not exist`, `Existing properties are: kind, name`},
		},
		"a wrong value": {
			config: key + account, program: job("kind: ugly"), fails: true,
			says: []string{`12:\s+kind: ugly`, `Allowed values are "good", "bad", "slow"`},
		},
		"an operation that fails": {
			config: key + account, program: job("kind: bad"), fails: true,
			says:   []string{`create failed at step 1, http.*: the job is bad.* \(told 0\.3\.0, told\.cue:26:10\)`},
			silent: []string{"secret-key"},
		},
		"a response without the id": {
			config: key + account, program: resources(resource("ticket", "told:Ticket", "name: a")), fails: true,
			says: []string{`Ticket has no id: .* \(told 0\.3\.0, told\.cue:34:6\)`},
		},
		"a response without an output": {
			config: key + account, program: resources(resource("receipt", "told:Receipt", "name: a")), fails: true,
			says: []string{`Receipt has no read, and create gives no number \(told 0\.3\.0, told\.cue:40:11\)`},
		},
		"a short operation": {config: key + account, program: job()},
		"a long operation": {
			config: key + account, program: job("kind: slow"),
			shows: []string{`^step 1, http\S* \(5s\)$`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := installed(t, "testdata/told.cue", strings.Fields(tc.env)...)
			s.Program("config:\n  told:url: " + url + "\n" + tc.config + tc.program)
			r, err := s.Project.Up(t.Context())
			if err != nil || (r.ExitCode != 0) != tc.fails {
				t.Fatalf("exit code %d, %v\n%s", r.ExitCode, err, r.Stdout)
			}
			messages, statuses := told(r)
			for _, pattern := range tc.says {
				if !regexp.MustCompile(pattern).MatchString(messages) {
					t.Errorf("the messages do not match %s:\n%s", pattern, messages)
				}
			}
			here, err := filepath.Abs(".")
			if err != nil {
				t.Fatal(err)
			}
			for _, pattern := range append(tc.silent, regexp.QuoteMeta(here)) {
				if m := regexp.MustCompile(pattern).FindString(messages); m != "" {
					t.Errorf("the messages contain %q:\n%s", m, messages)
				}
			}
			if !tc.fails && messages != "" {
				t.Errorf("messages of a success:\n%s", messages)
			}
			if !slices.EqualFunc(tc.shows, statuses, func(pattern, status string) bool { return regexp.MustCompile(pattern).MatchString(status) }) {
				t.Errorf("the statuses are %q, expected %q", statuses, tc.shows)
			}
		})
	}
}

// jobs starts the service of testdata/told.cue, and returns its address.
func jobs(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var job struct{ Kind string }
		if r.ContentLength > 0 {
			if err := json.NewDecoder(r.Body).Decode(&job); err != nil {
				t.Error(err)
			}
		}
		switch job.Kind {
		case "bad":
			http.Error(w, "the job is bad", http.StatusBadRequest)
		case "slow":
			time.Sleep(6 * time.Second)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// installed makes a stack whose provider was installed from an absolute path.
func installed(t *testing.T, spec string, env ...string) *pulumitest.Stack {
	t.Helper()
	s := pulumitest.New(t, nil, env...)
	path, err := filepath.Abs(spec)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), provider.Binary(t), "install", "--yes", path)
	cmd.Env = append(os.Environ(), s.Environment()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("declprov install: %v\n%s", err, out)
	}
	return s
}

// told returns the messages and the statuses of a run.
func told(r *pulumicli.Result) (messages string, statuses []string) {
	for _, e := range r.Events {
		switch d := e.DiagnosticEvent; {
		case d == nil || d.Severity == "debug":
		case d.Ephemeral:
			statuses = append(statuses, strings.TrimSpace(d.Message))
		default:
			messages += d.Message + "\n"
		}
	}
	return messages, statuses
}
