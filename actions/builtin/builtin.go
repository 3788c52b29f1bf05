// Package builtin is the ordered list of the families of actions that this
// binary has, and what is generated from it.
package builtin

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/exec"
	"github.com/declprov/declprov/actions/file"
	"github.com/declprov/declprov/actions/http"
)

//go:generate go test . -run ^TestGenerated$ -update

// Families are all families, in the order of the documentation.
func Families() []*actions.Family {
	return []*actions.Family{file.Family(), http.Family(), exec.Family()}
}
