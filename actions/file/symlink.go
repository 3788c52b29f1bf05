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
		Doc: `The target is written into the link as it is given: an absolute path, or one relative to the link's own folder. It need
not exist, and must be permitted for reading, since that is where the link leads.

Something that exists in the link's place is an error unless ` + "`overwrite`" + ` says otherwise; then a file or a link is replaced at
once, never a directory.`,
		Args: []actions.Arg{
			pathArg("Where the link stands."),
			required("target", "What it points to."),
			parents(),
			overwrite("Replace a file or a symbolic link that exists."),
			root(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			return changes(s, declare.Object(
				declare.Member("path", declare.Text(), "The path, as it was given."),
				declare.Member("target", declare.Text(), "What it points to, as it was given."),
			))
		},
		Examples: []actions.Example{{
			Summary: "The current release", Spec: `file: symlink: {path: "app/current", target: "releases/2", overwrite: true}`,
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
	err := call.Env.Files.Symlink(args.Target, args.place(), files.SymlinkOptions{Parents: args.Parents, Overwrite: args.Overwrite})
	if err != nil {
		return changing(err)
	}
	return actions.Succeed(map[string]any{"path": args.Path, "target": args.Target})
}
