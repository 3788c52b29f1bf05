package exec

import (
	"encoding/json"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

var (
	anything   = &spec.Type{}
	text       = &spec.Type{Kind: spec.String}
	someText   = &spec.Type{Kind: spec.String, MinLen: 1}
	integer    = &spec.Type{Kind: spec.Int}
	truth      = &spec.Type{Kind: spec.Bool}
	mapOfAny   = &spec.Type{Kind: spec.Map, Elem: anything}
	listOfText = &spec.Type{Kind: spec.List, Elem: text}
	codes      = &spec.Type{Kind: spec.List, Elem: &spec.Type{
		Kind: spec.Int, Min: &spec.Bound{Value: json.Number("0")}, Max: &spec.Bound{Value: json.Number("255")},
	}}
	size = &spec.Type{Kind: spec.Union, Variants: []*spec.Type{
		integer, {Kind: spec.String, Patterns: []spec.Pattern{{Regexp: actions.SizePattern}}},
	}}
)

func oneOf(names ...string) *spec.Type {
	t := &spec.Type{Kind: spec.String}
	for _, n := range names {
		t.Enum = append(t.Enum, n)
	}
	return t
}

func object(fields ...*spec.Property) *spec.Type {
	return &spec.Type{Kind: spec.Object, Fields: fields}
}

func field(name string, t *spec.Type, doc string) *spec.Property {
	return &spec.Property{Name: name, Type: t, Doc: doc}
}

// member is a property of the result, or of what a late expression sees.
func member(name string, t *spec.Type, doc string) *spec.Property {
	return &spec.Property{Name: name, Type: t, Required: true, Doc: doc, Wire: name}
}

func arg(name string, t *spec.Type, doc string) actions.Arg {
	return actions.Arg{Property: spec.Property{Name: name, Type: t, Doc: doc}}
}

func option(name string, t *spec.Type, byDefault any, doc string) actions.Arg {
	a := arg(name, t, doc)
	a.Default = byDefault
	return a
}

// words is an argument of words, which everybody on the machine can read.
func words(name, doc string) actions.Arg {
	a := arg(name, listOfText, doc)
	a.Mode, a.Exposed = actions.Words, true
	a.Instead = "Every user of the machine can read a command line. Pass the secret by `env` or `stdin`, or take @secret() off what is none."
	return a
}

// arguments are those of one command.
func arguments() []actions.Arg {
	shell := arg("shell", someText, "A script, instead of `command`.")
	shell.Mode = actions.Raw
	shell.Instead = "A script's text is never made of values. Pass one by `env: NAME: \"${inputs.name}\"`, and write \"$NAME\" in the script; or by `stdin`. " +
		"The shell's own ${NAME} is written $${NAME}; or give the whole script as {literal: \"…\"}."
	returns := arg("returns", anything, "Type of what `stdout: \"json\"` gives: a definition of the spec.")
	returns.Mode = actions.Typed
	return []actions.Arg{
		words("command", "The program, and its arguments."), shell,
		option("dashes", truth, false, "Values in `command` may begin with `-`, wherever they stand."),
		arg("stdin", handed(), "What the command reads on its standard input: text, or an asset. Without it there is nothing to read."),
		placed("files", "Where in the folder.", "Files that the command finds in a folder of its own, `$DECLPROV_FILES`. They are gone when it has ended."),
		placed("upload", "Where on the machine; a relative path starts at the user's home.", "Files that are put on the machine of `ssh` before the command runs, and stay."),
		option("stdout", oneOf("text", "json", "lines", "bytes", "none"), "text", "What its standard output is: `lines` gives a list, `bytes` base64."),
		returns,
		arg("exitCodes", object(
			field("ok", codes, "Exit codes of success. Default: 0."),
			field("gone", codes, "Exit codes that say that the thing is not there."),
			field("refused", codes, "Exit codes that say that nothing was done."),
		), "What exit codes mean. Any other is an error of a command that may have changed something."),
		option("effect", oneOf("none", "write"), "write", "Whether the command changes anything."),
		option("idempotent", truth, false, "To run it twice does what running it once does: then it is run again where nobody knows what became of it, and a create is not *at least once*."),
	}
}

// defaults are the arguments that a spec may give for all its commands.
func defaults() []actions.Arg {
	env := arg("env", mapOfAny, "Variables of its environment; null leaves one out. Those of a command come over those for all.")
	env.Merged = true
	dir := arg("dir", someText, "Folder that it starts in, itself relative to the folder of the user's program. Default: that folder.")
	dir.Exposed = true
	message := arg("error", anything, "The message of a failure, from `stdout`, `stderr` and `exitCode`. Without it the end of what it wrote.")
	message.Mode = actions.Late
	box := option("sandbox", oneOf("auto", "required", "off"), "auto",
		"Whether the kernel confines the command to what is granted, on Linux: `auto` where the spec has a `permissions` block, as far as the kernel can; `required` always, or the command does not start.")
	box.Mode = actions.Raw
	box.Instead = "Whether commands are confined is the author's to say, so that who reviews the spec knows it. Write \"auto\", \"required\" or \"off\"."
	interpreter := words("interpreter", "The program that a `shell` script is given to, and its arguments. Default: `[\"/bin/sh\", \"-c\"]`.")
	return []actions.Arg{
		interpreter, env, dir, box, sshArg(),
		arg("log", oneOf("both", "stdout", "stderr", "none"),
			"What of its output is shown while it runs. Default: both; only `stderr` where `stdout` is JSON or bytes, where the command changes nothing, and where a property of the resource is secret."),
		message,
		arg("timeout", text, "Longest time for one attempt. The step's own `timeout` covers all. Without it, as long as the step and the host allow."),
		option("grace", text, "5s", "Time from TERM to KILL, when it is ended."),
		option("maxBytes", size, "16MiB", "Most bytes of its standard output; more are an error, once it has ended. Of its standard error the last so many are kept."),
		actions.MaxValues("Most values of its standard output, at any depth, where it is read as JSON or lines; more are an error, once it has ended."),
	}
}
