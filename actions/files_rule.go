package actions

import (
	"fmt"
	"path/filepath"
	"strings"
)

// rule is a compiled Rule: all below base that glob matches.
type rule struct {
	access  Access
	pattern string // as it was given
	base    string // the literal folder in front, absolute
	// glob is matched against the path from base on; single says that there is
	// none, and the rule is about base itself and nothing below.
	glob   Glob
	single bool
	// tree says that the glob ends in `**`: what matches a folder matches all
	// below it. Self says that it is nothing but `**`, which base matches too.
	tree, self bool
}

func compileRule(dir string, r Rule) (rule, error) {
	bad := func(why string) (rule, error) {
		return rule{}, fmt.Errorf("permission %q: %s", r.Pattern, why)
	}
	pattern := filepath.ToSlash(r.Pattern)
	switch {
	case pattern == "":
		return bad("the pattern is empty")
	case strings.ContainsRune(pattern, 0):
		return bad("the pattern holds a NUL character")
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		return bad(`"~" is not expanded; write the folder out`)
	}
	literal, wild := splitPattern(pattern)
	glob, err := ParseGlob(wild)
	if err != nil {
		return bad(err.Error())
	}
	if strings.Contains("/"+wild+"/", "/../") {
		return bad(`".." after a wildcard leads nowhere certain; write the folder out`)
	}
	base := filepath.FromSlash(literal)
	if !filepath.IsAbs(base) {
		base = filepath.Join(dir, base)
	}
	return rule{
		access: r.Access, pattern: r.Pattern, base: filepath.Clean(base), glob: glob, single: wild == "",
		tree: wild == "**" || strings.HasSuffix(wild, "/**"),
		self: wild != "" && strings.ReplaceAll(wild+"/", "**/", "") == "",
	}, nil
}

// FileGrant is a grant of files in force, taken apart: for what enforces it by
// other means than Files.
type FileGrant struct {
	Access Access
	// Pattern is the grant as it was given.
	Pattern string
	// Base is the path in front of the first wildcard, absolute. Where Single is
	// set the grant is about it alone, and else about what Glob matches of the
	// paths from it on.
	Base   string
	Single bool
	Glob   Glob
	// Tree says that what matches a folder matches all below it, Whole that this
	// is so of Base itself.
	Tree, Whole bool
}

// Grants are what is granted.
func (f *Files) Grants() []FileGrant {
	grants := make([]FileGrant, len(f.rules))
	for i, r := range f.rules {
		grants[i] = FileGrant{
			Access: r.access, Pattern: r.pattern, Base: r.base, Single: r.single, Glob: r.glob, Tree: r.tree, Whole: r.self,
		}
	}
	return grants
}

// splitPattern splits a pattern before its first name with a wildcard. The
// literal part has its quoting undone.
func splitPattern(pattern string) (literal, wild string) {
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		plain, ok := unquoteGlob(s)
		if !ok {
			return strings.Join(segments[:i], "/") + "/"[:min(i, 1)], cleanGlob(segments[i:])
		}
		segments[i] = plain
	}
	return strings.Join(segments, "/"), ""
}

// cleanGlob joins the segments without those that say nothing.
func cleanGlob(segments []string) string {
	kept := segments[:0:0]
	for _, s := range segments {
		if s != "" && s != "." {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "/")
}

func (r rule) allows(access Access) bool {
	return r.access == access || r.access == WriteTo && access == Read
}

// matches reports whether the rule names the absolute, clean path.
func (r rule) matches(abs string) bool {
	rel, ok := below(r.base, abs)
	switch {
	case !ok:
		return false
	case rel == ".":
		return r.single || r.self
	case r.single:
		return false
	default:
		return r.glob.Match(filepath.ToSlash(rel))
	}
}

// below is the path from base on, "." for base itself.
func below(base, abs string) (rel string, ok bool) {
	rel, err := filepath.Rel(base, abs)
	return rel, err == nil && filepath.IsLocal(rel)
}
