package file

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// openSource opens the content that a write is given.
func openSource(call *actions.Call) (io.ReadCloser, error) {
	if text, ok := call.Args["content"].(string); ok {
		return io.NopCloser(strings.NewReader(text)), nil
	}
	if text, ok := call.Args["contentBase64"].(string); ok {
		return io.NopCloser(&base64Reader{base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))}), nil
	}
	if asset, ok := call.Args["source"].(*spec.File); ok && asset != nil {
		return openAsset(call.Env.Files, asset)
	}
	return nil, errors.New("nothing to write: content, contentBase64 and source are all null; give one of them")
}

// base64Reader says which argument it is that cannot be decoded.
type base64Reader struct{ decoder io.Reader }

func (r *base64Reader) Read(p []byte) (int, error) {
	n, err := r.decoder.Read(p)
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("contentBase64 is not standard base64 (%w)", err)
	}
	return n, err
}

func openAsset(files *actions.Files, asset *spec.File) (io.ReadCloser, error) {
	switch {
	case asset.Archive:
		return nil, errors.New("source is an archive, and file.write writes one file; hand over an asset, or each file of its own")
	case asset.Text != nil:
		return io.NopCloser(strings.NewReader(*asset.Text)), nil
	case asset.Path != "":
		file, _, err := files.OpenAsset(asset.Path)
		return file, err
	case asset.URI != "":
		return nil, errors.New("source is a remote asset, and file.write fetches nothing; hand over a file or text")
	default:
		return nil, errors.New("the content of source is not at hand, only its hash; hand it over again")
	}
}
