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

// Files writes files on a machine.
type Files struct{ sftp *sftp.Client }

// Files starts an SFTP session.
func (c *Client) Files(ctx context.Context) (*Files, error) {
	client, err := openSession(ctx, func() (*sftp.Client, error) { return sftp.NewClient(c.Client) }, func(late *sftp.Client) { late.Close() })
	if err != nil {
		return nil, fmt.Errorf("the machine does not support SFTP: %w", err)
	}
	return &Files{client}, nil
}

// Close ends the session. It does not wait for the response of the machine.
func (f *Files) Close() { go f.sftp.Close() }

// Put writes a file atomically: to a temporary file in the same folder, which is then
// renamed. It makes missing folders. A relative path is relative to the user's home. If the
// context ends and the machine does not respond, content may still be read after Put has
// returned.
func (f *Files) Put(ctx context.Context, name string, mode fs.FileMode, content io.Reader) error {
	_, err := await(ctx, responseWait, func() (*Files, error) { return f, f.put(ctx, name, mode, content) }, func(*Files) {})
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
	// The mode is set before the content is written, which may be secret.
	err = file.Chmod(mode.Perm())
	if err == nil {
		_, err = file.ReadFrom(files.CancellableReader(ctx, content))
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return f.sftp.PosixRename(temp, name)
}
