package table

// ofJournals are the mechanisms that neither lose nor repeat a create whose
// answer never came.
func ofJournals() []Mutant {
	const onDisk = "An intent is on the disk before its request is sent"
	return []Mutant{
		{
			Promise: onDisk, Mechanism: "an intent is written down",
			File: "engine/journal/file.go", Find: `	if _, err := f.Write(text.Bytes()); err != nil {`,
			Replace: `	if text.Len() < 0 {`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise: onDisk, Mechanism: "its content is synced",
			File: "engine/journal/store.go", Find: `		if err = f.Sync(); err == nil {`,
			Replace: `		if err == nil {`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise: onDisk, Mechanism: "its name is synced",
			File: "engine/journal/store.go", Find: `			err = syncFolder(j.dir)`,
			Replace: `			err = nil`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise: onDisk, Mechanism: "the names of the folders that it makes are synced",
			File: "engine/journal/store.go", Find: `	if err := syncParents(j.dir); err != nil {`,
			Replace: `	if err := error(nil); err != nil {`,
			Package: "tests/crash", Test: "TestAnIntentIsOnDiskBeforeTheRequest", Fails: "the order of a create is not",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "an intent that a living process works on is left to it",
			File:      "engine/journal/store.go",
			Find:      `		case before[n].UnderWay() && before[n].Owner != claimed.Owner:`,
			Replace:   `		case false:`,
			Package:   "engine/journal", Test: "TestOwners", Fails: "claimed from a living process",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "a process of another container is told by its lock, and not by its number",
			File:      "engine/journal/owner.go",
			Find:      `	case err == nil && !free:`,
			Replace:   `	case err == nil && !free && running(p.PID, p.Start):`,
			Package:   "engine/journal", Test: "TestContainers", Fails: "owner_test.go",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "what another process has changed since is not claimed",
			File:      "engine/journal/store.go",
			Find:      `		case !equal(before[n], i):`,
			Replace:   `		case false:`,
			Package:   "engine/journal", Test: "TestLifeOfAnIntent", Fails: "claimed as it was before",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "`find` looks at once for what a POST without an answer has made",
			File:      "engine/intents.go",
			Find:      `	if r.canLook(s) && stopped(ctx) == nil {`,
			Replace:   `	if false {`,
			Package:   "tests/http/faults", Test: "TestFaults/reset-after-commit/create/Found", Fails: "ok 1 > ok 0 > 1 was promised",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "the next run asks `find` before it sends anything",
			File:      "engine/intents.go",
			Find:      `	if doubt && r.verb == create && r.res.finds(s) && (intent.Looked || !s.certainty.Repeatable()) {`,
			Replace:   `	if false {`,
			Package:   "tests/http/faults", Test: "TestFaults/empty-answer/create/Found", Fails: "open 1 > ok 0 > 1 was promised",
		},
		{
			Promise:   "A create that nobody knows the end of is settled first",
			Mechanism: "an intent is forgotten once the host shows that it has the id",
			File:      "engine/intents.go",
			Find: `		case failed == nil || failed.Op != string(create):
			return true`,
			Replace: `		case failed == nil || failed.Op != string(create):
			return false`,
			Package: "engine", Test: "TestKeyedCreate", Fails: "an id that the host shows is settled",
		},
	}
}
