// Package sql is the family of actions on databases: statements with parameters, at servers
// and files that the permissions grant.
//
// The package declares the family, and vet uses it. Package database runs it: it contains the
// drivers, which only one binary does.
package sql

import (
	"context"
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/sql/statement"
)

// Variant is the name of the serving binary that contains the drivers: see
// actions.Family.Variant.
const Variant = "sql"

// Family returns the declaration of the sql actions. open opens their runner; nil means that
// this binary contains no drivers.
func Family(open func() actions.Runner) *actions.Family {
	if open == nil {
		open = func() actions.Runner { return refuse }
	}
	f := Unused()
	f.Declare = func() ([]actions.Arg, []*actions.Kind) {
		shared := defaults()
		return shared, []*actions.Kind{queryKind(shared), execKind(shared)}
	}
	f.Open, f.Grants, f.Check = open, connectionGrants, checkDefaults
	return f
}

// Unused returns the family for a spec without its block of defaults, which uses none of its actions.
// Their declarations would be a part of the start of every provider.
func Unused() *actions.Family {
	return &actions.Family{
		Name:    "sql",
		Summary: "Statements for PostgreSQL, MySQL (MariaDB) and SQLite, at servers and files that the permissions grant.",
		Schemes: []string{string(statement.PostgreSQL), string(statement.MySQL)},
		Variant: Variant,
	}
}

// refuse is the runner of a binary without drivers.
func refuse(context.Context, *actions.Kind, *actions.Call) actions.Outcome {
	return actions.Refuse(fmt.Errorf("this binary has no drivers for databases, which are in declprov-server-%s: install the provider with `declprov install`, from a folder with both", Variant))
}

func queryKind(shared []actions.Arg) *actions.Kind {
	return &actions.Kind{
		Name:    "query",
		Summary: "Reads rows.",
		Doc:     queryDoc,
		Args:    append(queryArguments(), shared...),
		Analyze: func(s actions.Static) actions.Facts {
			gone := ""
			if s.Literals["list"] == true {
				gone = "With `list`, no row is an empty list: add `gone: \"${result.rows == []}\"`, or drop `list`."
			}
			return actions.Facts{
				Result: queryResult(s), Yields: queryYields(s), Effect: actions.None, Target: actions.Target{GoneRemedy: gone},
				Grants: callGrants(s, false), Faults: check(s, true), Trusts: declare.Unverified(s),
			}
		},
		Examples: queryExamples(),
	}
}

func execKind(shared []actions.Arg) *actions.Kind {
	return &actions.Kind{
		Name:    "exec",
		Summary: "Runs a statement that changes something, or several in one transaction.",
		Doc:     execDoc,
		Args:    append(execArguments(), shared...),
		OneOf:   [][]string{{"statement", "statements"}},
		Analyze: func(s actions.Static) actions.Facts {
			return actions.Facts{
				Result: execResult(s), Yields: execYields(s), Effect: actions.Write,
				Loss: actions.Loss{
					Certainty:    certainty(s),
					RepeatRemedy: "Add `idempotent: true` if repeating the statements does no harm (`create … if not exists`, `insert … on conflict do nothing`, `update … set`).",
				},
				Grants: callGrants(s, true), Faults: check(s, false), Trusts: declare.Unverified(s),
			}
		},
		Ambiguous: func(class string) bool { return class == "connection" || class == "timeout" },
		Examples:  execExamples(),
	}
}

// certainty returns the certainty of statements whose response is lost.
func certainty(s actions.Static) actions.Certainty {
	if s.Literals["idempotent"] == true {
		return actions.Safe
	}
	return actions.Uncertain
}

const placeholdersDoc = `A statement contains no values. Each ` + "`{name}`" + ` in it is a placeholder. One of these arguments gives what it stands for:

- ` + "`params`" + `: a value, which is sent separately from the statement. Lists and objects are sent as JSON; PostgreSQL gets a list
  as an array or as JSON, depending on the type of the parameter.
- ` + "`ident`" + `: the name of a table, column, role or database, quoted by the rule of the database. A list of names is separated by commas.
- ` + "`literals`" + `: a string in quotes, a number, a boolean or null, for statements that take no parameters, such as ` + "`comment on`" + `.
- ` + "`words`" + `: one or several of the words that the spec lists: ` + "`words: privileges: {of: [\"select\", \"insert\"], is: \"${inputs.privileges}\"}`" + `.`

const quotedDoc = `Within quotes and comments, ` + "`{name}`" + ` is ordinary text.`

const queryDoc = `The statement runs in a read-only transaction. It returns one row, as ` + "`row`" + `; no row is *not found*, so in a resource's
` + "`read`" + ` the resource is then gone; several rows are an error. With ` + "`list: true`" + ` it returns any number of them, as ` + "`rows`" + `.

The names of columns are [names on the wire](language.md#names-on-the-wire): ` + "`returns`" + ` may rename them. The values are strings, numbers and booleans. Decimal numbers are exact;
dates and times are RFC 3339; JSON columns and PostgreSQL's arrays are decoded; bytes are base64. MySQL and SQLite have no booleans: compare
with ` + "`== 1`" + `.

An array is a list, and an array of several dimensions a list of lists; indexes that do not start at 1 are lost. All other types of PostgreSQL (enums, XML,
ranges, intervals, composite types, arrays of ` + "`box`" + `) are the text that PostgreSQL writes, and so are dates that RFC 3339 cannot express: ` + "`infinity`" + `,
and dates with BC at the end (` + "`0044-03-15 BC`" + `). PostgreSQL accepts such text as a parameter. A list that becomes an array of a type of your own requires two
casts: ` + "`{v}::text[]::mood[]`" + `. A value that cannot be read is an error: cast it in the statement, ` + "`v::text`" + `.

` + placeholdersDoc + "\n\n" + quotedDoc

const execDoc = `With ` + "`statements`" + `, all run on one connection, in one transaction: if one fails, none has an effect. MySQL's statements on
tables, users and databases are an exception: they commit at once. If a later statement fails, the effect of the step is incomplete. A single
` + "`statement`" + ` runs without a transaction around it, as ` + "`create database`" + ` requires in PostgreSQL. Steps do not share a transaction.

An error that the server reports for a statement (a violated constraint, a missing permission, a mistake in the statement) means that nothing
was done. If the connection is lost after the statement was sent, or the time is up and the server does not confirm that it stopped the statement, the effect
is unknown; with ` + "`idempotent: true`" + `, the statements run again. If an ` + "`update`" + ` affects no row, or a ` + "`delete`" + ` in the
operation ` + "`delete`" + `, the step has done nothing: ` + "`read`" + ` then tells whether the object is as it should be, or no longer exists. ` + "`retry: on`" + ` lists the errors by number: the SQLSTATE
of PostgreSQL (` + "`40001`" + `), or the error number of MySQL and SQLite.

` + placeholdersDoc + `
- ` + "`hashed`" + `: a password. The statement contains, in quotes, what the server stores instead of it: a SCRAM-SHA-256 verifier for PostgreSQL, and for MySQL the
  hash of the plugin ` + "`mysql_native_password`" + ` (` + "`create user {name} identified with mysql_native_password as {password}`" + `). So the password itself is
  in no statement, and in no log of the server.

` + quotedDoc + `

In SQLite, ` + "`attach`" + ` is refused, because it would open files that the permissions do not name, and so is ` + "`vacuum`" + `, which attaches a file.`
