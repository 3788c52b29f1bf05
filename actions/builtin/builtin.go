// Package builtin lists the families of actions in this binary, and generates documentation
// and definitions from them.
package builtin

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/exec"
	"github.com/declprov/declprov/actions/file"
	"github.com/declprov/declprov/actions/http"
	"github.com/declprov/declprov/actions/sql"
)

//go:generate go test . -run ^TestGenerated$ -update

// Families returns all families, in the order of the documentation.
func Families() []*actions.Family {
	return []*actions.Family{file.Family(), http.Family(), exec.Family(), sql.Family(nil)}
}
