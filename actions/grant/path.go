package grant

import (
	"fmt"
	"path/filepath"
	"strings"
)

// PathRule is a compiled Rule about paths.
type PathRule struct {
	Access Access
	// Pattern is the pattern as written.
	Pattern string
	// Base is the absolute folder before the first wildcard. Root is Base, or a folder above it: links in
	// Root are followed, because the operator named it, and those between Root and Base are not,
	// because a spec may have made them.
	Base, Root string
	// Glob matches paths relative to Base. Single says that there is no glob: the rule
	// covers only Base.
	Glob   Glob
	Single bool
	// Tree says that the glob ends in `**`: if it matches a folder, it matches everything
	// below. Whole says that it matches Base itself.
	Tree, Whole bool
}

// CompilePath compiles a rule about paths. A relative pattern is relative to dir, which is
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
		return bad("the pattern contains a NUL character")
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		return bad(`"~" is not expanded; write the path of the folder`)
	}
	literal, wild := splitPattern(pattern)
	glob, err := ParseGlob(wild)
	if err != nil {
		return bad(err.Error())
	}
	if strings.Contains("/"+wild+"/", "/../") {
		return bad(`".." is not allowed after a wildcard; write the path of the folder`)
	}
	base := filepath.FromSlash(literal)
	if !filepath.IsAbs(base) {
		base = filepath.Join(dir, base)
	}
	base = filepath.Clean(base)
	return PathRule{
		Access: r.Access, Pattern: r.Pattern, Base: base, Root: base, Glob: glob, Single: wild == "",
		Tree:  wild == "**" || strings.HasSuffix(wild, "/**"),
		Whole: wild != "" && strings.ReplaceAll(wild+"/", "**/", "") == "",
	}, nil
}

// splitPattern splits a pattern before its first name with a wildcard. The literal part is
// returned unquoted.
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

// cleanGlob joins the segments, without empty ones and ".".
func cleanGlob(segments []string) string {
	kept := segments[:0:0]
	for _, s := range segments {
		if s != "" && s != "." {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "/")
}

// Allows reports whether the rule grants the access. Write includes Read.
func (r PathRule) Allows(access Access) bool {
	return r.Access == access || r.Access == Write && access == Read
}

// Matches reports whether the rule covers the absolute, clean path.
func (r PathRule) Matches(abs string) bool {
	rel, ok := RelPath(r.Base, abs)
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

// RelPath returns the path relative to base ("." for base itself), and whether the path is
// at or below base.
func RelPath(base, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(base, path)
	return rel, err == nil && filepath.IsLocal(rel)
}
