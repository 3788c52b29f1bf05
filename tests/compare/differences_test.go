package compare

// difference is one that is meant, with the reason.
type difference struct {
	observation
	why string
}

// oursAlone are the recorded properties that the guide's provider does not
// have; the comparison leaves them out.
func oursAlone() []string { return []string{"mode", "sha256", "size"} }

// differences are where the guide's provider and ours are meant to differ.
func differences() []difference {
	const (
		deleteFirst = "delete-replaced File greeting\nreplace File greeting (force, path)\ncreate-replacement File greeting (force, path)"
		createFirst = "create-replacement File greeting (force, path)\nreplace File greeting (force, path)\ndelete-replaced File greeting"
		order       = "The guide's provider always says deleteBeforeReplace, so for a while there is no file at all, and none is left if the create fails. " +
			"Ours makes the new file first, and deletes first only where both would have one id."
		phantom = "nothing DIR/nothing.txt: inputs , outputs "
		crash   = "The guide's provider says that it accepts secrets and then takes the wrapped value for text: it crashes, and leaves an empty file. " +
			"Ours writes the text, and keeps it encrypted in the state."
		ghost = "To say that a file is gone the guide's provider sends empty properties, which the CLI takes for a resource without any: " +
			"it imports what does not exist. Ours says that it does not exist."
	)
	return []difference{
		{observation{"preview of a replacement", ops, deleteFirst, createFirst}, order},
		{observation{"replacement", ops, deleteFirst, createFirst}, order},
		{
			observation{"create where a file exists", fault, "force overwrites it", ""},
			"Ours is the message of the action file.write, which every spec shares: it names the action's argument, overwrite, and the place in the spec where " +
				"the input force is given to it.",
		},
		{observation{"import of a file that is not there", fault, "", "the thing to import does not exist"}, ghost},
		{observation{"import of a file that is not there", state, phantom, ""}, ghost},
		{observation{"secret content", fault, "the provider crashed", ""}, crash},
		{observation{"secret content", files, "hidden.txt: ", "hidden.txt: swordfish"}, crash},
		{
			observation{
				"secret content", state, phantom,
				`hidden DIR/hidden.txt: inputs content=(secret) force=false path="DIR/hidden.txt", outputs content=(secret) force=false path="DIR/hidden.txt"`,
			},
			crash + " (The import that should have failed is still there, on the guide's side.)",
		},
		{observation{"destroy, one file gone already", files, "hidden.txt: ", ""}, "The empty file of the crash belongs to nobody."},
		{observation{"destroy, one file gone already", ops, "delete File nothing", "delete File hidden"}, "Each deletes what it had recorded."},
	}
}
