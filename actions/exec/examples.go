package exec

import "github.com/declprov/declprov/actions"

// examples are run by a test, each in a folder of its own.
func examples() []actions.Example {
	return []actions.Example{
		{Summary: "A command; each item is one argument, whatever is in it", Spec: `exec: command: ["mkdir", "-p", "--", "a folder"]`},
		{
			Summary: "A script; a value comes by the environment",
			Spec: `exec: {
	shell: """
		test -n "$NAME" || exit 3
		echo "$NAME" >> names.txt
		"""
	env: NAME: "Rex"
}`,
		},
		{
			Summary: "What a command says in JSON, and an exit code that says that nothing is there",
			Spec: `exec: {
	command: ["sh", "-c", "test -e pet.json || exit 44; cat pet.json"]
	stdout: "json"
	exitCodes: gone: [44]
	effect: "none"
}`,
			Files: map[string]string{"pet.json": `{"id": 7, "name": "Rex"}`},
		},
		{Summary: "Input, in a folder, within a time", Spec: `exec: {command: ["tee", "copy.txt"], stdin: "text\n", dir: "work", timeout: "30s", stdout: "none"}`, Files: map[string]string{"work/README": ""}},
		{Summary: "A message made of what it says", Spec: `exec: {command: ["sh", "-c", "echo '{}'"], stdout: "json", error: "${stdout.error.message}"}`},
	}
}
