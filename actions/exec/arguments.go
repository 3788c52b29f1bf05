package exec

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
)

// words returns an argument of mode Words. It is exposed: every user of the machine can read
// a command line.
func words(name, doc string) actions.Arg {
	a := declare.Arg(name, declare.List(declare.Text()), doc)
	a.Mode, a.Exposed = actions.Words, true
	a.Instead = "Every user of the machine can read a command line. Pass the secret by `env` or `stdin`, or remove @secret() if the value is not secret."
	return a
}

// arguments returns the arguments of a command, without those that have defaults for all.
func arguments() []actions.Arg {
	shell := declare.Arg("shell", declare.NonEmpty(), "A shell script, instead of `command`.")
	shell.Mode = actions.Raw
	shell.Instead = "A script must not contain values. Pass a value by `env: NAME: \"${inputs.name}\"`, and write \"$NAME\" in the script; or pass it by `stdin`. " +
		"For the shell's own ${NAME}, write $${NAME}, or give the whole script as {literal: \"…\"}."
	returns := declare.Arg("returns", declare.Any(), "Type of the decoded standard output, if `stdout` is \"json\": a definition of the spec.")
	returns.Mode = actions.Typed
	stdin := declare.Arg("stdin", contentType(), "Standard input of the command: a string or an asset. Default: empty.")
	stdin.Locates = true
	return []actions.Arg{
		words("command", "The program and its arguments."), shell,
		declare.Option("dashes", declare.Bool(), false, "Allow values anywhere in `command` to begin with `-`."),
		stdin,
		filesArg("files", "Path in the folder.", "Files for the command, in a private folder, `$DECLPROV_FILES`. They are removed when the command has ended."),
		filesArg("upload", "Path on the machine; a relative path is relative to the user's home.", "Files to copy to the machine of `ssh` before the command runs. They are not removed."),
		declare.Option("stdout", declare.OneOf("text", "raw", "json", "lines", "bytes", "none"), "text", "Format of the standard output: `text` is without one newline at its end, `raw` is unchanged, `lines` gives a list, `bytes` gives base64."),
		returns,
		exitCodesArg(),
		declare.Option("effect", declare.OneOf("none", "write"), "write", "Whether the command changes anything; `none` if it only reads."),
		declare.Option("idempotent", declare.Bool(), false, "Running the command twice has the same effect as running it once. It is then run again if its outcome is unknown, and `vet` does not warn that it may run twice (`at-least-once`). The first run may not have ended when the second one starts, so runs that overlap must not harm each other."),
	}
}

// defaults returns the arguments that a spec may also give for all its commands.
func defaults() []actions.Arg {
	env := declare.Arg("env", declare.Map(declare.Any()), "Environment variables; null removes one. A variable of a step replaces the one of that name in the defaults.")
	env.Merged, env.Locates = true, true
	dir := declare.Arg("dir", declare.NonEmpty(), "Working directory, relative to the folder of the user's program. Default: that folder.")
	dir.Exposed = true
	message := declare.Arg("error", declare.Any(), "Message of a failure, from `stdout`, `stderr` and `exitCode`. Default: the end of the standard error or, if that is empty, of the standard output.")
	message.Mode = actions.Late
	box := declare.Option("sandbox", declare.OneOf("auto", "required", "off"), "auto",
		"Whether the Linux kernel confines the command to the granted permissions. `auto`: as far as the kernel can, if the spec has a `permissions` block. `required`: always; otherwise the command does not start. `off`: never.")
	box.Mode = actions.Raw
	box.Instead = "It must be visible in the spec whether commands are confined. Write \"auto\", \"required\" or \"off\"."
	interpreter := words("interpreter", "Program that runs a `shell` script, and its arguments; the script is added as the last argument. Default: `[\"/bin/sh\", \"-c\"]`.")
	return []actions.Arg{
		interpreter, env, dir, box, sshArg(),
		declare.Arg("log", declare.OneOf("both", "stdout", "stderr", "none"),
			"Output to show while the command runs. Default: both; only `stderr` if `stdout` is JSON or bytes, if the command changes nothing, or if a property of the resource is secret."),
		message,
		declare.Arg("timeout", declare.Text(), "Time limit of one attempt; the step's `timeout` limits all attempts together. Default: no limit other than those of the step and of Pulumi."),
		declare.Option("grace", declare.Text(), "5s", "Time between SIGTERM and SIGKILL when the command is ended."),
		declare.MaxBytes("Maximum size of the standard output; if it is exceeded, the step fails after the command has ended. Of the standard error, only the end is kept, up to this size."),
		declare.MaxValues("Maximum number of values in the standard output, at any depth, if `stdout` is JSON or lines; if it is exceeded, the step fails after the command has ended."),
	}
}
