package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
)

const (
	// mostMatches is how many files one pattern may grant by their names, mostLooks
	// how many names are looked at for that.
	mostMatches = 1000
	mostLooks   = 20_000
)

// Grant adds what a spec is granted of files and of the network.
//
// The kernel grants a file, or a folder with all below it. So
//
//   - `d/**` is granted as it stands, new files included;
//   - a path without wildcards is, if it is a file that exists: what a command may
//     change there it may not remove or replace;
//   - any other pattern (`d/*.json`) is as much as the files that match when the
//     command starts, and for `d/*/**` the folders;
//   - hosts are the ports of their origins, whatever the host.
//
// Nothing is granted that the patterns do not match.
func (r *Rules) Grant(ctx context.Context, files *files.Files, network *network.Network) error {
	grants := files.Grants()
	for i, g := range grants {
		if covered(g, grants[:i], grants[i+1:]) {
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

// covered reports whether another grant, of a tree, has all of this one. Then
// this one's base may be a link that a command has put there, and is not to be
// followed.
func covered(g grant.PathRule, before, after []grant.PathRule) bool {
	for i, others := range [][]grant.PathRule{before, after} {
		for _, other := range others {
			rel, err := filepath.Rel(other.Base, g.Base)
			within := other.Whole && err == nil && filepath.IsLocal(rel)
			enough := other.Access == g.Access || other.Access == grant.Write
			same := rel == "." && g.Whole && other.Access == g.Access
			if within && enough && (!same || i == 0) { // of two that are the same the first stays
				return true
			}
		}
	}
	return false
}

func placesOf(ctx context.Context, g grant.PathRule) ([]Place, error) {
	switch {
	case g.Whole:
		return []Place{{Base: g.Base, Tree: true}}, nil
	case g.Single:
		return []Place{{Base: filepath.Dir(g.Base), Below: filepath.Base(g.Base)}}, nil
	}
	root, err := os.OpenRoot(g.Base)
	if err != nil {
		return nil, ignorable(err)
	}
	defer root.Close()
	m := matcher{ctx: ctx, grant: g, root: root.FS()}
	err = fs.WalkDir(m.root, ".", m.look)
	return m.found, err
}

// matcher walks below a grant's base, for what its glob matches.
type matcher struct {
	ctx   context.Context
	grant grant.PathRule
	root  fs.FS
	looks int
	found []Place
}

func (m *matcher) look(rel string, entry fs.DirEntry, err error) error {
	if err := context.Cause(m.ctx); err != nil {
		return err
	}
	if err != nil {
		return ignorable(err)
	}
	m.looks++
	if m.looks > mostLooks || len(m.found) > mostMatches {
		return fmt.Errorf(`it takes more than %d files, or a look at more than %d, which is too much to tell the kernel one by one: grant folders as "d/**", or set sandbox: "off"`,
			mostMatches, mostLooks)
	}
	if rel == "." {
		return nil
	}
	matches := m.grant.Glob.Match(rel)
	switch {
	case matches && entry.IsDir() && m.grant.Tree:
		m.found = append(m.found, Place{Base: m.grant.Base, Below: rel, Tree: true})
		return fs.SkipDir
	case matches && !entry.IsDir():
		m.found = append(m.found, Place{Base: m.grant.Base, Below: rel})
	}
	if depth := m.grant.Glob.Depth(); entry.IsDir() && depth >= 0 && strings.Count(rel, "/")+1 >= depth {
		return fs.SkipDir
	}
	return nil
}

// ignorable is nil for what is not there or may not be looked at: it grants
// nothing.
func ignorable(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
