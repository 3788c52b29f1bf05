package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/declprov/declprov/spec/stable"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/assets"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/spec"
)

func unpackKind() *actions.Kind {
	return &actions.Kind{
		Name:    "unpack",
		Summary: "Writes the files of an archive into a directory.",
		Doc: `The user of the provider passes the archive: a folder, a zip, tar or tar.gz file, or a map of assets. Each file is
written atomically, but not all of them together: if a run fails, the files written so far remain.

An existing file is an error unless ` + "`overwrite`" + ` is true. With ` + "`exact`" + `, files that are not in the archive are deleted from the directory, and so are
folders that are then empty.

Links in an archive, and names that lead out of the directory, are errors. Use ` + "`file.list`" + ` with ` + "`glob: \"**\"`" + ` to read the directory.`,
		Args: []actions.Arg{
			pathArg("Directory to write into. It is made if it does not exist."),
			{Property: spec.Property{Name: "archive", Type: declare.Archive(), Required: true, Doc: "The files, as an archive that the user passes."}},
			modeArg("Permission bits of each file in octal. Default: those in the archive; if the archive is secret, without those of group and others."),
			overwriteArg("Replace existing files."),
			declare.Option("exact", declare.Bool(), false, "Delete all other files in the directory. The permissions must grant the whole tree: `dir/**`."),
			rootArg(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			f := changeFacts(s, declare.Object(
				declare.Member("path", declare.Text(), "The directory, as given."),
				declare.Member("items", declare.List(declare.Object(
					declare.Member("path", declare.Text(), "The path."),
					declare.Member("size", declare.Int(), "Size in bytes."),
					declare.Member("sha256", declare.Text(), "SHA-256 of the content, in hex."),
					declare.Member("mode", declare.Text(), "Permission bits, in octal: `0644`."),
					declare.Member("modified", declare.Text(), "When the content last changed: RFC 3339, in UTC."),
				)), "The files, sorted by path. Each path begins with that of the directory."),
			))
			if at := pathPattern(s, "path"); at != nil {
				f.Grants = []actions.Grant{grantFor(s, grant.Write, patternBelow(at), "path")}
			}
			f.Faults = checkWrite(s)
			f.Sweeps = s.Literals["exact"] == true
			f.Joins = !f.Sweeps
			return f
		},
		Marked: true,
		Examples: []actions.Example{{
			Summary: "Replace a site, including files that were removed from it", Spec: `file: unpack: {path: "www", archive: "${inputs.site}", overwrite: true, exact: true}`,
			Files:  map[string]string{"site/index.html": "<h1>Hello</h1>\n", "site/css/site.css": "", "www/old.html": "gone\n"},
			Inputs: map[string]string{"site": "site/"},
		}},
		Run: runUnpack,
	}
}

// unpacker is one run of unpack.
type unpacker struct {
	location
	Archive   *spec.File       `arg:"archive"`
	Mode      declare.FileMode `arg:"mode"`
	Overwrite bool             `arg:"overwrite"`
	Exact     bool             `arg:"exact"`

	ctx   context.Context
	call  *actions.Call
	files *files.Files
	dir   string // the directory
	// items are the files that were written, and deleted is the number of those that were
	// deleted. names are the names of the files in the archive.
	items   []any
	deleted int
	names   map[string]bool
}

func runUnpack(ctx context.Context, call *actions.Call) actions.Outcome {
	u := &unpacker{ctx: ctx, call: call, files: call.Env.Files, names: map[string]bool{}, items: []any{}}
	err := call.Decode(u)
	if err == nil && u.Archive == nil {
		err = errors.New("archive is null; expected an archive")
	}
	if err != nil {
		return actions.Refuse(err)
	}
	u.dir = u.fullPath()
	err = u.unpack()
	switch {
	case err == nil:
		return actions.Succeed(map[string]any{"path": u.Path, "items": u.items})
	case len(u.items) > 0 || u.deleted > 0:
		return actions.Fail(fmt.Errorf("%w; %s", err, u.done()))
	default:
		return changeFailure(err)
	}
}

// done says what has been done so far.
func (u *unpacker) done() string {
	written, deleted := filesWere(len(u.items)), filesWere(u.deleted)
	switch {
	case u.deleted == 0:
		return written + " written before that"
	case len(u.items) == 0:
		return deleted + " deleted before that"
	}
	return written + " written, and " + deleted + " deleted, before that"
}

// filesWere returns how many files something was done with: "2 files were".
func filesWere(n int) string {
	if n == 1 {
		return "1 file was"
	}
	return fmt.Sprint(n, " files were")
}

func (u *unpacker) unpack() error {
	if err := u.files.Check(grant.Write, u.dir); err != nil {
		return err
	}
	if err := assets.Walk(u.ctx, u.call.Env, u.Archive, u.writeEntry); err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	// The archive may be empty. Its directory is then still made.
	if _, err := u.files.Mkdir(u.dir, files.MkdirOptions{Parents: true, Existing: true}); err != nil {
		return err
	}
	stable.Sort(u.items, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["path"].(string), b.(map[string]any)["path"].(string))
	})
	if !u.Exact {
		return nil
	}
	_, err := u.prune("")
	return err
}

// writeEntry writes a file of the archive.
func (u *unpacker) writeEntry(e assets.Entry) error {
	mode, secret := u.Mode.Bits, u.call.HidesAny("archive")
	switch {
	case mode == nil && secret:
		private := declare.PrivateMode(e.Mode)
		mode = &private
	case mode == nil:
		mode = &e.Mode
	}
	u.names[e.Name] = true
	hash := sha256.New()
	info, err := u.files.Write(u.ctx, filepath.Join(u.dir, filepath.FromSlash(e.Name)), io.TeeReader(e.Content, hash), files.WriteOptions{
		Mode: mode, Parents: true, Overwrite: u.Overwrite, Mark: u.call.Mark,
	})
	if err != nil {
		return err
	}
	if secret {
		declare.WarnOthersRead(u.call, path.Join(u.Path, e.Name), info.Mode())
	}
	item := attributes(path.Join(u.Path, e.Name), info)
	item["sha256"] = hex.EncodeToString(hash.Sum(nil))
	u.items = append(u.items, item)
	return nil
}

// prune deletes the files below the folder that are not in the archive, and reports whether
// the folder is then empty.
func (u *unpacker) prune(below string) (empty bool, err error) {
	entries, err := u.files.ReadDir(filepath.Join(u.dir, filepath.FromSlash(below)))
	if err != nil {
		return false, err
	}
	empty = true
	for _, e := range entries {
		name := path.Join(below, e.Name())
		if u.names[name] {
			empty = false
			continue
		}
		if e.IsDir() {
			gone, err := u.prune(name)
			if err != nil {
				return false, err
			}
			if !gone {
				empty = false
				continue
			}
		}
		if err := u.files.Remove(u.ctx, filepath.Join(u.dir, filepath.FromSlash(name)), false); err != nil {
			return false, err
		}
		u.deleted++
	}
	return empty, nil
}
