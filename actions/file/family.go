// Package file is the family of actions on files: confined to what a spec is
// permitted, each change whole or not at all.
package file

import (
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
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

func noEffect(actions.Static) actions.Effect { return actions.None }

// makesPath is the place of what brings a path into the world, ofPath that of what needs
// it to be there.
func makesPath(s actions.Static) (place string, makes bool) {
	place, _ = ofPath(s)
	return place, true
}

func ofPath(s actions.Static) (place string, makes bool) {
	path, root := s.Nodes["path"], s.Nodes["root"]
	if path == nil {
		return "", false
	}
	place = strings.TrimSuffix(path.Text, "/")
	if root != nil && root.Text != "." {
		place = strings.TrimSuffix(root.Text, "/") + "/" + place
	}
	return place, false
}

func writes(actions.Static) actions.Effect { return actions.Write }
