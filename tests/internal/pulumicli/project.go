// Package pulumicli runs the real Pulumi CLI, as a user would: with a project in YAML, one
// stack, a local state, and no network.
//
// A Project keeps everything that the CLI writes (its home, the state, logs) in one folder.
// So several can run concurrently, and nothing remains.
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

// StackName is the name of the only stack of each project.
const StackName = "dev"

// Options are the options of a project.
type Options struct {
	// Name is the name of the project; "" is "test".
	Name string
	// Dir is an existing folder for everything that the project writes.
	Dir string
	// CLI and YAMLHost are the paths of the two programs.
	CLI, YAMLHost string
	// Providers are the provider folders of the program, by package name.
	Providers map[string]string
	// KeyService is the URL of the service with the key of the stack. With "", the key is
	// derived from a passphrase, as for users without Pulumi's cloud.
	KeyService string
	// Env is added to the environment of the CLI and the providers.
	Env []string
	// RecordGRPC records every call between the CLI and its plugins: see Result.Calls.
	RecordGRPC bool
}

// SaveAtEnd makes the CLI save the state once, at the end of a command, in place of twice for each
// resource, which is most of the time of a program with dozens of resources. It is not for tests that
// kill the CLI: the state would be lost. Add it to Options.Env.
func SaveAtEnd() []string { return []string{"PULUMI_EXPERIMENTAL=1", "PULUMI_SKIP_CHECKPOINTS=1"} }

// Project is a Pulumi project in YAML with one stack. Its commands must not run concurrently:
// the stack is locked.
type Project struct {
	// Dir is the folder of the program, with Pulumi.yaml.
	Dir  string
	opts Options
	env  []string
	runs atomic.Int64
}

// Open makes a project with an empty program and a stack.
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

// The passphrase of every stack, and its salt.
const (
	passphrase = "correct horse"
	salt       = "v1:fk3xg71x9Vo=:v1:tlKSWrP0C6tmVTr7:MXCeG1Q55QQfclIats2jL+8eenml5w=="
)

// writeStack writes what `pulumi stack init` writes: the settings of the stack and an empty
// state. It avoids hundreds of processes, each of which would take longer than creating the
// first resources.
func (p *Project) writeStack() error {
	settings := "encryptionsalt: " + salt + "\n"
	if p.opts.KeyService != "" {
		settings = "secretsprovider: " + StackKey + "\nencryptedkey: c3RhY2s=\n" // the service ignores what it is sent
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

// statePath returns the state file of the local backend.
func (p *Project) statePath() string {
	return p.path("state", ".pulumi", "stacks", p.opts.Name, StackName+".json")
}

// SetProgram writes Pulumi.yaml with this body, which begins at `resources:`, `config:` or
// the like.
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

// Home returns PULUMI_HOME, where the CLI finds installed plugins.
func (p *Project) Home() string { return p.path("home") }

// Backend returns the folder of the local backend, with the states of stacks.
func (p *Project) Backend() string { return p.path("state") }

// Environment returns the environment of the CLI, to run it in another way.
func (p *Project) Environment() []string { return slices.Clone(p.env) }

func (p *Project) path(elem ...string) string {
	return filepath.Join(append([]string{p.opts.Dir}, elem...)...)
}

// environment returns the caller's environment without Pulumi's variables, and with variables
// that keep the CLI in the folder of the project and off the network.
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
		KeyServiceVariable+"="+p.opts.KeyService,
		"PULUMI_SKIP_UPDATE_CHECK=1",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=1",
		"PULUMI_DEBUG_COMMANDS=1", // enables --event-log
		"DECLPROV_JOURNAL="+p.path("journal"),
		"NO_COLOR=1",
	)
	return append(env, p.opts.Env...)
}
