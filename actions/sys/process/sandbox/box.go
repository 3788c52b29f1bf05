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

// Command is what a box is made for.
type Command struct {
	// Files and Network are what the spec is granted.
	Files   *files.Files
	Network *network.Network
	// Programs are absolute paths: of the command's own program, and of others
	// that it may run beside the system's.
	Programs []string
	// Own are folders that were made for the command alone: it may change what is
	// there, and run it.
	Own []string
	// Changes says that the command changes the world. Then a folder that it may
	// write to (`d/**`) and that is not there is made first, for the kernel grants
	// what exists.
	Changes bool
	// Capabilities are those that it keeps where root runs it; nil is the default.
	Capabilities []string
}

// Box is all that one run of a command needs to be confined.
type Box struct {
	Rules Rules
	// Scratch is a folder of the command's own for temporary files.
	Scratch string
	// granted are the places that the spec is granted, made the folders that were
	// made for it.
	granted []Place
	made    []string
}

// Prepare makes the box of one run. Close it when the command has ended.
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
	if err := b.Rules.Grant(ctx, c.Files, c.Network); err != nil {
		return err
	}
	b.granted = slices.Concat(b.Rules.Read, b.Rules.Write)
	b.Rules.Capabilities = c.Capabilities
	b.Rules.Run(c.Programs...)
	own := places(true, c.Own...)
	b.Rules.Write, b.Rules.Execute = append(b.Rules.Write, own...), append(b.Rules.Execute, own...)
	b.Rules = b.Rules.System()
	scratch, err := files.MkdirTemp("declprov-command-")
	if err != nil {
		return fmt.Errorf("the command's folder for temporary files: %w", err)
	}
	b.Scratch = scratch
	b.Rules.Write = append(b.Rules.Write, Place{Base: scratch, Tree: true})
	return nil
}

// makeFolders makes the granted folders that are not there.
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
			return fmt.Errorf("the kernel's sandbox needs the folder that permission %q names: %w", g.Pattern, err)
		}
		b.made = append(b.made, absent...)
	}
	return nil
}

// missingFolders are the folder and those above it that are not there, the
// deepest first.
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

// Close removes the scratch folder. After a command that failed, the folders
// that were made for it go, too, as far as nothing is in them.
func (b *Box) Close(worked bool) error {
	if !worked {
		for _, dir := range b.made {
			_ = os.Remove(dir) // it stays if something is in it
		}
	}
	if b.Scratch == "" {
		return nil
	}
	return Clear(b.Scratch)
}

// Clear removes a scratch folder with all that a command has left in it, folders
// too that nobody may write to.
func Clear(scratch string) error {
	if os.RemoveAll(scratch) == nil {
		return nil
	}
	root, err := os.OpenRoot(scratch)
	if err != nil {
		return err
	}
	defer root.Close()
	open(root, ".")
	return os.RemoveAll(scratch)
}

// open lets its owner list and change a folder, and those in it. What cannot be
// is told by the removal after it.
func open(parent *os.Root, name string) {
	_ = parent.Chmod(name, 0o700)
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, _ := fs.ReadDir(dir.FS(), ".")
	for _, e := range entries {
		if e.IsDir() {
			open(dir, e.Name())
		}
	}
}

// Environ is a command's environment with what the box changes of it: temporary
// files go to the scratch folder, and so does what belongs into the home folder
// where nothing of that is granted, since programs take a home that they may
// not read for broken. Own tells the variables that the spec sets itself, or is
// granted by their names.
func (b *Box) Environ(env []string, own func(name string) bool) []string {
	env = slices.Clone(env)
	if !own("TMPDIR") {
		env = set(env, "TMPDIR", b.Scratch)
	}
	home, has := lookUp(env, "HOME")
	if has && !own("HOME") && !b.touches(home) {
		env = set(env, "HOME", b.Scratch)
	}
	return env
}

// touches reports whether anything at, below or above the folder is granted.
func (b *Box) touches(folder string) bool {
	for _, p := range b.granted {
		for _, pair := range [2][2]string{{folder, p.path()}, {p.path(), folder}} {
			if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

func lookUp(env []string, name string) (value string, ok bool) {
	for _, e := range env {
		if v, is := strings.CutPrefix(e, name+"="); is {
			value, ok = v, true
		}
	}
	return value, ok
}

func set(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	return append(env, name+"="+value)
}
