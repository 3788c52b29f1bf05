package exec

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
)

// words is an argument of words, which everybody on the machine can read.
func words(name, doc string) actions.Arg {
	a := declare.Arg(name, declare.List(declare.Text()), doc)
	a.Mode, a.Exposed = actions.Words, true
	a.Instead = "Every user of the machine can read a command line. Pass the secret by `env` or `stdin`, or take @secret() off what is none."
	return a
}

// codes is the type of lists of exit codes.
func codes() *spec.Type { return declare.List(declare.Between("0", "255")) }

// arguments are those of one command.
func arguments() []actions.Arg {
	shell := declare.Arg("shell", declare.NonEmpty(), "A script, instead of `command`.")
	shell.Mode = actions.Raw
	shell.Instead = "A script's text is never made of values. Pass one by `env: NAME: \"${inputs.name}\"`, and write \"$NAME\" in the script; or by `stdin`. " +
		"The shell's own ${NAME} is written $${NAME}; or give the whole script as {literal: \"…\"}."
	returns := declare.Arg("returns", declare.Any(), "Type of what `stdout: \"json\"` gives: a definition of the spec.")
	returns.Mode = actions.Typed
	return []actions.Arg{
		words("command", "The program, and its arguments."), shell,
		declare.Option("dashes", declare.Bool(), false, "Values in `command` may begin with `-`, wherever they stand."),
		declare.Arg("stdin", handed(), "What the command reads on its standard input: text, or an asset. Without it there is nothing to read."),
		placed("files", "Where in the folder.", "Files that the command finds in a folder of its own, `$DECLPROV_FILES`. They are gone when it has ended."),
		placed("upload", "Where on the machine; a relative path starts at the user's home.", "Files that are put on the machine of `ssh` before the command runs, and stay."),
		declare.Option("stdout", declare.OneOf("text", "json", "lines", "bytes", "none"), "text", "What its standard output is: `lines` gives a list, `bytes` base64."),
		returns,
		declare.Arg("exitCodes", declare.Object(
			declare.Field("ok", codes(), "Exit codes of success. Default: 0."),
			declare.Field("gone", codes(), "Exit codes that say that the thing is not there."),
			declare.Field("refused", codes(), "Exit codes that say that nothing was done."),
		), "What exit codes mean. Any other is an error of a command that may have changed something."),
		declare.Option("effect", declare.OneOf("none", "write"), "write", "Whether the command changes anything."),
		declare.Option("idempotent", declare.Bool(), false, "To run it twice does what running it once does: then it is run again where nobody knows what became of it, and a create is not *at least once*."),
	}
}

// defaults are the arguments that a spec may give for all its commands.
func defaults() []actions.Arg {
	env := declare.Arg("env", declare.Map(declare.Any()), "Variables of its environment; null leaves one out. Those of a command come over those for all.")
	env.Merged = true
	dir := declare.Arg("dir", declare.NonEmpty(), "Folder that it starts in, itself relative to the folder of the user's program. Default: that folder.")
	dir.Exposed = true
	message := declare.Arg("error", declare.Any(), "The message of a failure, from `stdout`, `stderr` and `exitCode`. Without it the end of what it wrote.")
	message.Mode = actions.Late
	box := declare.Option("sandbox", declare.OneOf("auto", "required", "off"), "auto",
		"Whether the kernel confines the command to what is granted, on Linux: `auto` where the spec has a `permissions` block, as far as the kernel can; `required` always, or the command does not start.")
	box.Mode = actions.Raw
	box.Instead = "Whether commands are confined is the author's to say, so that who reviews the spec knows it. Write \"auto\", \"required\" or \"off\"."
	interpreter := words("interpreter", "The program that a `shell` script is given to, and its arguments. Default: `[\"/bin/sh\", \"-c\"]`.")
	return []actions.Arg{
		interpreter, env, dir, box, sshArg(),
		declare.Arg("log", declare.OneOf("both", "stdout", "stderr", "none"),
			"What of its output is shown while it runs. Default: both; only `stderr` where `stdout` is JSON or bytes, where the command changes nothing, and where a property of the resource is secret."),
		message,
		declare.Arg("timeout", declare.Text(), "Longest time for one attempt. The step's own `timeout` covers all. Without it, as long as the step and the host allow."),
		declare.Option("grace", declare.Text(), "5s", "Time from TERM to KILL, when it is ended."),
		declare.MaxBytes("Most bytes of its standard output; more are an error, once it has ended. Of its standard error the last so many are kept."),
		declare.MaxValues("Most values of its standard output, at any depth, where it is read as JSON or lines; more are an error, once it has ended."),
	}
}
