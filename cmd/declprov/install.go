package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/door"
	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/spec/container"
)

const installHelp = `Install makes a spec a provider of Pulumi's: it vets the spec, and puts it, beside
a binary under the name pulumi-resource-NAME, into the plugins of $PULUMI_HOME
(~/.pulumi). Installing again takes the changed spec over.

It prints what the spec may do, as "declprov permissions" does. Where that is more
than the installed version may do, it prints the difference and asks; without a
terminal it refuses, unless --yes agrees.

With --dir, it goes into a folder of your choice, for one project alone:

  plugins:
    providers:
      - name: petstore
        path: ./plugin

The binary is pulumi-resource-declprov, where that lies beside declprov: it starts
in half the time, and the spec is installed in its compiled form. Else it is
declprov itself, and a spec of one file is copied as it is; a package, and a spec
with tags, in its compiled form.

With --base and no spec, it installs the plugin "declprov", which takes any spec as
its parameter. The program's folder then carries the spec, in sdks/:

  declprov install --base
  pulumi package add declprov ./petstore.cue`

type installOptions struct {
	dir   string
	force bool
	base  bool
	yes   bool
}

// installation is one run of install.
type installation struct {
	*app
	o installOptions
}

func (a *app) installCommand() *cobra.Command {
	i := &installation{app: a}
	o := &i.o
	cmd := &cobra.Command{
		Use:               "install SPEC | --base",
		Short:             "Put a spec where Pulumi finds it",
		Long:              installHelp,
		Args:              installArguments(o),
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.base {
				return i.base()
			}
			return i.install(cmd.Context(), args[0])
		},
	}
	cmd.Flags().StringVar(&o.dir, "dir", "", "install into this `folder`, for plugins.providers in Pulumi.yaml")
	cmd.Flags().BoolVar(&o.base, "base", false, "install the plugin that takes any spec as its parameter")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace a plugin that declprov did not install")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "agree to what the spec asks for more than the installed version")
	a.addTagFlag(cmd)
	return cmd
}

// installArguments are a spec, or none with --base.
func installArguments(o *installOptions) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if o.base && o.dir == "" {
			return cobra.NoArgs(cmd, args)
		}
		return specArgument(cmd, args)
	}
}

// installBase puts this binary, which evaluates specs, where Pulumi finds the base
// plugin.
func (i *installation) base() error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	p := install.Provider{Name: serving.BaseName, Version: tool().BaseVersion(), Executable: executable}
	plugins, err := install.Plugins()
	if err != nil {
		return err
	}
	folder, err := install.IntoPlugins(plugins, p, i.o.force)
	if err != nil {
		return failed{err}
	}
	_, err = fmt.Fprintf(i.out, "Installed %s %s in %s\n\nWhat it may do is what the spec may do that it is given: see declprov permissions SPEC.\n\nAdd a spec to a program: pulumi package add %s ./SPEC.cue\n", p.Name, p.Version, folder, p.Name)
	return err
}

func (i *installation) install(ctx context.Context, path string) error {
	compiled, err := i.vetted(ctx, path)
	if err != nil {
		return err
	}
	p, example, err := i.installable(compiled, path)
	if err != nil {
		return err
	}
	if err := i.askForGrants(ctx, compiled, p); err != nil {
		return err
	}
	if i.o.dir != "" {
		if err := install.IntoFolder(i.o.dir, p); err != nil {
			return failed{err}
		}
		return i.sayLocal(p, example)
	}
	plugins, err := install.Plugins()
	if err != nil {
		return err
	}
	folder, err := install.IntoPlugins(plugins, p, i.o.force)
	if err != nil {
		return failed{err}
	}
	return i.sayInstalled(p, folder, example)
}

// vetted evaluates a spec anew, shows what is found, and gives the compiled form
// of one without errors.
func (i *installation) vetted(ctx context.Context, path string) ([]byte, error) {
	spec, err := i.spec(path, "cue")
	if err != nil {
		return nil, err
	}
	built, err := i.evaluate(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := i.report(i.err, "text", built.Findings, built.Sources); err != nil {
		return nil, err
	}
	if built.Container == nil {
		return nil, reported{exitFindings}
	}
	return built.Container, nil
}

// installable is what is installed of a spec, and how a program begins to use it:
// the source where that is one file and the binary evaluates it, else the
// compiled form.
func (i *installation) installable(compiled []byte, path string) (p install.Provider, example string, err error) {
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
		SpecName: described.Name + door.CompiledExt, Spec: compiled,
	}
	if evaluates && len(sources) == 1 && len(i.tags) == 0 && path != "-" {
		p.SpecName, p.Spec = p.Name+filepath.Ext(sources[0].Path), sources[0].Content
	}
	example, err = exampleOf(p.Name, c)
	return p, example, err
}

func (i *installation) sayInstalled(p install.Provider, folder, example string) error {
	_, err := fmt.Fprintf(i.out, "Installed %s %s in %s\n\nA program in YAML uses it as it is:\n\n%s\n"+
		"For other languages, generate an SDK: pulumi package add %s\n",
		p.Name, p.Version, folder, example, filepath.Join(folder, install.Binary(p.Name)))
	return err
}

func (i *installation) sayLocal(p install.Provider, example string) error {
	dir := i.o.dir
	shown := filepath.ToSlash(dir)
	if !filepath.IsAbs(dir) && !strings.HasPrefix(shown, ".") {
		shown = "./" + shown
	}
	_, err := fmt.Fprintf(i.out, "Installed %s %s in %s\n\nWrite in Pulumi.yaml (the path counts from there):\n\n"+
		"plugins:\n  providers:\n    - name: %s\n      path: %s\n%s", p.Name, p.Version, dir, p.Name, shown, example)
	return err
}
