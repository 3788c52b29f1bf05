package serving

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/spec/container"
)

// BaseName is the name of the base plugin, which accepts any spec as its parameter:
// pulumi package add declprov ./spec.cue.
const BaseName = "declprov"

// baseVersion is the version of a base plugin that is not a release. Pulumi requires a
// version in every reference to it.
const baseVersion = "0.0.0"

// maxParameter is the maximum size of an unpacked parameter in bytes.
const maxParameter = 64 << 20

// BaseVersion returns the version of the base plugin, as strict semver.
func (t Tool) BaseVersion() string {
	if t.Version == "" {
		return baseVersion
	}
	return strings.TrimPrefix(t.Version, "v")
}

// serveBase serves the spec that the engine passes as the parameter.
func (t Tool) serveBase(ctx context.Context, log *slog.Logger, args []string) error {
	return pulumi.Serve(ctx, pulumi.Options{
		Version: t.BaseVersion(),
		Parameterize: func(ctx context.Context, p pulumi.Parameters) (*pulumi.Package, error) {
			return t.parameterize(ctx, log, p)
		},
		EngineAddress: pulumi.ParseArgs(args),
		Stdin:         os.Stdin,
		Debug:         log.Enabled(ctx, slog.LevelDebug),
	})
}

// parameterize returns the package of a spec: of the path that a user passes, or of the
// compiled spec that an earlier call stored in the schema of the package.
func (t Tool) parameterize(ctx context.Context, log *slog.Logger, p pulumi.Parameters) (*pulumi.Package, error) {
	encoded, err := t.parameter(ctx, log, p)
	if err != nil {
		return nil, err
	}
	c, err := container.OpenBytes(encoded)
	if err != nil {
		return nil, err
	}
	program, err := Program(c)
	if err != nil {
		return nil, err
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
		packed, err := pack(encoded)
		if err != nil {
			return nil, err
		}
		return schema.Parameterized(text, BaseName, t.BaseVersion(), packed)
	}
	return made, nil
}

// parameter returns the compiled spec of a parameter.
func (t Tool) parameter(ctx context.Context, log *slog.Logger, p pulumi.Parameters) ([]byte, error) {
	if p.Value != nil {
		encoded, err := unpack(p.Value)
		if err != nil {
			return nil, fmt.Errorf("the parameter is not a compiled spec: %w. Run `pulumi package add` again", err)
		}
		if _, err := container.OpenBytes(encoded); !errors.Is(err, container.ErrOlder) {
			return encoded, nil // the caller reports other errors
		}
		return t.rebuildParameter(ctx, log, encoded)
	}
	if len(p.Args) == 0 || strings.Contains(p.Args[0], "=") {
		return nil, errors.New("the spec is missing: run `pulumi package add declprov ./spec.cue`, with KEY=VALUE arguments for the @tag values of the spec")
	}
	b := t.Builder(os.Stderr, log)
	built, err := b.Evaluate(ctx, build.Spec{Path: p.Args[0], Tags: p.Args[1:]})
	if err != nil {
		return nil, explainMissingEvaluator(err)
	}
	if built.Container == nil {
		return nil, WithFindings(&build.Mistakes{Findings: built.Findings, Sources: built.Sources})
	}
	return built.Container, nil
}

func (t Tool) rebuildParameter(ctx context.Context, log *slog.Logger, encoded []byte) ([]byte, error) {
	old, err := container.Salvage(bytes.NewReader(encoded), int64(len(encoded)))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(encoded)
	built, err := t.Builder(os.Stderr, log).Rebuild(ctx, "the parameter", "parameter-"+hex.EncodeToString(sum[:]), old)
	if err != nil {
		return nil, WithFindings(explainMissingEvaluator(err))
	}
	defer built.Close()
	return built.Encoded()
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

// pack compresses a compiled spec to a parameter, which Pulumi stores in the state of each
// provider and in each SDK. Equal specs have equal parameters.
func pack(encoded []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(encoded); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	encoded, err := io.ReadAll(io.LimitReader(r, maxParameter+1))
	if err == nil && len(encoded) > maxParameter {
		err = fmt.Errorf("it has more than %d MiB", maxParameter>>20)
	}
	return encoded, err
}
