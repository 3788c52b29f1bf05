package engine_test

import (
	"fmt"
	"testing"

	"github.com/declprov/declprov/engine/compile/finding"
)

// aRead is the call of a read, and whether the call tells by itself that the object is gone.
type aRead struct {
	name, call string
	tells      bool
}

// TestReadThatIsNeverGone: vet warns of a read whose first step cannot find that the object does
// not exist, unless the spec says how it does, or a `return` may be null.
func TestReadThatIsNeverGone(t *testing.T) {
	t.Parallel()
	warnsOfReads(t, "", []aRead{
		{"exec", `exec: {command: ["show", "${id}"], effect: "none"}`, false},
		{"exec, exit codes", `exec: {command: ["show", "${id}"], effect: "none", exitCodes: refused: [1]}`, false},
		{"exec, exit code of gone", `exec: {command: ["show", "${id}"], effect: "none", exitCodes: gone: [1]}`, true},
		{"file", `file: read: path: "things/${id}"`, true},
		{"sql", `sql: query: {statement: "select name from things where name = {id}", params: id: "${id}"}`, true},
		{"sql, list", `sql: query: {statement: "select name from things where name = {id}", params: id: "${id}", list: true}`, false},
	})
}

// TestResponseThatIsNeverGone: a status can say that the object is gone, a GraphQL response
// cannot.
func TestResponseThatIsNeverGone(t *testing.T) {
	t.Parallel()
	warnsOfReads(t, `http: {baseURL: "https://things.example.com"}`, []aRead{
		{"http", `http: {path: "/things/${id}", returns: #Found}`, true},
		{"http, list", `http: {path: "/things", items: "${body}", returns: #All}`, true},
		{"graphql", `http: {path: "/graphql", graphql: {query: "query($id: ID!) {thing(id: $id) {name}}", variables: id: "${id}"}, returns: #Data}`, false},
	})
}

// warnsOfReads expects a warning of each read exactly where neither its call nor what stands
// around it tells that the object is gone.
func warnsOfReads(t *testing.T, defaults string, reads []aRead) {
	t.Helper()
	steps := map[string]struct {
		with  string // the read, with the call
		tells bool
	}{
		"alone":              {`{%s, return: {name: "x"}}`, false},
		"gone":               {`{%s, gone: "${id == 'x'}", return: {name: "x"}}`, true},
		"gone: false":        {`{%s, gone: false, return: {name: "x"}}`, true},
		"null":               {`{%s, return: "${id == 'x' ? null : {name: id}}"}`, true},
		"first of two":       {`{steps: [{%s}, {file: read: path: "more"}], return: {name: "x"}}`, false},
		"gone in the second": {`{steps: [{%s}, {file: read: path: "more", gone: "${id == 'x'}"}], return: {name: "x"}}`, false},
	}
	for _, read := range reads {
		for how, s := range steps {
			t.Run(read.name+", "+how, func(t *testing.T) {
				t.Parallel()
				_, diags := newWorld().compile(t, fmt.Sprintf(`package test
name: "test"
version: "1.0.0"
%s
sql: {driver: "postgres", url: "postgres://db.example.com/things"}
file: {root: "."}
#Found: name: string
#All: [...#Found]
#Data: thing: null | #Found
resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	create: file: write: {path: "things/${inputs.name}", content: ""}
	read: %s
	delete: file: delete: path: "things/${id}"
}
`, defaults, fmt.Sprintf(s.with, read.call)))
				warned := false
				for _, d := range diags {
					warned = warned || d.Code == finding.CodeNeverGone
				}
				if diags.HasErrors() || warned == (read.tells || s.tells) {
					t.Errorf("warned: %t, want %t\n%v", warned, !(read.tells || s.tells), diags)
				}
			})
		}
	}
}
