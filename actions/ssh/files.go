package ssh

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/pkg/sftp"

	"github.com/declprov/declprov/actions/sys/files"
)

// Files puts files on a machine.
type Files struct{ sftp *sftp.Client }

// Files opens the machine's file transfer.
func (c *Client) Files(ctx context.Context) (*Files, error) {
	client, err := opened(ctx, func() (*sftp.Client, error) { return sftp.NewClient(c.Client) }, func(late *sftp.Client) { late.Close() })
	if err != nil {
		return nil, fmt.Errorf("the machine does not take files (sftp): %w", err)
	}
	return &Files{client}, nil
}

// Close ends the transfer, without waiting for a machine that does not answer.
func (f *Files) Close() { go f.sftp.Close() }

// Put writes a file whole, or not at all: to a temporary sibling, which then
// takes its name. Missing folders are made. A relative path starts at the user's
// home. Where the context ends and the machine does not answer, the content may be
// read from after it has returned.
func (f *Files) Put(ctx context.Context, name string, mode fs.FileMode, content io.Reader) error {
	_, err := within(ctx, answerWait, func() (*Files, error) { return f, f.put(ctx, name, mode, content) }, func(*Files) {})
	return err
}

func (f *Files) put(ctx context.Context, name string, mode fs.FileMode, content io.Reader) (err error) {
	if dir := path.Dir(name); dir != "." && dir != "/" {
		if err := f.sftp.MkdirAll(dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	temp := path.Join(path.Dir(name), ".declprov-"+hex.EncodeToString(random[:]))
	file, err := f.sftp.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", name, errors.Join(err, f.sftp.Remove(temp)))
		}
	}()
	// Before the content: it may be for nobody else.
	err = file.Chmod(mode.Perm())
	if err == nil {
		_, err = file.ReadFrom(files.CancellableReader(ctx, content))
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return f.sftp.PosixRename(temp, name)
}
