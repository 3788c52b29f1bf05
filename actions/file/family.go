// Package file is the family of actions on files: confined to what a spec is
// permitted, each change whole or not at all.
package file

import (
	"strings"

	"github.com/declprov/declprov/actions"
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
	return actions.Arg{Exposed: true, Property: spec.Property{
		Name: "root", Type: &spec.Type{Kind: spec.String, MinLen: 1}, Default: ".",
		Doc: "Folder that relative paths start at; itself relative to the folder of the user's program.",
	}}
}

func parents() actions.Arg {
	return option("parents", true, "Make missing folders on the way. If the action then fails, they are taken back.")
}

func pathArg(doc string) actions.Arg { return required("path", doc) }

func required(name, doc string) actions.Arg {
	return actions.Arg{Exposed: true, Property: spec.Property{
		Name: name, Type: &spec.Type{Kind: spec.String, MinLen: 1}, Required: true, Doc: doc,
	}}
}

func optional(name string, t *spec.Type, doc string) actions.Arg {
	return actions.Arg{Property: spec.Property{Name: name, Type: t, Doc: doc}}
}

func option(name string, byDefault bool, doc string) actions.Arg {
	return actions.Arg{Property: spec.Property{Name: name, Type: &spec.Type{Kind: spec.Bool}, Default: byDefault, Doc: doc}}
}

func mode(doc string) actions.Arg {
	return optional("mode", &spec.Type{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: modePattern}}}, doc)
}

func overwrite(doc string) actions.Arg { return option("overwrite", false, doc) }

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
