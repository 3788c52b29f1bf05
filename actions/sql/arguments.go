package sql

import (
	"encoding/json"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/sql/statement"
	"github.com/declprov/declprov/spec"
)

const inStatement = "Servers log statements. Pass the secret in `params`; for a password of a role or user, use `hashed`."

// raw returns an argument that takes no templates.
func raw(name string, t *spec.Type, doc, instead string) actions.Arg {
	a := declare.Arg(name, t, doc)
	a.Mode, a.Instead = actions.Raw, instead
	return a
}

// exposed returns an argument that others can read, such as the server's administrators.
func exposed(name string, t *spec.Type, doc, instead string) actions.Arg {
	a := declare.Arg(name, t, doc)
	a.Exposed, a.Instead = true, instead
	return a
}

const noValues = "A statement must not contain values, which the server would interpret. Write a placeholder like {name} in it, " +
	"and pass the value by `params: name: \"${…}\"`, or the name of a table, role or database by `ident: name: \"${…}\"`."

// placeholderArguments returns the arguments that say what placeholders stand for.
func placeholderArguments() []actions.Arg {
	params := declare.Arg("params", declare.Map(declare.Any()), "Values, by the names of their placeholders. They are sent separately from the statement.")
	params.Wire, params.Locates = true, true
	name := declare.NonEmpty()
	word := declare.Object(
		declare.Member("of", declare.List(name), "The words that are allowed. Must not contain templates."),
		declare.Member("is", declare.Either(name, declare.List(name)), "The word to insert, or a list of words. Each must be in `of`."),
	)
	return []actions.Arg{
		params,
		exposed("ident", declare.Map(declare.Either(name, declare.List(name))), "Names of tables, columns, roles or databases, by the names of their placeholders. They are quoted.", inStatement),
		exposed("literals", declare.Map(declare.Any()), "Strings, numbers, booleans and nulls, by the names of their placeholders. They become part of the statement, strings in quotes; use `params` if the statement takes parameters.", inStatement),
		exposed("words", declare.Map(word), "Words that the spec lists, by the names of their placeholders.", inStatement),
	}
}

func returnsArgument(doc string) actions.Arg {
	returns := declare.Arg("returns", declare.Any(), doc)
	returns.Mode = actions.Typed
	return returns
}

func queryArguments() []actions.Arg {
	text := raw("statement", declare.NonEmpty(), "The statement, such as a `select`.", noValues)
	text.Required = true
	list := raw("list", declare.Bool(), "Whether the query may return any number of rows.", "It decides whether the result has `row` or `rows`. Write true or false.")
	list.Default = false
	return append([]actions.Arg{text, list}, append(placeholderArguments(),
		returnsArgument("Type of the row, or with `list` of the list of rows: a definition of the spec."))...)
}

func execArguments() []actions.Arg {
	password := declare.NonEmpty()
	password.Nullable = true
	return append([]actions.Arg{
		raw("statement", declare.NonEmpty(), "The statement.", noValues),
		raw("statements", declare.List(declare.NonEmpty()), "Several statements, for one transaction. The result is that of the last one.", noValues),
	}, append(placeholderArguments(),
		declare.Arg("hashed", declare.Map(password), "Passwords, by the names of their placeholders. The statement contains the hash that the server stores of each, in quotes; null becomes the word null."),
		returnsArgument("Type of the row that the last statement returns (`returning`): a definition of the spec."),
		idempotentArgument(),
	)...)
}

func idempotentArgument() actions.Arg {
	return declare.Option("idempotent", declare.Bool(), false,
		"Running the statements twice has the same effect as running them once. They then run again if their outcome is unknown, and `vet` does not warn that they may run twice (`at-least-once`).")
}

// defaults returns the arguments that a spec may set for all its statements.
func defaults() []actions.Arg {
	const inURL = "Servers and logs show it. Only `password`, and `tls: key`, may be secret."
	return []actions.Arg{
		raw("driver", declare.OneOf(statement.Dialects()...), "Kind of database; `mysql` is also for MariaDB. Required in the block of defaults.", "It decides how statements are read and quoted. Write \"postgres\", \"mysql\" or \"sqlite\"."),
		exposed("url", declare.NonEmpty(), "Server and database: `postgres://db.example.com:5432/app`. User and password are arguments of their own.", inURL),
		exposed("host", declare.NonEmpty(), "Server, instead of `url`.", inURL),
		exposed("port", declare.Either(declare.Between("1", "65535"), declare.Text()), "Port of `host` or `socket`. Default: 5432 for PostgreSQL, 3306 for MySQL.", inURL),
		exposed("socket", declare.NonEmpty(), "Unix socket, instead of `url`: for PostgreSQL the folder that contains it, for MySQL the socket. The permissions must grant it for writing.", inURL),
		exposed("file", declare.NonEmpty(), "The file of an SQLite database, relative to the folder of the user's program. The permissions must grant it for writing or, if there are only queries, for reading. The first `sql.exec` creates it.", inURL),
		exposed("database", declare.NonEmpty(), "Database at `host` or `socket`. Default: for PostgreSQL the name of the user, for MySQL none.", inURL),
		exposed("user", declare.NonEmpty(), "User of the server.", inURL),
		declare.Arg("password", declare.Text(), "Password of the user."),
		declare.Arg("tls", declare.Either(declare.OneOf("off"), declare.TLSType()), "TLS settings, or \"off\". Default: TLS with a verified server; no TLS on loopback addresses and sockets."),
		declare.Option("connections", declare.Between("1", "100"), json.Number("4"), "Maximum number of connections, for the whole process."),
		declare.Option("timeout", declare.Text(), "2m", "Time limit of one attempt, including the time to connect. The step's own `timeout` covers all attempts."),
		declare.Option("maxRows", declare.Between("1", "1000000"), json.Number("100000"), "Maximum number of rows; more are an error."),
		declare.MaxBytes("Maximum size of the values in all rows together; more are an error."),
		declare.MaxValues("Maximum number of values in all rows together, at any depth of JSON columns; more are an error."),
	}
}

// The results.

func rowType(s actions.Static) *spec.Type {
	if t := s.Types["returns"]; t != nil {
		return t
	}
	return declare.Any()
}

func queryYields(s actions.Static) string {
	if s.Literals["list"] == true {
		return "rows"
	}
	return "row"
}

func queryResult(s actions.Static) *spec.Type {
	if queryYields(s) == "row" {
		row := declare.Member("row", rowType(s), "The row: values by the names of columns. With `list: true`, the result has `rows` instead, a list of rows.")
		row.Required = s.Types["returns"] != nil
		return declare.Object(row)
	}
	rows := s.Types["returns"]
	if rows == nil {
		rows = declare.List(declare.Any())
	}
	return declare.Object(declare.Member("rows", rows, "The rows, with `list: true`."))
}

// execYields returns the member that an operation yields: the row, if it has a type.
func execYields(s actions.Static) string {
	if s.Types["returns"] != nil {
		return "row"
	}
	return ""
}

func execResult(s actions.Static) *spec.Type {
	row := declare.Field("row", rowType(s), "The first row that the last statement returned; null if there is none.")
	row.Required = s.Types["returns"] != nil
	return declare.Object(
		row,
		declare.Member("affected", declare.Int(), "How many rows the last statement made, changed, removed or returned."),
		declare.Field("insertId", declare.Int(), "The key that MySQL or SQLite generated for the last row that was inserted."),
	)
}
