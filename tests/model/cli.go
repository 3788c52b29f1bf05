package model

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/model/specgen"
)

// Programs are the paths of Pulumi's CLI and of what it needs.
type Programs struct{ CLI, YAMLHost string }

// Typed is a stack of the real CLI: a user at a terminal.
type Typed struct {
	project  *pulumicli.Project
	name     string
	folder   string
	settings settings
}

// openTyped makes a project with a stack.
func openTyped(programs Programs, at Place, spec *specgen.Spec, who string, s settings) (*Typed, error) {
	dir := filepath.Join(at.Dir, "cli-"+who)
	t := &Typed{name: "project-" + strings.ToLower(who), folder: filepath.Join(dir, "provider"), settings: s}
	if err := os.MkdirAll(t.folder, 0o755); err != nil {
		return nil, err
	}
	if err := provider.Make(t.folder, at.Binary, "model", ".json", spec.Text); err != nil {
		return nil, err
	}
	err := provider.WrapProvider(t.folder, "model", ".json", provider.NotePID)
	if err != nil {
		return nil, err
	}
	keys, err := pulumicli.KeyService()
	if err != nil {
		return nil, err
	}
	t.project, err = pulumicli.Open(pulumicli.Options{
		Name: t.name, Dir: dir, CLI: programs.CLI, YAMLHost: programs.YAMLHost, KeyService: keys,
		Providers: map[string]string{"model": t.folder}, Env: []string{"DECLPROV_JOURNAL=" + s.journal},
	})
	return t, err
}

// write writes the program.
func (t *Typed) write(p Program) error {
	config := specgen.Object{"model:endpoint": specgen.Object{"value": t.settings.endpoint}}
	if t.settings.tool != "" {
		config["model:tool"] = specgen.Object{"value": t.settings.tool}
	}
	resources := specgen.Object{}
	for slot, in := range p {
		resources[slot] = specgen.Object{
			"type": "model:Thing", "properties": specgen.Object{"name": in.Name, "colour": in.Colour, "text": in.Text, "size": in.Size},
		}
	}
	// JSON is YAML.
	settings, err := json.Marshal(config)
	if err != nil {
		return err
	}
	text, err := json.Marshal(resources)
	if err != nil {
		return err
	}
	return t.project.SetProgram(fmt.Sprintf("config: %s\nresources: %s\n", settings, text))
}

// said are the errors of a command, each behind the slot that it is about.
func (t *Typed) said(r *pulumicli.Result, err error) []string {
	if err != nil {
		return []string{err.Error()}
	}
	if r.ExitCode == 0 {
		return nil
	}
	var out []string
	for _, d := range r.Diagnostics() {
		if d.Severity == "error" && d.URN != "" {
			out = append(out, d.URN[strings.LastIndex(d.URN, ":")+1:]+": "+d.Text)
		}
	}
	// Errors of resources come first: that of the stack only says that there are
	// such.
	slices.SortStableFunc(out, func(a, b string) int { return strings.Compare(short(a), short(b)) })
	if len(out) == 0 {
		out = []string{fmt.Sprintf("exit code %d: %s%s", r.ExitCode, r.Stdout, r.Stderr)}
	}
	return out
}

// short tells errors of slots from those of others.
func short(text string) string {
	slot, _, _ := strings.Cut(text, ":")
	if slices.Contains(slots, slot) {
		return "0"
	}
	return "1"
}

// run runs a command, and repairs what an earlier one left that was killed.
func (t *Typed) run(do func() (*pulumicli.Result, error)) []string {
	if _, err := t.project.Mend(); err != nil {
		return []string{err.Error()}
	}
	r, err := do()
	if err == nil && r.ExitCode != 0 && strings.Contains(r.Stderr, "pulumi cancel") {
		if _, err := t.project.Run(context.Background(), "cancel", "--yes"); err != nil {
			return []string{err.Error()}
		}
		r, err = do()
	}
	return t.said(r, err)
}

// Up is described at Stack, as are those that follow.
func (t *Typed) Up(p Program) []string {
	if err := t.write(p); err != nil {
		return []string{err.Error()}
	}
	return t.run(func() (*pulumicli.Result, error) { return t.project.Up(context.Background()) })
}

// Refresh refreshes; it drops what a killed CLI has noted as under way, as the CLI
// says that one should.
func (t *Typed) Refresh() []string {
	return t.run(func() (*pulumicli.Result, error) {
		return t.project.Refresh(context.Background(), "--clear-pending-creates")
	})
}

// Destroy destroys.
func (t *Typed) Destroy() []string {
	return t.run(func() (*pulumicli.Result, error) { return t.project.Destroy(context.Background()) })
}

// Import imports.
func (t *Typed) Import(slot, id string) []string {
	return t.run(func() (*pulumicli.Result, error) {
		return t.project.Import(context.Background(), resourceType, slot, id)
	})
}

// Recorded is read from the backend's file; while the CLI writes it, it is that of
// before.
func (t *Typed) Recorded() []Recorded {
	state, err := t.project.Export()
	if err != nil {
		return nil
	}
	var out []Recorded
	for _, r := range state.Resources {
		if strings.HasPrefix(string(r.Type), "pulumi:") || r.PendingReplacement {
			continue
		}
		serial, _ := r.Outputs["serial"].(string)
		out = append(out, Recorded{
			Slot: r.URN.Name(), ID: string(r.ID), Serial: serial, Failed: len(r.InitErrors) > 0, Delete: r.Delete,
		})
	}
	return out
}

// Interrupt is ^C, which a terminal sends to the CLI alone here.
func (t *Typed) Interrupt() {
	if pid := provider.CLIPID(t.folder); pid > 0 {
		_ = provider.Signal(os.Interrupt, pid)
	}
}

// Crash kills the CLI, and what it has started.
func (t *Typed) Crash() {
	if pid := provider.CLIPID(t.folder); pid > 0 {
		_ = provider.Signal(os.Kill, append([]int{pid}, provider.ChildPIDs(pid)...)...)
	}
}

// Kill kills the provider.
func (t *Typed) Kill() {
	_ = provider.Signal(os.Kill, provider.RunningPIDs(t.folder)...)
}

// URN is a resource's.
func (t *Typed) URN(slot string) string {
	return strings.Join([]string{"urn:pulumi:" + pulumicli.StackName, t.name, resourceType, slot}, "::")
}
