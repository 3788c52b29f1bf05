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
		Doc: `A directory that exists is an error unless ` + "`overwrite`" + ` says otherwise; then it is taken as it is, with what is in
it, and gets the mode that is given. Anything else in its place is always an error.`,
		Args: []actions.Arg{
			pathArg("Directory to make."),
			mode("Permission bits in octal, exact whatever the umask. Without it a new directory has 0777 less the umask."),
			parents(),
			overwrite("Accept a directory that exists; nothing in it is touched."),
			root(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			return changes(s, declare.Object(
				declare.Member("path", declare.Text(), "The path, as it was given."),
				declare.Member("mode", declare.Text(), "Permission bits, in octal: `0755`."),
				declare.Member("modified", declare.Text(), "When its list of names last changed: RFC 3339, in UTC."),
			))
		},
		Examples: []actions.Example{{Summary: "A private directory", Spec: `file: mkdir: {path: "var/secrets", mode: "0700"}`}},
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
	info, err := call.Env.Files.Mkdir(args.place(), files.MkdirOptions{Mode: args.Mode.Bits, Parents: args.Parents, Existing: args.Overwrite})
	if err != nil {
		return changing(err)
	}
	result := attributes(args.Path, info)
	delete(result, "size")
	return actions.Succeed(result)
}
