package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/process/sandbox"
	"github.com/declprov/declprov/engine/permissions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/screen"
)

// accesses lists the keys of a permissions block, and what each of them allows.
var accesses = [...]struct{ key, allows string }{
	{"read", "read files"},
	{"write", "read, write and delete files"},
	{"hosts", "connect to"},
	{"run", "run programs"},
	{"env", "read environment variables"},
	{"packages", "create resources of other packages, whose plugins may do everything that you may do"},
	{"agent", "log in to other machines with the keys of your ssh-agent"},
	{"trust", "trust"},
}

// titleOf returns the name of a spec, and its version if it has one.
func titleOf(about spec.Metadata) string {
	if about.Version == "" {
		return about.Name
	}
	return about.Name + " " + about.Version
}

func writeGrants(w io.Writer, about spec.Metadata, grants []permissions.Grant) error {
	name := titleOf(about)
	if len(grants) == 0 {
		_, err := fmt.Fprintf(w, "%s has no permissions.\n", name)
		return err
	}
	text := name + " may\n"
	for _, access := range accesses {
		heading := "\n" + access.allows + "\n"
		for _, g := range grants {
			if g.Access != access.key || g.Access == "read" && impliedByWrite(g, grants) {
				continue
			}
			text += heading + "  " + screen.Exact(g.Pattern) + remarks(g) + "\n"
			heading = ""
		}
		if heading == "" {
			text += confinementOf(access.key, grants)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// confinementOf describes how the other permissions restrict the programs that may run.
func confinementOf(access string, grants []permissions.Grant) string {
	i := slices.IndexFunc(grants, func(g permissions.Grant) bool { return g.Access == access && g.Confined != "" })
	if i < 0 {
		return ""
	}
	here := ""
	if lacks := sandbox.CurrentKernel().DescribeMissing(); lacks != "" {
		here = "  On this machine, this is not fully enforced: " + lacks + ".\n"
	}
	switch grants[i].Confined {
	case plan.Enforced:
		return "  The kernel restricts them and their descendants to these permissions. If it cannot, they do not start.\n" + capabilitiesOf(grants[i]) + here
	case plan.Attempted:
		return "  On Linux, the kernel restricts them and their descendants to these permissions, as far as it can.\n" + capabilitiesOf(grants[i]) + here
	case plan.Mixed:
		return "  Some run outside the kernel's sandbox. Those are not restricted to these permissions.\n"
	default:
		return "  They and their descendants are not restricted to these permissions.\n"
	}
}

// capabilitiesOf describes the Linux capabilities that commands of root keep, if the spec
// restricts them.
func capabilitiesOf(g permissions.Grant) string {
	switch {
	case g.Capabilities == nil:
		return ""
	case len(g.Capabilities) == 0:
		return "  If root runs them, they keep no capabilities.\n"
	}
	return "  If root runs them, they keep only these capabilities: " + strings.Join(g.Capabilities, ", ") + ".\n"
}

// impliedByWrite reports whether there is a permission to write the same files, which
// includes reading.
func impliedByWrite(read permissions.Grant, grants []permissions.Grant) bool {
	return slices.ContainsFunc(grants, func(g permissions.Grant) bool {
		return g.Access == "write" && g.Pattern == read.Pattern && g.Implied == read.Implied
	})
}

func remarks(g permissions.Grant) string {
	remark := ""
	if g.Chosen {
		remark += "  (chosen by the program)"
	}
	if decides := describeSettings(g.Settings); decides != "" {
		remark += "  (" + decides + ")"
	}
	if g.Implied {
		remark += "  (implied: not in a permissions block)"
	}
	if target := linkTarget(g); target != "" {
		remark += "  (a link leads to " + screen.Exact(target) + ")"
	}
	return remark
}

// linkTarget returns the path that a permission for files really begins at, if a link in the current
// folder, or an absolute path, leads elsewhere. A project may contain the link, and its target is what the spec
// may access.
func linkTarget(g permissions.Grant) string {
	if g.Access != "read" && g.Access != "write" || strings.Contains(g.Pattern, "${") {
		return ""
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return ""
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return ""
	}
	rule, err := grant.CompilePath(here, grant.Rule{Pattern: g.Pattern})
	if err != nil {
		return ""
	}
	for path := rule.Base; ; path = filepath.Dir(path) { // what does not exist yet is below what does
		target, err := filepath.EvalSymlinks(path)
		if err != nil && path != filepath.Dir(path) {
			continue
		}
		if target = filepath.Join(target, strings.TrimPrefix(rule.Base, path)); err == nil && target != rule.Base {
			return target
		}
		return ""
	}
}

// describeSettings returns the defaults of the settings that a permission refers to, which
// the author has chosen.
func describeSettings(settings []permissions.Setting) string {
	var all []string
	for _, s := range settings {
		from := lists.Map(s.Env, func(name string) string { return "$" + name })
		if s.Default != "" {
			from = append(from, s.Default)
		}
		switch {
		case s.By != "":
			all = append(all, fmt.Sprintf("%s: %s is %s", s.By, s.Name, s.Default))
		case from != nil:
			all = append(all, fmt.Sprintf("%s is %s by default", s.Name, strings.Join(from, ", or else ")))
		}
	}
	return string(screen.Exact(strings.Join(all, "; ")))
}

// difference is the difference between the permissions of two versions of a spec.
type difference struct {
	Old  string              `json:"old"`
	New  string              `json:"new"`
	More []permissions.Grant `json:"more"`
	Less []permissions.Grant `json:"less"`
}

func differenceOf(old, now specGrants) difference {
	return difference{
		Old: titleOf(old.about), New: titleOf(now.about),
		More: append([]permissions.Grant{}, permissions.Beyond(now.grants, old.grants)...),
		Less: append([]permissions.Grant{}, permissions.Beyond(old.grants, now.grants)...),
	}
}

// writeDifference prints additional permissions with `+`, and those that are no longer
// required with `-`.
func writeDifference(w io.Writer, d difference) error {
	text := fmt.Sprintf("%s requires no more permissions than %s\n", d.New, d.Old)
	if len(d.More) > 0 {
		text = fmt.Sprintf("%s requires more permissions than %s\n", d.New, d.Old)
	}
	for _, access := range accesses {
		heading := "\n" + access.allows + "\n"
		for _, part := range []struct {
			mark   string
			grants []permissions.Grant
		}{{"+ ", d.More}, {"- ", d.Less}} {
			for _, g := range part.grants {
				if g.Access != access.key || g.Access == "read" && impliedByWrite(g, part.grants) {
					continue
				}
				text += heading + part.mark + screen.Exact(g.Pattern) + remarks(g) + confinementRemark(g) + "\n"
				heading = ""
			}
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// confinementRemark describes how the kernel restricts a program, which may be the only
// difference.
func confinementRemark(g permissions.Grant) string {
	if g.Capabilities != nil {
		return fmt.Sprintf("  (capabilities if root runs it: %s)", cmp.Or(strings.Join(g.Capabilities, ", "), "none"))
	}
	switch g.Confined {
	case plan.Enforced:
		return "  (only in the kernel's sandbox)"
	case plan.Attempted:
		return "  (in the kernel's sandbox, if available)"
	case plan.Mixed:
		return "  (some outside the kernel's sandbox)"
	case plan.Unconfined:
		return "  (outside the kernel's sandbox)"
	}
	return ""
}
