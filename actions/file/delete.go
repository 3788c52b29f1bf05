package file

import (
	"context"
	"errors"
	"io/fs"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/sys/files"
)

func deleteKind() *actions.Kind {
	return &actions.Kind{
		Name:    "delete",
		Summary: "Deletes a file, a symbolic link or a directory.",
		Doc: `What is not there is *not found*, which completes a resource's ` + "`delete`" + `.

A symbolic link is deleted itself, not what it points to. A directory must be empty unless ` + "`recursive`" + ` says otherwise.`,
		Args: []actions.Arg{
			pathArg("What to delete."),
			declare.Option("recursive", declare.Bool(), false, "Delete a directory with all in it. The permissions must grant the whole tree: `dir/**`."),
			root(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			f := changes(s, declare.Object(declare.Member("path", declare.Text(), "The path, as it was given.")))
			f.Makes = false
			return f
		},
		Examples: []actions.Example{
			{
				Summary: "A file", Spec: `file: delete: path: "etc/motd"`,
				Files: map[string]string{"etc/motd": "Welcome.\n"},
			},
			{
				Summary: "A directory with all in it", Spec: `file: delete: {path: "cache", recursive: true}`,
				Files: map[string]string{"cache/a/1": "one", "cache/b": "two"},
			},
		},
		Run: runDelete,
	}
}

func runDelete(ctx context.Context, call *actions.Call) actions.Outcome {
	var args struct {
		location
		Recursive bool `arg:"recursive"`
	}
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	err := call.Env.Files.Remove(ctx, args.place(), args.Recursive)
	var changed *files.ChangedError
	switch {
	case err == nil:
		return actions.Succeed(map[string]any{"path": args.Path})
	case errors.Is(err, fs.ErrNotExist) && !errors.As(err, &changed):
		return actions.Missing(err)
	default:
		return changing(err)
	}
}
