package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
)

const (
	// maxMatches is how many files one pattern may grant by name. maxVisits is how many names
	// are compared with it.
	maxMatches = 1000
	maxVisits  = 20_000
)

// AddGrants adds the files and network that a spec is granted.
//
// The kernel grants a file, or a folder with everything below it. So
//
//   - `d/**` is granted as it is, including new files;
//   - a path without wildcards is granted if it is an existing file: a command may change it,
//     but not remove or replace it;
//   - another pattern (`d/*.json`) grants the files that match when the command starts, and
//     `d/*/**` the folders;
//   - for hosts, the ports of their origins are granted, for any host.
//
// Nothing is granted that the patterns do not match.
func (r *Rules) AddGrants(ctx context.Context, files *files.Files, network *network.Network) error {
	grants := files.Grants()
	for i, g := range grants {
		if isCovered(g, grants[:i], grants[i+1:]) {
			continue
		}
		found, err := placesOf(ctx, g)
		if err != nil {
			return fmt.Errorf("the kernel's sandbox: permission %q: %w", g.Pattern, err)
		}
		if g.Access == grant.Write {
			r.Write = append(r.Write, found...)
		} else {
			r.Read = append(r.Read, found...)
		}
	}
	r.Ports, r.AnyPort = network.Ports()
	return nil
}

// isCovered reports whether another grant of a tree includes this one. Then the base of this
// one may be a link that a command made, and must not be followed.
func isCovered(g grant.PathRule, before, after []grant.PathRule) bool {
	for i, others := range [][]grant.PathRule{before, after} {
		for _, other := range others {
			rel, err := filepath.Rel(other.Base, g.Base)
			within := other.Whole && err == nil && filepath.IsLocal(rel)
			enough := other.Access == g.Access || other.Access == grant.Write
			same := rel == "." && g.Whole && other.Access == g.Access
			if within && enough && (!same || i == 0) { // of two equal grants, keep the first
				return true
			}
		}
	}
	return false
}

func placesOf(ctx context.Context, g grant.PathRule) ([]Place, error) {
	switch {
	case g.Whole:
		return []Place{placeAt(g, "", true)}, nil
	case g.Single:
		if g.Root == g.Base {
			g.Root = filepath.Dir(g.Base) // a link in the place of the file is not followed
		}
		return []Place{placeAt(g, "", false)}, nil
	}
	root, err := files.OpenBase(g.Root, g.Base)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	defer root.Close()
	m := matcher{ctx: ctx, grant: g, root: root.FS()}
	err = fs.WalkDir(m.root, ".", m.visit)
	return m.found, err
}

// placeAt returns the place below the base of a grant.
func placeAt(g grant.PathRule, below string, tree bool) Place {
	rel, err := filepath.Rel(g.Root, filepath.Join(g.Base, below))
	if err != nil || rel == "." {
		rel = ""
	}
	return Place{Base: g.Root, Below: rel, Tree: tree}
}

// matcher walks below the base of a grant, and collects what its pattern matches.
type matcher struct {
	ctx    context.Context
	grant  grant.PathRule
	root   fs.FS
	visits int
	found  []Place
}

func (m *matcher) visit(rel string, entry fs.DirEntry, err error) error {
	if err := context.Cause(m.ctx); err != nil {
		return err
	}
	if err != nil {
		return ignoreMissing(err)
	}
	m.visits++
	if m.visits > maxVisits || len(m.found) > maxMatches {
		return fmt.Errorf(`the pattern matches more than %d files, or requires visiting more than %d: grant folders as "d/**", or set sandbox: "off"`,
			maxMatches, maxVisits)
	}
	if rel == "." {
		return nil
	}
	matches := m.grant.Glob.Match(rel)
	switch {
	case matches && entry.IsDir() && m.grant.Tree:
		m.found = append(m.found, placeAt(m.grant, rel, true))
		return fs.SkipDir
	case matches && !entry.IsDir():
		m.found = append(m.found, placeAt(m.grant, rel, false))
	}
	if depth := m.grant.Glob.Depth(); entry.IsDir() && depth >= 0 && strings.Count(rel, "/")+1 >= depth {
		return fs.SkipDir
	}
	return nil
}

// ignoreMissing returns nil for the error of a file that does not exist or is not accessible.
// Such a file grants nothing.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
