package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions/sys/process/sandbox"
	"github.com/declprov/declprov/engine/permissions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/screen"
)

// accesses are the keys of a permissions block, and what each allows.
var accesses = [...]struct{ key, allows string }{
	{"read", "read files"},
	{"write", "read, write and delete files"},
	{"hosts", "connect to"},
	{"run", "run programs"},
	{"env", "see environment variables"},
	{"packages", "make resources of other packages, whose plugins do what you may do"},
	{"agent", "log in elsewhere with the keys of your ssh-agent"},
}

// titleOf is a spec's name, and its version where it has one.
func titleOf(about spec.Metadata) string {
	if about.Version == "" {
		return about.Name
	}
	return about.Name + " " + about.Version
}

func writeGrants(w io.Writer, about spec.Metadata, grants []permissions.Grant) error {
	name := titleOf(about)
	if len(grants) == 0 {
		_, err := fmt.Fprintf(w, "%s may do nothing outside of itself.\n", name)
		return err
	}
	text := name + " may\n"
	for _, access := range accesses {
		heading := "\n" + access.allows + "\n"
		for _, g := range grants {
			if g.Access != access.key || g.Access == "read" && covered(g, grants) {
				continue
			}
			text += heading + "  " + screen.Exact(g.Pattern) + remarks(g) + "\n"
			heading = ""
		}
		if heading == "" {
			text += confined(access.key, grants)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// confined says how the programs that may be run are bound by the other grants.
func confined(access string, grants []permissions.Grant) string {
	i := slices.IndexFunc(grants, func(g permissions.Grant) bool { return g.Access == access && g.Confined != "" })
	if i < 0 {
		return ""
	}
	here := ""
	if lacks := sandbox.Here().Partial(); lacks != "" {
		here = "  Not so on this machine: " + lacks + ".\n"
	}
	switch grants[i].Confined {
	case plan.Enforced:
		return "  The kernel keeps them, and what they start, to what stands here; where it cannot they do not start.\n" + keeps(grants[i]) + here
	case plan.Attempted:
		return "  The kernel keeps them, and what they start, to what stands here, where it can: on Linux.\n" + keeps(grants[i]) + here
	case plan.Mixed:
		return "  Some run outside of the kernel's sandbox: nothing keeps those to what stands here.\n"
	default:
		return "  Nothing keeps them, or what they start, to what stands here.\n"
	}
}

// keeps says what root's commands keep of its rights, where the spec narrows that.
func keeps(g permissions.Grant) string {
	switch {
	case g.Capabilities == nil:
		return ""
	case len(g.Capabilities) == 0:
		return "  Where root runs them, they keep no capability.\n"
	}
	return "  Where root runs them, they keep of its capabilities " + strings.Join(g.Capabilities, ", ") + ".\n"
}

// covered reports whether what may be read may be written too, which says it
// all.
func covered(read permissions.Grant, grants []permissions.Grant) bool {
	return slices.ContainsFunc(grants, func(g permissions.Grant) bool {
		return g.Access == "write" && g.Pattern == read.Pattern && g.Implied == read.Implied
	})
}

func remarks(g permissions.Grant) string {
	remark := ""
	if g.Chosen {
		remark += "  (chosen by the program)"
	}
	if decides := deciding(g.Settings); decides != "" {
		remark += "  (" + decides + ")"
	}
	if g.Implied {
		remark += "  (implied: not in a permissions block)"
	}
	return remark
}

// deciding says what a grant's settings are where nobody sets them: the author has
// chosen that.
func deciding(settings []permissions.Setting) string {
	var all []string
	for _, s := range settings {
		var from []string
		for _, name := range s.Env {
			from = append(from, "$"+name)
		}
		if s.Default != "" {
			from = append(from, s.Default)
		}
		switch {
		case s.By != "":
			all = append(all, fmt.Sprintf("%s: %s is %s", s.By, s.Name, s.Default))
		case from != nil:
			all = append(all, fmt.Sprintf("%s is %s by default", s.Name, strings.Join(from, ", else ")))
		}
	}
	return string(screen.Exact(strings.Join(all, "; ")))
}

// difference is what a version of a spec may do and another one may not.
type difference struct {
	Old  string              `json:"old"`
	New  string              `json:"new"`
	More []permissions.Grant `json:"more"`
	Less []permissions.Grant `json:"less"`
}

func differenceOf(old, now granted) difference {
	return difference{
		Old: titleOf(old.about), New: titleOf(now.about),
		More: append([]permissions.Grant{}, permissions.Beyond(now.grants, old.grants)...),
		Less: append([]permissions.Grant{}, permissions.Beyond(old.grants, now.grants)...),
	}
}

// writeDifference prints what is asked for more, marked by `+`, and what no longer is,
// by `-`.
func writeDifference(w io.Writer, d difference) error {
	text := fmt.Sprintf("%s asks for no more than %s\n", d.New, d.Old)
	if len(d.More) > 0 {
		text = fmt.Sprintf("%s asks for more than %s\n", d.New, d.Old)
	}
	for _, access := range accesses {
		heading := "\n" + access.allows + "\n"
		for _, part := range []struct {
			mark   string
			grants []permissions.Grant
		}{{"+ ", d.More}, {"- ", d.Less}} {
			for _, g := range part.grants {
				if g.Access != access.key || g.Access == "read" && covered(g, part.grants) {
					continue
				}
				text += heading + part.mark + screen.Exact(g.Pattern) + remarks(g) + boundBy(g) + "\n"
				heading = ""
			}
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// boundBy says of a program how the kernel binds it, which may be all that differs.
func boundBy(g permissions.Grant) string {
	if g.Capabilities != nil {
		return fmt.Sprintf("  (of root's capabilities: %s)", cmp.Or(strings.Join(g.Capabilities, ", "), "none"))
	}
	switch g.Confined {
	case plan.Enforced:
		return "  (in the kernel's sandbox, or not at all)"
	case plan.Attempted:
		return "  (in the kernel's sandbox where there is one)"
	case plan.Mixed:
		return "  (some outside of the kernel's sandbox)"
	case plan.Unconfined:
		return "  (outside of the kernel's sandbox)"
	}
	return ""
}
