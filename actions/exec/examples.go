package exec

import "github.com/declprov/declprov/actions"

// examples are run by a test, each in a folder of its own.
func examples() []actions.Example {
	return []actions.Example{
		{Summary: "A command; each item is one argument, whatever characters it contains", Spec: `exec: command: ["mkdir", "-p", "--", "a folder"]`},
		{
			Summary: "A script; a value is passed by an environment variable",
			Spec: `exec: {
	shell: """
		test -n "$NAME" || exit 3
		echo "$NAME" >> names.txt
		"""
	env: NAME: "Rex"
}`,
		},
		{
			Summary: "JSON output, and an exit code that means that the object does not exist",
			Spec: `exec: {
	command: ["sh", "-c", "test -e pet.json || exit 44; cat pet.json"]
	stdout: "json"
	exitCodes: gone: [44]
	effect: "none"
}`,
			Files: map[string]string{"pet.json": `{"id": 7, "name": "Rex"}`},
		},
		{Summary: "Standard input, a working directory and a time limit", Spec: `exec: {command: ["tee", "copy.txt"], stdin: "text\n", dir: "work", timeout: "30s", stdout: "none"}`, Files: map[string]string{"work/README": ""}},
		{Summary: "An error message from the output, if the command fails", Spec: `exec: {command: ["sh", "-c", "echo '{}'"], stdout: "json", error: "${stdout.error.message}"}`},
	}
}
