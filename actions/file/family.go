// Package file is the family of actions on files: confined to what a spec is
// permitted, each change whole or not at all.
package file

import (
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// Family is the declaration of the file actions.
func Family() *actions.Family {
	return &actions.Family{
		Name: "file",
		Summary: "Files, directories and symbolic links on the machine that the provider runs on, " +
			"within what the permissions grant.",
		Defaults: []actions.Arg{root()},
		Kinds: []*actions.Kind{
			writeKind(), readKind(), listKind(), deleteKind(),
			mkdirKind(), copyKind(), symlinkKind(), statKind(), unpackKind(),
		},
		Grants: familyGrants,
	}
}

// The arguments that several kinds have.

func root() actions.Arg {
	a := declare.Option("root", declare.NonEmpty(), ".", "Folder that relative paths start at; itself relative to the folder of the user's program.")
	a.Exposed = true
	return a
}

func parents() actions.Arg {
	return declare.Option("parents", declare.Bool(), true, "Make missing folders on the way. If the action then fails, they are taken back.")
}

func pathArg(doc string) actions.Arg { return required("path", doc) }

func required(name, doc string) actions.Arg {
	a := declare.Arg(name, declare.NonEmpty(), doc)
	a.Exposed, a.Required = true, true
	return a
}

func mode(doc string) actions.Arg {
	return declare.Arg("mode", declare.Mode(), doc)
}

func overwrite(doc string) actions.Arg {
	return declare.Option("overwrite", declare.Bool(), false, doc)
}

// looks are the facts of a call that looks at its path.
func looks(s actions.Static, result *spec.Type) actions.Facts {
	return actions.Facts{Result: result, Effect: actions.None, Grants: needs(s, grant.Read, "path")}
}

// changes are the facts of a call that makes what its path names, or changes it.
func changes(s actions.Static, result *spec.Type) actions.Facts {
	return actions.Facts{Result: result, Effect: actions.Write, Place: placeOf(s), Makes: true, Grants: needs(s, grant.Write, "path")}
}

// placeOf is the path of a call, as written.
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
