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

// filesVariable is the variable by which a command finds the folder of its files.
const filesVariable = "DECLPROV_FILES"

// handed is a type of content: text, or what the user hands over.
func handed(variants ...*spec.Type) *spec.Type {
	return declare.Either(append([]*spec.Type{declare.Text(), declare.Asset()}, variants...)...)
}

// placed are the files of an argument, with where they go.
func placed(name, path, doc string) actions.Arg {
	return declare.Arg(name, declare.List(declare.Object(
		declare.Member("path", declare.NonEmpty(), path),
		declare.Member("content", handed(declare.Archive()), "Text, an asset, or an archive, whose files then lie below the path."),
		declare.Field("mode", declare.Mode(), "Permission bits in octal. Default: 0600, and those in an archive."),
	)), doc)
}

// placedFile is an item of such an argument.
type placedFile struct {
	Path    string           `arg:"path"`
	Content any              `arg:"content"`
	Mode    declare.FileMode `arg:"mode"`
}

// input is what a command reads on its standard input. The caller closes it.
func (c *command) input(ctx context.Context) (io.Closer, error) {
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

// put is how one file of an item gets where it belongs; its name has slashes.
type put func(item int, name string, mode fs.FileMode, content io.Reader) error

// putAll puts the files of an argument, and counts them.
func (c *command) putAll(ctx context.Context, given []placedFile, one put) (done int, err error) {
	for i, file := range given {
		err := c.putOne(ctx, file.Path, file.Content, func(name string, own fs.FileMode, content io.Reader) error {
			switch {
			case file.Mode.Bits != nil:
				own = *file.Mode.Bits
			case c.hidesContent(i):
				own = declare.Private(own)
			}
			err := one(i, name, own, content)
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

func (c *command) putOne(ctx context.Context, name string, content any, one func(name string, mode fs.FileMode, content io.Reader) error) error {
	switch content := content.(type) {
	case string:
		return one(name, 0o600, strings.NewReader(content))
	case *spec.File:
		if content.Archive {
			return assets.Walk(ctx, c.call.Env, content, func(e assets.Entry) error {
				return one(path.Join(name, e.Name), e.Mode, e.Content)
			})
		}
		opened, err := assets.Open(ctx, c.call.Env, content)
		if err != nil {
			return err
		}
		defer opened.Close()
		return one(name, 0o600, opened)
	default:
		return fmt.Errorf("it is %s, and text, an asset or an archive is wanted", actions.KindOf(content))
	}
}

// place puts the files of a command into a folder of its own, which only this user
// can enter and which is removed when the command has ended.
func (c *command) place(ctx context.Context) (remove func(), err error) {
	if len(c.args.Files) == 0 {
		return func() {}, nil
	}
	if c.args.Env[filesVariable] != nil {
		return nil, fmt.Errorf("env: %s is where the command finds its files; choose another name", filesVariable)
	}
	dir, err := files.MkdirTemp("declprov-files-")
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	remove = func() { _ = os.RemoveAll(dir) } // at worst it is left among temporary files
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer root.Close()
		_, err = c.putAll(ctx, c.args.Files, func(_ int, name string, mode fs.FileMode, content io.Reader) error {
			return write(root, name, mode, content)
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

// write makes a file below a folder.
func write(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	if !fs.ValidPath(name) || name == "." {
		return errors.New("it is not a valid name of a file in the command's own folder: write one like \"config.json\" or \"scripts/run.sh\"")
	}
	name = filepath.FromSlash(name)
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	// For this user alone, but as runnable as it was.
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|mode&0o100)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

// hidesContent reports whether what is uploaded as that item is secret.
func (c *command) hidesContent(item int) bool {
	return c.call.HidesAny(fmt.Sprintf("upload.%d.content", item))
}

// upload puts the files of a command on the machine where it runs, and says how
// many are there.
func (c *command) upload(ctx context.Context, client *ssh.Client) (done int, err error) {
	files, err := client.Files(ctx)
	if err != nil {
		return 0, err
	}
	defer files.Close()
	return c.putAll(ctx, c.args.Upload, func(item int, name string, mode fs.FileMode, content io.Reader) error {
		c.call.Progress("uploading " + name)
		if c.hidesContent(item) {
			declare.TellOthersRead(c.call, name, mode)
		}
		return files.Put(ctx, name, mode, content)
	})
}
