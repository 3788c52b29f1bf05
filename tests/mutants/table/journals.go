package table

// ofJournals are the mechanisms that neither lose nor repeat a create whose
// answer never came.
func ofJournals() []Mutant {
	const onDisk = "An intent is on the disk before its request is sent"
	return []Mutant{
		{
			Promise: onDisk, Mechanism: "an intent is written down",
			File: "engine/journal/journal.go", Find: `	return intent, false, remedy(os.Rename(ready, j.file(intent.What)))`,
			Replace: `	return intent, false, nil`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise: onDisk, Mechanism: "its content is synced",
			File: "engine/journal/journal.go", Find: `		err = errors.Join(err, tmp.Sync())`,
			Replace: `		err = errors.Join(err)`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise: onDisk, Mechanism: "its name is synced",
			File: "engine/journal/journal.go", Find: `	return intent, adopted, remedy(syncDir(j.dir))`,
			Replace: `	return intent, adopted, nil`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "an intent that a living process works on is left to it",
			File:      "engine/journal/journal.go",
			Find:      `	case err == nil && !before.Lost && before.Owner.alive() && before.Owner != self():`,
			Replace:   `	case false:`,
			Package:   "engine/journal", Test: "TestOwners", Fails: "journal_test.go",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "`find` looks at once for what a POST without an answer has made",
			File:      "engine/intents.go",
			Find:      `	case stopped.status == actions.Lost && !s.keyed && !Stopped(ctx):`,
			Replace:   `	case false:`,
			Package:   "tests/http/faults", Test: "TestFaults/reset-after-commit/create/Found", Fails: "ok 1 > ok 0 > 1 was promised",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "the next run asks `find` before it sends anything",
			File:      "engine/intents.go",
			Find:      `	if adopted && !s.keyed {`,
			Replace:   `	if adopted && false {`,
			Package:   "tests/http/faults", Test: "TestFaults/length-too-short/create/Found", Fails: "error 1 > ok 0 > 1 was promised",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "an intent is forgotten once the host shows that it has the id",
			File:      "engine/intents.go",
			Find:      `			_ = book.Settle(r.what(step))`,
			Replace:   `			_, _ = book, r.what(step)`,
			Package:   "engine", Test: "TestKeyedCreate", Fails: "intents_test.go",
		},
	}
}
