package serving

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/parameter"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/plugin"
	"github.com/declprov/declprov/engine/schema"
)

// BaseName is the name of the base plugin, which accepts any spec as its parameter:
// pulumi package add declprov ./spec.cue.
const BaseName = "declprov"

// PluginVersion is the version of the base plugin and of the language host, as Pulumi sees them,
// whatever the version of declprov. SDKs and states refer to the base plugin by it, and Pulumi only
// uses the plugin of exactly that version: a version that changes would require all colleagues, CI
// and the last destroy of a stack to have the same declprov. A parameter has a format of its own.
const PluginVersion = "0.0.0"

// SemanticVersion returns the version of declprov as strict semver, or that of the plugin if this is
// no release.
func (t Tool) SemanticVersion() string {
	return cmp.Or(strings.TrimPrefix(t.Version, "v"), PluginVersion)
}

// serveBase serves the base plugin: Pulumi's engine passes the spec as a parameter.
func (t Tool) serveBase(ctx context.Context, log *slog.Logger, args []string) error {
	return pulumi.Serve(ctx, pulumi.Options{
		Version: PluginVersion,
		Parameterize: func(ctx context.Context, p pulumi.Parameters) (*pulumi.Package, error) {
			return t.parameterize(ctx, log, p)
		},
		EngineAddress: plugin.ParseArgs(args),
		Stdin:         os.Stdin,
		Debug:         log.Enabled(ctx, slog.LevelDebug),
	})
}

// parameterize returns the package of a spec. With `pulumi package add`, p.Args has the path of
// the spec. Later, p.Value has the source of the spec, which is in the SDK that this command
// generated.
func (t Tool) parameterize(ctx context.Context, log *slog.Logger, p pulumi.Parameters) (*pulumi.Package, error) {
	builder := t.Builder(os.Stderr, log)
	value := p.Value
	if value == nil {
		var err error
		if value, err = encodeSpec(ctx, builder, p.Args); err != nil {
			return nil, WithFindings(explainMissingEvaluator(err))
		}
	}
	sum := sha256.Sum256(value)
	c, err := builder.OpenBundle(ctx, "parameter-"+hex.EncodeToString(sum[:]), func() (build.Bundle, error) {
		bundle, err := parameter.Decode(value)
		if err != nil {
			return bundle, fmt.Errorf("invalid parameter: %w. Run `pulumi package add` again, with the source of the spec", err)
		}
		return bundle, nil
	})
	if err != nil {
		return nil, WithFindings(explainMissingEvaluator(err))
	}
	program, missing, err := open(c)
	if err != nil {
		return nil, err
	}
	if missing != "" {
		return nil, errParameter(missing)
	}
	metadata := program.Metadata()
	made := &pulumi.Package{Program: program, Version: metadata.Version}
	if p.Value != nil {
		if p.Name != metadata.Name {
			return nil, fmt.Errorf("the parameter is a spec of the provider %q, expected %q: run `pulumi package add` again", metadata.Name, p.Name)
		}
		made.Version = p.Version // explicit providers refer to the version of the base plugin
	}
	made.Schema = func() ([]byte, error) {
		text, err := c.Schema()
		if err != nil {
			return nil, err
		}
		return schema.Parameterized(text, BaseName, PluginVersion, value)
	}
	return made, nil
}

// encodeSpec returns the parameter of the spec that a user passes: its path, then the values
// of its tags.
func encodeSpec(ctx context.Context, b *build.Builder, args []string) ([]byte, error) {
	if len(args) == 0 || strings.Contains(args[0], "=") {
		return nil, errors.New("the spec is missing: run `pulumi package add declprov ./spec.cue`, with KEY=VALUE arguments for the @tag values of the spec")
	}
	spec := build.Spec{Path: args[0], Tags: args[1:]}
	if _, err := os.Stat(spec.Path); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no spec %s. `pulumi package add` and `pulumi install` require it, to generate the SDK in sdks/; "+
			"`pulumi install` starts at the folder of Pulumi.yaml. `pulumi up` and `pulumi destroy` require only sdks/", spec.Path)
	}
	built, err := b.Evaluate(ctx, spec)
	if err != nil {
		return nil, err
	}
	if built.Container == nil {
		return nil, &build.Mistakes{Findings: built.Findings, Sources: built.Sources}
	}
	bundle, err := build.BundleOf(built.Container, spec)
	if err != nil {
		return nil, err
	}
	return parameter.Encode(bundle)
}

// WithFindings returns an error whose text contains all findings, for a response that has no
// other place for them.
func WithFindings(err error) error {
	var m *build.Mistakes
	if !errors.As(err, &m) {
		return err
	}
	var text strings.Builder
	if err := WriteMistakes(&text, m, false); err != nil {
		return err
	}
	return fmt.Errorf("the spec has mistakes:\n%s", text.String())
}
