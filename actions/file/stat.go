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
		Summary: "Describes a file, directory or symbolic link without reading it.",
		Doc:     "If nothing exists at the path, the result is *not found*. For a symbolic link, the link itself is described unless `follow` is true.",
		Args: []actions.Arg{
			pathArg("Path to describe."),
			declare.Option("follow", declare.Bool(), false, "Describe the target of a symbolic link, which the permissions must grant."),
			rootArg(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			kind := declare.Member("type", declare.Text(), "Type of the file.")
			kind.Type.Enum = []any{"file", "directory", "symlink", "other"}
			target := declare.Member("target", declare.Text(), "Target of a symbolic link, as stored in the link. Only of symbolic links.")
			target.Required = false
			return lookFacts(s, declare.Object(
				declare.Member("path", declare.Text(), "The path, as given."),
				kind,
				declare.Member("size", declare.Int(), "Size of a file in bytes. For other types it depends on the system."),
				declare.Member("mode", declare.Text(), "Permission bits, in octal: `0644`."),
				declare.Member("modified", declare.Text(), "Time of the last modification: RFC 3339, in UTC."),
				target,
			))
		},
		Examples: []actions.Example{{
			Summary: "Check whether a directory exists", Spec: `file: stat: path: "app/releases"`,
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
	files, at := call.Env.Files, args.fullPath()
	look := files.Lstat
	if args.Follow {
		look = files.Stat
	}
	info, err := look(at)
	if err != nil {
		return lookFailure("stat", err)
	}
	result := attributes(args.Path, info)
	result["type"] = typeName(info.Mode())
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := files.Readlink(at)
		if err != nil {
			return lookFailure("stat", err)
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
