package file

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// defaultLimit is the most content that a result holds, in bytes, unless a
// spec says otherwise: as for http's answers.
const defaultLimit = 16 << 20

func readKind() *actions.Kind {
	return &actions.Kind{
		Name:    "read",
		Summary: "Reads a file.",
		Doc: `A file that is not there is *not found*: gone, in a resource's ` + "`read`" + `.

Only what is referred to is read: without ` + "`content`, `contentBase64` and `sha256`" + ` no byte of the file is.
Symbolic links are followed, as far as their targets are permitted.`,
		Args: []actions.Arg{
			pathArg("File to read."),
			maxBytes("Most bytes of `content` or `contentBase64`; a larger file is an error. `sha256` has no limit."),
			root(),
		},
		Result: fileType,
		Effect: noEffect,
		Grants: needs(actions.Read, "path"),
		Examples: []actions.Example{{
			Summary: "A file's content and hash", Spec: `file: read: path: "etc/motd"`,
			Files: map[string]string{"etc/motd": "Welcome.\n"},
		}},
		Run: runRead,
	}
}

func maxBytes(doc string) actions.Arg {
	arg := optional("maxBytes", &spec.Type{Kind: spec.Union, Variants: []*spec.Type{
		{Kind: spec.Int},
		{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: sizePattern.String()}}},
	}}, doc)
	arg.Default = "16MiB"
	return arg
}

var sizePattern = regexp.MustCompile(`^([0-9]{1,18}) ?(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)?$`)

// limitOf is the call's maxBytes.
func limitOf(call *actions.Call) (int64, error) {
	var text string
	switch v := call.Args["maxBytes"].(type) {
	case nil:
		return defaultLimit, nil
	case int64:
		text = strconv.FormatInt(v, 10)
	default:
		text = fmt.Sprint(v)
	}
	units := map[string]int64{
		"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
		"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	}
	m := sizePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf(`maxBytes %q is not a size; write a number of bytes, or "16MiB"`, text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || n > (math.MaxInt64-1)/units[m[2]] {
		return 0, fmt.Errorf("maxBytes %q is more than there can be", text)
	}
	return n * units[m[2]], nil
}

func runRead(ctx context.Context, call *actions.Call) actions.Outcome {
	limit, err := limitOf(call)
	if err != nil {
		return actions.Refuse(err)
	}
	at, ask := place(call, "path"), askedOf(call, "")
	result, err := readFile(ctx, call.Env.Files, call.String("path"), at, limit, ask)
	if err != nil {
		return looking("read", err)
	}
	return actions.Succeed(result)
}

// readFile describes the file at a place, under the path that it is shown by.
func readFile(ctx context.Context, files *actions.Files, path, at string, limit int64, ask asked) (map[string]any, error) {
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
func readInto(ctx context.Context, result map[string]any, files *actions.Files, at string, limit int64, ask asked) error {
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
