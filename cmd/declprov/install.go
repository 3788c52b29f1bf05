package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/startup"
	"github.com/declprov/declprov/spec/container"
)

const installHelp = `Install installs a spec as a Pulumi provider. It checks the spec, and writes it to
the plugins of $PULUMI_HOME (~/.pulumi), together with a binary that has the name
pulumi-resource-NAME. To install a changed spec, run install again.

It prints what the spec may do, like "declprov permissions". If the spec requires
more permissions than the installed version, install prints the difference and
asks for confirmation. Without a terminal, it requires --yes.

With several specs, install checks all of them, asks once, and then installs them.

--dir installs into a folder, for a single project:

  plugins:
    providers:
      - name: petstore
        path: ./plugin

If declprov-server is in the same folder as declprov, it becomes the
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

func installCommand(a *app) *cobra.Command {
	i := &installation{app: a}
	o := &i.o
	cmd := &cobra.Command{
		Use:               "install SPEC... | --base | --runtime",
		Short:             "Install specs where Pulumi finds them",
		Long:              installHelp,
		Args:              installArguments(o),
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.base:
				return i.installBase()
			case o.runtime:
				return i.installRuntime()
			}
			return i.install(cmd.Context(), args)
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

// installArguments checks that the arguments are specs, or that there is none with --base or
// --runtime.
func installArguments(o *installOptions) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case o.base && o.runtime:
			return usagef("--base and --runtime exclude each other: run install twice")
		case !o.base && !o.runtime:
			if len(args) == 0 {
				return usagef("%s requires a SPEC, --base or --runtime", cmd.CommandPath())
			}
		case o.dir != "":
			return usagef("--base and --runtime install into the plugins of Pulumi only: remove --dir (to choose another place, set PULUMI_HOME, for pulumi as well)")
		case len(args) > 0 && o.base:
			return usagef("--base installs a plugin without a spec: remove %s, and name the spec in `pulumi package add declprov %s`", args[0], args[0])
		case len(args) > 0:
			return usagef("--runtime installs a plugin without a spec: remove %s, and name its folder in `packages` of Pulumi.yaml", args[0])
		}
		return nil
	}
}

// installSelf installs a plugin that contains no spec (--base or --runtime), and returns its
// folder. Such a plugin evaluates specs when it runs. If its binary cannot (declprov-server), the
// plugin also gets this binary, which can. If this binary has drivers for databases, the plugin
// has them, too.
func (i *installation) installSelf(p install.Provider) (folder string, err error) {
	var evaluates bool
	if p.Executable, evaluates, err = install.Executable(builtin.Built); err != nil {
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

// install checks all specs, asks for their permissions, and then installs them.
func (i *installation) install(ctx context.Context, paths []string) error {
	all, err := i.prepare(ctx, paths)
	if err != nil {
		return err
	}
	about, err := i.askForGrants(ctx, all)
	if err != nil {
		return err
	}
	for n := range all {
		if err := i.write(&all[n]); err != nil {
			return failedError{err}
		}
	}
	return i.printInstalled(about, all)
}

// prepared is a provider whose spec and place were checked, so that it can be installed.
type prepared struct {
	install.Provider
	// compiled is the compiled spec, even if Provider has the source.
	compiled *container.Container
	// folder is the folder that the provider is installed in.
	folder string
}

// prepare checks all specs, and whether each can be installed in its place. It prints the mistakes
// of all specs. If one of them has mistakes, it returns an error, so that none is installed.
func (i *installation) prepare(ctx context.Context, paths []string) ([]prepared, error) {
	var all []prepared
	var mistakes error
	for _, path := range paths {
		compiled, err := i.vetSpec(ctx, path)
		if errors.As(err, new(reportedError)) {
			mistakes = err
			continue
		}
		if err != nil {
			return nil, err
		}
		p, err := i.provider(compiled, path)
		if err != nil {
			return nil, err
		}
		if err := i.checkPlace(p.Provider, all); err != nil {
			return nil, failedError{err}
		}
		all = append(all, p)
	}
	return all, mistakes
}

// checkPlace returns an error if a provider cannot be installed together with others.
func (i *installation) checkPlace(p install.Provider, others []prepared) error {
	for _, o := range others {
		if o.Name == p.Name && (o.Version == p.Version || i.o.dir != "") {
			return fmt.Errorf("two of the specs are %s %s and %s %s: they would replace each other", o.Name, o.Version, p.Name, p.Version)
		}
	}
	if i.o.dir != "" {
		return install.CheckFolder(i.o.dir, p)
	}
	plugins, err := install.Plugins()
	if err != nil {
		return err
	}
	return install.CheckPlugins(plugins, p, i.o.force)
}

// write installs a provider in its place.
func (i *installation) write(p *prepared) error {
	if i.o.dir != "" {
		p.folder = i.o.dir
		return install.IntoFolder(i.o.dir, p.Provider)
	}
	plugins, err := install.Plugins()
	if err != nil {
		return err
	}
	p.folder, err = install.IntoPlugins(plugins, p.Provider, i.o.force)
	return err
}

// provider returns the provider to install. It has the source of the spec if that is one file
// and the binary can evaluate it; otherwise the compiled form.
func (i *installation) provider(compiled []byte, path string) (p prepared, err error) {
	if p.compiled, err = container.OpenBytes(compiled); err != nil {
		return p, err
	}
	described, err := p.compiled.Provider()
	if err != nil {
		return p, err
	}
	executable, evaluates, err := install.Executable(builtin.Variant(described))
	if err != nil {
		return p, failedError{err}
	}
	sources, err := p.compiled.Sources()
	if err != nil {
		return p, err
	}
	p.Provider = install.Provider{
		Name: described.Name, Version: described.Version, Executable: executable,
		SpecName: described.Name + startup.CompiledExt, Spec: compiled,
	}
	if evaluates && len(sources) == 1 && len(i.tags) == 0 && path != "-" {
		p.SpecName, p.Spec = p.Name+filepath.Ext(sources[0].Path), sources[0].Content
	}
	return p, nil
}
