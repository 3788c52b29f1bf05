package compare

// difference is an intended difference, with its reason.
type difference struct {
	observation
	why string
}

// onlyOurs returns the recorded properties that the guide's provider does not have. The
// comparison ignores them.
func onlyOurs() []string { return []string{"mode", "sha256", "size"} }

// differences returns the intended differences between the guide's provider and ours.
func differences() []difference {
	const (
		deleteFirst = "delete-replaced File greeting\nreplace File greeting (force, path)\ncreate-replacement File greeting (force, path)"
		createFirst = "create-replacement File greeting (force, path)\nreplace File greeting (force, path)\ndelete-replaced File greeting"
		order       = "The guide's provider always sets deleteBeforeReplace. So the file temporarily does not exist, and it is lost if the create fails. " +
			"Ours creates the new file first; it only deletes first if both would have the same id."
		phantom = "nothing DIR/nothing.txt: inputs , outputs "
		crash   = "The guide's provider declares that it accepts secrets, but treats the wrapped value as text: it crashes, and leaves an empty file. " +
			"Ours writes the text, and stores it encrypted in the state."
		ghost = "If a file does not exist, the guide's provider returns empty properties, which the CLI interprets as a resource without properties: " +
			"it imports a file that does not exist. Ours reports that it does not exist."
	)
	return []difference{
		{observation{"preview of a replacement", ops, deleteFirst, createFirst}, order},
		{observation{"replacement", ops, deleteFirst, createFirst}, order},
		{
			observation{"create over an existing file", fault, "force overwrites the object", ""},
			"The message of the guide's provider names its input `force`. Ours is the message of the action file.write, which is the same for all specs: " +
				"it names the argument `overwrite`, and the position in the spec where this argument refers to `force`.",
		},
		{observation{"import of a file that does not exist", fault, "", "the object to import does not exist"}, ghost},
		{observation{"import of a file that does not exist", state, phantom, ""}, ghost},
		{observation{"secret content", fault, "the provider crashed", ""}, crash},
		{observation{"secret content", files, "hidden.txt: ", "hidden.txt: swordfish"}, crash},
		{
			observation{
				"secret content", state, phantom,
				`hidden DIR/hidden.txt: inputs content=(secret) force=false path="DIR/hidden.txt", outputs content=(secret) force=false path="DIR/hidden.txt"`,
			},
			crash + " (The state of the guide's provider also still contains nothing.txt: see the import of a file that does not exist.)",
		},
		{observation{"destroy after one file was deleted", files, "hidden.txt: ", ""}, "The crash has left an empty file, which no state contains, so nothing deletes it."},
		{observation{"destroy after one file was deleted", ops, "delete File nothing", "delete File hidden"}, "Each provider deletes the resource in its own state."},
	}
}
