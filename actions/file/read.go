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
		Doc: `A file that is not there is *not found*: gone, in a resource's ` + "`read`" + `.

Only what is referred to is read: without ` + "`content`, `contentBase64` and `sha256`" + ` no byte of the file is.
Symbolic links are followed, as far as their targets are permitted.`,
		Args: []actions.Arg{
			pathArg("File to read."),
			declare.MaxBytes("Most bytes of `content` or `contentBase64`; a larger file is an error. `sha256` has no limit."),
			root(),
		},
		Analyze: func(s actions.Static) actions.Facts { return looks(s, fileType()) },
		Examples: []actions.Example{{
			Summary: "A file's content and hash", Spec: `file: read: path: "etc/motd"`,
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
	result, err := readFile(ctx, call.Env.Files, args.Path, args.place(), int64(args.MaxBytes), askedOf(call, ""))
	if err != nil {
		return looking("read", err)
	}
	return actions.Succeed(result)
}

// readFile describes the file at a place, under the path that it is shown by.
func readFile(ctx context.Context, files *files.Files, path, at string, limit int64, ask asked) (map[string]any, error) {
	file, info, err := files.Open(at)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	result := attributes(path, info)
	if err := addContent(result, &contextReader{ctx, file}, limit, ask); err != nil {
		return nil, fmt.Errorf("%q: %w", at, err)
	}
	return result, nil
}

// readInto adds to a result what is asked of the content of the file.
func readInto(ctx context.Context, result map[string]any, files *files.Files, at string, limit int64, ask asked) error {
	file, _, err := files.Open(at)
	if err != nil {
		return fmt.Errorf("read back %w", err)
	}
	defer file.Close()
	if err := addContent(result, &contextReader{ctx, file}, limit, ask); err != nil {
		return fmt.Errorf("read back %q: %w", at, err)
	}
	return nil
}

// contextReader is a reader that ends with its context.
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
