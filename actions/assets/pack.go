package assets

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// Formats are those that Pack knows; the first is what is used where none is
// named.
func Formats() []string { return []string{"zip", "tar", "tar.gz"} }

// Pack writes an archive as one file of the format. The same files give the same
// bytes, wherever and whenever they are packed: times are left out, and of the
// modes all but whether a file can be run.
func Pack(ctx context.Context, env *actions.Env, f *spec.File, format string, to io.Writer) error {
	switch format {
	case "zip":
		w := zip.NewWriter(to)
		return errors.Join(Walk(ctx, env, f, func(e Entry) error { return addZip(w, e) }), w.Close())
	case "tar":
		return packTar(ctx, env, f, to)
	case "tar.gz":
		w := gzip.NewWriter(to)
		return errors.Join(packTar(ctx, env, f, w), w.Close())
	default:
		return fmt.Errorf("an archive cannot be packed as %q; one of %s is wanted", format, strings.Join(Formats(), ", "))
	}
}

// MediaType is that of a file of the format.
func MediaType(format string) string {
	return map[string]string{"zip": "application/zip", "tar": "application/x-tar", "tar.gz": "application/gzip"}[format]
}

// packedMode is what of a mode is packed.
func packedMode(mode fs.FileMode) fs.FileMode {
	if mode&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

func addZip(w *zip.Writer, e Entry) error {
	h := &zip.FileHeader{Name: e.Name, Method: zip.Deflate}
	h.SetMode(packedMode(e.Mode))
	to, err := w.CreateHeader(h)
	if err == nil {
		_, err = io.Copy(to, e.Content)
	}
	return err
}

func packTar(ctx context.Context, env *actions.Env, f *spec.File, to io.Writer) error {
	w := tar.NewWriter(to)
	return errors.Join(Walk(ctx, env, f, func(e Entry) error { return addTar(ctx, w, e) }), w.Close())
}

// addTar adds a file. A tar file has the size before the content, so what does
// not know its own is spooled.
func addTar(ctx context.Context, w *tar.Writer, e Entry) error {
	if e.Size < 0 {
		file, size, err := spooled(ctx, &Opened{ReadCloser: io.NopCloser(e.Content)}, MaxBytes)
		if err != nil {
			return err
		}
		defer file.Close()
		e.Content, e.Size = file, size
	}
	h := &tar.Header{
		Typeflag: tar.TypeReg, Name: e.Name, Size: e.Size, Mode: int64(packedMode(e.Mode)),
		ModTime: time.Unix(0, 0), Format: tar.FormatPAX,
	}
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.Copy(w, e.Content)
	return err
}
