package file

import (
	"context"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/sys/files"
)

func symlinkKind() *actions.Kind {
	return &actions.Kind{
		Name:    "symlink",
		Summary: "Makes a symbolic link.",
		Doc: `The target is stored in the link as given: an absolute path, or a path relative to the folder of the link. It need
not exist. The permissions must grant it for reading.

If something exists at the path, that is an error unless ` + "`overwrite`" + ` is true. Then a file or link is replaced
atomically; a directory is never replaced.`,
		Args: []actions.Arg{
			pathArg("Path of the link."),
			requiredPath("target", "Target of the link."),
			parentsArg(),
			overwriteArg("Replace an existing file or symbolic link."),
			rootArg(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			return createFacts(s, declare.Object(
				declare.Member("path", declare.Text(), "The path, as given."),
				declare.Member("target", declare.Text(), "The target, as given."),
			))
		},
		Examples: []actions.Example{{
			Summary: "Point to the current release", Spec: `file: symlink: {path: "app/current", target: "releases/2", overwrite: true}`,
			Files: map[string]string{"app/releases/2/VERSION": "2\n"},
		}},
		Run: runSymlink,
	}
}

func runSymlink(_ context.Context, call *actions.Call) actions.Outcome {
	args := struct {
		location
		Target    string `arg:"target"`
		Parents   bool   `arg:"parents"`
		Overwrite bool   `arg:"overwrite"`
	}{Parents: true}
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	err := call.Env.Files.Symlink(args.Target, args.fullPath(), files.SymlinkOptions{Parents: args.Parents, Overwrite: args.Overwrite})
	if err != nil {
		return changeFailure(err)
	}
	return actions.Succeed(map[string]any{"path": args.Path, "target": args.Target})
}
