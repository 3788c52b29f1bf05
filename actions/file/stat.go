package file

import (
	"context"
	"io/fs"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
)

func statKind() *actions.Kind {
	return &actions.Kind{
		Name:    "stat",
		Summary: "Looks at what a path names, without reading it.",
		Doc:     "What is not there is *not found*. A symbolic link is looked at itself, unless `follow` says otherwise.",
		Args: []actions.Arg{
			pathArg("What to look at."),
			declare.Option("follow", declare.Bool(), false, "Look at what a symbolic link points to, as far as that is permitted."),
			root(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			kind := declare.Member("type", declare.Text(), "What it is.")
			kind.Type.Enum = []any{"file", "directory", "symlink", "other"}
			target := declare.Member("target", declare.Text(), "What a symbolic link points to, as it is written there; absent for anything else.")
			target.Required = false
			return looks(s, declare.Object(
				declare.Member("path", declare.Text(), "The path, as it was given."),
				kind,
				declare.Member("size", declare.Int(), "Size in bytes, of a file; of anything else it means little."),
				declare.Member("mode", declare.Text(), "Permission bits, in octal: `0644`."),
				declare.Member("modified", declare.Text(), "When it last changed: RFC 3339, in UTC."),
				target,
			))
		},
		Examples: []actions.Example{{
			Summary: "Whether a directory is there", Spec: `file: stat: path: "app/releases"`,
			Files: map[string]string{"app/releases/2/VERSION": "2\n"},
		}},
		Run: runStat,
	}
}

func runStat(_ context.Context, call *actions.Call) actions.Outcome {
	var args struct {
		location
		Follow bool `arg:"follow"`
	}
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	files, at := call.Env.Files, args.place()
	look := files.Lstat
	if args.Follow {
		look = files.Stat
	}
	info, err := look(at)
	if err != nil {
		return looking("stat", err)
	}
	result := attributes(args.Path, info)
	result["type"] = typeName(info.Mode())
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := files.Readlink(at)
		if err != nil {
			return looking("stat", err)
		}
		result["target"] = target
	}
	return actions.Succeed(result)
}

func typeName(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "symlink"
	default:
		return "other"
	}
}
