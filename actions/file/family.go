// Package file is the family of actions on files. They only access paths that the spec's
// permissions grant, and each change is atomic.
package file

import (
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// Family returns the declaration of the file actions.
func Family() *actions.Family {
	return &actions.Family{
		Name: "file",
		Summary: "Files, directories and symbolic links on the machine that the provider runs on, " +
			"at paths that the permissions grant.",
		Declare: func() ([]actions.Arg, []*actions.Kind) {
			return []actions.Arg{rootArg()}, []*actions.Kind{
				writeKind(), readKind(), listKind(), deleteKind(),
				mkdirKind(), copyKind(), symlinkKind(), statKind(), unpackKind(),
			}
		},
		Grants: familyGrants,
	}
}

// Arguments that several kinds have.

func rootArg() actions.Arg {
	a := declare.Option("root", declare.NonEmpty(), ".", "Folder that paths are relative to. It is relative to the folder of the user's program.")
	a.Exposed = true
	return a
}

func parentsArg() actions.Arg {
	return declare.Option("parents", declare.Bool(), true, "Make missing parent folders. If the action fails, they are removed again.")
}

func pathArg(doc string) actions.Arg { return requiredPath("path", doc) }

func requiredPath(name, doc string) actions.Arg {
	a := declare.Arg(name, declare.NonEmpty(), doc)
	a.Exposed, a.Required = true, true
	return a
}

func modeArg(doc string) actions.Arg {
	return declare.Arg("mode", declare.Mode(), doc)
}

func overwriteArg(doc string) actions.Arg {
	return declare.Option("overwrite", declare.Bool(), false, doc)
}

// lookFacts returns the facts about a call that only looks at its path.
func lookFacts(s actions.Static, result *spec.Type) actions.Facts {
	return actions.Facts{Result: result, Effect: actions.None, Grants: argumentGrants(s, grant.Read, "path")}
}

// changeFacts returns the facts about a call that makes or changes its path.
func changeFacts(s actions.Static, result *spec.Type) actions.Facts {
	return actions.Facts{Result: result, Effect: actions.Write, Target: actions.Target{Place: placeOf(s), Makes: true}, Grants: argumentGrants(s, grant.Write, "path")}
}

// createFacts returns the facts about a call that makes its path, and replaces what exists there only with `overwrite`.
func createFacts(s actions.Static, result *spec.Type) actions.Facts {
	f := changeFacts(s, result)
	if literal, known := s.Literals["overwrite"]; !s.Given("overwrite") || known && literal == false {
		f.IfAbsent = "overwrite"
	}
	return f
}

// placeOf returns the path of a call, as written.
func placeOf(s actions.Static) string {
	path, root := s.Nodes["path"], s.Nodes["root"]
	if path == nil {
		return ""
	}
	place := strings.TrimSuffix(path.Text, "/")
	if root != nil && root.Text != "." {
		place = strings.TrimSuffix(root.Text, "/") + "/" + place
	}
	return place
}
