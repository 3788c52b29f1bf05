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
	"slices"
	"strings"

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
		Doc: `The archive is what the user of the provider hands over: a folder, a zip, tar or tar.gz file, or assets by name. Each file is
written whole or not at all; together they are not: a run that fails leaves those that it had written.

A file that exists is an error unless ` + "`overwrite`" + ` says otherwise. With ` + "`exact`" + `, files in the directory that the archive does not have are deleted, and folders
that are empty then.

Links in an archive, and names that lead out of it, are errors. ` + "`file.list`" + ` with ` + "`glob: \"**\"`" + ` reads back what is there.`,
		Args: []actions.Arg{
			pathArg("Directory to write into. It is made where it is missing."),
			{Property: spec.Property{Name: "archive", Type: declare.Archive(), Required: true, Doc: "The files, as an archive that the user hands over."}},
			mode("Permission bits of each file in octal. Without it, those in the archive, of which others than the owner get none where it is secret."),
			overwrite("Replace files that exist."),
			declare.Option("exact", declare.Bool(), false, "Delete what else is in the directory. The permissions must grant the whole tree: `dir/**`."),
			root(),
		},
		Analyze: func(s actions.Static) actions.Facts {
			f := changes(s, declare.Object(
				declare.Member("path", declare.Text(), "The directory, as it was given."),
				declare.Member("items", declare.List(declare.Object(
					declare.Member("path", declare.Text(), "The path."),
					declare.Member("size", declare.Int(), "Size in bytes."),
					declare.Member("sha256", declare.Text(), "SHA-256 of the content, in hex."),
					declare.Member("mode", declare.Text(), "Permission bits, in octal: `0644`."),
					declare.Member("modified", declare.Text(), "When the content last changed: RFC 3339, in UTC."),
				)), "The files, sorted by path; each path begins with the directory's."),
			))
			if at := located(s, "path"); at != nil {
				f.Grants = []actions.Grant{asking(s, grant.Write, under(at, "**"), "path")}
			}
			f.Faults = checkWrite(s)
			return f
		},
		Marked: true,
		Examples: []actions.Example{{
			Summary: "A site, without what an earlier one had", Spec: `file: unpack: {path: "www", archive: "${inputs.site}", overwrite: true, exact: true}`,
			Files:  map[string]string{"site/index.html": "<h1>Hello</h1>\n", "site/css/site.css": "", "www/old.html": "gone\n"},
			Inputs: map[string]string{"site": "site/"},
		}},
		Run: runUnpack,
	}
}

// unpacking is one run of unpack.
type unpacking struct {
	location
	Archive   *spec.File       `arg:"archive"`
	Mode      declare.FileMode `arg:"mode"`
	Overwrite bool             `arg:"overwrite"`
	Exact     bool             `arg:"exact"`

	ctx   context.Context
	call  *actions.Call
	files *files.Files
	at    string // the directory
	// written says that something has changed; kept are the names of the
	// archive's files.
	written bool
	kept    map[string]bool
	items   []any
}

func runUnpack(ctx context.Context, call *actions.Call) actions.Outcome {
	u := &unpacking{ctx: ctx, call: call, files: call.Env.Files, kept: map[string]bool{}, items: []any{}}
	err := call.Decode(u)
	if err == nil && u.Archive == nil {
		err = errors.New("archive is null; hand one over")
	}
	if err != nil {
		return actions.Refuse(err)
	}
	u.at = u.place()
	err = u.all()
	switch {
	case err == nil:
		return actions.Succeed(map[string]any{"path": u.Path, "items": u.items})
	case u.written:
		return actions.Fail(err)
	default:
		return changing(err)
	}
}

func (u *unpacking) all() error {
	if err := u.files.Check(grant.Write, u.at); err != nil {
		return err
	}
	if err := assets.Walk(u.ctx, u.call.Env, u.Archive, u.one); err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	// An archive may be empty, and its directory is then all there is of it.
	if _, err := u.files.Mkdir(u.at, files.MkdirOptions{Parents: true, Existing: true}); err != nil {
		return err
	}
	slices.SortFunc(u.items, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["path"].(string), b.(map[string]any)["path"].(string))
	})
	if !u.Exact {
		return nil
	}
	_, err := u.prune("")
	return err
}

// one writes a file of the archive.
func (u *unpacking) one(e assets.Entry) error {
	mode, secret := u.Mode.Bits, u.call.HidesAny("archive")
	switch {
	case mode == nil && secret:
		private := declare.PrivateMode(e.Mode)
		mode = &private
	case mode == nil:
		mode = &e.Mode
	}
	u.kept[e.Name] = true
	hash := sha256.New()
	info, err := u.files.Write(u.ctx, filepath.Join(u.at, filepath.FromSlash(e.Name)), io.TeeReader(e.Content, hash), files.WriteOptions{
		Mode: mode, Parents: true, Overwrite: u.Overwrite, Mark: u.call.Mark,
	})
	if err != nil {
		return err
	}
	u.written = true
	if secret {
		declare.WarnOthersRead(u.call, path.Join(u.Path, e.Name), info.Mode())
	}
	item := attributes(path.Join(u.Path, e.Name), info)
	item["sha256"] = hex.EncodeToString(hash.Sum(nil))
	u.items = append(u.items, item)
	return nil
}

// prune deletes what the archive does not have from the folder below the
// directory, and reports whether nothing is left there.
func (u *unpacking) prune(below string) (empty bool, err error) {
	entries, err := u.files.ReadDir(filepath.Join(u.at, filepath.FromSlash(below)))
	if err != nil {
		return false, err
	}
	empty = true
	for _, e := range entries {
		name := path.Join(below, e.Name())
		if u.kept[name] {
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
		if err := u.files.Remove(u.ctx, filepath.Join(u.at, filepath.FromSlash(name)), false); err != nil {
			return false, err
		}
		u.written = true
	}
	return empty, nil
}
