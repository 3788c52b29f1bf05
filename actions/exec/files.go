package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/assets"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/ssh"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/spec"
)

// filesVariable is the environment variable with the folder of a command's files.
const filesVariable = "DECLPROV_FILES"

// contentType returns the type of content: a string, an asset, or one of the variants.
func contentType(variants ...*spec.Type) *spec.Type {
	return declare.Either(append([]*spec.Type{declare.Text(), declare.Asset()}, variants...)...)
}

// filesArg returns an argument that lists files: path, content and mode.
func filesArg(name, path, doc string) actions.Arg {
	return declare.Arg(name, declare.List(declare.Object(
		declare.Member("path", declare.NonEmpty(), path),
		declare.Member("content", contentType(declare.Archive()), "A string, an asset, or an archive, whose files are then put below the path."),
		declare.Field("mode", declare.Mode(), "Permission bits in octal. Default: 0600, or the mode in the archive."),
	)), doc)
}

// fileArg is an item of an argument that lists files.
type fileArg struct {
	Path    string           `arg:"path"`
	Content any              `arg:"content"`
	Mode    declare.FileMode `arg:"mode"`
}

// openStdin opens the standard input of a command. The caller closes it.
func (c *command) openStdin(ctx context.Context) (io.Closer, error) {
	switch given := c.args.Stdin.(type) {
	case string:
		c.process.Stdin = strings.NewReader(given)
	case *spec.File:
		opened, err := assets.Open(ctx, c.call.Env, given)
		if err != nil {
			return nil, fmt.Errorf("stdin: %w", err)
		}
		c.process.Stdin = opened
		return opened, nil
	}
	return io.NopCloser(nil), nil
}

// writeFunc writes one file of an item to its destination. The name is slash-separated.
type writeFunc func(item int, name string, mode fs.FileMode, content io.Reader) error

// writeAll writes the files of an argument, and returns how many it wrote.
func (c *command) writeAll(ctx context.Context, given []fileArg, write writeFunc) (done int, err error) {
	for i, file := range given {
		err := c.visitFiles(ctx, file.Path, file.Content, func(name string, own fs.FileMode, content io.Reader) error {
			switch {
			case file.Mode.Bits != nil:
				own = *file.Mode.Bits
			case c.hidesContent(i):
				own = declare.PrivateMode(own)
			}
			err := write(i, name, own, content)
			if err == nil {
				done++
			}
			return err
		})
		if err != nil {
			return done, fmt.Errorf("%d: %s: %w", i, file.Path, err)
		}
	}
	return done, nil
}

// visitFiles calls visit for the file of an item, or for each file of its archive.
func (c *command) visitFiles(ctx context.Context, name string, content any, visit func(name string, mode fs.FileMode, content io.Reader) error) error {
	switch content := content.(type) {
	case string:
		return visit(name, 0o600, strings.NewReader(content))
	case *spec.File:
		if content.Archive {
			return assets.Walk(ctx, c.call.Env, content, func(e assets.Entry) error {
				return visit(path.Join(name, e.Name), e.Mode, e.Content)
			})
		}
		opened, err := assets.Open(ctx, c.call.Env, content)
		if err != nil {
			return err
		}
		defer opened.Close()
		return visit(name, 0o600, opened)
	default:
		return fmt.Errorf("expected a string, an asset or an archive, got %s", actions.KindOf(content))
	}
}

// writeFiles writes the files of a command to a private folder, which only this user can
// enter. The caller calls remove when the command has ended.
func (c *command) writeFiles(ctx context.Context) (remove func(), err error) {
	if len(c.args.Files) == 0 {
		return func() {}, nil
	}
	if c.args.Env[filesVariable] != nil {
		return nil, fmt.Errorf("env: the name %s is reserved for the folder of `files`; choose another name", filesVariable)
	}
	dir, err := files.MkdirTemp("declprov-files-")
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	remove = func() { _ = os.RemoveAll(dir) } // on failure, it stays in the directory for temporary files
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer root.Close()
		_, err = c.writeAll(ctx, c.args.Files, func(_ int, name string, mode fs.FileMode, content io.Reader) error {
			return writeFile(root, name, mode, content)
		})
	}
	if err != nil {
		remove()
		return nil, fmt.Errorf("files: %w", err)
	}
	c.process.Env = append(c.process.Env, filesVariable+"="+dir)
	c.process.Scratch = append(c.process.Scratch, dir)
	return remove, nil
}

// writeFile writes a file below a folder.
func writeFile(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	if !fs.ValidPath(name) || name == "." {
		return errors.New("invalid path in the command's private folder (use a relative path like \"config.json\" or \"scripts/run.sh\")")
	}
	name = filepath.FromSlash(name)
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	// Only this user may access the file. It stays executable if it was.
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|mode&0o100)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

// hidesContent reports whether the content of an uploaded item is secret.
func (c *command) hidesContent(item int) bool {
	return c.call.HidesAny(fmt.Sprintf("upload.%d.content", item))
}

// upload copies the files of a command to the machine where it runs, and returns how many it
// wrote.
func (c *command) upload(ctx context.Context, client *ssh.Client) (done int, err error) {
	files, err := client.Files(ctx)
	if err != nil {
		return 0, err
	}
	defer files.Close()
	return c.writeAll(ctx, c.args.Upload, func(item int, name string, mode fs.FileMode, content io.Reader) error {
		c.call.Progress("uploading " + name)
		if c.hidesContent(item) {
			declare.WarnOthersRead(c.call, name, mode)
		}
		return files.Put(ctx, name, mode, content)
	})
}
