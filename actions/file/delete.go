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
		Doc: `If nothing exists at the path, the result is *not found*, which counts as success in a resource's ` + "`delete`" + `.

A symbolic link itself is deleted, not its target. A directory must be empty unless ` + "`recursive`" + ` is true.`,
		Args: []actions.Arg{
			pathArg("File, symbolic link or directory to delete."),
			declare.Option("recursive", declare.Bool(), false, "Delete a directory with its contents. The permissions must grant the whole tree: `dir/**`."),
			rootArg(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			f := changeFacts(s, declare.Object(declare.Member("path", declare.Text(), "The path, as given.")))
			f.Makes, f.Sweeps = false, s.Literals["recursive"] == true
			return f
		},
		Examples: []actions.Example{
			{
				Summary: "Delete a file", Spec: `file: delete: path: "etc/motd"`,
				Files: map[string]string{"etc/motd": "Welcome.\n"},
			},
			{
				Summary: "Delete a directory with its contents", Spec: `file: delete: {path: "cache", recursive: true}`,
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
	err := call.Env.Files.Remove(ctx, args.fullPath(), args.Recursive)
	var changed *files.ChangedError
	switch {
	case err == nil:
		return actions.Succeed(map[string]any{"path": args.Path})
	case errors.Is(err, fs.ErrNotExist) && !errors.As(err, &changed):
		return actions.Missing(err)
	default:
		return changeFailure(err)
	}
}
