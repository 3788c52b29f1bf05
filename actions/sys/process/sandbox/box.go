package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
)

// Command describes the command that a box confines.
type Command struct {
	// Files and Network are what the permissions of the spec grant.
	Files   *files.Files
	Network *network.Network
	// Programs are the absolute paths of the command's program, and of other programs that it
	// may run in addition to those of the system.
	Programs []string
	// Own are the command's temporary folders. It may change them, and run programs in them.
	Own []string
	// Changes says that the command has effects. Then granted folders (`d/**`) that do not
	// exist are made before it starts, since the kernel can only grant what exists.
	Changes bool
	// Capabilities are the capabilities that a command of root keeps; nil is the default.
	Capabilities []string
}

// Box confines one run of a command.
type Box struct {
	Rules Rules
	// Scratch is a folder for the temporary files of the command.
	Scratch string
	// granted are the places that the permissions allow to read or write. madeFolders are the
	// granted folders that did not exist and were made before the command, with those of their
	// parents that did not exist either.
	granted     []Place
	madeFolders []string
}

// Prepare makes the box of one run. The caller must close it when the command has ended.
func Prepare(ctx context.Context, c Command) (*Box, error) {
	b := &Box{}
	if err := b.prepare(ctx, c); err != nil {
		return nil, errors.Join(err, b.Close(false))
	}
	return b, nil
}

func (b *Box) prepare(ctx context.Context, c Command) error {
	if c.Changes {
		if err := b.makeFolders(c.Files); err != nil {
			return err
		}
	}
	if err := b.Rules.AddGrants(ctx, c.Files, c.Network); err != nil {
		return err
	}
	b.granted = slices.Concat(b.Rules.Read, b.Rules.Write)
	b.Rules.Capabilities = c.Capabilities
	b.Rules.AddPrograms(c.Programs...)
	own := places(true, c.Own...)
	b.Rules.Write, b.Rules.Execute = append(b.Rules.Write, own...), append(b.Rules.Execute, own...)
	b.Rules = b.Rules.WithSystem()
	scratch, err := files.MkdirTemp("declprov-command-")
	if err != nil {
		return fmt.Errorf("making the folder for temporary files: %w", err)
	}
	b.Scratch = scratch
	b.Rules.Write = append(b.Rules.Write, Place{Base: scratch, Tree: true})
	return nil
}

// makeFolders makes the granted folders that do not exist.
func (b *Box) makeFolders(granted *files.Files) error {
	for _, g := range granted.Grants() {
		if g.Access != grant.Write || !g.Whole {
			continue
		}
		absent := missingFolders(g.Base)
		if len(absent) == 0 {
			continue
		}
		if _, err := granted.Mkdir(g.Base, files.MkdirOptions{Parents: true, Existing: true}); err != nil {
			return fmt.Errorf("the kernel's sandbox requires the folder of the permission %q: %w", g.Pattern, err)
		}
		b.madeFolders = append(b.madeFolders, absent...)
	}
	return nil
}

// missingFolders returns the folder and those of its parents that do not exist, the deepest
// first.
func missingFolders(folder string) []string {
	var absent []string
	for {
		if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
			return absent
		}
		absent = append(absent, folder)
		folder = filepath.Dir(folder)
	}
}

// Close removes the scratch folder. If the command failed, it also removes the folders that
// were made for it, unless they contain something.
func (b *Box) Close(worked bool) error {
	if !worked {
		for _, dir := range b.madeFolders {
			_ = os.Remove(dir) // fails if the folder is not empty
		}
	}
	if b.Scratch == "" {
		return nil
	}
	return RemoveScratch(b.Scratch)
}

// RemoveScratch removes a scratch folder with everything in it, including folders without
// write permission.
func RemoveScratch(scratch string) error {
	if os.RemoveAll(scratch) == nil {
		return nil
	}
	root, err := os.OpenRoot(scratch)
	if err != nil {
		return err
	}
	defer root.Close()
	makeWritable(root, ".")
	return os.RemoveAll(scratch)
}

// makeWritable lets the owner list and change a folder and the folders in it. It ignores
// errors; the removal afterwards reports them.
func makeWritable(parent *os.Root, name string) {
	_ = parent.Chmod(name, 0o700)
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, _ := fs.ReadDir(dir.FS(), ".")
	for _, e := range entries {
		if e.IsDir() {
			makeWritable(dir, e.Name())
		}
	}
}

// Environ returns the environment of the command. It sets TMPDIR to the scratch folder. It
// also sets HOME to it if nothing in the home folder is granted, since many programs fail if
// they cannot read their home folder. isOwn reports whether the spec sets a variable or is
// granted it by name; such variables are not changed.
func (b *Box) Environ(env []string, isOwn func(name string) bool) []string {
	env = slices.Clone(env)
	if !isOwn("TMPDIR") {
		env = setVar(env, "TMPDIR", b.Scratch)
	}
	home, has := lookUpVar(env, "HOME")
	if has && !isOwn("HOME") && !b.overlapsGrant(home) {
		env = setVar(env, "HOME", b.Scratch)
	}
	return env
}

// overlapsGrant reports whether the folder, or anything below or above it, is granted.
func (b *Box) overlapsGrant(folder string) bool {
	for _, p := range b.granted {
		for _, pair := range [2][2]string{{folder, p.fullPath()}, {p.fullPath(), folder}} {
			if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

func lookUpVar(env []string, name string) (value string, ok bool) {
	for _, e := range env {
		if v, is := strings.CutPrefix(e, name+"="); is {
			value, ok = v, true
		}
	}
	return value, ok
}

func setVar(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	return append(env, name+"="+value)
}
