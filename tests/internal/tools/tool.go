// Package tools knows the programs that the tests run beside Go itself: where
// each is, how it is brought, and what to do in a test when it is missing.
//
// What Go alone can build (the Pulumi CLI, its YAML host) is built from the
// module proxy into .tools, by version. The rest comes from the system's
// packages, from PyPI and from npm, when somebody asks for it: `make test-deps`.
package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

// Tool is one program that some tests need.
type Tool struct {
	Name string
	// For says what tests with it show, to whoever reads what was left out.
	For string
	// GoOnly says that Go is enough to bring it; `make test` does so unasked.
	GoOnly bool

	find    func(root string) (string, error)
	install func(ctx context.Context, root string, log io.Writer) error
}

// Names of the tools, for Need.
const (
	Pulumi         = "pulumi"
	PulumiYAML     = "pulumi-language-yaml"
	PythonProvider = "python-provider"
	Strace         = "strace"
	CCompiler      = "cc"
	PowerDNS       = "pdns_server"
	Caddy          = "caddy"
	Etcd           = "etcd"
	CouchDB        = "express-pouchdb"
	InfluxDB       = "influxd"
	Alertmanager   = "prometheus-alertmanager"
	Radicale       = "radicale"
	SSHD           = "sshd"
	Git            = "git"
	Python         = "python3"
	Node           = "node"
	Java           = "java"
	PostgreSQL     = "postgres"
	Landlock       = "landlock"
)

// PowerDNSTables is where the package of PowerDNS's backend has the tables that
// a database needs.
const PowerDNSTables = "/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql"

// ErrMissing is the error of a tool that is not on this machine, and that
// `make test-deps` brings. ErrImpossible is the error of one that no package
// brings, as it depends on the kernel or on what a container may do.
var (
	ErrMissing    = errors.New("not on this machine")
	ErrImpossible = errors.New("not available on this machine")
)

// All are the tools, in the order in which they are brought.
func All() []Tool {
	return []Tool{
		goTool(Pulumi, "the real Pulumi CLI over the provider", pulumiPackage, "-X "+pulumiVersion+"="),
		goTool(PulumiYAML, "Pulumi programs in YAML", pulumiYAMLPackage, ""),
		{
			Name: PythonProvider, For: "the comparison with a provider written by hand in Python",
			find: findVenv, install: installVenv,
		},
		straceTool(),
		systemTool(Git, "commands that work on repositories", "git", "git"),
		systemTool(Python, "Python in the kernel's sandbox", "/usr/bin/python3", "python3"),
		systemTool(Node, "Node in the kernel's sandbox", "node", "nodejs"),
		// keytool is a Java program that the smallest package has, so that none must be compiled.
		systemTool(Java, "Java in the kernel's sandbox", "keytool", "default-jre-headless"),
		postgresTool(),
		landlockTool(sandbox.Here().Required),
		systemTool(CCompiler, "the race detector", "cc", "gcc", "libc6-dev"),
		serverTool(PowerDNS, "examples/powerdns.cue against a real server", "/usr/sbin/pdns_server",
			[]string{"pdns-server", "pdns-backend-sqlite3", "sqlite3"}, []string{"sqlite3", PowerDNSTables}),
		serverTool(SSHD, "commands on another machine, over SSH", "/usr/sbin/sshd", []string{"openssh-server"}, []string{"/usr/lib/openssh/sftp-server"}),
		serverTool(Caddy, "examples/caddy.cue against a real server", "/usr/bin/caddy", []string{"caddy"}, nil),
		serverTool(Etcd, "a real etcd against a spec alone", "/usr/bin/etcd", []string{"etcd-server"}, nil),
		npmTool(CouchDB, "a real server with CouchDB's API against a spec alone", "couchdb"),
		serverTool(InfluxDB, "a real InfluxDB against a spec alone", "/usr/bin/influxd", []string{"influxdb"}, nil),
		serverTool(Alertmanager, "a real Alertmanager against a spec alone", "/usr/bin/prometheus-alertmanager",
			[]string{"prometheus-alertmanager"}, nil),
		serverTool(Radicale, "a real calendar server against a spec alone", "/usr/bin/radicale", []string{"radicale"}, nil),
	}
}

// Named is the tool of that name; asking for another is a mistake in a test.
func Named(name string) (Tool, error) {
	for _, tool := range All() {
		if tool.Name == name {
			return tool, nil
		}
	}
	return Tool{}, fmt.Errorf("no tool is called %q; the names are in tests/internal/tools/tool.go", name)
}

// Find is the tool's path; the error wraps ErrMissing or ErrImpossible where it is
// not there.
func (t Tool) Find(root string) (string, error) { return t.find(root) }

// Install brings the tool, and tells log what takes long. It does nothing where
// the tool is there. Where the machine cannot have it, log is told so, and that is no
// error: the tests that need it are left out, and listed.
func (t Tool) Install(ctx context.Context, root string, log io.Writer) error {
	_, err := t.find(root)
	if errors.Is(err, ErrMissing) {
		if err := t.install(ctx, root, log); err != nil {
			return fmt.Errorf("bringing %s (%s): %w", t.Name, t.For, err)
		}
		_, err = t.find(root)
	}
	switch {
	case errors.Is(err, ErrImpossible):
		fmt.Fprintf(log, "%s: tests of %s will be left out: %v\n", t.Name, t.For, err)
		return nil
	case err != nil:
		return fmt.Errorf("%s cannot be found: %w", t.Name, err)
	}
	return nil
}

func findFile(path string) (string, error) {
	if !exists(path) {
		return "", fmt.Errorf("%s: %w", path, ErrMissing)
	}
	return path, nil
}

func systemTool(name, purpose, program string, packages ...string) Tool {
	return Tool{
		Name: name, For: purpose,
		find: func(string) (string, error) {
			path, err := exec.LookPath(program)
			if err != nil {
				return "", fmt.Errorf("%s: %w", program, ErrMissing)
			}
			return path, nil
		},
		install: func(ctx context.Context, _ string, log io.Writer) error {
			return installPackages(ctx, log, packages...)
		},
	}
}
