package file

import (
	"context"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/sys/files"
)

func mkdirKind() *actions.Kind {
	return &actions.Kind{
		Name:    "mkdir",
		Summary: "Makes a directory.",
		Doc: `An existing directory is an error unless ` + "`overwrite`" + ` is true. Then it keeps its contents, and its mode is changed
if ` + "`mode`" + ` is given. Anything else at the path is always an error.`,
		Args: []actions.Arg{
			pathArg("Directory to make."),
			modeArg("Permission bits in octal, independent of the umask. Default: 0777 less the umask for a new directory."),
			parentsArg(),
			overwriteArg("Accept an existing directory. Its contents are not changed."),
			rootArg(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			f := createFacts(s, declare.Object(
				declare.Member("path", declare.Text(), "The path, as given."),
				declare.Member("mode", declare.Text(), "Permission bits, in octal: `0755`."),
				declare.Member("modified", declare.Text(), "When an entry was last added or removed: RFC 3339, in UTC."),
			))
			f.Joins = s.Given("overwrite") && s.Literals["overwrite"] != false
			return f
		},
		Examples: []actions.Example{{Summary: "Make a private directory", Spec: `file: mkdir: {path: "var/secrets", mode: "0700"}`}},
		Run:      runMkdir,
	}
}

func runMkdir(_ context.Context, call *actions.Call) actions.Outcome {
	args := struct {
		location
		Mode      declare.FileMode `arg:"mode"`
		Parents   bool             `arg:"parents"`
		Overwrite bool             `arg:"overwrite"`
	}{Parents: true}
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	info, err := call.Env.Files.Mkdir(args.fullPath(), files.MkdirOptions{Mode: args.Mode.Bits, Parents: args.Parents, Existing: args.Overwrite})
	if err != nil {
		return changeFailure(err)
	}
	result := attributes(args.Path, info)
	delete(result, "size")
	return actions.Succeed(result)
}
