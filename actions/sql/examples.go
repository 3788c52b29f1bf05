package sql

import "github.com/declprov/declprov/actions"

func queryExamples() []actions.Example {
	return []actions.Example{
		{Summary: "Read a row", Spec: `sql: query: {
	statement: "select owner, size from shelves where name = {name}"
	params: name: "fiction"
}`},
		{Summary: "Read all rows of a table whose name is a value", Spec: `sql: query: {
	statement: "select name from {table} order by name"
	ident: table: "shelves"
	list: true
}`},
	}
}

func execExamples() []actions.Example {
	return []actions.Example{
		{Summary: "Insert a row, and return its key", Spec: `sql: exec: {
	statement: "insert into shelves (name, size) values ({name}, {size}) returning id"
	params: {name: "poetry", size: 40}
}`},
		{Summary: "Change two tables in one transaction", Spec: `sql: exec: {
	statements: [
		"insert into shelves (name) values ({name})",
		"update shelves set size = size + 1 where name = {other}",
	]
	params: {name: "drama", other: "fiction"}
	idempotent: true
}`},
	}
}
