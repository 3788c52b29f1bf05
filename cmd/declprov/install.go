package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/startup"
	"github.com/declprov/declprov/engine/pulumi/language"
	"github.com/declprov/declprov/spec/container"
)

const installHelp = `Install installs a spec as a Pulumi provider. It checks the spec, and writes it to
the plugins of $PULUMI_HOME (~/.pulumi), together with a binary that has the name
pulumi-resource-NAME. To install a changed spec, run install again.

It prints what the spec may do, like "declprov permissions". If the spec requires
more permissions than the installed version, install prints the difference and
asks for confirmation. Without a terminal, it requires --yes.

--dir installs into a folder, for a single project:

  plugins:
    providers:
      - name: petstore
        path: ./plugin

If pulumi-resource-declprov is in the same folder as declprov, it becomes the
binary of the plugin: it starts in half the time, and the spec is installed in
compiled form. Otherwise declprov itself becomes the binary. A spec of one file is
then copied unchanged; a package or a spec with tags is installed in compiled form.

--base, without a spec, installs the plugin "declprov", which accepts any spec as
its parameter. The spec is then stored in the program's folder, in sdks/:

  declprov install --base
  pulumi package add declprov ./petstore.cue

--runtime, without a spec, installs the plugin that runs checked-out projects: a
folder with a spec, and a PulumiPlugin.yaml that contains "runtime: declprov", is
then a provider. A program names the folder in its Pulumi.yaml:

  packages:
    petstore: ./petstore`

type installOptions struct {
	dir   string
	force bool
	base  bool
	// runtime installs the language host.
	runtime bool
	yes     bool
}

// installation is one run of the install command.
type installation struct {
	*app
	o installOptions
}

func (a *app) installCommand() *cobra.Command {
	i := &installation{app: a}
	o := &i.o
	cmd := &cobra.Command{
		Use:               "install SPEC | --base | --runtime",
		Short:             "Install a spec where Pulumi finds it",
		Long:              installHelp,
		Args:              installArguments(o),
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.base && o.runtime:
				return usagef("--base and --runtime exclude each other: run install twice")
			case o.base:
				return i.installBase()
			case o.runtime:
				return i.installRuntime()
			}
			return i.install(cmd.Context(), args[0])
		},
	}
	cmd.Flags().StringVar(&o.dir, "dir", "", "install into this `folder`, for plugins.providers in Pulumi.yaml")
	cmd.Flags().BoolVar(&o.base, "base", false, "install the plugin that accepts any spec as its parameter")
	cmd.Flags().BoolVar(&o.runtime, "runtime", false, "install the plugin that runs checked-out projects")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace a plugin that declprov did not install")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "accept permissions that the installed version does not have")
	a.addTagFlag(cmd)
	return cmd
}

// installArguments checks that the argument is a spec, or that there is none with --base or --runtime.
func installArguments(o *installOptions) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if (o.base || o.runtime) && o.dir == "" {
			return cobra.NoArgs(cmd, args)
		}
		return specArgument(cmd, args)
	}
}

// installRuntime installs the language host.
func (i *installation) installRuntime() error {
	p := install.Provider{Kind: install.Language, Name: language.Runtime, Version: tool().BaseVersion()}
	folder, err := i.installSelf(p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.out, "Installed the runtime %s %s in %s\n\nIt runs a provider from a folder with a spec and this PulumiPlugin.yaml:\n\n"+
		"runtime: declprov\n\nName the folder in the Pulumi.yaml of a program, and run pulumi install:\n\npackages:\n  petstore: ./petstore\n",
		p.Name, p.Version, folder)
	return err
}

// installSelf installs a plugin without a spec, which therefore requires this binary to evaluate
// specs. It returns the folder.
func (i *installation) installSelf(p install.Provider) (folder string, err error) {
	var evaluates bool
	if p.Executable, evaluates, err = install.Executable(); err != nil {
		return "", failedError{err}
	}
	if !evaluates {
		if p.Evaluator, err = os.Executable(); err != nil {
			return "", err
		}
	}
	plugins, err := install.Plugins()
	if err != nil {
		return "", err
	}
	if folder, err = install.IntoPlugins(plugins, p, i.o.force); err != nil {
		return "", failedError{err}
	}
	return folder, nil
}

