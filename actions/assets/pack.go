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

// Formats returns the formats that Pack supports; the first is the default.
func Formats() []string { return []string{"zip", "tar", "tar.gz"} }

// Pack writes an archive as one file of the format. The result is reproducible: it contains
// no times, and of a mode only whether the file is executable.
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
		return fmt.Errorf("unknown archive format %q (use one of %s)", format, strings.Join(Formats(), ", "))
	}
}

// MediaType returns the media type of the format.
func MediaType(format string) string {
	return map[string]string{"zip": "application/zip", "tar": "application/x-tar", "tar.gz": "application/gzip"}[format]
}

// packedMode returns the mode to pack for a file mode.
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

// addTar adds a file to a tar file. The size precedes the content there, so content of unknown
// size is spooled.
func addTar(ctx context.Context, w *tar.Writer, e Entry) error {
	if e.Size < 0 {
		file, size, err := spool(ctx, &Opened{ReadCloser: io.NopCloser(e.Content)})
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
