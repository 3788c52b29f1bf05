package foreign

import "strings"

// isHolder reports whether a name holds resources elsewhere, as `data` and `module` do in Terraform.
func isHolder(name string) bool {
	switch name {
	case "resource", "resources", "data", "module", "modules":
		return true
	default:
		return false
	}
}

// Reference is a reference to another resource, as programs in Terraform have it.
type Reference struct {
	// Resource is the resource of the spec, "" if it has none of that name.
	Resource string
	// At is the index of the resource in the path, or 0.
	At int
	// Member is the property that the reference is to.
	Member string
}

// ParseReference reads a path of names as a reference to a resource: User.id, user.bob.id, data.octo_user.bob.id or
// module.users.id. named returns the resource that a name stands for, or "".
func ParseReference(path []string, named func(name string) string) (Reference, bool) {
	last := len(path) - 1
	for i, name := range path {
		if i > 0 && !isHolder(path[0]) && named(name) != name {
			break
		}
		resource := named(name)
		switch {
		case i > 2:
			return Reference{}, false
		case resource == "":
		case i == last:
			return Reference{resource, i, "id"}, true
		default:
			return Reference{resource, i, path[last]}, true
		}
	}
	return Reference{Member: path[last]}, isHolder(path[0]) && last > 1
}

// outside are the names of what only programs know, and what a spec has instead.
func outside(name string) string {
	switch name {
	case "terraform", "pulumi", "stack", "workspace", "project":
		return "A spec does not know the program's stack or project. Declare a setting or an input, which the program sets."
	case "path":
		return "A relative path starts in the folder of the program's Pulumi.yaml: write it as it is."
	case "module", "modules", "data":
		return "A spec sees no other resources. Declare an input, which the program sets."
	default:
		return ""
	}
}

// NameRemedy returns what to write for a name at the beginning of an expression that has no counterpart, or "".
func NameRemedy(name string) string { return outside(strings.ToLower(name)) }
