// Package tools has the programs that tests need besides Go: where each is, how to install
// it, and what a test does if it is missing.
//
// Programs that Go can build (the Pulumi CLI, its YAML host, CUE) are built from the module proxy
// into .tools, by version. The others come from the system's packages, from PyPI and from
// npm, with `make test-deps`.
package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

// Tool is a program that some tests need.
type Tool struct {
	Name string
	// For says what the tests with it check, for the list of skipped tests.
	For string
	// GoOnly says that Go alone can build it. Then `make test` builds it.
	GoOnly bool

	find    func(root string) (string, error)
	install func(ctx context.Context, root string, log io.Writer) error
}

// Names of the tools, for Need.
const (
	Pulumi            = "pulumi"
	PulumiYAML        = "pulumi-language-yaml"
	PythonEnvironment = "python-environment"
	NodePackages      = "node-packages"
	Strace            = "strace"
	CCompiler         = "cc"
	PowerDNS          = "pdns_server"
	Caddy             = "caddy"
	Etcd              = "etcd"
	CouchDB           = "express-pouchdb"
	InfluxDB          = "influxd"
	Alertmanager      = "prometheus-alertmanager"
	Radicale          = "radicale"
	Moto              = "moto"
	Styles            = "api-styles"
	WebDAV            = "wsgidav"
	SSHD              = "sshd"
	Git               = "git"
	Python            = "python3"
	Curl              = "curl"
	Node              = "node"
	Java              = "java"
	PostgreSQL        = "postgres"
	MariaDB           = "mariadbd"
	Landlock          = "landlock"
	CUE               = "cue"
)

// PowerDNSTables is the file with the database tables for PowerDNS.
const PowerDNSTables = "/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql"

// ErrMissing is the error of a tool that is not installed, and that `make test-deps` can
// install. ErrImpossible is the error of a tool that cannot be installed, because it depends
// on the kernel or the permissions of the container.
var (
	ErrMissing    = errors.New("not on this machine")
	ErrImpossible = errors.New("not available on this machine")
)

// All returns the tools, in the order of installation.
func All() []Tool {
	return []Tool{
		pulumiProgram(Pulumi, "the real Pulumi CLI over the provider", pulumiPackage, pulumiModule, "-X "+pulumiVersion+"=").tool(),
		pulumiProgram(PulumiYAML, "Pulumi programs in YAML", pulumiYAMLPackage, pulumiYAMLModule, "").tool(),
		cueProgram().tool(),
		pythonTool(PythonEnvironment, "programs in Python, and the comparison with a provider written by hand in Python", "python", ""),
		npmTool(NodePackages, "programs in TypeScript, and pyright", "node", "node_modules"),
		straceTool(),
		systemTool(Git, "commands that work on repositories", "git", "git"),
		systemTool(Python, "Python in the kernel's sandbox, and the server of docs/tutorial.md", "/usr/bin/python3", "python3"),
		systemTool(Curl, "docs/tutorial.md", "curl", "curl"),
		systemTool(Node, "Node in the kernel's sandbox", "node", "nodejs"),
		// keytool is a Java program in the smallest package, so that nothing must be
		// compiled.
		systemTool(Java, "Java in the kernel's sandbox", "keytool", "default-jre-headless"),
		postgresTool(),
		serverTool(MariaDB, "the sql family against a real MariaDB", "/usr/sbin/mariadbd", []string{"mariadb-server-core", "mariadb-client-core"}, []string{"mariadb-install-db", "my_print_defaults"}),
		landlockTool(sandbox.CurrentKernel().Required),
		systemTool(CCompiler, "the race detector", "cc", "gcc", "libc6-dev"),
		serverTool(PowerDNS, "examples/powerdns.cue against a real server", "/usr/sbin/pdns_server",
			[]string{"pdns-server", "pdns-backend-sqlite3", "sqlite3"}, []string{"sqlite3", PowerDNSTables}),
		serverTool(SSHD, "commands on another machine, over SSH", "/usr/sbin/sshd", []string{"openssh-server"}, []string{"/usr/lib/openssh/sftp-server"}),
		serverTool(Caddy, "examples/caddy.cue against a real server", "/usr/bin/caddy", []string{"caddy"}, nil),
		serverTool(Etcd, "a real etcd against a spec alone", "/usr/bin/etcd", []string{"etcd-server"}, nil),
		npmTool(CouchDB, "a real server with CouchDB's API against a spec alone", "couchdb", "main.js"),
		serverTool(InfluxDB, "a real InfluxDB against a spec alone", "/usr/bin/influxd", []string{"influxdb"}, nil),
		serverTool(Alertmanager, "a real Alertmanager against a spec alone", "/usr/bin/prometheus-alertmanager",
			[]string{"prometheus-alertmanager"}, nil),
		serverTool(Radicale, "a real calendar server against a spec alone", "/usr/bin/radicale", []string{"radicale"}, nil),
		pythonTool(Moto, "an emulator of Amazon's services, which verifies signatures, against a spec alone", "moto", "bin/moto_server"),
		npmTool(Styles, "servers of GraphQL, SOAP and JSON-RPC against the specs in docs/apis", "styles", "main.js"),
		pythonTool(WebDAV, "a real WebDAV server against the spec in docs/apis", "webdav", "bin/wsgidav"),
	}
}

// ByName returns the tool with this name. An unknown name is a mistake in a test.
func ByName(name string) (Tool, error) {
	for _, tool := range All() {
		if tool.Name == name {
			return tool, nil
		}
	}
	return Tool{}, fmt.Errorf("unknown tool %q; the names are in tests/internal/tools/tool.go", name)
}

// Find returns the path of the tool. If it is not available, the error wraps ErrMissing or
// ErrImpossible.
func (t Tool) Find(root string) (string, error) { return t.find(root) }

// Install installs the tool unless it is available, and writes to log what takes long. If the
// machine cannot have it, that is logged, and is not an error: the tests that need it are
// skipped and listed.
func (t Tool) Install(ctx context.Context, root string, log io.Writer) error {
	_, err := t.find(root)
	if errors.Is(err, ErrMissing) {
		if err := t.install(ctx, root, log); err != nil {
			return fmt.Errorf("installing %s (%s): %w", t.Name, t.For, err)
		}
		_, err = t.find(root)
	}
	switch {
	case errors.Is(err, ErrImpossible):
		fmt.Fprintf(log, "%s: tests of %s will be skipped: %v\n", t.Name, t.For, err)
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
