package grant

import (
	"fmt"
	"path/filepath"
	"strings"
)

// PathRule is a compiled Rule about paths.
type PathRule struct {
	Access Access
	// Pattern is the rule's own.
	Pattern string
	// Base is the literal folder in front of the first wildcard, absolute.
	Base string
	// Glob is matched against the path from Base on. Single says that there is none: the
	// rule is about Base alone.
	Glob   Glob
	Single bool
	// Tree says that the glob ends in `**`, so that what matches a folder matches all
	// below it; Whole says that this is so of Base itself.
	Tree, Whole bool
}

// CompilePath compiles a rule about paths. A relative pattern starts at dir, which is
// absolute.
func CompilePath(dir string, r Rule) (PathRule, error) {
	bad := func(why string) (PathRule, error) {
		return PathRule{}, fmt.Errorf("permission %q: %s", r.Pattern, why)
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
	return PathRule{
		Access: r.Access, Pattern: r.Pattern, Base: filepath.Clean(base), Glob: glob, Single: wild == "",
		Tree:  wild == "**" || strings.HasSuffix(wild, "/**"),
		Whole: wild != "" && strings.ReplaceAll(wild+"/", "**/", "") == "",
	}, nil
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

// Allows reports whether the rule grants the access: to write implies to read.
func (r PathRule) Allows(access Access) bool {
	return r.Access == access || r.Access == Write && access == Read
}

// Matches reports whether the rule names the absolute, clean path.
func (r PathRule) Matches(abs string) bool {
	rel, ok := Below(r.Base, abs)
	switch {
	case !ok:
		return false
	case rel == ".":
		return r.Single || r.Whole
	case r.Single:
		return false
	default:
		return r.Glob.Match(filepath.ToSlash(rel))
	}
}

// Below returns the path from base on, "." for base itself, and whether path is there.
func Below(base, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(base, path)
	return rel, err == nil && filepath.IsLocal(rel)
}