// installBase installs the base plugin.
func (i *installation) installBase() error {
	p := install.Provider{Name: serving.BaseName, Version: tool().BaseVersion()}
	folder, err := i.installSelf(p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.out, "Installed %s %s in %s\n\nIt has the permissions of the spec that it is used with: see declprov permissions SPEC.\n\nAdd a spec to a program: pulumi package add %s ./SPEC.cue\n", p.Name, p.Version, folder, p.Name)
	return err
}

func (i *installation) install(ctx context.Context, path string) error {
	compiled, err := i.vetSpec(ctx, path)
	if err != nil {
		return err
	}
	p, example, err := i.provider(compiled, path)
	if err != nil {
		return err
	}
	if err := i.askForGrants(ctx, compiled, p); err != nil {
		return err
	}
	if i.o.dir != "" {
		if err := install.IntoFolder(i.o.dir, p); err != nil {
			return failedError{err}
		}
		return i.printInstalledLocally(p, example)
	}
	plugins, err := install.Plugins()
	if err != nil {
		return err
	}
	folder, err := install.IntoPlugins(plugins, p, i.o.force)
	if err != nil {
		return failedError{err}
	}
	return i.printInstalled(p, folder, example)
}

// vetSpec evaluates a spec without the cache and prints the findings. It returns the
// compiled form if there are no errors.
func (a *app) vetSpec(ctx context.Context, path string) ([]byte, error) {
	spec, err := a.spec(path, "cue")
	if err != nil {
		return nil, err
	}
	built, err := a.evaluate(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := a.report(a.err, "text", built.Findings, built.Sources); err != nil {
		return nil, err
	}
	if built.Container == nil {
		return nil, reportedError{exitFindings}
	}
	return built.Container, nil
}

// provider returns the provider to install, and an example of a program that uses it.
// The provider has the source of the spec if that is one file and the binary can
// evaluate it; otherwise the compiled form.
func (i *installation) provider(compiled []byte, path string) (p install.Provider, example string, err error) {
	executable, evaluates, err := install.Executable()
	if err != nil {
		return p, "", err
	}
	c, err := container.OpenBytes(compiled)
	if err != nil {
		return p, "", err
	}
	described, err := c.Provider()
	if err != nil {
		return p, "", err
	}
	sources, err := c.Sources()
	if err != nil {
		return p, "", err
	}
	p = install.Provider{
		Name: described.Name, Version: described.Version, Executable: executable,
		SpecName: described.Name + startup.CompiledExt, Spec: compiled,
	}
	if evaluates && len(sources) == 1 && len(i.tags) == 0 && path != "-" {
		p.SpecName, p.Spec = p.Name+filepath.Ext(sources[0].Path), sources[0].Content
	}
	example, err = exampleOf(p.Name, c)
	return p, example, err
}

func (i *installation) printInstalled(p install.Provider, folder, example string) error {
	_, err := fmt.Fprintf(i.out, "Installed %s %s in %s\n\nUse it in a YAML program:\n\n%s\n"+
		"For other languages, generate an SDK: pulumi package add %s\n",
		p.Name, p.Version, folder, example, filepath.Join(folder, install.Binary(p.Name)))
	return err
}

func (i *installation) printInstalledLocally(p install.Provider, example string) error {
	dir := i.o.dir
	shown := filepath.ToSlash(dir)
	if !filepath.IsAbs(dir) && !strings.HasPrefix(shown, ".") {
		shown = "./" + shown
	}
	_, err := fmt.Fprintf(i.out, "Installed %s %s in %s\n\nAdd this to Pulumi.yaml (the path is relative to that file):\n\n"+
		"plugins:\n  providers:\n    - name: %s\n      path: %s\n%s", p.Name, p.Version, dir, p.Name, shown, example)
	return err
}
