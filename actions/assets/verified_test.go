package assets_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/assets"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/spec"
)

// TestChangedAssets reads files of which the host has recorded a hash. One that has changed ends with an error
// before its last bytes.
func TestChangedAssets(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 2, 1 << 10, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000} {
		for _, changed := range []bool{false, true} {
			for _, buffer := range []int{1, 7, 4 << 10, 1 << 20} {
				if buffer == 1 && size > 1<<10 {
					continue
				}
				t.Run(fmt.Sprintf("%d bytes, by %d, changed %v", size, buffer, changed), func(t *testing.T) {
					t.Parallel()
					content := bytes.Repeat([]byte("x"), size)
					path := filepath.Join(t.TempDir(), "asset")
					if err := os.WriteFile(path, content, 0o600); err != nil {
						t.Fatal(err)
					}
					hashed := content
					if changed {
						hashed = append(bytes.Clone(content), 'y')
					}
					sum := sha256.Sum256(hashed)
					opened, err := assets.Open(t.Context(), &actions.Env{Files: &files.Files{}}, &spec.File{Path: path, Hash: hex.EncodeToString(sum[:])})
					if err != nil {
						t.Fatal(err)
					}
					defer opened.Close()
					var got bytes.Buffer
					_, err = io.CopyBuffer(struct{ io.Writer }{&got}, struct{ io.Reader }{opened}, make([]byte, buffer))
					switch {
					case changed && (err == nil || size > 0 && got.Len() >= size):
						t.Errorf("got %d bytes, %v", got.Len(), err)
					case !changed && (err != nil || !bytes.Equal(got.Bytes(), content)):
						t.Errorf("got %d bytes, %v", got.Len(), err)
					}
				})
			}
		}
	}
}
