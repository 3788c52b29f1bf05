// Package pulumicli drives the real Pulumi CLI, as a user at a terminal would:
// a project in YAML, one stack, a state on the local disk, no network.
//
// A Project keeps everything that the CLI writes (its home, the state, logs)
// in one folder, so that several run side by side and nothing outlives them.
package pulumicli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// StackName is the name of every project's only stack.
const StackName = "dev"

// Options say what a project is.
type Options struct {
	// Name is the project's; "" is "test".
	Name string
	// Dir is the folder for all that the project writes; it must exist.
	Dir string
	// CLI and YAMLHost are the paths of the two programs.
	CLI, YAMLHost string
	// Providers are the folders of the providers that the program uses, by the
	// name of the package.
	Providers map[string]string
	// KeyService is the URL of the service that has the stack's key; "" is a key from
	// a passphrase, as users have it without Pulumi's cloud.
	KeyService string
	// Env is added to the environment of the CLI, and so of the providers.
	Env []string
	// RecordGRPC keeps every call between the CLI and its plugins; see
	// Result.Calls.
	RecordGRPC bool
}

// Project is a Pulumi project in YAML, with one stack. Its commands may not run
// side by side: the stack is locked, as it would be for a user.
type Project struct {
	// Dir is the program's folder: the one with Pulumi.yaml.
	Dir  string
	opts Options
	env  []string
	runs atomic.Int64
}

// Open makes a project with an empty program and its stack.
func Open(opts Options) (*Project, error) {
	if opts.Name == "" {
		opts.Name = "test"
	}
	p := &Project{Dir: filepath.Join(opts.Dir, "program"), opts: opts}
	for _, dir := range []string{p.Dir, p.path("home"), p.path("state"), p.path("log")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("making a project: %w", err)
		}
	}
	p.env = p.environment()
	if err := p.SetProgram(""); err != nil {
		return nil, err
	}
	return p, p.writeStack()
}

// The passphrase of every stack, and the salt that goes with it.
const (
	passphrase = "correct horse"
	salt       = "v1:fk3xg71x9Vo=:v1:tlKSWrP0C6tmVTr7:MXCeG1Q55QQfclIats2jL+8eenml5w=="
)

// writeStack writes what `pulumi stack init` does: the stack's settings and its empty
// state. There are hundreds of stacks, and a process for each would take longer than
// its first resources do.
func (p *Project) writeStack() error {
	settings := "encryptionsalt: " + salt + "\n"
	if p.opts.KeyService != "" {
		settings = "secretsprovider: " + stackKey + "\nencryptedkey: c3RhY2s=\n" // what the service is sent does not matter to it
	}
	for path, text := range map[string]string{
		filepath.Join(p.Dir, "Pulumi."+StackName+".yaml"): settings,
		p.path("state", ".pulumi", "meta.yaml"):           "version: 1\n",
		p.statePath():                                     fmt.Sprintf(`{"version": 3, "checkpoint": {"stack": "organization/%s/%s"}}`, p.opts.Name, StackName),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making a stack: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fmt.Errorf("making a stack: %w", err)
		}
	}
	return nil
}

// statePath is the file of the local backend with the stack's state.
func (p *Project) statePath() string {
	return p.path("state", ".pulumi", "stacks", p.opts.Name, StackName+".json")
}

// SetProgram writes Pulumi.yaml: the project's head, and the body given, which
// starts at `resources:`, `config:` or the like.
func (p *Project) SetProgram(body string) error {
	var text strings.Builder
	fmt.Fprintf(&text, "name: %s\nruntime: yaml\n", p.opts.Name)
	if len(p.opts.Providers) > 0 {
		text.WriteString("plugins:\n  providers:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(p.opts.Providers)) {
		fmt.Fprintf(&text, "    - {name: %s, path: %q}\n", name, p.opts.Providers[name])
	}
	text.WriteString(body)
	if err := os.WriteFile(filepath.Join(p.Dir, "Pulumi.yaml"), []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("writing the program: %w", err)
	}
	return nil
}

// Home is PULUMI_HOME: where the CLI finds plugins that are installed.
func (p *Project) Home() string { return p.path("home") }

// Backend is the folder of the local backend, which has the states of stacks.
func (p *Project) Backend() string { return p.path("state") }

// Environment is that of the CLI, for those who run it another way.
func (p *Project) Environment() []string { return slices.Clone(p.env) }

func (p *Project) path(elem ...string) string {
	return filepath.Join(append([]string{p.opts.Dir}, elem...)...)
}

// environment is the caller's without anything of Pulumi's, and with what
// keeps the CLI in the project's folder and off the network.
func (p *Project) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "PULUMI_") || strings.HasPrefix(kv, "PATH=")
	})
	path := strings.Join([]string{
		filepath.Dir(p.opts.CLI), filepath.Dir(p.opts.YAMLHost), os.Getenv("PATH"),
	}, string(os.PathListSeparator))
	env = append(env,
		"PATH="+path,
		"PULUMI_HOME="+p.path("home"),
		"PULUMI_BACKEND_URL=file://"+filepath.ToSlash(p.path("state")),
		"PULUMI_CONFIG_PASSPHRASE="+passphrase,
		"PULUMI_STACK="+StackName,
		"VAULT_SERVER_URL="+p.opts.KeyService,
		"PULUMI_SKIP_UPDATE_CHECK=1",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=1",
		"PULUMI_DEBUG_COMMANDS=1", // shows --event-log
		"DECLPROV_JOURNAL="+p.path("journal"),
		"NO_COLOR=1",
	)
	return append(env, p.opts.Env...)
}
