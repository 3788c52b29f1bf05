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
		Summary: "Copies a file, whole or not at all.",
		Doc: `One file is copied, with its permission bits; it is streamed, however large. Both ends must be permitted: ` + "`from`" + ` for
reading, ` + "`path`" + ` for writing. A file that is not there to be copied is *not found*.

A directory is not copied: list it, and copy each of its files with ` + "`forEach`" + `.`,
		Args: []actions.Arg{
			required("from", "File to copy."),
			pathArg("Where the copy goes."),
			mode("Permission bits of the copy in octal, exact whatever the umask. Without it, those of the original."),
			parents(),
			overwrite("Replace a file that exists."),
			declare.MaxBytes("Most bytes of `content` or `contentBase64` in the result. Copying has no limit."),
			root(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			f := changes(s, fileType())
			f.Grants = append(needs(s, grant.Read, "from"), f.Grants...)
			return f
		},
		Marked: true,
		Examples: []actions.Example{{
			Summary: "A copy beside the original", Spec: `file: copy: {from: "app.conf", path: "backup/app.conf"}`,
			Files: map[string]string{"app.conf": "level = 3\n"},
		}},
		Run: runCopy,
	}
}

func runCopy(ctx context.Context, call *actions.Call) actions.Outcome {
	args := struct {
		writing
		From string `arg:"from"`
	}{writing: written()}
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	granted := call.Env.Files
	if err := granted.Check(grant.Write, args.place()); err != nil {
		return actions.Refuse(err)
	}
	src, info, err := granted.Open(args.below(args.From))
	if errors.Is(err, files.ErrDirectory) {
		err = fmt.Errorf("%w; list it with file.list, and copy each file with forEach", err)
	}
	if err != nil {
		return looking("copy", err)
	}
	defer src.Close()
	opts := args.options(call)
	if opts.Mode == nil {
		kept := info.Mode() & fs.ModePerm
		opts.Mode = &kept
	}
	return args.writeFrom(ctx, call, src, opts)
}
