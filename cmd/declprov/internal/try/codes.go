package try

// The codes of findings.
const (
	codeExists        = "exists-already"         // `try`: an object with the id that the inputs give exists, which `try` neither replaces nor deletes without `--overwrite`
	codePreview       = "preview-differs"        // `try`: an output has another value than the preview predicted
	codeChangesAgain  = "changes-again"          // `try`: the next up would change the resource, although the program did not change
	codeNotFound      = "not-found-after-create" // `try`: read does not find the resource that was just created
	codeNotRead       = "not-read"               // `try`: the program sets an input that read does not return, so a refresh or an import loses it
	codeWarns         = "refresh-warns"          // `try`: a refresh of an unchanged resource gives a warning
	codeFilledIn      = "filled-in"              // `try`: read returns an input that the program does not set
	codeNotApplied    = "not-applied"            // `try`: read returns the value that an input had before the update, or members of it that the update removed
	codeLost          = "lost-response"          // `try`: the next up cannot continue a create whose response was lost
	codeRefused       = "replacement-refused"    // `try`: the API does not create the replacement while the original exists
	codeSideEffect    = "changed-by-update"      // `try`: an update of other inputs changed this one
	codeReadDiffers   = "read-differs"           // `try`: read returns another value of an input than the program wrote
	codeImportFails   = "import-fails"           // `try`: the resource cannot be imported by its id
	codeImportOther   = "import-differs"         // `try`: an import finds another object, or a state with which the next up would change it
	codeImportInvalid = "import-invalid"         // `try`: an import gives inputs that a type or check of the spec refuses
	codeDriftUnseen   = "drift-not-found"        // `try`: a refresh does not show that the object was changed by somebody else
	codeDriftRemains  = "drift-not-repaired"     // `try`: the next up does not undo what somebody else changed
	codeNotFoundAgain = "not-found-by-find"      // `try`: find does not find the object that was just created, so a lost response would make a second one
	codeFoundGone     = "found-after-delete"     // `try`: find finds the object that read says is gone: the next create of that name would be refused
	codeNotRestored   = "not-restored"           // `try`: a setting that the trial has changed could not be restored
	codeNotDeleted    = "not-deleted"            // `try`: the object still exists after delete
)
