package confinement

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofDatabases are the mechanisms that keep values out of statements, and tell what is known of
// a statement that failed.
func ofDatabases() []mutant.Mutant {
	const (
		apart   = "A value never becomes a part of a statement"
		certain = "A statement that may have had an effect is not repeated"
		limited = "A response is not larger than the spec allows"
		within  = "A spec opens no database but those that it is granted"
	)
	return []mutant.Mutant{
		{
			Promise: "Nothing is lost", Mechanism: "what changes a database does not make its file",
			File:    "actions/sql/database/runner.go",
			Find:    `use{reads: r.reads, makes: r.makesFile()}`,
			Replace: `use{reads: r.reads, makes: r.makesFile() || !r.reads}`,
			Package: "actions/sql/database", Test: "TestMissingFiles", Fails: "want refused; the file exists: true",
		},
		{
			Promise: apart, Mechanism: "a quote in an identifier is doubled",
			File:    "actions/sql/statement/dialect.go",
			Find:    "		return `\"` + strings.ReplaceAll(name, `\"`, `\"\"`) + `\"`, nil",
			Replace: "		return `\"` + name + `\"`, nil",
			Package: "actions/sql/statement", Test: "TestFill", Fails: "statement_test.go",
		},
		{
			Promise: apart, Mechanism: "a quote in a literal is doubled",
			File:    "actions/sql/statement/dialect.go",
			Find:    "	return \"'\" + strings.ReplaceAll(text, \"'\", \"''\") + \"'\", nil",
			Replace: "	return \"'\" + text + \"'\", nil",
			Package: "actions/sql/statement", Test: "TestFill", Fails: "statement_test.go",
		},
		{
			Promise: apart, Mechanism: "a placeholder does not merge with the text beside it",
			File:    "actions/sql/statement/statement.go",
			Find:    "(isWordByte(p.last) || strings.IndexByte(merging, p.last) >= 0) {",
			Replace: "(isWordByte(p.last) || strings.IndexByte(merging, p.last) >= 0) && false {",
			Package: "actions/sql/statement", Test: "TestMistakesInStatements", Fails: `expected "touches"`,
		},
		{
			Promise: apart, Mechanism: "a text is one statement",
			File:    "actions/sql/statement/statement.go",
			Find:    "		p.ended = true",
			Replace: "		p.ended = p.ended && true",
			Package: "actions/sql/statement", Test: "TestMistakesInStatements", Fails: `expected "several statements"`,
		},
		{
			Promise: apart, Mechanism: "a word is one of those that the spec lists",
			File:    "actions/sql/database/values.go",
			Find:    "		if !slices.Contains(of, word) {",
			Replace: "		if !slices.Contains(of, word) && false {",
			Package: "actions/sql/database", Test: "TestOutcomes/an_unknown_word", Fails: "sqlite_test.go",
		},
		{
			Promise: "Nothing is lost", Mechanism: "an update that affects no row is not done",
			File:    "actions/sql/database/runner.go",
			Find:    "	if verb == \"\" || result[\"affected\"] != int64(0)",
			Replace: "	if verb != \"\" || result[\"affected\"] != int64(0)",
			Package: "tests/sql", Test: "TestStatementsThatAffectNoRow", Fails: "the size is",
		},
		{
			Promise: "Nothing is lost", Mechanism: "an update of whose effect no response tells is done if read shows it",
			File:    "engine/run/updating.go",
			Find:    "		if shown != compare.Other || len(r.Idle) > 0 {",
			Replace: "		if shown != compare.Other || len(r.Idle) >= 0 {",
			Package: "tests/sql", Test: "TestWritesThatNobodyHasSeen", Fails: "a run succeeded, and the service has the size",
		},
		{
			Promise: "Nothing is lost", Mechanism: "a create of whose effect no response tells is read back",
			File:    "engine/run/outputs.go",
			Find:    "	yield, err, unread := any(nil), error(nil), r.isUnseen()",
			Replace: "	yield, err, unread := any(nil), error(nil), r.isUnseen() && r.Verb == plan.Update",
			Package: "tests/sql", Test: "TestWritesThatNobodyHasSeen", Fails: "a run succeeded, and the service has the size",
		},
		{
			Promise: certain, Mechanism: "statements are one transaction",
			File:    "actions/sql/database/runner.go",
			Find:    "		if result, err = r.one(ctx, tx, s); err != nil {",
			Replace: "		if result, err = r.one(ctx, tx, s); err != nil && tx.Commit() != nil || err != nil {",
			Package: "actions/sql/database", Test: "TestStatementsAreOneTransaction", Fails: "the table has 1 rows",
		},
		{
			Promise: certain, Mechanism: "what was written to a connection counts as sent",
			File:    "actions/sql/database/target.go",
			Find:    "	c.sent.Add(int64(n))",
			Replace: "	c.sent.Add(int64(n) * 0)",
			Package: "actions/sql/database", Test: "TestSentBytes", Fails: "outcome_test.go",
		},
		{
			Promise: limited, Mechanism: "the bytes of all rows are counted",
			File:    "actions/sql/database/rows.go",
			Find:    "		if r.left -= sizeOf(v); r.left < 0 {",
			Replace: "		if r.left -= sizeOf(v); r.left < 0 && false {",
			Package: "actions/sql/database", Test: "TestOutcomes/too_many_bytes", Fails: "sqlite_test.go",
		},
		{
			Promise: limited, Mechanism: "the rows are counted",
			File:    "actions/sql/database/rows.go",
			Find:    "		if len(out) == limit {",
			Replace: "		if len(out) == limit && false {",
			Package: "actions/sql/database", Test: "TestOutcomes/too_many_rows", Fails: "sqlite_test.go",
		},
		{
			Promise: within, Mechanism: "a statement attaches no other file",
			File:    "actions/sql/database/sqlite.go",
			Find:    "	case action == sqlite.AuthAttach, action == sqlite.AuthDetach,",
			Replace: "	case action == sqlite.AuthAttach && false, action == sqlite.AuthDetach,",
			Package: "actions/sql/database", Test: "TestOutcomes/another_file", Fails: "sqlite_test.go",
		},
		{
			Promise: within, Mechanism: "the file is one that the permissions grant",
			File:    "actions/sql/database/target.go",
			Find:    "	path, err := env.Files.Locate(access, t.File)",
			Replace: "	path, err := t.File, env.Files.Check(access, t.File)",
			Package: "actions/sql/database", Test: "TestLinksLeadNowhere", Fails: "sqlite_test.go",
		},
		{
			Promise: within, Mechanism: "the environment does not choose the server",
			File:    "actions/sql/database/postgres.go",
			Find:    "	config.RuntimeParams = map[string]string{",
			Replace: "	config.RuntimeParams[\"options\"] = \"\"\n	_ = map[string]string{",
			Package: "actions/sql/database", Test: "TestTheEnvironmentConfiguresNothing", Fails: "postgres_test.go",
		},
	}
}
