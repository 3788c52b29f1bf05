package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
)

func copyKind() *actions.Kind {
	return &actions.Kind{
		Name:    "copy",
		Summary: "Copies a file atomically.",
		Doc: `Copies one file with its permission bits. The content is streamed. The permissions must grant ` + "`from`" + ` for
reading, and ` + "`path`" + ` for writing. If ` + "`from`" + ` does not exist, the result is *not found*.

Directories are not supported: list the directory, and copy each of its files with ` + "`forEach`" + `.`,
		Args: []actions.Arg{
			requiredPath("from", "File to copy."),
			pathArg("Path of the copy."),
			modeArg("Permission bits of the copy in octal, independent of the umask. Default: those of the original."),
			parentsArg(),
			overwriteArg("Replace an existing file."),
			declare.MaxBytes("Maximum size of `content` or `contentBase64` in the result. Copying has no limit."),
			rootArg(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			f := createFacts(s, fileType())
			f.Grants = append(argumentGrants(s, grant.Read, "from"), f.Grants...)
			return f
		},
		Marked: true,
		Examples: []actions.Example{{
			Summary: "Back up a file", Spec: `file: copy: {from: "app.conf", path: "backup/app.conf"}`,
			Files: map[string]string{"app.conf": "level = 3\n"},
		}},
		Run: runCopy,
	}
}

func runCopy(ctx context.Context, call *actions.Call) actions.Outcome {
	args := struct {
		writeSettings
		From string `arg:"from"`
	}{writeSettings: defaultWriteSettings()}
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	granted := call.Env.Files
	if err := granted.Check(grant.Write, args.fullPath()); err != nil {
		return actions.Refuse(err)
	}
	src, info, err := granted.Open(args.resolve(args.From))
	if errors.Is(err, files.ErrDirectory) {
		err = fmt.Errorf("%w; list it with file.list, and copy each file with forEach", err)
	}
	if err != nil {
		return lookFailure("copy", err)
	}
	defer src.Close()
	opts := args.options(call)
	if opts.Mode == nil {
		kept := info.Mode() & fs.ModePerm
		opts.Mode = &kept
	}
	return args.writeFrom(ctx, call, src, opts)
}
