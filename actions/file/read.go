package file

import (
	"context"
	"fmt"
	"io"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/sys/files"
)

func readKind() *actions.Kind {
	return &actions.Kind{
		Name:    "read",
		Summary: "Reads a file.",
		Doc: `If the file does not exist, the result is *not found*. In a resource's ` + "`read`" + `, the resource is then gone.

Only referenced members are read: if the spec does not refer to ` + "`content`, `contentBase64` or `sha256`" + `, no content is read.
Symbolic links are followed if the permissions grant their targets.`,
		Args: []actions.Arg{
			pathArg("File to read."),
			declare.MaxBytes("Maximum size of `content` or `contentBase64`. A larger file is an error. `sha256` has no limit."),
			rootArg(),
		},
		Analyze: func(s actions.Static) actions.Facts { return lookFacts(s, fileType()) },
		Examples: []actions.Example{{
			Summary: "Read the content and hash of a file", Spec: `file: read: path: "etc/motd"`,
			Files: map[string]string{"etc/motd": "Welcome.\n"},
		}},
		Run: runRead,
	}
}

func runRead(ctx context.Context, call *actions.Call) actions.Outcome {
	var args struct {
		location
		MaxBytes declare.Bytes `arg:"maxBytes"`
	}
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	result, err := readFile(ctx, call.Env.Files, args.Path, args.fullPath(), int64(args.MaxBytes), wantedBy(call, ""))
	if err != nil {
		return lookFailure("read", err)
	}
	return actions.Succeed(result)
}

// readFile returns the result for the file `at`; path is its path as given.
func readFile(ctx context.Context, files *files.Files, path, at string, limit int64, wanted wantedMembers) (map[string]any, error) {
	file, info, err := files.Open(at)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	result := attributes(path, info)
	if err := addContent(result, &contextReader{ctx, file}, limit, wanted); err != nil {
		return nil, fmt.Errorf("%q: %w", at, err)
	}
	return result, nil
}

// addReadContent adds the wanted members to the result of a file that was written.
func addReadContent(ctx context.Context, result map[string]any, files *files.Files, at string, limit int64, wanted wantedMembers) error {
	file, _, err := files.Open(at)
	if err != nil {
		return fmt.Errorf("read back %w", err)
	}
	defer file.Close()
	if err := addContent(result, &contextReader{ctx, file}, limit, wanted); err != nil {
		return fmt.Errorf("read back %q: %w", at, err)
	}
	return nil
}

// contextReader fails once its context is done.
type contextReader struct {
	ctx context.Context
	src io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.src.Read(p)
}
